#include "tesela/evaluate_labels.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <map>

#include "evaluation/label_pictures.h"

namespace tesela {
namespace {

using testing::label_picture;
using testing::random_regions;

LabelAgreement against(const LabelImage& segmentation, const LabelImage& truth) {
    const LabelEvaluation evaluation = evaluate_labels(segmentation, {&truth, 1});
    EXPECT_EQ(evaluation.by_truth.size(), 1u);
    return evaluation.by_truth.at(0);
}

void expect_perfect(const LabelAgreement& a) {
    EXPECT_EQ(a.dice, 1);
    EXPECT_EQ(a.jaccard, 1);
    EXPECT_EQ(a.covering, 1);
    EXPECT_EQ(a.rand_index, 1);
    EXPECT_EQ(a.variation_of_information, 0);
    EXPECT_EQ(a.boundary_precision, 1);
    EXPECT_EQ(a.boundary_recall, 1);
    EXPECT_EQ(a.boundary_f, 1);
}

void expect_same(const LabelAgreement& a, const LabelAgreement& b) {
    EXPECT_NEAR(a.covering, b.covering, 1e-14);
    EXPECT_EQ(a.rand_index, b.rand_index);
    EXPECT_NEAR(a.conditional_entropy_truth, b.conditional_entropy_truth, 1e-13);
    EXPECT_NEAR(a.conditional_entropy_segmentation, b.conditional_entropy_segmentation, 1e-13);
    EXPECT_EQ(a.boundary_precision, b.boundary_precision);
    EXPECT_EQ(a.boundary_recall, b.boundary_recall);
    EXPECT_EQ(a.boundary_f, b.boundary_f);
}

TEST(EvaluateLabels, HandComputed) {
    const LabelImage truth = label_picture({"0011", "0011"});
    const LabelImage segmentation = label_picture({"0211", "0222"});
    // Cells (truth, segmentation): (0,0) 2, (0,2) 2, (1,1) 2, (1,2) 2; areas 4, 4 and 2, 2, 4.
    const LabelAgreement a = against(segmentation, truth);
    EXPECT_DOUBLE_EQ(a.dice, 2 * 4.0 / (6 + 4));
    EXPECT_DOUBLE_EQ(a.jaccard, 4.0 / 6);
    EXPECT_DOUBLE_EQ(a.covering, (4 * (2.0 / 4) + 4 * (2.0 / 4)) / 8);
    // Of 28 pairs 4 are together in both, 12 in the truth, 8 in the segmentation: 16 differ in
    // both.
    EXPECT_DOUBLE_EQ(a.rand_index, (4 + (28 - 12 - 8 + 4)) / 28.0);
    EXPECT_DOUBLE_EQ(a.conditional_entropy_truth, 0.5);
    EXPECT_DOUBLE_EQ(a.conditional_entropy_segmentation, 1.0);
    EXPECT_DOUBLE_EQ(a.variation_of_information, 1.5);
}

// scikit-image 0.19.3: skimage.metrics.variation_of_information(truth, segmentation) gives splits,
// then merges. Dice and Jaccard from the same arrays in NumPy: 1115 pixels in both foregrounds,
// 1157 and 1391 in each.
TEST(EvaluateLabels, EqualToScikitImage) {
    const LabelImage truth = label_picture(
        47, 31, [](std::int64_t x, std::int64_t y) { return (x / 7 + 3 * (y / 9)) % 5; });
    const LabelImage segmentation = label_picture(47, 31, [](std::int64_t x, std::int64_t y) {
        return (x + 2) / 6 % 4 + (y + y / 3) / 8 * 4;
    });
    const LabelAgreement a = against(segmentation, truth);
    EXPECT_NEAR(a.conditional_entropy_segmentation, 3.9307452592679066, 1e-12);
    EXPECT_NEAR(a.conditional_entropy_truth, 1.7973272594764307, 1e-12);
    EXPECT_NEAR(a.dice, 0.8751962323390895, 1e-15);
    EXPECT_NEAR(a.jaccard, 0.7780879274249826, 1e-15);
}

// The definitions, pixel by pixel and pair by pair.
TEST(EvaluateLabels, EqualToTheDefinitions) {
    const LabelImage truth = random_regions(23, 17, 6, 1),
                     segmentation = random_regions(23, 17, 9, 2);
    const auto &t = truth.pixels(), &s = segmentation.pixels();
    std::int64_t agreeing = 0, pairs = 0;
    double covering = 0;
    for (std::size_t i = 0; i < t.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            agreeing += (t[i] == t[j]) == (s[i] == s[j]);
            ++pairs;
        }
        double best = 0;
        for (std::uint32_t label = 1; label <= 9; ++label) {
            int in_both = 0, in_either = 0;
            for (std::size_t j = 0; j < t.size(); ++j) {
                in_both += t[j] == t[i] && s[j] == label;
                in_either += t[j] == t[i] || s[j] == label;
            }
            best = std::max(best, static_cast<double>(in_both) / in_either);
        }
        covering += best / static_cast<double>(t.size());
    }
    const LabelAgreement a = against(segmentation, truth);
    EXPECT_DOUBLE_EQ(a.rand_index, static_cast<double>(agreeing) / static_cast<double>(pairs));
    EXPECT_NEAR(a.covering, covering, 1e-12);
}

TEST(EvaluateLabels, SelfIsPerfect) {
    for (const LabelImage& image : {label_picture({"0"}), label_picture({"000"}),
                                    label_picture({"3", "4"}), random_regions(513, 211, 40, 3)})
        expect_perfect(against(image, image));
}

TEST(EvaluateLabels, RelabelingChangesNothing) {
    const LabelImage truth = random_regions(61, 47, 9, 4),
                     segmentation = random_regions(61, 47, 14, 5);
    LabelImage renamed = segmentation;
    for (std::uint32_t& label : renamed.pixels()) label = 4000000000u - 7919 * label;
    expect_same(against(renamed, truth), against(segmentation, truth));
}

TEST(EvaluateLabels, ExchangingTheImages) {
    const LabelImage a = random_regions(61, 47, 9, 6), b = random_regions(61, 47, 14, 7);
    const LabelAgreement ab = against(a, b), ba = against(b, a);
    EXPECT_EQ(ab.dice, ba.dice);
    EXPECT_EQ(ab.rand_index, ba.rand_index);
    EXPECT_NEAR(ab.conditional_entropy_truth, ba.conditional_entropy_segmentation, 1e-13);
    EXPECT_NEAR(ab.variation_of_information, ba.variation_of_information, 1e-13);
    EXPECT_EQ(ab.boundary_precision, ba.boundary_recall);
    EXPECT_EQ(ab.boundary_f, ba.boundary_f);
    EXPECT_NE(ab.covering, ba.covering);
}

TEST(EvaluateLabels, EmptyForegrounds) {
    const LabelImage none = label_picture({"000"}), some = label_picture({"010"});
    EXPECT_EQ(against(none, none).dice, 1);
    EXPECT_EQ(against(some, none).dice, 0);
    EXPECT_EQ(against(none, some).jaccard, 0);
}

TEST(EvaluateLabels, OnlyOneImageHasBoundaries) {
    const LabelImage flat = label_picture({"111"}), split = label_picture({"112"});
    for (const LabelAgreement& a : {against(flat, split), against(split, flat)}) {
        EXPECT_EQ(a.boundary_precision, 0);
        EXPECT_EQ(a.boundary_recall, 0);
        EXPECT_EQ(a.boundary_f, 0);
    }
}

// 160x120 has a diagonal of 200: boundaries may lie 1.5 pixels apart.
TEST(EvaluateLabels, BoundariesMatchWithinTheTolerance) {
    const auto split_at = [](std::int64_t column) {
        return label_picture(160, 120, [=](std::int64_t x, std::int64_t) { return x < column; });
    };
    EXPECT_EQ(against(split_at(80), split_at(81)).boundary_f, 1);
    EXPECT_EQ(against(split_at(80), split_at(82)).boundary_f, 0);
}

TEST(EvaluateLabels, MeanOverTruths) {
    // Two split lines in the segmentation; each truth knows one of them.
    const auto stripes = [](std::int64_t first, std::int64_t second) {
        return label_picture(
            160, 120, [=](std::int64_t x, std::int64_t) { return (x >= first) + (x >= second); });
    };
    const std::vector<LabelImage> truths{stripes(40, 160), stripes(120, 160)};
    const LabelEvaluation e = evaluate_labels(stripes(40, 120), truths);
    for (const LabelAgreement& a : e.by_truth) {
        EXPECT_DOUBLE_EQ(a.boundary_precision, 0.5);
        EXPECT_DOUBLE_EQ(a.boundary_recall, 1);
    }
    EXPECT_DOUBLE_EQ(e.mean.boundary_precision, 1);  // each line is right for one of the truths
    EXPECT_DOUBLE_EQ(e.mean.boundary_recall, 1);
    EXPECT_DOUBLE_EQ(e.mean.rand_index, (e.by_truth[0].rand_index + e.by_truth[1].rand_index) / 2);
    EXPECT_DOUBLE_EQ(e.mean.covering, (e.by_truth[0].covering + e.by_truth[1].covering) / 2);
    EXPECT_DOUBLE_EQ(e.mean.dice, (e.by_truth[0].dice + e.by_truth[1].dice) / 2);
}

TEST(EvaluateLabels, VolumesHaveNoBoundaryFigures) {
    LabelImage a({.x = 5, .y = 4, .z = 3}), b({.x = 5, .y = 4, .z = 3});
    for (std::size_t i = 0; i < a.pixels().size(); ++i) {
        a.pixels()[i] = static_cast<std::uint32_t>(i / 30);
        b.pixels()[i] = static_cast<std::uint32_t>(i / 20);
    }
    const LabelEvaluation e = evaluate_labels(a, {&b, 1});
    EXPECT_TRUE(std::isnan(e.mean.boundary_f));
    EXPECT_TRUE(std::isnan(e.by_truth[0].boundary_precision));
    EXPECT_DOUBLE_EQ(e.by_truth[0].conditional_entropy_truth, std::log2(3) - 2.0 / 3);
}

// 2^17 pixels make 2^33 pairs, more than 32 bits hold.
TEST(EvaluateLabels, PairsAreCountedExactly) {
    LabelImage truth({.x = 1 << 17}), segmentation = truth;
    segmentation.pixels().back() = 1;
    const double n = 1 << 17, pairs = n * (n - 1) / 2;
    EXPECT_DOUBLE_EQ(against(segmentation, truth).rand_index, (pairs - (n - 1)) / pairs);
}

TEST(EvaluateLabels, PhotographWithFiveTruthsTakesLessThanASecond) {
    const LabelImage segmentation = random_regions(481, 321, 400, 8);
    std::vector<LabelImage> truths;
    for (std::uint32_t seed = 0; seed < 5; ++seed)
        truths.push_back(random_regions(481, 321, 30, seed + 10));
    const auto begin = std::chrono::steady_clock::now();
    const LabelEvaluation e = evaluate_labels(segmentation, truths);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    RecordProperty("milliseconds", static_cast<int>(taken.count() * 1000));
    EXPECT_GT(e.mean.boundary_recall, e.mean.boundary_precision);
#ifdef NDEBUG
    EXPECT_LT(taken.count(), 1);
#endif
}

TEST(EvaluateLabels, RefusesImagesThatCannotBeCompared) {
    const LabelImage image = label_picture({"01"}), taller = label_picture({"01", "01"});
    const auto message = [&](const LabelImage& segmentation, std::vector<LabelImage> truths) {
        try {
            evaluate_labels(segmentation, truths);
        } catch (const InvalidArgument& error) {
            return std::string(error.what());
        }
        return std::string("no error");
    };
    EXPECT_NE(message(image, {}).find("give one"), std::string::npos);
    EXPECT_EQ(message(image, {image, taller}),
              "truth 2 is 2 x 2 and the segmentation 2 x 1: they must have one size");
    EXPECT_EQ(message(LabelImage(), {image}), "the segmentation has no pixels");
    EXPECT_NE(message(image, {LabelImage({.x = 2, .channels = 3})}).find("3 channels"),
              std::string::npos);
    EXPECT_NE(message(image, {LabelImage({.x = 2, .z = 2})}).find("2 x 1 x 2"), std::string::npos);
}

}  // namespace
}  // namespace tesela
