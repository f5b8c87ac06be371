// Tridiagonal systems and their solutions as text.
#pragma once

#include <filesystem>

#include "tesela/io.h"
#include "tesela/progress.h"
#include "tesela/tridiagonal_systems.h"

namespace tesela::io {

// Text with the columns a, b, c and d, separated by spaces, tabs, commas or semicolons; an empty
// line between systems, which have equally many rows; '#' begins a comment. The first a and the
// last c of a system may be anything that is a number or nan. Of one system further columns are
// further right-hand sides. Throws UnreadableInput that names the line, OutOfMemory.
TridiagonalSystems read_tridiagonal(const std::filesystem::path& path,
                                    const ReadOptions& options = {}, const Progress& progress = {});

// One solution a line, an empty line between systems; of systems that share a matrix a column for
// each, separated by commas. Throws UnwritableOutput.
void write_solutions(const TridiagonalSolutions& solutions, const std::filesystem::path& path);

}  // namespace tesela::io
