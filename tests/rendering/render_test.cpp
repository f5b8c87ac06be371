#include "tesela/render.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "devices.h"
#include "reference/render_reference.h"
#include "tesela/error.h"

namespace tesela {
namespace {

class RenderVolume : public testing::OnDevice {};
TESELA_ON_EVERY_DEVICE(RenderVolume);

TransferFunction even(double opacity) {
    return {.name = "even",
            .color = {{0, {1, 1, 1}}},
            .opacity = {{0, opacity}},
            .gradient_opacity = {},
            .reference_length = 1};
}

// 64 mm of what lets 1 % less light pass with each mm.
TEST_P(RenderVolume, TransmittanceOfABoxIsThatOfItsThickness) {
    Image<std::uint8_t> box({16, 64, 16});
    box.geometry.unit = Unit::millimeter;
    Queue queue(GetParam());
    Renderer renderer(box, queue);
    renderer.set_transfer(even(0.01));
    for (const double step : {0.25, 0.5, 1.0, 2.0, 4.0}) {
        RenderSettings settings{.width = 9, .height = 9, .step = step, .shading = false};
        settings.background = {{1, 0, 0}, false};
        Camera camera = renderer.camera(CameraView::anterior);
        camera.height = 9;
        const RenderedView view = renderer.render(camera, settings);
        const double passes = std::pow(0.99, 64);
        EXPECT_EQ(view.picture(4, 4, 0, 0, 0), 255);  // white over red
        EXPECT_EQ(view.picture(4, 4, 0, 0, 1), std::lround(255 * (1 - passes))) << step;
    }
}

// At the fitting zoom the nearest pixel of the box is 2 % of a side away from the picture's border.
TEST_P(RenderVolume, FittingZoomShowsAllOfTheBox) {
    Image<std::uint8_t> box({20, 30, 12});
    box.geometry.unit = Unit::millimeter;
    box.geometry.spacing = {1, 0.5, 3};
    box.geometry.origin = {100, -40, 7};
    Queue queue(GetParam());
    Renderer renderer(box, queue);
    renderer.set_transfer(even(0.99));
    for (const double view_angle : {0.0, 50.0})
        for (const auto& [width, height] : {std::pair{100, 100}, {50, 200}, {200, 50}}) {
            const Camera turned_away = turned(renderer.camera(CameraView::right, view_angle),
                                              {.azimuth = 30, .elevation = 20, .roll = 15});
            const double zoom =
                fitting_zoom(turned_away, renderer.corners(), static_cast<double>(width) / height);
            const RenderedView view = renderer.render(turned(turned_away, {.zoom = zoom}),
                                                      {.width = width, .height = height});
            std::int64_t nearest_x = width, nearest_y = height;
            for (std::int64_t y = 0; y < height; ++y)
                for (std::int64_t x = 0; x < width; ++x) {
                    if (!(view.depth(x, y) >= 0)) continue;
                    nearest_x = std::min({nearest_x, x, width - 1 - x});
                    nearest_y = std::min({nearest_y, y, height - 1 - y});
                }
            const double margin = std::min(static_cast<double>(nearest_x) - 0.02 * width,
                                           static_cast<double>(nearest_y) - 0.02 * height);
            EXPECT_GE(margin, -0.5) << view_angle << " degrees, " << width << " x " << height;
            EXPECT_LE(margin, 1.5) << view_angle << " degrees, " << width << " x " << height;
        }
}

TEST(FittingZoom, LooksAtPointsBesideTheAxisInFront) {
    Camera camera{.position = {0, -10, 0}, .target = {0, 0, 0}, .up = {0, 0, 1}, .height = 4};
    const std::array<Vector3, 2> axis{Vector3{0, 5, 0}, {0, -3, 0}};
    EXPECT_EQ(fitting_zoom(camera, axis, 1), 1);
    const std::array<Vector3, 2> beside{Vector3{3, 5, 0}, {0, 0, 1}};
    EXPECT_DOUBLE_EQ(fitting_zoom(camera, beside, 1), 0.96 * 2 / 3);
    EXPECT_DOUBLE_EQ(fitting_zoom(camera, beside, 3), 0.96 * 2);
    camera.view_angle = 90;
    const std::array<Vector3, 2> behind{Vector3{50, -20, 0}, {0, 0, 5}};
    EXPECT_DOUBLE_EQ(fitting_zoom(camera, behind, 1), 0.96 * 2);
    EXPECT_THROW(fitting_zoom({.position = {}, .target = {}}, axis, 1), InvalidArgument);
}

// Distances from the middle, so that a surface is a sphere.
TEST_P(RenderVolume, SphereHasItsDepth) {
    constexpr double radius = 20;
    Image<float> volume({64, 64, 64});
    volume.geometry.unit = Unit::millimeter;
    for (std::int64_t z = 0; z < 64; ++z)
        for (std::int64_t y = 0; y < 64; ++y)
            for (std::int64_t x = 0; x < 64; ++x)
                volume(x, y, z) = static_cast<float>(
                    -std::hypot(double(x) - 31.5, double(y) - 31.5, double(z) - 31.5));
    Queue queue(GetParam());
    Renderer renderer(volume, queue);
    RenderSettings settings{.mode = RenderMode::isosurface, .width = 41, .height = 41};
    settings.isovalues = {-radius};
    Camera camera = renderer.camera(CameraView::anterior);
    camera.height = 41;
    const RenderedView view = renderer.render(camera, settings);
    const double away = camera.target[1] - camera.position[1];
    for (std::int64_t y = 8; y <= 32; ++y)
        for (std::int64_t x = 8; x <= 32; ++x) {
            const double aside = std::hypot(double(x) - 20, double(y) - 20);
            const double expected = away - std::sqrt(radius * radius - aside * aside);
            ASSERT_NEAR(view.depth(x, y), expected, 0.02) << x << ", " << y;
        }
    EXPECT_TRUE(std::isnan(view.depth(0, 0)));
    const auto hit = renderer.hit(20, 20);
    ASSERT_TRUE(hit);
    EXPECT_NEAR(hit->position[1], 31.5 - radius, 0.02);
    EXPECT_NEAR(hit->voxel[1], 31.5 - radius, 0.02);
    EXPECT_NEAR(hit->value, -radius, 0.02);
    EXPECT_FALSE(renderer.hit(0, 0));
    EXPECT_FALSE(renderer.hit(-1, 5));
}

TEST_P(RenderVolume, NormalsOfASphereInTheReference) {
    Image<float> volume({48, 48, 48});
    for (std::int64_t z = 0; z < 48; ++z)
        for (std::int64_t y = 0; y < 48; ++y)
            for (std::int64_t x = 0; x < 48; ++x)
                volume(x, y, z) = static_cast<float>(
                    -std::hypot(double(x) - 23.5, double(y) - 23.5, double(z) - 23.5));
    const reference::RenderReference reference(volume, even(1), {}, {});
    for (int i = 0; i < 200; ++i) {
        const double a = 0.7 * i, b = std::cos(0.31 * i);
        const double c = std::sqrt(1 - b * b);
        const reference::V3 normal{c * std::cos(a), c * std::sin(a), b};
        const auto gradient =
            reference::unit(reference.gradient_at(reference::sum({23.5, 23.5, 23.5}, 16, normal)));
        const double cosine = -reference::dot(gradient, normal);
        EXPECT_GT(cosine, std::cos(0.5 * std::numbers::pi / 180));
    }
}

// A flat wall that leans against the voxels, one in eight, with an edge as steep as that of skin in
// air: its light is even, where rings would be stripes.
TEST_P(RenderVolume, AFlatWallHasNoRings) {
    Image<float> wall({64, 40, 24});
    wall.geometry.unit = Unit::millimeter;
    for (std::int64_t z = 0; z < 24; ++z)
        for (std::int64_t y = 0; y < 40; ++y)
            for (std::int64_t x = 0; x < 64; ++x) {
                const double depth = double(y) - 12 - double(x) / 8;
                wall(x, y, z) = static_cast<float>(1 / (1 + std::exp(-4 * depth)));
            }
    Queue queue(GetParam());
    Renderer renderer(wall, queue);
    TransferFunction skin = even(1);
    skin.opacity = {{0.1, 0}, {0.4, 0.06}, {0.7, 0.25}, {1, 0.6}};
    skin.color = {{0, {0.8, 0.8, 0.8}}};
    renderer.set_transfer(skin);
    const RenderSettings settings{.width = 240, .height = 120};
    Camera camera = renderer.camera(CameraView::anterior);
    camera.height = 12;  // ten pixels to a voxel
    const RenderedView view = renderer.render(camera, settings);
    std::vector<double> columns(240);  // means, which leave out the jitter of rays
    for (std::int64_t y = 0; y < settings.height; ++y)
        for (std::int64_t x = 0; x < settings.width; ++x)
            columns[static_cast<std::size_t>(x)] += view.picture(x, y, 0, 0, 1) / 120.0;
    const auto [lowest, highest] = std::minmax_element(columns.begin(), columns.end());
    EXPECT_GT(*lowest, 150);
    EXPECT_LT(*highest - *lowest, 2.5);
}

TEST_P(RenderVolume, SecondFrameAllocatesNothing) {
    Queue queue(GetParam());
    Renderer renderer(Image<std::uint8_t>({40, 30, 20}), queue);
    const RenderSettings settings{.width = 50, .height = 40};
    renderer.render(renderer.camera(CameraView::left), settings);
    const QueueCounters before = queue.counters();
    renderer.render(renderer.camera(CameraView::superior, 30), settings);
    EXPECT_EQ((queue.counters() - before).allocations, 0);
}

// What is changed shows in the next frame, as from a new renderer, and the volume stays where it
// is.
TEST_P(RenderVolume, TransferFunctionsAndLabelsUploadNoVolume) {
    Image<float> volume({64, 64, 64});
    volume.geometry.unit = Unit::millimeter;
    LabelImage labels(volume.shape(), volume.geometry);
    for (std::int64_t i = 0; i < volume.shape().points(); ++i) {
        volume.pixels()[static_cast<std::size_t>(i)] = static_cast<float>(i % 64);
        labels.pixels()[static_cast<std::size_t>(i)] = i / 64 % 64 < 32;
    }
    Queue queue(GetParam());
    const auto picture_of = [&](Renderer& renderer) {
        const RenderSettings settings{.width = 40, .height = 40, .shading = false};
        return renderer.render(renderer.camera(CameraView::anterior), settings).picture.pixels();
    };
    Renderer renderer(volume, queue);
    renderer.set_transfer(even(0.01));
    const auto before = picture_of(renderer);

    const std::int64_t volume_bytes = 4 * volume.shape().points();
    QueueCounters counters = queue.counters();
    renderer.set_transfer(even(0.2));
    const auto after = picture_of(renderer);
    EXPECT_LT((queue.counters() - counters).bytes_uploaded, volume_bytes / 4);
    EXPECT_NE(after, before);
    Renderer fresh(volume, queue);
    fresh.set_transfer(even(0.2));
    EXPECT_EQ(after, picture_of(fresh));

    counters = queue.counters();
    renderer.set_labels(labels, {{1, {0, 1, 0}, 1}});
    const auto labeled = picture_of(renderer);
    EXPECT_LT((queue.counters() - counters).bytes_uploaded, volume_bytes);  // 2 bytes of a label
    EXPECT_NE(labeled, after);
    fresh.set_labels(labels, {{1, {0, 1, 0}, 1}});
    EXPECT_EQ(labeled, picture_of(fresh));

    renderer.clear_labels();
    renderer.clear_transfer();
    Renderer plain(volume, queue);
    EXPECT_EQ(picture_of(renderer), picture_of(plain));
}

TEST_P(RenderVolume, LabelsHideAndColor) {
    Image<std::uint8_t> volume({32, 32, 32});
    volume.geometry.unit = Unit::millimeter;
    LabelImage labels(volume.shape(), volume.geometry);
    for (std::int64_t z = 8; z < 24; ++z)
        for (std::int64_t y = 8; y < 24; ++y)
            for (std::int64_t x = 8; x < 24; ++x) labels(x, y, z) = 70000;
    Queue queue(GetParam());
    Renderer renderer(volume, queue);
    RenderSettings settings{.width = 33, .height = 33, .shading = false};
    settings.mode = RenderMode::isosurface;
    const Camera camera = renderer.camera(CameraView::anterior);
    renderer.set_labels(labels, {{70000, {0, 1, 0}, 1}});
    const RenderedView view = renderer.render(camera, settings);
    EXPECT_EQ(view.picture(16, 16, 0, 0, 1), 255);
    EXPECT_EQ(view.picture(16, 16, 0, 0, 0), 0);
    const auto hit = renderer.hit(16, 16);
    ASSERT_TRUE(hit);
    EXPECT_EQ(hit->label, 70000u);
    EXPECT_NEAR(hit->position[1], 7.5, 0.02);
    renderer.set_labels(labels, {{70000, {0, 1, 0}, 0}});
    EXPECT_EQ(renderer.render(camera, settings).picture(16, 16, 0, 0, 1), 0);
    EXPECT_THROW(renderer.set_labels(LabelImage({5, 5, 5}), {}), InvalidArgument);
}

// The light on a sphere of voxels, beside that on a sphere; it is that of normals.
TEST_P(RenderVolume, ASphereOfVoxelsIsLitAsASphere) {
    constexpr double radius = 20, color = 0.5;
    const Vector3 middle{31.8, 31.1, 31.6};
    LabelImage labels({64, 64, 64});
    labels.geometry.unit = Unit::millimeter;
    for (std::int64_t z = 0; z < 64; ++z)
        for (std::int64_t y = 0; y < 64; ++y)
            for (std::int64_t x = 0; x < 64; ++x)
                labels(x, y, z) = std::hypot(double(x) - middle[0], double(y) - middle[1],
                                             double(z) - middle[2]) < radius;
    Queue queue(GetParam());
    Renderer renderer(Image<std::uint8_t>(labels.shape(), labels.geometry), queue);
    renderer.set_labels(labels, {{1, {color, color, color}, 1}});
    const RenderSettings settings{.mode = RenderMode::isosurface, .width = 120, .height = 120};
    Camera camera = renderer.camera(CameraView::anterior);
    camera.height = 40;
    for (std::size_t a : {0, 2}) {
        camera.position[a] = middle[a];
        camera.target[a] = middle[a];
    }
    const RenderedView view = renderer.render(camera, settings);
    double off = 0, away = 0;
    int seen = 0;
    for (std::int64_t y = 0; y < 120; ++y)
        for (std::int64_t x = 0; x < 120; ++x) {
            const double aside = std::hypot(double(x) - 59.5, double(y) - 59.5) / 3 / radius;
            if (aside > 0.9) continue;
            const double cosine = std::sqrt(1 - aside * aside);
            const double lit = color * (0.25 + 0.7 * cosine) + 0.15 * std::pow(cosine, 16);
            off += std::abs(view.picture(x, y, 0, 0, 0) - 255 * lit);
            away += std::abs(view.depth(x, y) + camera.position[1] - middle[1] + radius * cosine);
            ++seen;
        }
    EXPECT_LT(off / seen, 3.5);  // of 255
    EXPECT_LT(away / seen, 0.12);
}

// Two labels of a wall that faces the camera: red where x is below 16, else green.
TEST_P(RenderVolume, LabelsThatTouchHaveNoGroove) {
    LabelImage labels({32, 32, 32});
    labels.geometry.unit = Unit::millimeter;
    for (std::int64_t z = 0; z < 32; ++z)
        for (std::int64_t y = 12; y < 32; ++y)
            for (std::int64_t x = 0; x < 32; ++x) labels(x, y, z) = x < 16 ? 1 : 2;
    Queue queue(GetParam());
    Renderer renderer(Image<std::uint8_t>(labels.shape(), labels.geometry), queue);
    renderer.set_labels(labels, {{1, {1, 0, 0}, 1}, {2, {0, 1, 0}, 1}});
    const RenderSettings settings{.mode = RenderMode::isosurface, .width = 80, .height = 8};
    Camera camera = renderer.camera(CameraView::anterior);
    camera.height = 2;
    const RenderedView view = renderer.render(camera, settings);
    std::int64_t red = 0;
    for (std::int64_t y = 0; y < settings.height; ++y)
        for (std::int64_t x = 0; x < settings.width; ++x) {
            EXPECT_NEAR(camera.position[1] + view.depth(x, y), 11.5, 0.02);
            const int shade = view.picture(x, y, 0, 0, 0) + view.picture(x, y, 0, 0, 1);
            EXPECT_NEAR(shade, 255 * 1.15, 2);  // one color and the highlight
            red += view.picture(x, y, 0, 0, 0) > view.picture(x, y, 0, 0, 1);
        }
    EXPECT_EQ(red, 40 * 8);
}

// A plate, a rod and a voxel, one voxel thick, beside each other.
TEST_P(RenderVolume, ThinLabelsDoNotVanish) {
    LabelImage labels({36, 12, 12});
    labels.geometry.unit = Unit::millimeter;
    for (std::int64_t z = 2; z < 10; ++z) {
        for (std::int64_t x = 2; x < 10; ++x) labels(x, 6, z) = 1;
        labels(18, 6, z) = 2;
    }
    labels(30, 6, 6) = 3;
    Queue queue(GetParam());
    Renderer renderer(Image<std::uint8_t>(labels.shape(), labels.geometry), queue);
    renderer.set_labels(labels, {{1, {1, 0, 0}, 1}, {2, {0, 1, 0}, 1}, {3, {0, 0, 1}, 1}});
    const RenderSettings settings{
        .mode = RenderMode::isosurface, .width = 360, .height = 120, .shading = false};
    Camera camera = renderer.camera(CameraView::anterior);
    camera.height = 12;  // ten pixels to a voxel
    const RenderedView view = renderer.render(camera, settings);
    std::array<int, 3> pixels{};
    for (std::int64_t y = 0; y < settings.height; ++y)
        for (std::int64_t x = 0; x < settings.width; ++x)
            for (int c = 0; c < 3; ++c)
                pixels[static_cast<std::size_t>(c)] += view.picture(x, y, 0, 0, c) > 0;
    EXPECT_NEAR(pixels[0], 6400, 640);
    EXPECT_NEAR(pixels[1], 800, 160);
    EXPECT_NEAR(pixels[2], 100, 60);
}

TEST_P(RenderVolume, OddVolumes) {
    Queue queue(GetParam());
    Image<float> holes({20, 18, 1});
    holes(3, 3, 0) = std::numeric_limits<float>::quiet_NaN();
    holes(9, 9, 0) = std::numeric_limits<float>::infinity();
    for (const AnyImage& volume : {AnyImage(holes), AnyImage(Image<std::uint8_t>({1, 1, 1})),
                                   AnyImage(Image<std::uint8_t>({9, 9, 9, 1, 3}))}) {
        Renderer renderer(volume, queue);
        const RenderSettings settings{.width = 8, .height = 8};
        Camera camera = renderer.camera(CameraView::superior, 60);
        renderer.render(camera, settings);
        camera.position = {camera.target[0] + 0.1, camera.target[1], camera.target[2]};  // inside
        renderer.render(camera, settings);
        renderer.set_transfer(even(0));
        const RenderedView view = renderer.render(renderer.camera(CameraView::left), settings);
        for (const std::uint8_t value : view.picture.pixels()) ASSERT_EQ(value, 0);
    }
    EXPECT_THROW(Renderer(Image<std::uint8_t>({4, 4, 4, 2}), queue), UnsupportedFormat);
    EXPECT_THROW(Renderer(Image<std::uint8_t>({4, 4, 4, 1, 2}), queue), UnsupportedFormat);
}

TEST_P(RenderVolume, BadSettingsAreNamed) {
    Queue queue(GetParam());
    Renderer renderer(Image<std::uint8_t>({8, 8, 8}), queue);
    const Camera camera = renderer.camera(CameraView::left);
    const auto refused = [&](auto change) {
        RenderSettings settings{.width = 8, .height = 8};
        change(settings);
        EXPECT_THROW(renderer.render(camera, settings), InvalidArgument);
    };
    refused([](RenderSettings& s) { s.width = 0; });
    refused([](RenderSettings& s) { s.height = 1000000; });
    refused([](RenderSettings& s) { s.step = 0; });
    refused([](RenderSettings& s) { s.clip_planes = {{{0, 0, 0}, 1}}; });
    refused([](RenderSettings& s) { s.clip_planes.resize(7); });
    refused([](RenderSettings& s) { s.clip_box = ClipBox{{5, 0, 0}, {2, 7, 7}}; });
    refused([](RenderSettings& s) { s.mode = RenderMode::isosurface; });
    Camera wrong = camera;
    wrong.up = {1, 0, 0};
    EXPECT_THROW(renderer.render(wrong, {}), InvalidArgument);
    wrong = camera;
    wrong.position[0] += 1e7;
    EXPECT_THROW(renderer.render(wrong, {}), InvalidArgument);
    TransferFunction transfer = even(0.5);
    transfer.opacity = {{5, 0}, {3, 1}};
    EXPECT_THROW(renderer.set_transfer(transfer), InvalidArgument);
    CancelToken token;
    token.cancel();
    EXPECT_THROW(renderer.render(camera, {}, Progress({}, &token)), Cancelled);
}

}  // namespace
}  // namespace tesela
