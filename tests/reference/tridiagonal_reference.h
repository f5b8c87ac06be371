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

// x of one system by elimination without pivots (L. H. Thomas, 1949), in extended precision.
template <class T>
std::vector<long double> plain_tridiagonal(const std::vector<T>& a, const std::vector<T>& b,
                                           const std::vector<T>& c, const std::vector<T>& d) {
    const std::size_t rows = b.size();
    std::vector<long double> above(rows), x(rows);
    for (std::size_t r = 0; r < rows; ++r) {
        const long double lower = r > 0 ? a[r] : 0;
        const long double pivot = b[r] - (r > 0 ? lower * above[r - 1] : 0);
        above[r] = c[r] / pivot;
        x[r] = (d[r] - (r > 0 ? lower * x[r - 1] : 0)) / pivot;
    }
    for (std::size_t r = rows - 1; r-- > 0;) x[r] -= above[r] * x[r + 1];
    return x;
}

// |found - x| / |x| in the norm of the sum of squares.
template <class T>
double relative_l2_error(const std::vector<T>& found, const std::vector<long double>& x) {
    long double off = 0, all = 0;
    for (std::size_t r = 0; r < x.size(); ++r) {
        off += (found[r] - x[r]) * (found[r] - x[r]);
        all += x[r] * x[r];
    }
    return static_cast<double>(std::sqrt(off / all));
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

// The same by the factors of sgttrf or dgttrf, and sgttrs or dgttrs.
template <class T>
std::optional<std::vector<T>> lapack_gttrs(std::vector<T> a, std::vector<T> b, std::vector<T> c,
                                           std::vector<T> d) {
    using Factor = void (*)(const int*, T*, T*, T*, T*, int*, int*);
    using Solve = void (*)(const char*, const int*, const int*, const T*, const T*, const T*,
                           const T*, const int*, T*, const int*, int*);
    static void* const library = dlopen("liblapack.so.3", RTLD_NOW | RTLD_LOCAL);
    constexpr bool is_float = std::is_same_v<T, float>;
    static const auto factor = reinterpret_cast<Factor>(
        library ? dlsym(library, is_float ? "sgttrf_" : "dgttrf_") : nullptr);
    static const auto solve = reinterpret_cast<Solve>(
        library ? dlsym(library, is_float ? "sgttrs_" : "dgttrs_") : nullptr);
    if (!factor || !solve) return std::nullopt;
    const int rows = static_cast<int>(b.size()), one = 1;
    std::vector<T> second(b.size());
    std::vector<int> pivots(b.size());
    int info = 0;
    factor(&rows, a.data() + 1, b.data(), c.data(), second.data(), pivots.data(), &info);
    if (info != 0) return std::nullopt;
    solve("N", &rows, &one, a.data() + 1, b.data(), c.data(), second.data(), pivots.data(),
          d.data(), &rows, &info);
    return d;
}

}  // namespace tesela::testing
