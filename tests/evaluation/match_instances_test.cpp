// Objects matched one to one, with values computed by hand.
#include <gtest/gtest.h>

#include "evaluation/label_pictures.h"
#include "tesela/error.h"
#include "tesela/evaluate_labels.h"

namespace tesela {
namespace {

using testing::label_picture;

TEST(MatchInstances, HandComputed) {
    const LabelImage truth = label_picture({"1111002222", "0000000033"});
    // IoU of 1 and 5: 3/4; of 2 and 6: 4/5; 3 is not found, and 7 is in no object.
    const LabelImage found = label_picture({"5550066666", "7700000000"});
    const InstanceEvaluation e = match_instances(found, truth);
    EXPECT_EQ(e.objects, 3);
    EXPECT_EQ(e.truth_objects, 3);
    ASSERT_EQ(e.by_iou.size(), 10u);
    const InstanceAgreement& low = e.by_iou[0];
    EXPECT_EQ(low.iou, 0.5);
    EXPECT_EQ(low.matched, 2);
    EXPECT_EQ(low.not_in_truth, 1);
    EXPECT_EQ(low.not_found, 1);
    EXPECT_DOUBLE_EQ(low.precision, 2.0 / 3);
    EXPECT_DOUBLE_EQ(low.recall, 2.0 / 3);
    EXPECT_DOUBLE_EQ(low.f1, 2.0 / 3);
    EXPECT_DOUBLE_EQ(low.average_precision, 2.0 / 4);
    EXPECT_DOUBLE_EQ(low.segmentation_quality, (0.75 + 0.8) / 2);
    // The sum of IoU over matched + (false positives + false negatives) / 2.
    EXPECT_DOUBLE_EQ(low.panoptic_quality, (0.75 + 0.8) / 3);
    // Both reach 0.75, as does 4/5 0.8; nothing reaches 0.85.
    EXPECT_EQ(e.by_iou[5].matched, 2);
    EXPECT_EQ(e.by_iou[6].matched, 1);
    EXPECT_EQ(e.by_iou[7].matched, 0);
    EXPECT_EQ(e.by_iou[7].f1, 0);
    EXPECT_EQ(e.by_iou[7].segmentation_quality, 0);
    EXPECT_DOUBLE_EQ(e.mean.f1, (6 * (2.0 / 3) + 1.0 / 3) / 10);
    EXPECT_DOUBLE_EQ(e.mean.average_precision, (6 * 0.5 + 1.0 / 5) / 10);
}

TEST(MatchInstances, TwoHalvesAreOneMatchAndTwoObjectsMergedNone) {
    const LabelImage whole = label_picture({"0111100"}), halves = label_picture({"0112200"});
    for (const bool is_split : {true, false}) {
        const InstanceEvaluation e =
            is_split ? match_instances(halves, whole) : match_instances(whole, halves);
        EXPECT_EQ(e.by_iou[0].matched, 1) << is_split;
        EXPECT_DOUBLE_EQ(e.by_iou[0].f1, 2.0 / 3);
        EXPECT_EQ(e.by_iou[1].matched, 0);
    }
    const LabelImage thirds = label_picture({"0112230"}), merged = label_picture({"0111110"});
    EXPECT_EQ(match_instances(merged, thirds).by_iou[0].matched, 0);
}

TEST(MatchInstances, NumbersOfLabelsDoNotMatter) {
    LabelImage a = label_picture({"11022", "11022"}), b = a;
    for (std::uint32_t& label : b.pixels())
        if (label > 0) label = 4294967295u - label;
    const InstanceEvaluation e = match_instances(a, b);
    EXPECT_EQ(e.by_iou.back().matched, 2);
    EXPECT_EQ(e.mean.panoptic_quality, 1);
}

TEST(MatchInstances, MapsWithoutObjects) {
    const LabelImage none({4, 3}), some = label_picture({"0110", "0110", "0000"});
    EXPECT_EQ(match_instances(none, none).mean.f1, 1);
    EXPECT_EQ(match_instances(none, none).mean.panoptic_quality, 1);
    EXPECT_EQ(match_instances(some, none).mean.f1, 0);
    EXPECT_EQ(match_instances(some, none).by_iou[0].precision, 0);
    EXPECT_EQ(match_instances(none, some).by_iou[0].not_found, 1);
    EXPECT_THROW(match_instances(LabelImage({4, 3}), LabelImage({3, 4})), InvalidArgument);
    EXPECT_THROW(match_instances(LabelImage(), LabelImage()), InvalidArgument);
}

}  // namespace
}  // namespace tesela
