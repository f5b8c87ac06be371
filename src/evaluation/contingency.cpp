#include "evaluation/contingency.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace tesela::evaluation {

namespace {

// A multiplication spreads neighboring labels over the table; the library's hash of an integer is
// the integer itself, whose low bits here are one label alone.
struct PairHash {
    std::size_t operator()(std::uint64_t pair) const noexcept {
        const std::uint64_t spread = pair * 0x9E3779B97F4A7C15u;
        return static_cast<std::size_t>(spread ^ (spread >> 32));
    }
};

using PairCounts = std::unordered_map<std::uint64_t, std::int64_t, PairHash>;

PairCounts count_pairs(const std::vector<std::uint32_t>& segmentation,
                       const std::vector<std::uint32_t>& truth) {
    PairCounts counts;
    std::uint64_t open = 0;
    std::int64_t run = 0;  // neighbors mostly repeat the pair: one look-up for a run of them
    for (std::size_t i = 0; i < truth.size(); ++i) {
        const std::uint64_t pair = (static_cast<std::uint64_t>(truth[i]) << 32) | segmentation[i];
        if (pair != open) {
            if (run > 0) counts[open] += run;
            open = pair;
            run = 0;
        }
        ++run;
    }
    if (run > 0) counts[open] += run;
    return counts;
}

}  // namespace

Contingency contingency(const LabelImage& segmentation, const LabelImage& truth) {
    Contingency table;
    table.pixels = truth.shape().points();
    std::unordered_map<std::uint32_t, std::int64_t> segment_areas, region_areas;
    for (const auto& [pair, pixels] : count_pairs(segmentation.pixels(), truth.pixels())) {
        const auto segment = static_cast<std::uint32_t>(pair);
        const auto region = static_cast<std::uint32_t>(pair >> 32);
        table.cells.push_back({segment, region, pixels, 0, 0});
        segment_areas[segment] += pixels;
        region_areas[region] += pixels;
    }
    std::sort(table.cells.begin(), table.cells.end(), [](const auto& a, const auto& b) {
        return std::tie(a.region, a.segment) < std::tie(b.region, b.segment);
    });
    for (Contingency::Cell& cell : table.cells) {
        cell.segment_pixels = segment_areas[cell.segment];
        cell.region_pixels = region_areas[cell.region];
    }
    for (const auto& [label, area] : segment_areas) table.segment_areas.push_back(area);
    for (const auto& [label, area] : region_areas) table.region_areas.push_back(area);
    return table;
}

}  // namespace tesela::evaluation
