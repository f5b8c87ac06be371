#include "tesela/tridiagonal_systems.h"

#include <cmath>
#include <random>

namespace tesela {

TridiagonalSystems random_tridiagonal(const TridiagonalLines& lines, TridiagonalKind kind,
                                      std::uint64_t seed) {
    std::mt19937_64 generator(seed);
    // Not a distribution of the standard library, whose numbers differ between libraries.
    const auto any = [&] { return static_cast<double>(generator() >> 11) * 0x1p-52 - 1; };
    TridiagonalSystems made;
    made.lines = lines;
    const auto count = static_cast<std::size_t>(lines.elements());
    for (std::vector<double>* values : {&made.a, &made.b, &made.c, &made.d}) values->reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const bool random = kind == TridiagonalKind::dominant;
        const double off_diagonal = kind == TridiagonalKind::toeplitz ? 1 : -1;
        const double a = random ? any() : off_diagonal, c = random ? any() : off_diagonal;
        const double dominant = (1.1 + std::abs(any())) * (std::abs(a) + std::abs(c));
        made.a.push_back(a);
        made.b.push_back(random ? std::copysign(dominant, any())
                                : (kind == TridiagonalKind::toeplitz ? 4 : 2));
        made.c.push_back(c);
        made.d.push_back(any());
    }
    return made;
}

}  // namespace tesela
