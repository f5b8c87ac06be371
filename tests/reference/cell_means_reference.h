// Reference: mean shift over means of cells in double precision, as docs/mean-shift.md states it
// (after J. Jang, H. Jiang, "MeanShift++", CVPR 2021). One cell after the other, every other cell
// looked at. Nobody optimizes this.
#pragma once

#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "reference/mean_shift_reference.h"

namespace tesela::reference {

struct CellMeans {
    std::vector<double> features;  // of each point's mode, laid out as Samples::features
    std::size_t cells = 0;
    std::int64_t iterations = 0;  // over all cells
};

// Cells are `brick` points along x, y, z and t, and `width` along each channel, where they are
// counted from `lowest`.
inline CellMeans cell_means(const Samples& x, const MeanShiftParameters& h,
                            const std::array<int, 4>& brick, double width, double lowest) {
    using Key = std::array<int, 7>;
    struct Cell {
        double weight = 0;
        std::array<double, 7> mean{};  // x, y, z, t, features; at first their sums
    };
    const std::array<double, 7> bandwidth{h.spatial_bandwidth[0], h.spatial_bandwidth[1],
                                          h.spatial_bandwidth[2], h.temporal_bandwidth,
                                          h.range_bandwidth,      h.range_bandwidth,
                                          h.range_bandwidth};
    std::map<Key, Cell> cells;
    std::vector<Key> key_of;
    for (std::size_t i = 0; i < x.points(); ++i) {
        const int p = static_cast<int>(i), slice = p / x.size[0] / x.size[1];
        const std::array<int, 4> place{p % x.size[0], p / x.size[0] % x.size[1], slice % x.size[2],
                                       slice / x.size[2]};
        Key key{};
        for (std::size_t a = 0; a < 4; ++a) key[a] = place[a] / brick[a];
        for (int c = 0; c < x.channels; ++c)
            key[4 + c] =
                static_cast<int>(std::floor((x.features[i * x.channels + c] - lowest) / width));
        Cell& cell = cells[key];
        ++cell.weight;
        for (std::size_t a = 0; a < 4; ++a) cell.mean[a] += place[a];
        for (int c = 0; c < x.channels; ++c) cell.mean[4 + c] += x.features[i * x.channels + c];
        key_of.push_back(key);
    }
    for (auto& [key, cell] : cells)
        for (double& sum : cell.mean) sum /= cell.weight;

    CellMeans result;
    result.cells = cells.size();
    std::map<Key, std::array<double, 7>> mode_of;
    for (const auto& [key, cell] : cells) {
        std::array<double, 7> y = cell.mean;
        bool moves = true;
        for (int round = 0; moves && round < h.max_iterations; ++round, ++result.iterations) {
            std::array<double, 7> sum{};
            double weight = 0;
            for (const auto& [other_key, other] : cells) {
                std::array<double, 3> distance2{};  // space, time, range
                for (std::size_t a = 0; a < 7; ++a)
                    distance2[a < 3    ? 0
                              : a == 3 ? 1
                                       : 2] += std::pow((other.mean[a] - y[a]) / bandwidth[a], 2);
                if (!(distance2[0] < 1 && distance2[1] < 1 && distance2[2] < 1)) continue;
                weight += other.weight;
                for (std::size_t a = 0; a < 7; ++a) sum[a] += other.weight * other.mean[a];
            }
            if (weight == 0) {
                moves = false;
                continue;
            }
            double shift2 = 0;
            for (std::size_t a = 0; a < 7; ++a) {
                const double mean = sum[a] / weight;
                shift2 += std::pow((mean - y[a]) / bandwidth[a], 2);
                y[a] = mean;
            }
            moves = !(std::sqrt(shift2) < h.epsilon);
        }
        mode_of[key] = y;
    }
    for (const Key& key : key_of)
        for (int c = 0; c < x.channels; ++c) result.features.push_back(mode_of[key][4 + c]);
    return result;
}

}  // namespace tesela::reference
