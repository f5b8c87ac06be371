#include "reference/labels_reference.h"

#include <gtest/gtest.h>

namespace tesela::reference {
namespace {

using Labels = std::vector<std::uint32_t>;

TEST(LabelsReference, RasterFirstNumbers) {
    const Samples x{{4, 3, 1},
                    1,
                    {5, 5, 0, 5,  //
                     0, 5, 0, 5,  //
                     0, 0, 0, 5}};
    EXPECT_EQ(flood_fill(x, 1, 4), (Labels{1, 1, 2, 3, 2, 1, 2, 3, 2, 2, 2, 3}));
}

TEST(LabelsReference, DiagonalsCountFromEightOn) {
    const Samples x{{2, 2, 1}, 1, {5, 0, 0, 5}};
    EXPECT_EQ(flood_fill(x, 1, 4), (Labels{1, 2, 3, 4}));
    EXPECT_EQ(flood_fill(x, 1, 8), (Labels{1, 2, 2, 1}));
}

TEST(LabelsReference, SixEighteenAndTwentySix) {
    // A voxel, the opposite corner of a 2x2x2 cube, and on another cube the opposite edge.
    const Samples corner{{2, 2, 2}, 1, {9, 1, 2, 3, 4, 5, 6, 9}};
    EXPECT_EQ(flood_fill(corner, 0, 18).back(), 8u);
    EXPECT_EQ(flood_fill(corner, 0, 26).back(), 1u);
    const Samples edge{{2, 1, 2}, 1, {9, 1, 2, 9}};
    EXPECT_EQ(flood_fill(edge, 0, 6).back(), 4u);
    EXPECT_EQ(flood_fill(edge, 0, 18).back(), 1u);
}

TEST(LabelsReference, ToleranceIsInclusiveAndEuclidean) {
    const Samples chain{{3, 1, 1}, 1, {0, 1, 2}};
    EXPECT_EQ(flood_fill(chain, 1, 4), (Labels{1, 1, 1}));  // also along a chain
    EXPECT_EQ(flood_fill(chain, 0.999, 4), (Labels{1, 2, 3}));
    const Samples colors{{2, 1, 1}, 3, {0, 0, 0, 2, 3, 6}};  // 7 apart
    EXPECT_EQ(flood_fill(colors, 7, 4), (Labels{1, 1}));
    EXPECT_EQ(flood_fill(colors, 6.999, 4), (Labels{1, 2}));
}

TEST(LabelsReference, Serpentine) {
    Samples x{{9, 9, 1}, 1, {}};
    for (int y = 0; y < 9; ++y)
        for (int px = 0; px < 9; ++px)
            x.features.push_back(y % 2 == 0 || px == (y % 4 == 1 ? 8 : 0) ? 1 : 0);
    const Labels labels = flood_fill(x, 0, 4);
    EXPECT_EQ(labels.front(), labels.back());
}

}  // namespace
}  // namespace tesela::reference
