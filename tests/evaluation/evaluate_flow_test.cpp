#include "tesela/evaluate_flow.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace tesela {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

FlowField uniform(std::int64_t width, std::int64_t height, float u, float v) {
    FlowField flow({width, height, 1, 1, 2});
    for (std::int64_t i = 0; i < flow.shape().points(); ++i) {
        flow.data()[2 * i] = u;
        flow.data()[2 * i + 1] = v;
    }
    return flow;
}

FlowField random_flow(std::int64_t width, std::int64_t height, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> motion(0, 3);
    FlowField flow({width, height, 1, 1, 2});
    for (float& component : flow.pixels()) component = motion(random);
    return flow;
}

void expect_invalid(const std::string& words, const FlowField& estimate, const FlowField& truth,
                    const EvaluateFlowOptions& options = {}) {
    try {
        evaluate_flow(estimate, truth, options);
        FAIL() << "no error was thrown";
    } catch (const InvalidArgument& error) {
        EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
}

TEST(EvaluateFlow, EqualFieldsHaveNoError) {
    const FlowField flow = random_flow(37, 23, 1);
    const FlowEvaluation e = evaluate_flow(flow, flow);
    EXPECT_EQ(e.angular_radians.mean, 0);
    EXPECT_EQ(e.angular_degrees.percentiles.back(), 0);
    EXPECT_EQ(e.endpoint.mean, 0);
    EXPECT_EQ(e.endpoint.standard_deviation, 0);
    EXPECT_EQ(e.robustness, (std::array<double, 4>{}));
    EXPECT_EQ(e.density, 1);
    EXPECT_EQ(e.compared, 37 * 23);
    EXPECT_TRUE(e.warnings.empty());
}

TEST(EvaluateFlow, KnownAngles) {
    // (1, 0, 1) and (0, 0, 1) are 45 degrees apart, (1, 0, 1) and (-1, 0, 1) 90.
    const FlowField right = uniform(4, 3, 1, 0), still = uniform(4, 3, 0, 0);
    EXPECT_NEAR(evaluate_flow(right, still).angular_radians.mean, 0.785398163397448, 1e-14);
    EXPECT_NEAR(evaluate_flow(right, still).angular_degrees.mean, 45, 1e-12);
    EXPECT_NEAR(evaluate_flow(right, uniform(4, 3, -1, 0)).angular_degrees.mean, 90, 1e-12);
}

TEST(EvaluateFlow, EqualToTheDefinition) {
    const FlowField a = random_flow(31, 17, 2), b = random_flow(31, 17, 3);
    double sum = 0;
    for (std::int64_t i = 0; i < 31 * 17; ++i) {
        const double u = a.data()[2 * i], v = a.data()[2 * i + 1];
        const double ut = b.data()[2 * i], vt = b.data()[2 * i + 1];
        const double cosine = (1 + u * ut + v * vt) /
                              (std::sqrt(1 + u * u + v * v) * std::sqrt(1 + ut * ut + vt * vt));
        sum += std::acos(std::clamp(cosine, -1.0, 1.0));
    }
    EXPECT_NEAR(evaluate_flow(a, b).angular_radians.mean, sum / (31 * 17), 1e-12);
}

TEST(EvaluateFlow, EstimateAndTruthCanBeExchanged) {
    const FlowField a = random_flow(31, 17, 4), b = random_flow(31, 17, 5);
    const FlowEvaluation ab = evaluate_flow(a, b), ba = evaluate_flow(b, a);
    EXPECT_EQ(ab.angular_radians.mean, ba.angular_radians.mean);
    EXPECT_EQ(ab.endpoint.mean, ba.endpoint.mean);
}

TEST(EvaluateFlow, EndpointErrorIsADistance) {
    FlowField estimate = uniform(2, 1, 3, 4);
    const FlowField still = uniform(2, 1, 0, 0);
    EXPECT_EQ(evaluate_flow(estimate, still).endpoint.mean, 5);
    estimate.data()[2] = estimate.data()[3] = nan;  // the mean is that of the other vector
    EXPECT_EQ(evaluate_flow(estimate, still).endpoint.mean, 5);
}

TEST(EvaluateFlow, StatisticsComputedByHand) {
    FlowField estimate({5, 1, 1, 1, 2});
    const float errors[] = {4, 0.5f, 1, 2.5f, 2};
    for (std::int64_t i = 0; i < 5; ++i) estimate.data()[2 * i] = errors[i];
    const FlowEvaluation e = evaluate_flow(estimate, uniform(5, 1, 0, 0));
    EXPECT_DOUBLE_EQ(e.endpoint.mean, 2);
    // (4 + 2.25 + 1 + 0.25 + 0) / 5
    EXPECT_DOUBLE_EQ(e.endpoint.standard_deviation, std::sqrt(1.5));
    // Sorted: 0.5 1 2 2.5 4; the places are 2, 3, 3.6, 3.8 and 3.96.
    EXPECT_DOUBLE_EQ(e.endpoint.percentiles[0], 2);
    EXPECT_DOUBLE_EQ(e.endpoint.percentiles[1], 2.5);
    EXPECT_DOUBLE_EQ(e.endpoint.percentiles[2], 2.5 + 0.6 * 1.5);
    EXPECT_DOUBLE_EQ(e.endpoint.percentiles[3], 2.5 + 0.8 * 1.5);
    EXPECT_DOUBLE_EQ(e.endpoint.percentiles[4], 2.5 + 0.96 * 1.5);
    // Above 0.5, 1, 2 and 3; what is equal to the limit is not above it.
    EXPECT_DOUBLE_EQ(e.robustness[0], 0.8);
    EXPECT_DOUBLE_EQ(e.robustness[1], 0.6);
    EXPECT_DOUBLE_EQ(e.robustness[2], 0.4);
    EXPECT_DOUBLE_EQ(e.robustness[3], 0.2);
}

TEST(EvaluateFlow, OneVector) {
    const FlowEvaluation e = evaluate_flow(uniform(1, 1, 1, 0), uniform(1, 1, 0, 0));
    EXPECT_EQ(e.endpoint.mean, 1);
    EXPECT_EQ(e.endpoint.percentiles.front(), 1);
    EXPECT_EQ(e.endpoint.percentiles.back(), 1);
}

TEST(EvaluateFlow, UnknownVectors) {
    FlowField truth = uniform(4, 1, 0, 0), estimate = uniform(4, 1, 1, 0);
    truth.data()[0] = unknown_flow;  // one component is enough
    estimate.data()[0] = 500;        // and what is estimated there does not matter
    estimate.data()[2 * 2 + 1] = nan;
    const FlowEvaluation e = evaluate_flow(estimate, truth);
    EXPECT_EQ(e.known, 3);
    EXPECT_EQ(e.compared, 2);
    EXPECT_DOUBLE_EQ(e.density, 2.0 / 3);
    EXPECT_EQ(e.endpoint.mean, 1);
}

TEST(EvaluateFlow, NothingWasEstimated) {
    const FlowEvaluation e = evaluate_flow(uniform(3, 3, nan, nan), uniform(3, 3, 0, 0));
    EXPECT_EQ(e.density, 0);
    EXPECT_TRUE(std::isnan(e.endpoint.mean));
    EXPECT_TRUE(std::isnan(e.angular_degrees.percentiles[2]));
    EXPECT_TRUE(std::isnan(e.robustness[0]));
    EXPECT_TRUE(e.warnings.empty());
}

// The densities of the thesis, for frames of 150 x 150.
TEST(EvaluateFlow, DensityOfTheCorrections) {
    const FlowField flow = uniform(150, 150, 1, 2);
    struct Case {
        BorderCorrection correction;
        std::int64_t size;
        double formula, counted;
    };
    const Case cases[] = {{BorderCorrection::none, 0, 1, 1},
                          {BorderCorrection::filter, 7, 0.9088, 144.0 * 144 / (150 * 150)},
                          {BorderCorrection::filter, 9, 0.8836, 142.0 * 142 / (150 * 150)},
                          {BorderCorrection::block, 31, 0.6294, 0.64}};
    for (const Case& c : cases) {
        const FlowEvaluation e = evaluate_flow(flow, flow, {c.correction, c.size});
        EXPECT_NEAR(e.density_by_formula, c.formula, 5e-5) << c.size;
        EXPECT_DOUBLE_EQ(e.density, c.counted) << c.size;
    }
    const FlowField wide = uniform(20, 10, 0, 0);
    EXPECT_DOUBLE_EQ(evaluate_flow(wide, wide, {BorderCorrection::block, 5}).density_by_formula,
                     15.0 / 20 * 5 / 10);
}

TEST(EvaluateFlow, StripsAreLeftOutOnAllSides) {
    const FlowField truth = uniform(7, 6, 0, 0);
    for (const std::int64_t x : {0, 1, 2, 4, 5, 6})
        for (const std::int64_t y : {0, 1, 2, 3, 4, 5}) {
            FlowField estimate = truth;
            estimate(x, y) = 1;
            const FlowEvaluation e = evaluate_flow(estimate, truth, {BorderCorrection::block, 5});
            EXPECT_EQ(e.compared, 3 * 2);
            const bool kept = x >= 2 && x < 5 && y >= 2 && y < 4;
            EXPECT_EQ(e.endpoint.mean > 0, kept) << x << " " << y;
        }
}

TEST(EvaluateFlow, AngularErrorIsBoundedByEndpointError) {
    for (unsigned seed = 0; seed < 20; ++seed) {
        const FlowEvaluation e =
            evaluate_flow(random_flow(9, 7, seed), random_flow(9, 7, seed + 100));
        EXPECT_LE(e.angular_radians.mean, 2 * std::atan(e.endpoint.mean / 2));
        EXPECT_TRUE(e.warnings.empty());
    }
    // Opposite vectors of the right length reach the bound.
    EXPECT_TRUE(
        evaluate_flow(uniform(9, 7, 0.7f, 0.2f), uniform(9, 7, -0.7f, -0.2f)).warnings.empty());
    FlowField off_by_rounding = random_flow(9, 7, 1);
    const FlowField truth = off_by_rounding;
    for (float& component : off_by_rounding.pixels()) component = std::nextafter(component, 9.0f);
    EXPECT_TRUE(evaluate_flow(off_by_rounding, truth).warnings.empty());
}

// The pairs of the thesis' table of further stimuli cannot be, those of its diverging tree can.
TEST(EvaluateFlow, ImpossiblePairsAreFound) {
    for (const auto& [angular, endpoint] :
         {std::pair{1.33678, 0.66198}, {1.41107, 0.42520}, {1.06689, 0.08579}, {1.50173, 0.77381}})
        EXPECT_FALSE(errors_agree(angular, endpoint)) << angular;
    for (const auto& [angular, endpoint] :
         {std::pair{0.289, 0.441165}, {0.166, 0.24561}, {0.0413, 0.04939}, {0.0, 0.0}})
        EXPECT_TRUE(errors_agree(angular, endpoint)) << angular;
}

TEST(EvaluateFlow, BadInput) {
    const FlowField flow = uniform(8, 6, 0, 0);
    expect_invalid("8 x 6 and the true flow 6 x 8", flow, uniform(6, 8, 0, 0));
    expect_invalid("the true flow has no pixels", flow, {});
    expect_invalid("the estimated flow has 1 channels", Image<float>({8, 6}), flow);
    expect_invalid("3 dimensions", FlowField({8, 6, 2, 1, 2}), flow);
    expect_invalid("no known vector", flow, uniform(8, 6, nan, 0));
    expect_invalid("needs a size", flow, flow, {BorderCorrection::filter, 0});
    expect_invalid("without a correction", flow, flow, {BorderCorrection::none, 5});
    expect_invalid("size", flow, flow, {BorderCorrection::block, -3});
    expect_invalid("of size 6 leaves nothing", flow, flow, {BorderCorrection::block, 6});
    FlowField known_at_the_border = uniform(8, 6, nan, nan);
    known_at_the_border(0, 0) = known_at_the_border(0, 0, 0, 0, 1) = 0;
    expect_invalid("off the strips", flow, known_at_the_border, {BorderCorrection::block, 3});
}

}  // namespace
}  // namespace tesela
