// The thesis's vector, nearest neighbors and protocols on synthetic tissue (spec 003, row F20 and
// table 4.1): 250 tiles of each of two tissues, each tile left out once, and twenty times 50 drawn
// for the test.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "tesela/synthetic_slide.h"
#include "tesela/tile_features.h"
#include "tesela/tissue_evaluation.h"
#include "tesela/tissue_io.h"

namespace tesela {
namespace {

constexpr std::int64_t side = 64, wanted = 250;

// Tiles that lie within one tissue, fibers and mesh.
std::array<std::vector<AnyImage>, 2> synthetic_tiles() {
    std::array<std::vector<AnyImage>, 2> tiles;
    for (std::uint64_t seed = 1; std::min(tiles[0].size(), tiles[1].size()) < wanted; ++seed) {
        const SyntheticSection section = synthetic_section(2048, {.seed = seed});
        const AnyImage labels = section.labels, picture = section.picture;
        for (std::int64_t y = 0; y < 2048; y += side)
            for (std::int64_t x = 0; x < 2048; x += side) {
                const AnyImage part = part_of(labels, {x, y, side, side});
                const auto& pixels = std::get<Image<std::uint8_t>>(part).pixels();
                const std::uint8_t tissue = pixels.front();
                if (tissue == 0 || tiles[tissue - 1u].size() == wanted ||
                    std::count(pixels.begin(), pixels.end(), tissue) < side * side)
                    continue;
                tiles[tissue - 1u].push_back(part_of(picture, {x, y, side, side}));
            }
    }
    return tiles;
}

TissueSamples samples_of(const std::array<std::vector<AnyImage>, 2>& tiles,
                         const FeatureSet& features, Queue& queue) {
    TissueSamples samples;
    samples.width = features.size();
    samples.feature_names = features.names();
    samples.classes = {"Fibers", "Mesh"};
    for (int label = 0; label < 2; ++label)
        for (const AnyImage& tile : tiles[static_cast<std::size_t>(label)]) {
            const std::vector<double> row = tile_features(tile, features, queue);
            samples.features.insert(samples.features.end(), row.begin(), row.end());
            samples.labels.push_back(label);
            samples.groups.push_back(static_cast<int>(samples.group_names.size()));
            samples.group_names.push_back(std::to_string(samples.groups.back()));
        }
    return samples;
}

TEST(ThesisProtocol, TellsTwoTissuesApartWithFewAndManyLevels) {
    Queue queue(Device::parse("cpu"));
    const auto tiles = synthetic_tiles();
    for (const char* protocol : {"leave-one-out", "repeated:20x50"}) {
        std::vector<double> accuracies;
        for (const char* groups : {"thesis-4", "thesis-8", "thesis-16"}) {
            const TissueSamples samples = samples_of(tiles, FeatureSet(groups), queue);
            ASSERT_EQ(samples.rows(), 2u * wanted);
            const TissueEvaluation found = evaluate_classifier(
                samples, {.classifier = ClassifierKind::knn}, parse_protocol(protocol));
            accuracies.push_back(found.accuracy());
            EXPECT_GE(found.accuracy(), 0.98) << groups << ", " << protocol;
            EXPECT_EQ(found.samples(), *protocol == 'l' ? 500 : 1000);
        }
        EXPECT_NEAR(accuracies[0], accuracies[2], 0.015) << protocol;
    }
}

}  // namespace
}  // namespace tesela
