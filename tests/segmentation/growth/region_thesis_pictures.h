// What the tests of the thesis's region growing share.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "reference/region_grow_thesis_reference.h"
#include "segmentation/growth/thesis/shapes.h"
#include "segmentation/growth/thesis/stages.h"
#include "tesela/region_grow_thesis.h"

namespace tesela::region_thesis {

inline reference::ThesisGrowth reference_options(const Shape& shape,
                                                 const ThesisGrowOptions& options) {
    const Layout layout = make_layout(shape, options);
    reference::ThesisGrowth growth;
    growth.width = options.grid == ThesisGrowGrid::pitch ? layout.pitch : layout.width;
    growth.height = layout.height;
    growth.block = layout.block;
    growth.stride = layout.stride;
    growth.growth_iterations = options.growth_iterations;
    growth.merge_iterations = options.merge_iterations;
    growth.growth_threshold = options.growth_threshold;
    growth.merge_threshold = options.merge_threshold;
    growth.quadrants = options.neighbors == ThesisGrowNeighbors::quadrant;
    growth.symmetric = options.symmetric;
    return growth;
}

// Of the reference: tiles as they are after growth and merging.
struct Modeled {
    reference::ThesisTiles tiles;
    int rounds = 0;
};

inline Modeled model(const Image<std::uint8_t>& image, const ThesisGrowOptions& options) {
    const reference::ThesisGrowth growth = reference_options(image.shape(), options);
    const auto width = static_cast<int>(image.shape().x);
    const bool studio = options.range == ThesisGrowRange::studio;
    const std::vector<reference::Ycc> pixels =
        reference::to_ycc(image.pixels(), width, growth.height, studio);
    std::vector<reference::Ycc> padded;
    for (int row = 0; row < growth.height; ++row)
        for (int x = 0; x < growth.width; ++x)
            padded.push_back(x < width ? pixels[static_cast<std::size_t>(row * width + x)]
                                       : reference::to_ycc(0, 0, 0, studio));
    Modeled result{reference::grow_tiles(padded, growth)};
    reference::ThesisGrid& grid = result.tiles.grid;
    if (options.merging == ThesisGrowMerging::until_stable) {
        result.rounds = reference::merge_until_stable(grid, growth);
    } else {
        const std::vector<std::uint32_t> before = grid.label;
        reference::merge_pass(grid, growth, growth.block, -1);
        if (options.merging == ThesisGrowMerging::once)
            reference::merge_pass(grid, growth, growth.block, 1);
        result.rounds = grid.label == before ? 0 : 1;
    }
    return result;
}

// How many of the tiles of each label, in ascending order of labels.
inline std::vector<std::pair<std::uint32_t, int>> label_counts(const ThesisGrowReport& report) {
    std::vector<std::pair<std::uint32_t, int>> counts;
    for (std::uint32_t label = 1; label <= report.tiles.size(); ++label) {
        const auto count = static_cast<int>(
            std::count_if(report.tiles.begin(), report.tiles.end(),
                          [&](const ThesisGrowTile& tile) { return tile.label == label; }));
        if (count > 0) counts.emplace_back(label, count);
    }
    return counts;
}

}  // namespace tesela::region_thesis
