// Reference: growth of regions from seeds, one pixel after another (docs/region-growing.md). Nobody
// optimizes this.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <vector>

namespace tesela::reference {

// Values of an image of one channel, and what is next to what.
struct Grid {
    std::array<int, 4> size{1, 1, 1, 1};  // x, y, z, t
    int axes = 1;                         // along which neighbors differ by one, at most

    std::size_t points() const {
        return static_cast<std::size_t>(size[0]) * size[1] * size[2] * size[3];
    }
    std::array<int, 4> place(std::size_t point) const {
        std::array<int, 4> at{};
        for (int axis = 0; axis < 4; ++axis) {
            at[axis] = static_cast<int>(point % size[axis]);
            point /= size[axis];
        }
        return at;
    }
    std::size_t point(const std::array<int, 4>& at) const {
        std::size_t index = 0;
        for (int axis = 3; axis >= 0; --axis) index = index * size[axis] + at[axis];
        return index;
    }
    // The points of a box around one; beyond the border the border's (zero-flux).
    std::vector<std::size_t> box(std::size_t center, const std::array<int, 4>& radius) const {
        std::vector<std::size_t> points;
        const std::array<int, 4> at = place(center);
        std::array<int, 4> step{};
        for (step[3] = -radius[3]; step[3] <= radius[3]; ++step[3])
            for (step[2] = -radius[2]; step[2] <= radius[2]; ++step[2])
                for (step[1] = -radius[1]; step[1] <= radius[1]; ++step[1])
                    for (step[0] = -radius[0]; step[0] <= radius[0]; ++step[0]) {
                        std::array<int, 4> other = at;
                        for (int axis = 0; axis < 4; ++axis)
                            other[axis] = std::clamp(at[axis] + step[axis], 0, size[axis] - 1);
                        points.push_back(point(other));
                    }
        return points;
    }
    std::vector<std::size_t> neighbors(std::size_t center) const {
        std::vector<std::size_t> found;
        const std::array<int, 4> at = place(center);
        for (int n = 0; n < 81; ++n) {
            std::array<int, 4> other = at;
            int moved = 0;
            bool inside = true;
            for (int axis = 0, digits = n; axis < 4; ++axis, digits /= 3) {
                other[axis] += digits % 3 - 1;
                moved += std::abs(digits % 3 - 1);
                inside = inside && other[axis] >= 0 && other[axis] < size[axis];
            }
            if (inside && moved > 0 && moved <= axes) found.push_back(point(other));
        }
        return found;
    }
};

// The points for which `holds`, and that hang together with a seed.
template <class Holds>
std::vector<bool> flood(const Grid& grid, const std::vector<std::size_t>& seeds,
                        const Holds& holds) {
    std::vector<bool> region(grid.points());
    std::vector<std::size_t> open;
    const auto take = [&](std::size_t point) {
        if (region[point] || !holds(point)) return;
        region[point] = true;
        open.push_back(point);
    };
    for (const std::size_t seed : seeds) take(seed);
    while (!open.empty()) {
        const std::size_t point = open.back();
        open.pop_back();
        for (const std::size_t other : grid.neighbors(point)) take(other);
    }
    return region;
}

struct Confidence {
    std::array<int, 4> radius{1, 1, 0, 0};
    double multiplier = 2.5;
    int iterations = 4;
    bool whole_values = true;  // limits are cut to whole numbers
};

// As itk::ConfidenceConnectedImageFilter computes it.
inline std::vector<bool> confidence(const Grid& grid, const std::vector<double>& values,
                                    const std::vector<std::size_t>& seeds,
                                    const Confidence& options) {
    double lowest = values[seeds[0]], highest = lowest;
    for (const std::size_t seed : seeds) {
        lowest = std::min(lowest, values[seed]);
        highest = std::max(highest, values[seed]);
    }
    const auto grow = [&](double mean, double variance) {
        const double reach = options.multiplier * std::sqrt(std::max(variance, 0.0));
        double lower = std::min(mean - reach, lowest), upper = std::max(mean + reach, highest);
        if (options.whole_values) {
            lower = std::trunc(lower);
            upper = std::trunc(upper);
        }
        return flood(grid, seeds, [&](std::size_t point) {
            return values[point] >= lower && values[point] <= upper;
        });
    };
    const auto variance_of = [](double sum, double squares, double count) {
        return count > 1 ? (squares - sum * sum / count) / (count - 1) : 0;
    };
    double mean = 0, sum = 0, squares = 0, count = 0;
    for (const std::size_t seed : seeds) {
        sum = 0;
        const std::vector<std::size_t> box = grid.box(seed, options.radius);
        for (const std::size_t point : box) {
            sum += values[point];
            squares += values[point] * values[point];
            count += 1;
        }
        mean += sum / static_cast<double>(box.size()) / static_cast<double>(seeds.size());
    }
    const double first = count > 1 ? (squares - mean * mean * count) / (count - 1) : 0;
    std::vector<bool> region = grow(mean, first);
    for (int i = 0; i < options.iterations; ++i) {
        sum = squares = count = 0;
        for (std::size_t point = 0; point < values.size(); ++point)
            if (region[point]) {
                sum += values[point];
                squares += values[point] * values[point];
                count += 1;
            }
        if (!(variance_of(sum, squares, count) > 0)) break;
        region = grow(sum / count, variance_of(sum, squares, count));
    }
    return region;
}

// Adams and Bischof with the distance |value - mean|: of the pixels beside regions the one whose
// distance was lowest when it came to be one joins, ties by the larger region then, then the one
// that waits longest. It joins the nearest region beside it, ties by size, then the lower label.
inline std::vector<std::uint32_t> adams_bischof(
    const Grid& grid, const std::vector<double>& values,
    const std::vector<std::pair<std::size_t, std::uint32_t>>& seeds) {
    struct Waiting {
        std::size_t point;
        double distance, size;
    };
    std::vector<std::uint32_t> labels(grid.points());
    std::vector<bool> met(grid.points());
    std::map<std::uint32_t, std::pair<double, double>> regions;  // sum, size
    std::vector<Waiting> list;                                   // the longest waiting first
    const auto distance = [&](std::size_t point, std::uint32_t label) {
        return std::abs(values[point] - regions[label].first / regions[label].second);
    };
    const auto take = [&](std::size_t point, std::uint32_t label) {
        labels[point] = label;
        met[point] = true;
        regions[label].first += values[point];
        regions[label].second += 1;
    };
    const auto look_around = [&](std::size_t point) {
        for (const std::size_t other : grid.neighbors(point)) {
            if (met[other]) continue;
            met[other] = true;
            list.push_back({other, distance(other, labels[point]), regions[labels[point]].second});
        }
    };
    for (const auto& [point, label] : seeds) take(point, label);
    for (const auto& [point, label] : seeds) look_around(point);
    while (!list.empty()) {
        std::size_t best = 0;
        for (std::size_t i = 1; i < list.size(); ++i)
            if (list[i].distance < list[best].distance ||
                (list[i].distance == list[best].distance && list[i].size > list[best].size))
                best = i;
        const std::size_t point = list[best].point;
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(best));
        std::uint32_t nearest = 0;
        for (const std::size_t other : grid.neighbors(point)) {
            const std::uint32_t label = labels[other];
            if (label == 0) continue;
            const double d = nearest ? distance(point, nearest) : 0, e = distance(point, label);
            const bool larger = nearest && regions[label].second > regions[nearest].second;
            const bool as_large = nearest && regions[label].second == regions[nearest].second;
            if (nearest == 0 || e < d || (e == d && (larger || (as_large && label < nearest))))
                nearest = label;
        }
        take(point, nearest);
        look_around(point);
    }
    return labels;
}

}  // namespace tesela::reference
