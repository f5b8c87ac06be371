// Reference: mean shift over a lattice of samples, one trajectory for each cell, in double
// precision, as docs/mean-shift.md states it. Nobody optimizes this.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "reference/mean_shift_reference.h"

namespace tesela::reference {

struct FastModes {
    std::vector<double> features;  // of each point's mode, laid out as Samples::features
    std::size_t cells = 0;
    std::int64_t iterations = 0;  // over all cells
};

// Along x, y, z and t: points of a brick; points from sample to sample; samples of a window. A
// color's level is its distance from `lowest` in units of `level`, rounded; a cell of the range is
// `cell` levels wide.
struct FastLayout {
    std::array<int, 4> brick{};
    std::array<double, 4> pitch{};
    std::array<int, 4> window{};
    double level = 1, lowest = 0;
    int cell = 1;
};

namespace fast {

using Vector = std::array<double, 7>;  // x, y, z, t, features

// Sums of squared distances in bandwidths: space, time, range.
inline std::array<double, 3> distances2(const Vector& a, const Vector& b, const Vector& bandwidth) {
    std::array<double, 3> result{};
    for (std::size_t i = 0; i < 7; ++i)
        result[i < 3 ? 0 : i == 3 ? 1 : 2] += std::pow((a[i] - b[i]) / bandwidth[i], 2);
    return result;
}

inline std::array<int, 4> lengths(const Samples& x) {
    return {x.size[0], x.size[1], x.size[2], x.frames};
}

struct Lattice {
    std::array<int, 4> count{};
    std::vector<Vector> samples;
};

// A sample is at the middle of its part of the lattice. Its color is the mean of the points of that
// part that are at most one from its middle point along each axis and in the range window of that
// point.
inline Lattice lattice_of(const Samples& x, const FastLayout& layout, double range_bandwidth) {
    const std::array<int, 4> size = lengths(x);
    Lattice lattice;
    for (std::size_t a = 0; a < 4; ++a)
        lattice.count[a] = static_cast<int>(std::ceil(size[a] / layout.pitch[a]));
    const auto& n = lattice.count;
    for (int s = 0; s < n[0] * n[1] * n[2] * n[3]; ++s) {
        const std::array<int, 4> k{s % n[0], s / n[0] % n[1], s / n[0] / n[1] % n[2],
                                   s / n[0] / n[1] / n[2]};
        std::array<int, 4> middle{}, first{}, last{};
        Vector sample{};
        for (std::size_t a = 0; a < 4; ++a) {
            const double pitch = layout.pitch[a];
            middle[a] = std::min(static_cast<int>((k[a] + 0.5) * pitch), size[a] - 1);
            first[a] = std::clamp(static_cast<int>(k[a] * pitch), middle[a] - 1, middle[a]);
            const int end = std::min(static_cast<int>((k[a] + 1) * pitch), size[a]);
            last[a] = std::clamp(end - 1, middle[a], middle[a] + 1);
            sample[a] = (k[a] + 0.5) * pitch - 0.5;
        }
        const auto feature = [&](const std::array<int, 4>& p, int c) {
            const int i = ((p[3] * size[2] + p[2]) * size[1] + p[1]) * size[0] + p[0];
            return x.features[static_cast<std::size_t>(i * x.channels + c)];
        };
        int count = 0;
        std::array<int, 4> p{};
        for (p[3] = first[3]; p[3] <= last[3]; ++p[3])
            for (p[2] = first[2]; p[2] <= last[2]; ++p[2])
                for (p[1] = first[1]; p[1] <= last[1]; ++p[1])
                    for (p[0] = first[0]; p[0] <= last[0]; ++p[0]) {
                        double d2 = 0;
                        for (int c = 0; c < x.channels; ++c)
                            d2 +=
                                std::pow((feature(p, c) - feature(middle, c)) / range_bandwidth, 2);
                        if (d2 >= 1) continue;
                        ++count;
                        for (int c = 0; c < x.channels; ++c) sample[4 + c] += feature(p, c);
                    }
        for (int c = 0; c < x.channels; ++c) sample[4 + c] /= count;
        lattice.samples.push_back(sample);
    }
    return lattice;
}

// From y to the mean of its window: of the samples nearest to y along each axis, those within the
// bandwidths. Zero where there are none.
inline Vector shift_of(const Lattice& lattice, const FastLayout& layout, const Vector& bandwidth,
                       const Vector& y) {
    Vector sum{};
    int count = 0;
    for (std::size_t s = 0; s < lattice.samples.size(); ++s) {
        int rest = static_cast<int>(s);
        bool near = true;
        for (std::size_t a = 0; a < 4; ++a) {
            const int k = rest % lattice.count[a], window = layout.window[a];
            rest /= lattice.count[a];
            const double at = (y[a] + 0.5) / layout.pitch[a] + (window % 2 == 0 ? 0.5 : 0);
            const int first =
                std::clamp(static_cast<int>(std::floor(at)), 0, lattice.count[a]) - window / 2;
            near = near && first <= k && k < first + window;
        }
        if (!near) continue;
        const auto d2 = distances2(lattice.samples[s], y, bandwidth);
        if (!(d2[0] < 1 && d2[1] < 1 && d2[2] < 1)) continue;
        ++count;
        for (std::size_t i = 0; i < 7; ++i) sum[i] += lattice.samples[s][i] - y[i];
    }
    for (double& one : sum) one /= std::max(count, 1);
    return sum;
}

}  // namespace fast

inline FastModes mean_shift_fast(const Samples& x, const MeanShiftParameters& h,
                                 const FastLayout& layout) {
    using Key = std::array<int, 7>;
    const fast::Vector bandwidth{h.spatial_bandwidth[0], h.spatial_bandwidth[1],
                                 h.spatial_bandwidth[2], h.temporal_bandwidth,
                                 h.range_bandwidth,      h.range_bandwidth,
                                 h.range_bandwidth};
    struct Cell {
        double weight = 0;
        fast::Vector mean{};
    };
    std::map<Key, Cell> cells;
    std::vector<Key> key_of;
    for (std::size_t i = 0; i < x.points(); ++i) {
        const int p = static_cast<int>(i), slice = p / x.size[0] / x.size[1];
        const std::array<int, 4> place{p % x.size[0], p / x.size[0] % x.size[1], slice % x.size[2],
                                       slice / x.size[2]};
        Key key{};
        for (std::size_t a = 0; a < 4; ++a) key[a] = place[a] / layout.brick[a];
        for (int c = 0; c < x.channels; ++c)
            key[4 + c] =
                static_cast<int>((x.features[i * x.channels + c] - layout.lowest) / layout.level +
                                 0.5) /
                layout.cell;
        Cell& cell = cells[key];
        ++cell.weight;
        for (std::size_t a = 0; a < 4; ++a) cell.mean[a] += place[a];
        for (int c = 0; c < x.channels; ++c) cell.mean[4 + c] += x.features[i * x.channels + c];
        key_of.push_back(key);
    }
    const fast::Lattice lattice = fast::lattice_of(x, layout, h.range_bandwidth);
    FastModes result;
    result.cells = cells.size();
    for (auto& [key, cell] : cells) {
        for (double& sum : cell.mean) sum /= cell.weight;
        bool moves = true;
        for (int round = 0; moves && round < h.max_iterations; ++round, ++result.iterations) {
            const fast::Vector shift = fast::shift_of(lattice, layout, bandwidth, cell.mean);
            const auto d2 = fast::distances2(shift, {}, bandwidth);
            moves = !(std::sqrt(d2[0] + d2[1] + d2[2]) < h.epsilon);
            for (std::size_t i = 0; i < 7; ++i) cell.mean[i] += (round < 8 ? 1.5 : 1) * shift[i];
        }
    }
    for (const Key& key : key_of)
        for (int c = 0; c < x.channels; ++c) result.features.push_back(cells[key].mean[4 + c]);
    return result;
}

}  // namespace tesela::reference
