// Calls of operations, their descriptions, and devices.
#pragma once

#include "python/objects.h"

namespace tesela::python {

// operations(): {"operations": [{"name", "purpose"}], "families": [{"name", ..., "default"}]}
Object list_operations(PyObject* arguments);
// describe(name): inputs, outputs and options of an operation.
Object describe_operation(PyObject* arguments);

// call(name, inputs, options, outputs, files, settings, names): computes. `inputs` are values by
// name or lists of them; `options` those that are given; `outputs` a list of names; `files` the
// path of each output that is a file; `settings` has device, threads, progress (a callable with
// fraction and stage, or None) and interruptible: whether SIGINT stops this call; `names` what
// labels stand for, as label_table_of takes it. Gives a tuple: outputs and figures by their names,
// details, summary, text, data, used options by their names, work (launches, uploads, downloads,
// the bytes of both, allocations, copied bytes of inputs), and warnings.
Object call_operation(PyObject* arguments);
// cancel(): stops all calls that run now, in whatever thread.
Object cancel_calls(PyObject* arguments);

// devices(): a list of records, those that cannot be used with the reason.
Object list_devices(PyObject* arguments);
// trim(): gives memory that this thread's queues keep for later calls back.
Object trim_queues(PyObject* arguments);
// close(): ends this thread's queues.
Object close_queues(PyObject* arguments);

}  // namespace tesela::python
