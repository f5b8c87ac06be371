// Vectors and matrices of three dimensions.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace tesela::detail {

using Vector = std::array<double, 3>;
using Matrix = std::array<double, 9>;  // row-major

inline Vector operator+(const Vector& a, const Vector& b) {
    return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
inline Vector operator-(const Vector& a, const Vector& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline Vector operator*(double s, const Vector& a) { return {s * a[0], s * a[1], s * a[2]}; }
inline double dot(const Vector& a, const Vector& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline Vector cross(const Vector& a, const Vector& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline double length(const Vector& a) { return std::sqrt(dot(a, a)); }
inline Vector normalized(const Vector& a) { return (1 / length(a)) * a; }

inline Vector row_of(const Matrix& m, std::size_t row) {
    return {m[3 * row], m[3 * row + 1], m[3 * row + 2]};
}
inline Vector operator*(const Matrix& m, const Vector& v) {
    return {dot(row_of(m, 0), v), dot(row_of(m, 1), v), dot(row_of(m, 2), v)};
}
// Cramer's rule.
inline Matrix inverse(const Matrix& m) {
    const Vector a = row_of(m, 0), b = row_of(m, 1), c = row_of(m, 2);
    const double scale = 1 / dot(a, cross(b, c));
    const Vector x = scale * cross(b, c), y = scale * cross(c, a), z = scale * cross(a, b);
    return {x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]};
}

}  // namespace tesela::detail
