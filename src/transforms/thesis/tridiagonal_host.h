// Tridiagonal systems on the host: what the thesis measures devices against.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/threads.h"

namespace tesela::detail {

template <class T>
struct HostSystem {
    std::vector<T> a, b, c, d;
};

// By L. H. Thomas's elimination: d becomes x of the `rows` equations from `first` on, b is used up.
// The first a and the last c are not read.
template <class T>
void solve_by_thomas(const T* a, T* b, const T* c, T* d, std::size_t rows) {
    for (std::size_t i = 1; i < rows; ++i) {
        const T factor = a[i] / b[i - 1];
        b[i] -= factor * c[i - 1];
        d[i] -= factor * d[i - 1];
    }
    d[rows - 1] /= b[rows - 1];
    for (std::size_t i = rows - 1; i-- > 0;) d[i] = (d[i] - c[i] * d[i + 1]) / b[i];
}

// A part of the system solved by itself: for its right-hand side, for 1 in its first equation and
// for 1 in its last one.
template <class T>
struct SolvedPart {
    std::size_t first = 0, rows = 0;
    std::vector<T> y, of_first, of_last;
};
template <class T>
SolvedPart<T> solved_part(const HostSystem<T>& system, std::size_t first, std::size_t rows) {
    SolvedPart<T> part{first, rows, {}, std::vector<T>(rows), std::vector<T>(rows)};
    const auto solve = [&](std::vector<T>& right) {
        const auto begin = system.b.begin() + static_cast<std::ptrdiff_t>(first);
        std::vector<T> b(begin, begin + static_cast<std::ptrdiff_t>(rows));
        solve_by_thomas(system.a.data() + first, b.data(), system.c.data() + first, right.data(),
                        rows);
    };
    const auto begin = system.d.begin() + static_cast<std::ptrdiff_t>(first);
    part.y.assign(begin, begin + static_cast<std::ptrdiff_t>(rows));
    part.of_first.front() = part.of_last.back() = 1;
    solve(part.y);
    solve(part.of_first);
    solve(part.of_last);
    return part;
}

// By R. Bondeli's method, a part for each thread; the couplings are eliminated one after the other.
// d becomes x.
template <class T>
void solve_on_threads(HostSystem<T>& system, int threads) {
    const std::size_t rows = system.d.size();
    const auto count = std::min(static_cast<std::size_t>(threads_or_all(threads)), rows);
    std::vector<SolvedPart<T>> parts(count);
    for_each_index(static_cast<std::int64_t>(count), threads, [&](std::int64_t index) {
        const auto i = static_cast<std::size_t>(index);
        const std::size_t first = rows * i / count;
        parts[i] = solved_part(system, first, rows * (i + 1) / count - first);
    });
    // Of a part: its last unknown is p - q v, the first one of the next part v = r - s w, w that of
    // the part behind.
    std::vector<T> p(count), q(count), r(count), s(count), before(count), behind(count);
    for (std::size_t i = 0; i < count; ++i) {
        const SolvedPart<T>& part = parts[i];
        const std::size_t last = part.rows - 1;
        const T a = i > 0 ? system.a[part.first] : 0;
        const T c = i + 1 < count ? system.c[part.first + last] : 0;
        p[i] = part.y[last];
        q[i] = c * part.of_last[last];
        if (i == 0) continue;
        const T pivot = 1 - a * part.of_first[0] * q[i - 1];
        r[i] = (part.y[0] - a * part.of_first[0] * p[i - 1]) / pivot;
        s[i] = c * part.of_last[0] / pivot;
        p[i] -= a * part.of_first[last] * (p[i - 1] - q[i - 1] * r[i]);
        q[i] += a * part.of_first[last] * q[i - 1] * s[i];
    }
    for (std::size_t i = count; i-- > 0;) {
        if (i + 1 < count) behind[i] = r[i + 1] - s[i + 1] * behind[i + 1];
        if (i + 1 < count) before[i + 1] = p[i] - q[i] * behind[i];
    }
    for_each_index(static_cast<std::int64_t>(count), threads, [&](std::int64_t index) {
        const auto i = static_cast<std::size_t>(index);
        const SolvedPart<T>& part = parts[i];
        const T left = i > 0 ? system.a[part.first] * before[i] : 0;
        const T right = i + 1 < count ? system.c[part.first + part.rows - 1] * behind[i] : 0;
        for (std::size_t k = 0; k < part.rows; ++k)
            system.d[part.first + k] =
                part.y[k] - left * part.of_first[k] - right * part.of_last[k];
    });
}

}  // namespace tesela::detail
