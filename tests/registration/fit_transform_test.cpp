// Transforms through landmarks: known maps come back, wrong pairs are found.
#include "tesela/fit_transform.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "refusal.h"
#include "tesela/error.h"

namespace tesela {
namespace {

using Map = std::function<SpacePoint(const SpacePoint&)>;

double distance(const SpacePoint& a, const SpacePoint& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

// Points in a box of 400 x 300 x 200 and where the map brings them, each off by up to `noise`.
LandmarkPairs pairs_of(const Map& map, int count, int dimensions, double noise = 0) {
    std::mt19937 random(7);
    const auto number = [&] { return static_cast<double>(random()) / 4294967296.0; };
    LandmarkPairs pairs{.dimensions = dimensions};
    for (int i = 0; i < count; ++i) {
        const SpacePoint point{400 * number(), 300 * number(),
                               dimensions == 3 ? 200 * number() : 0};
        SpacePoint there = map(point);
        for (std::size_t a = 0; a < static_cast<std::size_t>(dimensions); ++a)
            there[a] += noise * (2 * number() - 1);
        pairs.fixed.push_back(point);
        pairs.moving.push_back(there);
        pairs.names.push_back(std::to_string(i));
    }
    return pairs;
}

// Every fourth pair is wrong by 20 to 60 pixels, in different directions.
void spoil(LandmarkPairs& pairs) {
    for (std::size_t i = 0; i < pairs.moving.size(); i += 4) {
        const auto turn = static_cast<double>(i);
        pairs.moving[i][0] += (20 + 5 * static_cast<double>(i % 9)) * std::cos(turn);
        pairs.moving[i][1] += (20 + 5 * static_cast<double>(i % 9)) * std::sin(turn);
    }
}
void expect_spoiled_found(const TransformFit& fit) {
    for (std::size_t i = 0; i < fit.is_outlier.size(); ++i)
        EXPECT_EQ(fit.is_outlier[i], i % 4 == 0) << i << ": " << fit.errors[i];
}

LinearMap rotated(double angle, double scale, int dimensions) {
    const double c = scale * std::cos(angle), s = scale * std::sin(angle);
    if (dimensions == 2) return {LinearKind::similarity, {c, -s, 0, s, c, 0, 0, 0, 1}, {5, -9, 0}};
    const LinearMap about_z{LinearKind::rigid, {c, -s, 0, s, c, 0, 0, 0, scale}, {}};
    const double t = std::cos(0.4), u = std::sin(0.4);
    return composed(about_z, {LinearKind::rigid, {1, 0, 0, 0, t, -u, 0, u, t}, {5, -9, 4}});
}

void expect_equal(const Transform& found, const LinearMap& truth, double tolerance) {
    const LinearMap& map = std::get<LinearMap>(found.steps.at(0));
    for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(map.matrix[i], truth.matrix[i], tolerance) << i;
    for (std::size_t a = 0; a < 3; ++a)
        EXPECT_NEAR(map.translation[a], truth.translation[a], 500 * tolerance) << a;
}

TEST(FitTransform, KnownLinearMapsComeBack) {
    for (const int dimensions : {2, 3}) {
        LinearMap affine = rotated(0.5, 1, dimensions);
        affine.matrix[0] += 0.2;
        affine.matrix[3] -= 0.1;
        const std::pair<RegistrationModel, LinearMap> cases[] = {
            {RegistrationModel::rigid, rotated(2.6, 1, dimensions)},
            {RegistrationModel::similarity, rotated(-1.1, 0.8, dimensions)},
            {RegistrationModel::affine, affine}};
        for (const auto& [model, map] : cases) {
            LandmarkPairs pairs = pairs_of(map, 24, dimensions);
            TransformFit fit = fit_transform(pairs, {}, {}, {.model = model});
            expect_equal(fit.transform, map, 1e-9);
            EXPECT_EQ(fit.outliers(), 0u);
            spoil(pairs);
            fit = fit_transform(pairs, {}, {}, {.model = model});
            expect_equal(fit.transform, map, 1e-9);
            expect_spoiled_found(fit);
            EXPECT_FALSE(fit.transform.fixed);
        }
    }
}

TEST(FitTransform, MirroredSections) {
    const LinearMap mirrored{LinearKind::rigid, {0, 1, 0, 1, 0, 0, 0, 0, 1}, {3, 4, 0}};
    LandmarkPairs pairs = pairs_of(mirrored, 12, 2);
    spoil(pairs);
    const TransformFit fit = fit_transform(pairs, {}, {}, {.model = RegistrationModel::rigid});
    expect_equal(fit.transform, mirrored, 1e-9);
    expect_spoiled_found(fit);
}

TEST(FitTransform, NoiseMakesNoOutliers) {
    const LinearMap map = rotated(0.3, 1.1, 2);
    const LandmarkPairs pairs = pairs_of(map, 60, 2, 3);
    const TransformFit fit = fit_transform(pairs, {}, {}, {});
    EXPECT_EQ(fit.outliers(), 0u);
    EXPECT_LT(distance(fit.transform({200, 150, 0}), map({200, 150, 0})), 1);
    // A tolerance of 1 pixel leaves some out, and none of those that are closer.
    const TransformFit strict = fit_transform(pairs, {}, {}, {.tolerance = Length(1.0)});
    EXPECT_GT(strict.outliers(), 10u);
    for (std::size_t i = 0; i < strict.errors.size(); ++i)
        EXPECT_EQ(strict.is_outlier[i], strict.errors[i] > 1) << i;
}

TEST(FitTransform, SplinesFollowWhatIsSmoothAndNoWrongPair) {
    for (const int dimensions : {2, 3}) {
        const LinearMap turned = rotated(0.2, 1, dimensions);
        const Map bent = [&](const SpacePoint& p) {
            SpacePoint there = turned(p);
            there[0] += 9 * std::sin(p[1] / 70);
            there[1] += 7 * std::cos(p[0] / 80);
            return there;
        };
        LandmarkPairs pairs = pairs_of(bent, dimensions == 2 ? 80 : 120, dimensions, 0.3);
        spoil(pairs);
        const TransformFit fit = fit_transform(pairs, {}, {}, {.model = RegistrationModel::spline});
        expect_spoiled_found(fit);
        ASSERT_TRUE(fit.prediction_error);
        double sum = 0, linear = 0;
        int count = 0;
        for (double x = 40; x < 380; x += 40)
            for (double y = 40; y < 280; y += 40, ++count) {
                const SpacePoint point{x, y, dimensions == 3 ? 90.0 : 0};
                sum += distance(fit.transform(point), bent(point));
                linear += distance(turned(point), bent(point));
            }
        EXPECT_LT(sum / count, dimensions == 2 ? 0.6 : 1.2);
        EXPECT_LT(sum, linear / 4);
        EXPECT_LT(*fit.prediction_error, dimensions == 2 ? 1.2 : 2.5);
    }
}

TEST(FitTransform, StiffnessAndTheLinearLimit) {
    const LinearMap map = rotated(0.4, 0.9, 2);
    const LandmarkPairs pairs = pairs_of(map, 30, 2, 2);
    const auto bent = [&](double stiffness) {
        return fit_transform(pairs, {}, {},
                             {.model = RegistrationModel::spline, .stiffness = stiffness});
    };
    const TransformFit stiff = bent(1e5), soft = bent(1e-7),
                       affine = fit_transform(pairs, {}, {}, {});
    EXPECT_LT(summary_of(soft.errors).mean, summary_of(stiff.errors).mean);
    for (std::size_t i = 0; i < stiff.errors.size(); ++i)
        EXPECT_NEAR(stiff.errors[i], affine.errors[i], 1e-2);
}

TEST(FitTransform, ImagesGiveMillimeters) {
    ImageGrid fixed{{400, 300}, {}}, moving{{500, 400}, {}};
    fixed.geometry.unit = moving.geometry.unit = Unit::millimeter;
    fixed.geometry.spacing = {0.5, 0.5, 1};
    moving.geometry.spacing = {0.25, 0.25, 1};
    moving.geometry.origin = {10, 0, 0};
    const LandmarkPairs pairs = pairs_of(rotated(0.3, 2, 2), 12, 2);
    const TransformFit fit =
        fit_transform(pairs, fixed, moving, {.model = RegistrationModel::rigid});
    EXPECT_EQ(fit.transform.unit, Unit::millimeter);
    EXPECT_EQ(fit.transform.fixed->shape, fixed.shape);
    EXPECT_EQ(fit.transform.moving->shape, moving.shape);
    EXPECT_LT(*std::max_element(fit.errors.begin(), fit.errors.end()), 1e-9);
    const SpacePoint there = fit.transform(placement(fixed)({8, 9, 0}));
    EXPECT_LT(distance(there, placement(moving)(rotated(0.3, 2, 2)({8, 9, 0}))), 1e-9);
    const std::string alone = testing::refusal([&] { fit_transform(pairs, fixed, {}, {}); });
    EXPECT_NE(alone.find("only the fixed one is given"), std::string::npos) << alone;
    EXPECT_THROW(fit_transform(pairs, fixed, ImageGrid{{500, 400}, {}}, {}), InvalidArgument);
    EXPECT_THROW(fit_transform(pairs, ImageGrid{{9, 9, 9}, {}}, ImageGrid{{9, 9, 9}, {}}, {}),
                 InvalidArgument);
}

TEST(FitTransform, BadInput) {
    const auto refused = [](const LandmarkPairs& pairs, const FitOptions& options) {
        return testing::refusal([&] { fit_transform(pairs, {}, {}, options); });
    };
    const LandmarkPairs pairs = pairs_of(rotated(1, 1, 2), 2, 2);
    EXPECT_NE(refused(pairs, {}).find("needs 3 pairs of landmarks and there are 2"),
              std::string::npos);
    const TransformFit least = fit_transform(pairs, {}, {}, {.model = RegistrationModel::rigid});
    EXPECT_EQ(least.warnings.size(), 1u);
    LandmarkPairs line = pairs_of([](const SpacePoint& p) { return p; }, 9, 2);
    for (std::size_t i = 0; i < 9; ++i) line.fixed[i] = {double(i), 2.0 * double(i), 0};
    EXPECT_NE(refused(line, {}).find("line"), std::string::npos);
    LandmarkPairs plane = pairs_of([](const SpacePoint& p) { return p; }, 9, 3);
    for (SpacePoint& point : plane.fixed) point[2] = 0;
    EXPECT_NE(refused(plane, {}).find("plane"), std::string::npos);
    LandmarkPairs one = pairs_of([](const SpacePoint& p) { return p; }, 5, 2);
    for (SpacePoint& point : one.fixed) point = {1, 1, 0};
    EXPECT_NE(refused(one, {.model = RegistrationModel::rigid}).find("rigid"), std::string::npos);
    EXPECT_NE(
        refused(pairs_of(rotated(1, 1, 2), 9, 2), {.tolerance = Length(1, Length::In::millimeter)})
            .find("--tolerance"),
        std::string::npos);
}

}  // namespace
}  // namespace tesela
