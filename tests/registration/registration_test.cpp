// Warps and registrations on every device.
#include "tesela/registration.h"

#include <any>
#include <cmath>

#include "devices.h"
#include "tesela/error.h"
#include "tesela/synthetic_sections.h"
#include "tesela/synthetic_slide.h"
#include "tesela/synthetic_volume.h"
#include "tesela/warp.h"

namespace tesela {
namespace {

class Registration : public testing::OnDevice {
  protected:
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(Registration);

LinearMap about(double angle, double scale, bool mirrored, const SpacePoint& from,
                const SpacePoint& to) {
    const double c = scale * std::cos(angle), s = scale * std::sin(angle), m = mirrored ? -1 : 1;
    LinearMap map{LinearKind::similarity, {m * c, -s, 0, m * s, c, 0, 0, 0, 1}, {}};
    const SpacePoint moved = map(from);
    map.translation = {to[0] - moved[0], to[1] - moved[1], 0};
    return map;
}

SplineMap waves(double side, double height) {
    SplineMap map = spline_over({0, 0, 0}, {side, side, 0}, 2, side / 5);
    const auto nodes = static_cast<std::size_t>(map.nodes());
    for (std::size_t i = 0; i < nodes; ++i) {
        map.displacements[i] = height * std::sin(1.7 * static_cast<double>(i));
        map.displacements[nodes + i] = height * std::cos(2.3 * static_cast<double>(i));
    }
    return map;
}

// Pixels that are their own coordinates show where each comes from.
Image<float> coordinates(const Shape& shape) {
    Shape channels = shape;
    channels.channels = 2;
    Image<float> image(channels);
    for (std::int64_t y = 0; y < shape.y; ++y)
        for (std::int64_t x = 0; x < shape.x; ++x) {
            image(x, y, 0, 0, 0) = static_cast<float>(x);
            image(x, y, 0, 0, 1) = static_cast<float>(y);
        }
    return image;
}

TEST_P(Registration, WarpsLookUpTheTransformedPoint) {
    const ImageGrid target{{100, 80}, {}};
    const AnyImage source = coordinates({120, 90});
    for (const auto& [height, inverse] :
         {std::pair{3.0, false}, {3.0, true}, {14.0, true}}) {  // at 14 a third of an area is left
        const Transform transform{
            .steps = {waves(99, height), about(0.3, 1.05, false, {50, 40, 0}, {60, 45, 0})}};
        const auto warped = std::get<Image<float>>(
            warp(source, transform, target, {.inverse = inverse, .outside = -1}, queue));
        int inside = 0;
        for (std::int64_t y = 0; y < 80; y += 7)
            for (std::int64_t x = 0; x < 100; x += 7) {
                const SpacePoint here{static_cast<double>(x), static_cast<double>(y), 0};
                const SpacePoint at = inverse ? transform.inverse_of(here) : transform(here);
                if (at[0] < 0 || at[1] < 0 || at[0] > 119 || at[1] > 89) continue;
                ++inside;
                EXPECT_NEAR(warped(x, y, 0, 0, 0), at[0], 0.01);
                EXPECT_NEAR(warped(x, y, 0, 0, 1), at[1], 0.01);
            }
        EXPECT_GT(inside, 50);
    }
}

TEST_P(Registration, AFoldHasNoWayBack) {
    const Transform transform{.steps = {waves(99, 60)}};
    ASSERT_LT(least_jacobian(transform, {{100, 100}, {}}, 1), 0);
    const AnyImage source = coordinates({100, 100});
    EXPECT_THROW(warp(source, transform, {{100, 100}, {}}, {.inverse = true}, queue),
                 InvalidArgument);
    warp(source, transform, {{100, 100}, {}}, {}, queue);
}

TEST_P(Registration, LabelsStayThoseThatWereThere) {
    LabelImage labels({40, 40});
    for (std::int64_t y = 10; y < 30; ++y)
        for (std::int64_t x = 10; x < 30; ++x) labels(x, y) = x < 20 ? 7 : 4000000000u;
    const Transform half{.steps = {LinearMap{.translation = {10.4, 0, 0}}}};
    const LabelImage warped = warp_labels(labels, half, {{40, 40}, {}}, false, queue);
    EXPECT_EQ(warped(0, 15), 7u);
    EXPECT_EQ(warped(9, 15), 7u);
    EXPECT_EQ(warped(10, 15), 4000000000u);
    EXPECT_EQ(warped(20, 15), 0u);
    EXPECT_EQ(warped(39, 15), 0u);  // outside
}

TEST_P(Registration, WarpsOfOtherDimensionsAreRefused) {
    const AnyImage picture = Image<std::uint8_t>({8, 8});
    EXPECT_THROW(warp(picture, {.dimensions = 3}, {{8, 8}, {}}, {}, queue), InvalidArgument);
    EXPECT_THROW(warp(picture, {}, {{8, 8, 8}, {}}, {}, queue), InvalidArgument);
}

// A section turned, mirrored and deformed, with its stains swapped.
struct Pair {
    AnyImage fixed, moving;
    Transform truth;
};
Pair section_pair(std::int64_t side, double angle, bool mirrored, double deformation,
                  Queue& queue) {
    const auto picture = [&](StainSet stains) {
        return AnyImage(synthetic_section(side, {.stains = stains}).picture);
    };
    Pair pair{picture(StainSet::he), picture(StainSet::hdab), {}};
    for (AnyImage* image : {&pair.fixed, &pair.moving}) geometry_of(*image) = {};
    const double middle = static_cast<double>(side) / 2;
    pair.truth.steps = {
        waves(static_cast<double>(side), deformation),
        about(angle, 0.96, mirrored, {middle, middle, 0}, {1.05 * middle, 0.97 * middle, 0})};
    // What the fixed image shows at x is in the moving one at truth(x).
    pair.moving = warp(pair.moving, pair.truth, grid_of(pair.fixed), {.inverse = true}, queue);
    return pair;
}

double mean_error(const Transform& found, const Transform& truth, double side) {
    double sum = 0;
    int count = 0;
    for (double y = 0.2 * side; y < 0.85 * side; y += side / 16)
        for (double x = 0.2 * side; x < 0.85 * side; x += side / 16, ++count) {
            const SpacePoint a = found({x, y, 0}), b = truth({x, y, 0});
            sum += std::hypot(a[0] - b[0], a[1] - b[1]);
        }
    return sum / count;
}

TEST_P(Registration, SectionsAreAlignedFromAnyPosition) {
    testing::Cases cases(GetParam());
    constexpr std::int64_t side = 320;
    for (const double angle : {0.0, 1.9, 3.6, 5.2})
        for (const bool mirrored : {false, true}) {
            if (!cases.take()) continue;
            const Pair pair = section_pair(side, angle, mirrored, 2, queue);
            const RegistrationResult found = register_images(pair.fixed, pair.moving, {}, queue);
            EXPECT_TRUE(found.is_match);
            EXPECT_LT(mean_error(found.transform, pair.truth, side), 3) << angle << mirrored;
            EXPECT_GT(found.least_jacobian, 0);
            EXPECT_GT(found.score.overlap, 0.8);
        }
}

// The inverse of a thickness in millimeters is rounded; no pixel leaves the plane for that.
TEST_P(Registration, SectionsWithSmallPixelsStayInTheirPlane) {
    Pair pair = section_pair(128, 0, false, 0, queue);
    for (const double size : {0.5, 0.65}) {
        for (AnyImage* image : {&pair.fixed, &pair.moving}) {
            geometry_of(*image).unit = Unit::micrometer;
            geometry_of(*image).spacing = {size, size, 1};
        }
        const RegistrationResult found = register_images(pair.fixed, pair.moving,
                                                         {.model = RegistrationModel::affine,
                                                          .rotation = RotationRange::none,
                                                          .accept_poor = true},
                                                         queue);
        EXPECT_NO_THROW(validate(found.transform)) << size;
    }
}

TEST_P(Registration, TheSameBitsTwice) {
    const Pair pair = section_pair(160, 0.4, false, 1, queue);
    const RegistrationOptions options{.rotation = RotationRange::none};
    const auto one = register_images(pair.fixed, pair.moving, options, queue);
    const auto two = register_images(pair.fixed, pair.moving, options, queue);
    EXPECT_EQ(one.transform.steps, two.transform.steps);
}

// Who asks sees the linear transform, and the result stays what it is.
TEST_P(Registration, PartialResults) {
    const Pair pair = section_pair(256, 0.3, false, 0, queue);
    std::vector<Transform> seen;
    PartialResults observer(
        [&](std::any partial) { seen.push_back(std::any_cast<Transform>(std::move(partial))); });
    observer.ask();
    const RegistrationResult found =
        register_images(pair.fixed, pair.moving, {}, queue, {}, Progress({}, nullptr, &observer));
    ASSERT_EQ(seen.size(), 1u);
    ASSERT_EQ(seen[0].steps.size(), 1u);
    EXPECT_EQ(found.transform.steps.size(), 2u);
    const SpacePoint middle{128, 128, 0};
    EXPECT_NEAR(seen[0](middle)[0], found.transform(middle)[0], 5);
}

TEST_P(Registration, DevicesAgree) {
    constexpr std::int64_t side = 160;
    Queue cpu(Device::parse("cpu"));
    const Pair pair = section_pair(side, 0.4, false, 1, cpu);
    const RegistrationOptions options{.rotation = RotationRange::none};
    const auto here = register_images(pair.fixed, pair.moving, options, queue);
    const auto there = register_images(pair.fixed, pair.moving, options, cpu);
    EXPECT_LT(mean_error(here.transform, there.transform, side), 0.1);
}

// Of pictures and volumes whose short axes shrink to one point: a result or a refusal.
TEST_P(Registration, LongThinImagesEnd) {
    for (const Shape& shape : {Shape{1600, 16}, Shape{16, 3200}, Shape{64, 64, 8}}) {
        Image<std::uint8_t> image(shape);
        std::uint32_t state = 1;
        for (auto& pixel : image.pixels())
            pixel = static_cast<std::uint8_t>((state = state * 1664525u + 1013904223u) >> 24);
        image.geometry.unit = Unit::millimeter;
        if (shape.z > 1) image.geometry.spacing = {0.01, 1, 1};
        try {
            const AnyImage any = image;
            const RegistrationResult found =
                register_images(any, any, {.model = RegistrationModel::rigid}, queue);
            // An image lies on itself.
            const auto& map = std::get<LinearMap>(found.transform.steps.front());
            const SpacePoint at{1, 1, shape.z > 1 ? 1.0 : 0.0}, moved = map(at);
            for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_NEAR(moved[axis], at[axis], 1);
        } catch (const NoMatch&) {  // a refusal
        }
    }
}

// Sparse and weak stains have little in common with others, and their parts agree all the same; so
// with a third of the picture in tissue. A few pairs of `tesela_registration_quality accepted`.
TEST_P(Registration, PairsInWeakStainsAreTaken) {
    testing::Cases cases(GetParam());
    using enum SectionStains;
    for (const auto& [here, there] : {std::pair{nuclear, hdab}, {nuclear, pale}, {hdab, nuclear}})
        for (const bool is_related : {true, false}) {
            if (!cases.take()) continue;
            SyntheticSectionsOptions series{.width = here == hdab ? 800 : 320,
                                            .height = 320,
                                            .stains = here,
                                            .deformation = 0.035,
                                            .tear = 0.02};
            const AnyImage fixed = synthetic_stack_section(series, 0).picture;
            series.stains = there;
            if (!is_related) series.seed = 99;
            const StackedSection section = synthetic_stack_section(series, 1);
            const RegistrationResult found =
                register_images(fixed, section.picture,
                                {.model = RegistrationModel::affine, .accept_poor = true}, queue);
            EXPECT_EQ(found.is_match, is_related)
                << found.agreement.agreeing << " of " << found.agreement.parts << ", similarity "
                << found.coarse_similarity << ", margin " << found.margin;
            if (!is_related) continue;
            const SpacePoint middle{0.5 * static_cast<double>(series.width), 160, 0};
            const SpacePoint a = found.transform(middle), b = section.transform(middle);
            EXPECT_LT(std::hypot(a[0] - b[0], a[1] - b[1]), 12);
        }
}

TEST_P(Registration, WhatDoesNotMatchIsRefused) {
    const Pair pair = section_pair(160, 0, false, 0, queue);
    AnyImage empty = Image<std::uint8_t>({160, 160});
    EXPECT_THROW(register_images(pair.fixed, empty, {}, queue), InvalidArgument);
    Image<std::uint8_t> noise({160, 160});
    std::uint32_t state = 1;
    for (auto& pixel : noise.pixels())
        pixel = static_cast<std::uint8_t>((state = state * 1664525u + 1013904223u) >> 24);
    EXPECT_THROW(register_images(pair.fixed, AnyImage(noise), {}, queue), NoMatch);
    const AnyImage volume = Image<std::uint8_t>({32, 32, 32});
    EXPECT_THROW(register_images(pair.fixed, volume, {}, queue), InvalidArgument);
    const AnyImage mask = Image<std::uint8_t>({160, 160});
    EXPECT_THROW(register_images(pair.fixed, pair.moving, {}, queue, {.fixed_mask = mask}),
                 InvalidArgument);
    CancelToken token;
    token.cancel();
    EXPECT_THROW(register_images(pair.fixed, pair.moving, {}, queue, {}, Progress({}, &token)),
                 Cancelled);
}

// A rigid motion of a volume with slices of 2 mm.
TEST_P(Registration, VolumesMoveInMillimeters) {
    Image<float> fixed({40, 44, 22}), moving({40, 44, 22});
    for (Image<float>* image : {&fixed, &moving}) {
        image->geometry.unit = Unit::millimeter;
        image->geometry.spacing = {1, 1, 2};
    }
    const double c = std::cos(0.15), s = std::sin(0.15);
    LinearMap truth{LinearKind::rigid, {c, -s, 0, s, c, 0, 0, 0, 1}, {}};
    const SpacePoint turned = truth({20, 22, 22});
    truth.translation = {21.5 - turned[0], 21 - turned[1], 24 - turned[2]};
    const auto value = [](const SpacePoint& p) {
        const auto ball = [&](double x, double y, double z, double r) {
            return 1 / (1 + std::exp(std::hypot(p[0] - x, p[1] - y, p[2] - z) - r));
        };
        return ball(20, 22, 22, 14) + ball(14, 18, 20, 4) - ball(26, 25, 25, 5) +
               ball(20, 30, 16, 3);
    };
    const LinearMap placed = placement(grid_of(fixed)), back = truth.inverse();
    for (std::int64_t z = 0; z < 22; ++z)
        for (std::int64_t y = 0; y < 44; ++y)
            for (std::int64_t x = 0; x < 40; ++x) {
                const SpacePoint at = placed(
                    {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
                fixed(x, y, z) = static_cast<float>(value(at));
                moving(x, y, z) = static_cast<float>(-value(back(at)));
            }
    const RegistrationResult found =
        register_images(AnyImage(fixed), AnyImage(moving), {.accept_poor = true}, queue);
    for (const SpacePoint& point : {SpacePoint{20, 22, 22}, SpacePoint{10, 30, 12}}) {
        const SpacePoint a = found.transform(point), b = truth(point);
        EXPECT_LT(std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]), 0.3);
    }
    EXPECT_NEAR(determinant(found.transform.jacobian({})), 1, 1e-9);
    EXPECT_EQ(found.measure, RegistrationMeasure::mi);
}

// Of volumes by sampled voxels: the same bits with any number of threads, and nearly the same map
// on other devices.
TEST_P(Registration, SampledVolumes) {
    const AnyImage head = synthetic_volume({.shape = {72, 72, 72}}).image;
    LinearMap turn{LinearKind::rigid, {0.995, -0.0998, 0, 0.0998, 0.995, 0, 0, 0, 1}, {5, -3, 2}};
    const AnyImage moved =
        warp(head, {.dimensions = 3, .steps = {turn}}, grid_of(head), {.inverse = true}, queue);
    const RegistrationOptions options{.model = RegistrationModel::affine, .accept_poor = true};
    const auto map_by = [&](Queue& other) {
        const RegistrationResult found = register_images(head, moved, options, other);
        return std::get<LinearMap>(found.transform.steps.front());
    };
    const LinearMap here = map_by(queue);
    Queue again(GetParam(), {.threads = 1}), cpu(Device::parse("cpu"));
    EXPECT_EQ(here, map_by(again));
    const LinearMap there = map_by(cpu);
    for (const SpacePoint& point : {SpacePoint{10, 10, 10}, SpacePoint{60, 50, 40}})
        for (std::size_t a = 0; a < 3; ++a) {
            EXPECT_NEAR(here(point)[a], there(point)[a], 0.1);
            EXPECT_NEAR(here(point)[a], turn(point)[a], 0.2);
        }
}

TEST_P(Registration, AffineVolumesByEachMeasure) {
    const AnyImage head = synthetic_volume({.shape = {48, 48, 48}}).image;
    for (const auto measure : {RegistrationMeasure::gradients, RegistrationMeasure::ncc,
                               RegistrationMeasure::nmi, RegistrationMeasure::mi}) {
        const RegistrationResult found = register_images(
            head, head,
            {.model = RegistrationModel::affine, .measure = measure, .accept_poor = true}, queue);
        EXPECT_EQ(found.measure, measure);
        EXPECT_GT(found.score.similarity, 0.9) << enum_name(measure);
        EXPECT_TRUE(found.is_match) << mismatch_text(found);
    }
}

// The moving image lies 30 pixels to the left of the fixed one and 20 below.
TEST_P(Registration, ACanvasHoldsBoth) {
    ImageGrid fixed{{100, 80}, {}}, moving{{90, 70}, {}};
    Transform transform{
        .steps = {LinearMap{.translation = {30, -20, 0}}}, .fixed = fixed, .moving = moving};
    const UnionCanvas canvas = union_canvas(transform, 4);
    EXPECT_EQ(canvas.grid.shape, (Shape{130, 90}));
    EXPECT_EQ(canvas.to_moving({0, 20, 0}), (SpacePoint{0, 0, 0}));
    EXPECT_EQ(canvas.to_fixed({30, 0, 0}), (SpacePoint{0, 0, 0}));
    EXPECT_THROW(union_canvas(transform, 1.4), InvalidArgument);
    for (ImageGrid* grid : {&fixed, &moving}) {
        grid->geometry.unit = Unit::millimeter;
        grid->geometry.spacing = {0.5, 0.5, 1};
    }
    transform = {.unit = Unit::millimeter,
                 .steps = {LinearMap{.translation = {15, -10, 0}}},
                 .fixed = fixed,
                 .moving = moving};
    const UnionCanvas placed = union_canvas(transform, 4);
    EXPECT_EQ(placed.grid.shape, (Shape{130, 90}));
    EXPECT_EQ(placement(placed.grid)({0, 0, 0}), (SpacePoint{-15, 0, 0}));
}

}  // namespace
}  // namespace tesela
