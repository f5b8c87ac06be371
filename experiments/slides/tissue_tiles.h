// Tiles of two tissues of synthetic sections, in place of those of the thesis on slides, and what
// is learned from them (table 4.1).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "tesela/synthetic_slide.h"
#include "tesela/tile_features.h"
#include "tesela/tile_source.h"
#include "tesela/tissue_classifier.h"

namespace tesela::experiments {

using TissueTiles = std::array<std::vector<AnyImage>, 2>;

// Tiles of 64 x 64 pixels that lie within one tissue: fibers, then mesh.
inline TissueTiles tissue_tiles(std::size_t of_each) {
    constexpr std::int64_t side = 64, section_side = 2048;
    TissueTiles tiles;
    for (std::uint64_t seed = 1; std::min(tiles[0].size(), tiles[1].size()) < of_each; ++seed) {
        const SyntheticSection section = synthetic_section(section_side, {.seed = seed});
        const AnyImage labels = section.labels, picture = section.picture;
        for (std::int64_t y = 0; y < section_side; y += side)
            for (std::int64_t x = 0; x < section_side; x += side) {
                const AnyImage part = part_of(labels, {x, y, side, side});
                const auto& truth = std::get<Image<std::uint8_t>>(part).pixels();
                const std::uint8_t tissue = truth.front();
                if (tissue == 0 || tiles[tissue - 1u].size() == of_each ||
                    std::count(truth.begin(), truth.end(), tissue) < side * side)
                    continue;
                tiles[tissue - 1u].push_back(part_of(picture, {x, y, side, side}));
            }
    }
    return tiles;
}

inline TissueSamples samples_of(const TissueTiles& tiles, const FeatureSet& features,
                                Queue& queue) {
    TissueSamples samples;
    samples.width = features.size();
    samples.feature_names = features.names();
    samples.classes = {"Fibers", "Mesh"};
    for (std::size_t label = 0; label < tiles.size(); ++label)
        for (const AnyImage& tile : tiles[label]) {
            const std::vector<double> row = tile_features(tile, features, queue);
            samples.features.insert(samples.features.end(), row.begin(), row.end());
            samples.labels.push_back(static_cast<int>(label));
            samples.groups.push_back(static_cast<int>(samples.group_names.size()));
            samples.group_names.push_back(std::to_string(samples.groups.back()));
        }
    return samples;
}

}  // namespace tesela::experiments
