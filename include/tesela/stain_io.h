// Stains of sections in files, so that other images get the same: JSON with the two vectors, the
// background and the strengths of a StainMatrix.
#pragma once

#include <filesystem>

#include "tesela/io.h"
#include "tesela/stain.h"

namespace tesela::io {

// Throws UnreadableInput (missing, damaged, numbers that no stain has), UnsupportedFormat (other
// JSON), OutOfMemory.
StainMatrix read_stains(const std::filesystem::path& path, const ReadOptions& options = {});
// Throws UnwritableOutput.
void write_stains(const StainMatrix& stains, const std::filesystem::path& path,
                  const WriteOptions& options = {});

}  // namespace tesela::io
