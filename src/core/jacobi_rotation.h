// Rotations that make elements of a symmetric matrix 0 (C. G. J. Jacobi, 1846).
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace tesela {

template <std::size_t N>
using SquareMatrix = std::array<std::array<double, N>, N>;

// Turns the plane of two axes so that the element of both becomes 0, and with it the columns of
// `axes`, if given.
template <std::size_t N>
void rotate_to_zero(SquareMatrix<N>& m, std::size_t p, std::size_t q,
                    SquareMatrix<N>* axes = nullptr) {
    if (m[p][q] == 0) return;
    const double slope = (m[q][q] - m[p][p]) / (2 * m[p][q]);
    const double tangent = (slope < 0 ? -1 : 1) / (std::abs(slope) + std::sqrt(slope * slope + 1));
    const double cosine = 1 / std::sqrt(tangent * tangent + 1), sine = tangent * cosine;
    const auto turn_columns = [&](SquareMatrix<N>& turned) {
        for (std::size_t k = 0; k < N; ++k) {
            const double at_p = turned[k][p], at_q = turned[k][q];
            turned[k][p] = cosine * at_p - sine * at_q;
            turned[k][q] = sine * at_p + cosine * at_q;
        }
    };
    turn_columns(m);
    for (std::size_t k = 0; k < N; ++k) {
        const double at_p = m[p][k], at_q = m[q][k];
        m[p][k] = cosine * at_p - sine * at_q;
        m[q][k] = sine * at_p + cosine * at_q;
    }
    if (axes) turn_columns(*axes);
}

// The eigenvalues are the diagonal of `values`, their eigenvectors the columns of `vectors`.
template <std::size_t N>
struct Eigensystem {
    SquareMatrix<N> values, vectors;
};
template <std::size_t N>
Eigensystem<N> eigensystem(const SquareMatrix<N>& symmetric) {
    constexpr int rounds = 12;  // which converge quadratically
    Eigensystem<N> found{symmetric, {}};
    for (std::size_t a = 0; a < N; ++a) found.vectors[a][a] = 1;
    for (int round = 0; round < rounds; ++round)
        for (std::size_t p = 0; p + 1 < N; ++p)
            for (std::size_t q = p + 1; q < N; ++q)
                rotate_to_zero(found.values, p, q, &found.vectors);
    return found;
}

}  // namespace tesela
