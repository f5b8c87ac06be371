// Discrete Fourier transforms by their definition, in double precision, along one axis after the
// other.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <numbers>
#include <vector>

namespace tesela::reference {

using Complexes = std::vector<std::complex<double>>;

// Arrays of `size`, x fastest, one behind the other; `sign` of the exponent.
inline Complexes dft(const std::array<std::int64_t, 3>& size, int sign, Complexes values) {
    std::int64_t inner = 1;
    for (const std::int64_t length : size) {
        Complexes turns, line(static_cast<std::size_t>(length));
        for (std::int64_t k = 0; k < length; ++k)
            turns.push_back(std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(k) /
                                                static_cast<double>(length)));
        const auto all = static_cast<std::int64_t>(values.size());
        for (std::int64_t number = 0; number < all / length; ++number) {
            const std::int64_t first = number / inner * inner * length + number % inner;
            for (std::int64_t k = 0; k < length; ++k) {
                line[k] = 0;
                for (std::int64_t j = 0, turn = 0; j < length; ++j, turn = (turn + k) % length)
                    line[k] += values[first + j * inner] * turns[turn];
            }
            for (std::int64_t k = 0; k < length; ++k) values[first + k * inner] = line[k];
        }
        inner *= length;
    }
    return values;
}

}  // namespace tesela::reference
