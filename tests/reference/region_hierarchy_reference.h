// Merging of regions in the order of their costs (docs/segment.md), in double precision and without
// any bookkeeping: regions are lists of points, and every cost is computed anew before each merge.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace tesela::reference {

using Color = std::array<double, 3>;

struct LabeledPoints {
    int width = 0, height = 0;
    std::vector<Color> features, filtered;
    std::vector<int> labels;  // 0 .. count - 1
};

inline double determinant(const std::array<std::array<double, 3>, 3>& m) {
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

// n ln |S + I| of the points that have one of the two labels.
inline double code_length(const LabeledPoints& image, int a, int b) {
    double n = 0;
    Color mean{};
    for (std::size_t i = 0; i < image.labels.size(); ++i)
        if (image.labels[i] == a || image.labels[i] == b) {
            ++n;
            for (std::size_t c = 0; c < 3; ++c) mean[c] += image.features[i][c];
        }
    for (double& value : mean) value /= n;
    std::array<std::array<double, 3>, 3> covariance{};
    for (std::size_t i = 0; i < image.labels.size(); ++i)
        if (image.labels[i] == a || image.labels[i] == b)
            for (std::size_t r = 0; r < 3; ++r)
                for (std::size_t c = 0; c < 3; ++c)
                    covariance[r][c] +=
                        (image.features[i][r] - mean[r]) * (image.features[i][c] - mean[c]) / n;
    for (std::size_t c = 0; c < 3; ++c) covariance[c][c] += 1;
    return n * std::log(determinant(covariance));
}

// Infinite where the two share no border.
inline double merge_cost(const LabeledPoints& image, int a, int b) {
    double length = 0, steps = 0;
    const auto look = [&](int i, int j) {
        const bool border = (image.labels[i] == a && image.labels[j] == b) ||
                            (image.labels[i] == b && image.labels[j] == a);
        if (!border) return;
        ++length;
        double squared = 0;
        for (std::size_t c = 0; c < 3; ++c)
            squared += std::pow(image.filtered[i][c] - image.filtered[j][c], 2);
        steps += std::sqrt(squared);
    };
    for (int y = 0; y < image.height; ++y)
        for (int x = 0; x < image.width; ++x) {
            const int i = y * image.width + x;
            if (x + 1 < image.width) look(i, i + 1);
            if (y + 1 < image.height) look(i, i + image.width);
        }
    if (length == 0) return std::numeric_limits<double>::infinity();
    const double points = image.width * image.height;
    const double gain =
        code_length(image, a, b) - code_length(image, a, a) - code_length(image, b, b);
    return gain / points * (steps / length) / std::sqrt(length / std::sqrt(points));
}

// Merges the two neighbors of the lowest cost; gives that cost, infinite where there are none.
inline double merge_cheapest(LabeledPoints& image, int count) {
    double lowest = std::numeric_limits<double>::infinity();
    int kept = 0, gone = 0;
    for (int a = 0; a < count; ++a)
        for (int b = a + 1; b < count; ++b) {
            const double cost = merge_cost(image, a, b);
            if (cost < lowest) {
                lowest = cost;
                kept = a;
                gone = b;
            }
        }
    for (int& label : image.labels)
        if (label == gone) label = kept;
    return lowest;
}

}  // namespace tesela::reference
