// A directory of a TIFF file as its bytes have it.
#pragma once

#include "io/file.h"

namespace tesela::io {

// libtiff takes a missing link to the next directory for the end of the file, and leaves out values
// that lie beyond it, so that pages, their description or their resolution behind a cut would be
// lost without a word. Throws UnreadableInput for a file that is cut there.
void check_directory(const InputFile& file, std::int64_t offset);

}  // namespace tesela::io
