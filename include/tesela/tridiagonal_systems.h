// Tridiagonal systems with their right-hand sides, and random ones.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tesela/options.h"
#include "tesela/tridiagonal.h"

namespace tesela {

struct TridiagonalSystems {
    TridiagonalLines lines;  // contiguous
    std::vector<double> a, b, c, d;
    bool is_shared = false;  // whether all systems have one matrix: a, b and c are those of a line
};
struct TridiagonalSolutions {
    TridiagonalLines lines;
    std::vector<double> x;
    bool is_shared = false;
    int digits = 17;  // that are worth writing
};

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

}  // namespace tesela
