// The graph of the regions of a label image: what each region is like, and what its borders are.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tesela/image.h"

namespace tesela {

// Takes a feature to sixteenths of a unit, within limits.
struct FeatureScale {
    static constexpr int steps = 16;

    double factor = 1, offset = 0;
    std::int32_t lowest = 0, highest = 0;

    std::int32_t operator()(std::int32_t feature) const;
};

// Sums over a region's points, in sixteenths of a unit.
struct RegionSums {
    std::int64_t points = 0;
    std::array<std::int64_t, 3> sum{};
    std::array<std::int64_t, 6> product{};  // 00, 11, 22, 01, 02, 12

    void add(const std::array<std::int32_t, 3>& feature);
    void add(const RegionSums& other);
};

// Pairs of points of regions a < b that share a face.
struct RegionBorder {
    std::uint32_t a = 0, b = 0;
    std::int64_t length = 0;  // pairs
    std::int64_t step = 0;    // sum of the distances of their filtered features, in sixteenths
};

struct RegionGraph {
    std::vector<RegionSums> regions;
    std::vector<RegionBorder> borders;  // by a
};

// Of the regions 0..count-1, which are labels 1..count. `features` and `filtered` have a plane for
// each channel, of which there are 1 or 3.
RegionGraph region_graph(const Shape& shape, int channels, const FeatureScale& scale,
                         std::span<const std::int32_t> features,
                         std::span<const std::int32_t> filtered,
                         std::span<const std::uint32_t> labels, std::uint32_t count);

}  // namespace tesela
