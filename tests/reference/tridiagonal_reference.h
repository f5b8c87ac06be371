// What solutions of tridiagonal systems are compared with: their normwise backward error, and that
// of LAPACK's gtsv on the same system, where the machine has LAPACK.
#pragma once

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

namespace tesela::testing {

// |d - A x| / (|A| |x| + |d|) in maximum norms, of one system.
template <class T>
double tridiagonal_backward_error(const std::vector<T>& a, const std::vector<T>& b,
                                  const std::vector<T>& c, const std::vector<T>& d,
                                  const std::vector<T>& x) {
    double residual = 0, matrix = 0, largest_x = 0, largest_d = 0;
    const std::size_t rows = x.size();
    for (std::size_t r = 0; r < rows; ++r) {
        const double lower = r > 0 ? double(a[r]) : 0, upper = r + 1 < rows ? double(c[r]) : 0;
        const double product = (r > 0 ? lower * double(x[r - 1]) : 0) +
                               double(b[r]) * double(x[r]) +
                               (r + 1 < rows ? upper * double(x[r + 1]) : 0);
        residual = std::max(residual, std::abs(double(d[r]) - product));
        matrix = std::max(matrix, std::abs(lower) + std::abs(double(b[r])) + std::abs(upper));
        largest_x = std::max(largest_x, std::abs(double(x[r])));
        largest_d = std::max(largest_d, std::abs(double(d[r])));
    }
    return residual > 0 ? residual / (matrix * largest_x + largest_d) : 0;
}

// x of one system by sgtsv or dgtsv; nothing where there is no LAPACK.
template <class T>
std::optional<std::vector<T>> lapack_gtsv(std::vector<T> a, std::vector<T> b, std::vector<T> c,
                                          std::vector<T> d) {
    using Gtsv = void (*)(const int*, const int*, T*, T*, T*, T*, const int*, int*);
    static const Gtsv gtsv = [] {
        void* library = dlopen("liblapack.so.3", RTLD_NOW | RTLD_LOCAL);
        return reinterpret_cast<Gtsv>(
            library ? dlsym(library, std::is_same_v<T, float> ? "sgtsv_" : "dgtsv_") : nullptr);
    }();
    if (!gtsv) return std::nullopt;
    const int rows = static_cast<int>(b.size()), one = 1;
    int info = 0;
    gtsv(&rows, &one, a.data() + 1, b.data(), c.data(), d.data(), &rows, &info);
    if (info != 0) return std::nullopt;
    return d;
}

}  // namespace tesela::testing
