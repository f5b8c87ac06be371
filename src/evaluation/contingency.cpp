#include "evaluation/contingency.h"

#include <algorithm>
#include <span>
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

// Sums the pixels of cells that follow one another and have one label, tells each cell the sum of
// its label, and gives the sums.
std::vector<std::int64_t> areas_of(std::vector<Contingency::Cell>& cells,
                                   std::uint32_t Contingency::Cell::*label,
                                   std::int64_t Contingency::Cell::*area) {
    std::vector<std::int64_t> areas;
    for (auto first = cells.begin(); first != cells.end();) {
        std::int64_t sum = 0;
        auto end = first;
        for (; end != cells.end() && *end.*label == *first.*label; ++end) sum += end->pixels;
        for (; first != end; ++first) *first.*area = sum;
        areas.push_back(sum);
    }
    return areas;
}

PairCounts count_pairs(std::span<const std::uint32_t> segmentation,
                       std::span<const std::uint32_t> truth) {
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

Contingency contingency(const LabelView& segmentation, const LabelView& truth) {
    Contingency table;
    table.pixels = truth.shape().points();
    {
        const PairCounts counts = count_pairs(segmentation.pixels(), truth.pixels());
        table.cells.reserve(counts.size());
        for (const auto& [pair, pixels] : counts)
            table.cells.push_back({static_cast<std::uint32_t>(pair),
                                   static_cast<std::uint32_t>(pair >> 32), pixels, 0, 0});
    }
    using Cell = Contingency::Cell;
    std::sort(table.cells.begin(), table.cells.end(),
              [](const Cell& a, const Cell& b) { return a.segment < b.segment; });
    table.segment_areas = areas_of(table.cells, &Cell::segment, &Cell::segment_pixels);
    std::sort(table.cells.begin(), table.cells.end(), [](const Cell& a, const Cell& b) {
        return std::tie(a.region, a.segment) < std::tie(b.region, b.segment);
    });
    table.region_areas = areas_of(table.cells, &Cell::region, &Cell::region_pixels);
    return table;
}

std::int64_t contingency_bytes(const LabelView& segmentation, const LabelView& truth) {
    const auto &a = segmentation.pixels(), &b = truth.pixels();
    std::int64_t runs = a.empty() ? 0 : 1;
    std::uint32_t largest_a = 0, largest_b = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        largest_a = std::max(largest_a, a[i]);
        largest_b = std::max(largest_b, b[i]);
        if (i > 0) runs += a[i] != a[i - 1] || b[i] != b[i - 1];
    }
    const double most_pairs = (double{1} + largest_a) * (double{1} + largest_b);
    const std::int64_t pairs =
        static_cast<double>(runs) < most_pairs ? runs : static_cast<std::int64_t>(most_pairs);
    // A node of the table of pairs and its places in the list of nodes, old and new.
    constexpr std::int64_t node = 48, places = 24;
    return pairs * (node + places + static_cast<std::int64_t>(sizeof(Contingency::Cell)));
}

}  // namespace tesela::evaluation
