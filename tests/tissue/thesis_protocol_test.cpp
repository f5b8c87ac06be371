// The thesis's vector, nearest neighbors and protocols on synthetic tissue (spec 003, row F20 and
// table 4.1): 250 tiles of each of two tissues, each tile left out once, and twenty times 50 drawn
// for the test.
#include <gtest/gtest.h>

#include "experiments/slides/tissue_tiles.h"
#include "tesela/tissue_evaluation.h"

namespace tesela {
namespace {

using experiments::samples_of;

constexpr std::size_t wanted = 250;

TEST(ThesisProtocol, TellsTwoTissuesApartWithFewAndManyLevels) {
    Queue queue(Device::parse("cpu"));
    const experiments::TissueTiles tiles = experiments::tissue_tiles(wanted);
    for (const char* protocol : {"leave-one-out", "repeated:20x50"}) {
        std::vector<double> accuracies;
        for (const char* groups : {"thesis-4", "thesis-8", "thesis-16"}) {
            const TissueSamples samples = samples_of(tiles, FeatureSet(groups), queue);
            ASSERT_EQ(samples.rows(), 2 * wanted);
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
