// Labels that are cut open, or reach the border of the volume, have faces there.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "core/vectors.h"
#include "devices.h"
#include "tesela/compute/queue.h"
#include "tesela/render.h"

namespace tesela {
namespace {

using namespace detail;

class RenderCaps : public testing::OnDevice {};
TESELA_ON_EVERY_DEVICE(RenderCaps);

// Slices further apart than pixels, in a volume that lies at an angle.
Geometry oblique() {
    const double c = std::cos(0.4), s = std::sin(0.4);
    Geometry geometry;
    geometry.unit = Unit::millimeter;
    geometry.spacing = {1, 0.8, 1.3};
    geometry.origin = {-20, 15, 40};
    geometry.direction = {c, -s, 0, s, c, 0, 0, 0, 1};
    return geometry;
}
Vector3 in_mm(const Geometry& g, const Vector3& voxel) {
    Vector3 point{};
    for (std::size_t row = 0; row < 3; ++row) {
        point[row] = g.origin[row];
        for (std::size_t a = 0; a < 3; ++a)
            point[row] += g.direction[3 * row + a] * g.spacing[a] * voxel[a];
    }
    return point;
}

struct Ray {
    Vector3 origin{}, toward{};
};
Ray ray_of(const Camera& camera, const RenderSettings& settings, std::int64_t x, std::int64_t y) {
    const Vector3 to_target = camera.target - camera.position;
    const Vector3 forward = normalized(to_target), right = normalized(cross(forward, camera.up));
    const Vector3 down = cross(forward, right);
    const bool perspective = camera.view_angle > 0;
    const double height =
        perspective ? 2 * length(to_target) * std::tan(camera.view_angle * std::numbers::pi / 360)
                    : camera.height;
    const double pixel = height / double(settings.height);
    const Vector3 aside = (double(x) + 0.5 - double(settings.width) / 2) * pixel * right +
                          (double(y) + 0.5 - double(settings.height) / 2) * pixel * down;
    return perspective ? Ray{camera.position, normalized(to_target + aside)}
                       : Ray{camera.position + aside, forward};
}

double lit(double color, double cosine) {
    return std::min(1.0, color * (0.25 + 0.7 * cosine) + 0.15 * std::pow(cosine, 16));
}

// A ball, cut open by a plane: where a ray meets the plane in the ball, it shows the plane in the
// color of the ball.
TEST_P(RenderCaps, ABallIsCutByAPlane) {
    constexpr double radius = 18, around = 1.6;  // mm; smoothing and voxels
    const std::array<double, 3> color{0.9, 0.5, 0.2};
    const Geometry geometry = oblique();
    LabelImage labels({50, 60, 40}, geometry);
    const Vector3 middle = in_mm(geometry, {24.8, 29.1, 19.6});
    for (std::int64_t z = 0; z < 40; ++z)
        for (std::int64_t y = 0; y < 60; ++y)
            for (std::int64_t x = 0; x < 50; ++x)
                labels(x, y, z) =
                    length(in_mm(geometry, {double(x), double(y), double(z)}) - middle) < radius;
    Queue queue(GetParam());
    Renderer renderer(Image<std::uint8_t>(labels.shape(), geometry), queue);
    renderer.set_labels(labels, {{1, color, 1}});
    const Vector3 normal = normalized(Vector3{0.3, 0.8, 0.5});
    RenderSettings settings{.mode = RenderMode::isosurface, .width = 110, .height = 90};
    settings.clip_planes = {{2 * normal, -2 * dot(normal, middle)}};
    for (const double angle : {0.0, 30.0}) {
        const Camera camera = turned(renderer.camera(CameraView::anterior, angle), {.azimuth = 20});
        const RenderedView view = renderer.render(camera, settings);
        int cut = 0, missed = 0;
        for (std::int64_t y = 0; y < settings.height; ++y)
            for (std::int64_t x = 0; x < settings.width; ++x) {
                const Ray ray = ray_of(camera, settings, x, y);
                const double cosine = dot(normal, ray.toward);
                const double t = dot(normal, middle - ray.origin) / cosine;
                const double away = length(ray.origin + t * ray.toward - middle);
                const Vector3 from = middle - ray.origin;
                const double aside = length(from - dot(from, ray.toward) * ray.toward);
                if (away < radius - around) {
                    ASSERT_NEAR(view.depth(x, y), t, 0.01) << x << ", " << y;
                    for (int c = 0; c < 3; ++c)
                        ASSERT_NEAR(view.picture(x, y, 0, 0, c),
                                    255 * lit(color[static_cast<std::size_t>(c)], std::abs(cosine)),
                                    1);
                    ++cut;
                }
                if (aside > radius + around) {
                    ASSERT_TRUE(std::isnan(view.depth(x, y))) << x << ", " << y;
                    ++missed;
                }
            }
        EXPECT_GT(cut, 500);
        EXPECT_GT(missed, 500);
    }
}

LabelImage filled(const Shape& shape) {
    LabelImage labels(shape);
    labels.geometry.unit = Unit::millimeter;
    std::fill(labels.pixels().begin(), labels.pixels().end(), 1u);
    return labels;
}

// A block of translucent labels shows the face where rays enter and that where they leave, at the
// border of the volume and of the clip box.
TEST_P(RenderCaps, BothFacesOfTranslucentLabels) {
    const LabelImage labels = filled({20, 30, 24});
    Queue queue(GetParam());
    Renderer renderer(Image<std::uint8_t>(labels.shape(), labels.geometry), queue);
    renderer.set_labels(labels, {{1, {0, 1, 0}, 0.4}});
    RenderSettings settings{
        .mode = RenderMode::isosurface, .width = 16, .height = 16, .shading = false};
    Camera camera = renderer.camera(CameraView::anterior);
    camera.height = 8;
    const auto expect_faces = [&](double farthest) {
        const RenderedView view = renderer.render(camera, settings);
        for (const std::int64_t at : {0, 8, 15}) {
            EXPECT_EQ(view.picture(at, at, 0, 0, 1), std::lround(255 * (0.4 + 0.6 * 0.4)));
            EXPECT_EQ(view.picture(at, at, 0, 0, 0), 0);
            EXPECT_NEAR(camera.position[1] + view.depth(at, at), farthest, 0.01);
        }
    };
    expect_faces(29.5);
    settings.clip_box = ClipBox{{0, 3, 0}, {19, 20, 23}};
    expect_faces(20.5);
    settings.clip_planes = {{{0, -1, 0}, 17.25}};
    expect_faces(17.25);
    // Thinner than a step, so that no sample is within.
    settings.step = 16;
    settings.clip_planes = {{{0, -1, 0}, 17.25}, {{0, 1, 0}, -17}};
    expect_faces(17.25);
    // From inside, where the ray does not enter, it shows the face where it leaves.
    settings.clip_planes = {};
    settings.clip_box = {};
    camera.view_angle = 30;
    camera.position = {9.5, 14, 11.5};
    camera.target = {9.5, 20, 11.5};
    settings.step = 0.5;
    const RenderedView inside = renderer.render(camera, settings);
    EXPECT_EQ(inside.picture(8, 8, 0, 0, 1), std::lround(255 * 0.4));
}

// Each label has its color on the cut, a hidden one none, and a click finds it.
TEST_P(RenderCaps, LabelsMeetOnTheCut) {
    LabelImage labels = filled({48, 20, 20});
    for (std::int64_t z = 0; z < 20; ++z)
        for (std::int64_t y = 0; y < 20; ++y)
            for (std::int64_t x = 0; x < 48; ++x) labels(x, y, z) = x < 16 ? 7 : x < 32 ? 5 : 9;
    Queue queue(GetParam());
    Renderer renderer(Image<std::uint8_t>(labels.shape(), labels.geometry), queue);
    renderer.set_labels(labels, {{7, {1, 0, 0}, 1}, {5, {0, 1, 0}, 1}, {9, {0, 0, 1}, 0}});
    RenderSettings settings{
        .mode = RenderMode::isosurface, .width = 96, .height = 8, .shading = false};
    settings.clip_planes = {{{0, 1, 0}, -7.3}};
    Camera camera = renderer.camera(CameraView::anterior);
    camera.height = 4;
    const RenderedView view = renderer.render(camera, settings);
    for (std::int64_t x = 0; x < 96; ++x) {
        const double voxel = (double(x) + 0.5) / 2 - 0.5;
        EXPECT_EQ(view.picture(x, 4, 0, 0, 0), voxel < 15.5 ? 255 : 0) << x;
        EXPECT_EQ(view.picture(x, 4, 0, 0, 1), voxel > 15.5 && voxel < 31.5 ? 255 : 0) << x;
        EXPECT_EQ(view.picture(x, 4, 0, 0, 2), 0) << x;
        if (voxel < 31.5) {
            EXPECT_NEAR(camera.position[1] + view.depth(x, 4), 7.3, 0.01);
        }
    }
    const auto hit = renderer.hit(20, 4);
    ASSERT_TRUE(hit);
    EXPECT_EQ(hit->label, 7u);
}

// Boxes with corners at all places within blocks, cut at an angle, with and without isosurfaces.
TEST_P(RenderCaps, SkippingChangesNoBit) {
    Image<std::uint8_t> volume({90, 70, 66});
    LabelImage labels(volume.shape());
    labels.geometry.unit = volume.geometry.unit = Unit::millimeter;
    for (std::int64_t z = 0; z < 66; ++z)
        for (std::int64_t y = 0; y < 70; ++y)
            for (std::int64_t x = 0; x < 90; ++x) {
                volume(x, y, z) = static_cast<std::uint8_t>((x + 2 * y + z) / 2);
                const std::int64_t at = x % 30, length = 13 + x / 30;
                const bool is_inside = at >= 5 && at < 5 + length && y >= 20 - x / 30 && y < 44 &&
                                       z >= 10 && z < 40 + x / 30;
                labels(x, y, z) = is_inside ? static_cast<std::uint32_t>(1 + x / 30)
                                  : z < 3   ? 4u
                                            : 0u;
            }
    Queue queue(GetParam());
    Renderer renderer(volume, queue);
    renderer.set_labels(
        labels, {{1, {1, 0, 0}, 0.5}, {2, {0, 1, 0}, 1}, {3, {0, 0, 1}, 0.3}, {4, {1, 1, 1}, 1}});
    RenderSettings settings{.mode = RenderMode::isosurface, .width = 130, .height = 110};
    settings.clip_planes = {{{1, 3, 1}, -140}, {{-1, 0.2, 0}, 80}};
    settings.clip_box = ClipBox{{2, 1, 1}, {88, 66, 60}};
    for (const Camera& camera :
         {turned(renderer.camera(CameraView::anterior), {.azimuth = 35, .elevation = 25}),
          turned(renderer.camera(CameraView::left, 40), {.azimuth = -20}),
          renderer.camera(CameraView::superior)})
        for (const bool has_isosurface : {false, true}) {
            settings.isovalues.clear();
            if (has_isosurface) settings.isovalues = {70, 100};
            settings.skipping = false;
            const RenderedView all = renderer.render(camera, settings);
            settings.skipping = true;
            const RenderedView view = renderer.render(camera, settings);
            EXPECT_EQ(view.picture.pixels(), all.picture.pixels());
        }
}

}  // namespace
}  // namespace tesela
