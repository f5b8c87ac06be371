// The command line in the extension, for `python -m tesela`.
#pragma once

#include "python/objects.h"

namespace tesela::python {

// program(words): runs the command line with these words, the first of which is its own name, and
// gives its exit status. Once in a process, whose signals it takes for itself.
Object run_program(PyObject* arguments);

}  // namespace tesela::python
