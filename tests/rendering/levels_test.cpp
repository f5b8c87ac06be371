// Coarser levels of volumes, and pictures that depend on neither spacing nor step.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/vectors.h"
#include "devices.h"
#include "tesela/error.h"
#include "tesela/render.h"
#include "tesela/synthetic_volume.h"

namespace tesela {
namespace {

using detail::operator-, detail::operator+, detail::operator*;

class RenderLevels : public testing::OnDevice {};
TESELA_ON_EVERY_DEVICE(RenderLevels);

Image<std::uint8_t> scene(VolumeScene scene, const Shape& shape) {
    return synthetic_volume({.scene = scene, .shape = shape}).image;
}

double psnr(const RenderedView& a, const RenderedView& b) {
    double squares = 0;
    for (std::size_t i = 0; i < a.picture.pixels().size(); ++i) {
        const double difference = double(a.picture.pixels()[i]) - double(b.picture.pixels()[i]);
        squares += difference * difference / double(a.picture.pixels().size());
    }
    return 10 * std::log10(255.0 * 255.0 / std::max(squares, 1e-12));
}

TransferFunction tissues() {
    return {.name = "tissues",
            .color = {{40, {0.6, 0.3, 0.2}}, {120, {0.9, 0.7, 0.5}}, {200, {1, 1, 1}}},
            .opacity = {{60, 0}, {120, 0.05}, {200, 0.15}},
            .gradient_opacity = {},
            .reference_length = 1};
}

// The mean of a ramp's middle slices, at places away from the faces, is that of the ramp.
TEST_P(RenderLevels, ARampIsARampAtEveryLevel) {
    Queue queue(GetParam());
    Image<float> ramp({130, 97, 128});
    for (std::int64_t z = 0; z < 128; ++z)
        for (std::int64_t y = 0; y < 97; ++y)
            for (std::int64_t x = 0; x < 130; ++x) ramp(x, y, z) = static_cast<float>(x + y + z);
    RenderSettings settings{.mode = RenderMode::average, .width = 130, .height = 97};
    settings.clip_box = ClipBox{{0, 0, 32}, {129, 96, 95}};
    for (int level = 0; level <= 3; ++level) {
        settings.step = std::max(0.05, 0.25 / std::exp2(level));
        Renderer renderer(ramp, queue, level);
        ASSERT_EQ(renderer.level(), level);
        renderer.set_transfer({.name = "values",
                               .color = {{0, {0, 0, 0}}, {400, {1, 1, 1}}},
                               .opacity = {{0, 1}},
                               .gradient_opacity = {},
                               .reference_length = 1});
        Camera camera = renderer.camera(CameraView::superior);
        camera.height = 97;  // a pixel is a voxel
        const Vector3 forward = detail::normalized(camera.target - camera.position);
        const Vector3 right = detail::normalized(detail::cross(forward, camera.up));
        const Vector3 down = detail::cross(forward, right);
        renderer.render_only(camera, settings);
        const Image<float> colors = renderer.colors();
        for (std::int64_t y = 16; y < 81; ++y)
            for (std::int64_t x = 16; x < 114; ++x) {
                const Vector3 place = (double(x) - 64.5) * right + (double(y) - 48) * down;
                const double expected = 64.5 + 48 + 63.5 + place[0] + place[1];
                ASSERT_NEAR(400 * colors(x, y, 0, 0, 0), expected, 0.5)
                    << "level " << level << " at " << x << ", " << y;
            }
    }
}

TEST_P(RenderLevels, SurfacesStayWhereTheyAre) {
    Image<float> volume({96, 80, 88});
    volume.geometry.unit = Unit::millimeter;
    for (std::int64_t z = 0; z < 88; ++z)
        for (std::int64_t y = 0; y < 80; ++y)
            for (std::int64_t x = 0; x < 96; ++x)
                volume(x, y, z) = static_cast<float>(
                    -std::hypot(double(x) - 47.5, double(y) - 39.5, double(z) - 43.5));
    Queue queue(GetParam());
    RenderSettings settings{.mode = RenderMode::isosurface, .width = 21, .height = 21};
    settings.isovalues = {-30.0};
    for (int level = 0; level <= 3; ++level) {
        Renderer renderer(volume, queue, level);
        Camera camera = renderer.camera(CameraView::anterior);
        camera.height = 21;
        const RenderedView view = renderer.render(camera, settings);
        const double away = camera.target[1] - camera.position[1];
        // Means of distances are longer than distances of means: a tenth of a voxel of the level.
        EXPECT_NEAR(view.depth(10, 10), away - 30, 0.02 + 0.1 * std::exp2(level)) << level;
        const auto hit = renderer.hit(10, 10);
        ASSERT_TRUE(hit);
        EXPECT_NEAR(hit->voxel[1], hit->position[1], 1e-3) << level;
    }
}

TEST_P(RenderLevels, WhatDoesNotFitIsShownCoarser) {
    const Image<std::uint8_t> volume = scene(VolumeScene::head, {129, 130, 127});
    QueueOptions options;
    options.max_memory = render_device_bytes(AnyImage(volume), false, 64 * 64, 1) * 11 / 10;
    Queue narrow(GetParam(), options), roomy(GetParam());
    Renderer kept(volume, narrow), asked(volume, roomy, 1), whole(volume, roomy);
    EXPECT_EQ(kept.level(), 1);
    EXPECT_EQ(whole.level(), 0);
    const RenderSettings settings{.width = 64, .height = 64};
    const Camera camera = whole.camera(CameraView::left);
    EXPECT_EQ(kept.camera(CameraView::left), camera);
    const RenderedView view = kept.render(camera, settings);
    EXPECT_EQ(view.picture.pixels(), asked.render(camera, settings).picture.pixels());
    EXPECT_GE(psnr(view, whole.render(camera, settings)), 25);
    options.max_memory = 1000;
    Queue tiny(GetParam(), options);
    EXPECT_THROW(Renderer(volume, tiny), OutOfMemory);
}

TEST_P(RenderLevels, LabelsFollowTheLevel) {
    Image<std::uint8_t> volume({40, 33, 37});
    volume.geometry.unit = Unit::millimeter;
    LabelImage labels(volume.shape(), volume.geometry);
    for (std::int64_t z = 8; z < 24; ++z)
        for (std::int64_t y = 8; y < 24; ++y)
            for (std::int64_t x = 8; x < 24; ++x) labels(x, y, z) = 5;
    labels(2, 2, 2) = 5;  // one of eight
    Queue queue(GetParam());
    RenderSettings settings{.mode = RenderMode::isosurface, .width = 40, .height = 37};
    for (int level = 0; level <= 2; ++level) {
        Renderer renderer(volume, queue, level);
        renderer.set_labels(labels, {{5, {0, 1, 0}, 1}});
        Camera camera = renderer.camera(CameraView::anterior);
        camera.height = 37;  // a pixel is a voxel
        const RenderedView view = renderer.render(camera, settings);
        std::int64_t seen = 0;
        for (const float depth : view.depth.pixels()) seen += depth >= 0;
        // Smoothing takes a voxel of the level from each corner.
        const double expected = 16 * 16 - 4 * std::exp2(2 * level) + (level == 0 ? 1 : 0);
        EXPECT_NEAR(double(seen), expected, level == 0 ? 0 : 6 * std::exp2(level))
            << "level " << level;
    }
}

TEST_P(RenderLevels, LevelsThatAreNotThereAreRefused) {
    Queue queue(GetParam());
    const Image<std::uint8_t> volume({5, 6, 7});
    for (int level = 0; level <= 4; ++level) {
        Renderer renderer(volume, queue, level);
        renderer.render(renderer.camera(CameraView::left), {.width = 8, .height = 8});
    }
    EXPECT_THROW(Renderer(volume, queue, 5), InvalidArgument);
    EXPECT_THROW(Renderer(volume, queue, -1), InvalidArgument);
}

// The share of light that passes 64 mm of what takes 1 % in each.
TEST_P(RenderLevels, TransmittanceDoesNotDependOnStepsAndLevels) {
    Image<std::uint8_t> box({32, 64, 32});
    box.geometry.unit = Unit::millimeter;
    Queue queue(GetParam());
    for (const int level : {0, 1}) {
        Renderer renderer(box, queue, level);
        renderer.set_transfer({.name = "even",
                               .color = {{0, {1, 1, 1}}},
                               .opacity = {{0, 0.01}},
                               .gradient_opacity = {},
                               .reference_length = 1});
        Camera camera = renderer.camera(CameraView::anterior);
        camera.height = 9;
        for (const double step : {0.25, 0.5, 1.0, 2.0, 4.0}) {
            renderer.render_only(
                camera,
                {.width = 9, .height = 9, .step = step / std::exp2(level), .shading = false});
            EXPECT_NEAR(renderer.colors()(4, 4, 0, 0, 3), 1 - std::pow(0.99, 64), 1e-4)
                << step << " mm, level " << level;
        }
    }
}

// A body that is smooth in mm, sampled at two spacings.
AnyImage blob(const Shape& shape, const std::array<double, 3>& spacing) {
    Image<float> volume(shape);
    volume.geometry.unit = Unit::millimeter;
    volume.geometry.spacing = spacing;
    const auto along = [&](std::int64_t at, std::int64_t length, double side) {
        return (double(at) - double(length - 1) / 2) * side;
    };
    for (std::int64_t z = 0; z < shape.z; ++z)
        for (std::int64_t y = 0; y < shape.y; ++y)
            for (std::int64_t x = 0; x < shape.x; ++x) {
                const double a = along(x, shape.x, spacing[0]), b = along(y, shape.y, spacing[1]),
                             c = along(z, shape.z, spacing[2]);
                volume(x, y, z) = static_cast<float>(
                    200 * std::exp(-(a * a + b * b + c * c) / 800) * (1 + 0.2 * std::sin(a / 8)));
            }
    return volume;
}

TEST_P(RenderLevels, OneBodyAtTwoSpacings) {
    Queue queue(GetParam());
    Renderer even(blob({80, 80, 80}, {1, 1, 1}), queue);
    Renderer flat(blob({80, 80, 40}, {1, 1, 2}), queue);
    const RenderSettings settings{.width = 80, .height = 80, .step = 0.25};
    for (Renderer* renderer : {&even, &flat}) renderer->set_transfer(tissues());
    Camera camera = turned(even.camera(CameraView::left), {.azimuth = 20, .elevation = 40});
    camera.target = {39.5, 39.5, 39.5};
    const auto moved = [&](double z) {
        Camera at = camera;
        at.target[2] += z;
        at.position[2] += z;
        return at;
    };
    EXPECT_GE(psnr(even.render(camera, settings), flat.render(moved(-0.5), settings)), 40);
}

}  // namespace
}  // namespace tesela
