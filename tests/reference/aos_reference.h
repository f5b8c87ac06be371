// Reference: a step of additive operator splitting in double precision (docs/level-sets.md).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace tesela::reference {

struct AosStep {
    std::array<int, 3> size{};
    std::array<double, 3> spacing{1, 1, 1};
    bool geodesic = true, stops = false;
    double push = 0, step = 0.5;

    using Values = std::vector<double>;

    std::size_t at(const std::array<int, 3>& p) const {
        return (std::size_t(p[2]) * size[1] + p[1]) * size[0] + p[0];
    }
    template <class Use>
    void for_points(const Use& use) const {
        for (int z = 0; z < size[2]; ++z)
            for (int y = 0; y < size[1]; ++y)
                for (int x = 0; x < size[0]; ++x) use(std::array{x, y, z});
    }
    // (3.12): backward and forward differences.
    std::array<double, 2> differences(const Values& u, std::array<int, 3> p, int axis) const {
        if (size[axis] == 1) return {0, 0};
        const auto slope = [&](int from) {
            std::array<int, 3> a = p, b = p;
            a[axis] = from;
            b[axis] = from + 1;
            return (u[at(b)] - u[at(a)]) / spacing[axis];
        };
        return {slope(std::max(p[axis] - 1, 0)), slope(std::min(p[axis], size[axis] - 2))};
    }
    // (3.11)
    double gradient(const Values& u, const std::array<int, 3>& p, double k) const {
        double sum = 0;
        for (int axis = 0; axis < 3; ++axis) {
            const auto [low, high] = differences(u, p, axis);
            const auto square = [](double v) { return v * v; };
            if (k == 0)
                sum += (square(low) + square(high)) / 2;
            else if (k < 0)
                sum += square(std::max(low, 0.0)) + square(std::min(high, 0.0));
            else
                sum += square(std::min(low, 0.0)) + square(std::max(high, 0.0));
        }
        return std::sqrt(sum);
    }
    // (3.10), with the rows of (3.6). `force` is positive to grow.
    Values operator()(const Values& u, const Values& g, const Values& force) const {
        Values steep(u.size()), right(u.size()), sum(u.size(), 0);
        for_points([&](const std::array<int, 3>& p) {
            const std::size_t i = at(p);
            const double k = -push * force[i] * (stops ? g[i] : 1);
            steep[i] = std::max(gradient(u, p, 0), 1e-6) / (geodesic ? g[i] : 1);
            right[i] = u[i] + (k == 0 ? 0 : k * gradient(u, p, k));
        });
        const int axes = int(std::count_if(size.begin(), size.end(), [](int n) { return n > 1; }));
        if (axes == 0) return right;
        for (int axis = 0; axis < 3; ++axis)
            if (size[axis] > 1) add_solution(axis, axes, g, steep, right, sum);
        return sum;
    }
    void add_solution(int axis, int axes, const Values& g, const Values& steep, const Values& right,
                      Values& sum) const {
        for_points([&](std::array<int, 3> p) {
            if (p[axis] > 0) return;
            const int rows = size[axis];
            std::vector<std::size_t> line;
            for (p[axis] = 0; p[axis] < rows; ++p[axis]) line.push_back(at(p));
            const auto weight = [&](int row, int beside) {
                if (beside < 0 || beside >= rows) return 0.0;
                const std::size_t i = line[row], j = line[beside];
                // a |grad u|, a = 1 and b = g or a = g and b = 1
                const double mobile = g[i] * steep[i];
                return axes * step * mobile * 2 / (steep[i] + steep[j]) /
                       (spacing[axis] * spacing[axis]);
            };
            Values c(rows), d(rows);
            for (int row = 0; row < rows; ++row) {
                const double a = -weight(row, row - 1);
                const double b = 1 + weight(row, row - 1) + weight(row, row + 1);
                const double pivot = b - (row > 0 ? a * c[row - 1] : 0);
                c[row] = -weight(row, row + 1) / pivot;
                d[row] = (right[line[row]] - (row > 0 ? a * d[row - 1] : 0)) / pivot;
            }
            double v = 0;
            for (int row = rows - 1; row >= 0; --row) {
                v = d[row] - c[row] * v;
                sum[line[row]] += v / axes;
            }
        });
    }
};

}  // namespace tesela::reference
