// Tridiagonal systems as text, and random ones.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "tesela/options.h"
#include "tesela/progress.h"
#include "tesela/tridiagonal.h"

namespace tesela::cli {

struct TridiagonalSystems {
    TridiagonalLines lines;  // contiguous
    std::vector<double> a, b, c, d;
};

// Text with the columns a, b, c and d, separated by spaces, tabs, commas or semicolons; an empty
// line between systems, which have equally many rows; '#' begins a comment. The first a and the
// last c of a system may be anything that is a number or nan. Throws UnreadableInput that names the
// line.
TridiagonalSystems read_tridiagonal(const std::filesystem::path& path, const Progress& progress);

// One solution a line, an empty line between systems. Throws UnwritableOutput.
void write_solutions(const std::filesystem::path& path, const TridiagonalLines& lines,
                     const std::vector<double>& x, int digits);

// dominant: random rows, |b| at least 1.1 (|a| + |c|). toeplitz: 1, 4, 1, as of cubic splines.
// near-singular: -1, 2, -1, whose condition grows with the square of the rows.
enum class TridiagonalKind { dominant, toeplitz, near_singular };
constexpr auto enum_names(TridiagonalKind) {
    return std::array{EnumNames<TridiagonalKind>{TridiagonalKind::dominant, "dominant"},
                      EnumNames<TridiagonalKind>{TridiagonalKind::toeplitz, "toeplitz"},
                      EnumNames<TridiagonalKind>{TridiagonalKind::near_singular, "near-singular"}};
}
constexpr auto enum_help(TridiagonalKind) {
    return std::array<std::string_view, 3>{"diagonally dominant", "constant diagonals",
                                           "close to singular"};
}
TridiagonalSystems random_tridiagonal(const TridiagonalLines& lines, TridiagonalKind kind,
                                      std::uint64_t seed);

// "1000x64": rows and systems. Throws InvalidArgument that names --random.
TridiagonalLines parse_tridiagonal_size(std::string_view text);

}  // namespace tesela::cli
