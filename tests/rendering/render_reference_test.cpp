// Pictures beside those of the reference in double precision.
#include "reference/render_reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "devices.h"
#include "tesela/compute/queue.h"
#include "tesela/render.h"

namespace tesela {
namespace {

class RenderAgainstReference : public testing::OnDevice {};
TESELA_ON_EVERY_DEVICE(RenderAgainstReference);

// Slices 1.6 times as far apart as pixels, and a volume that lies at an angle.
Geometry oblique() {
    const double c = std::cos(0.4), s = std::sin(0.4);
    Geometry geometry;
    geometry.unit = Unit::millimeter;
    geometry.spacing = {1, 1.2, 1.6};
    geometry.origin = {-20, 15, 40};
    geometry.direction = {c, -s, 0, s, c, 0, 0, 0, 1};
    return geometry;
}

Image<float> waves(const Shape& shape, const Geometry& geometry) {
    Image<float> volume(shape, geometry);
    for (std::int64_t z = 0; z < shape.z; ++z)
        for (std::int64_t y = 0; y < shape.y; ++y)
            for (std::int64_t x = 0; x < shape.x; ++x) {
                const double value =
                    100 + 50 * std::sin(0.21 * double(x) + 1) * std::sin(0.27 * double(y)) +
                    40 * std::cos(0.19 * double(z) + 0.1 * double(x));
                volume(x, y, z) = static_cast<float>(std::nearbyint(value));
            }
    return volume;
}

template <class T>
AnyImage as(const Image<float>& volume, float offset = 0) {
    Image<T> made(volume.shape(), volume.geometry);
    for (std::size_t i = 0; i < volume.pixels().size(); ++i)
        made.pixels()[i] = static_cast<T>(volume.pixels()[i] + offset);
    return made;
}

TransferFunction layers() {
    return {.name = "layers",
            .color = {{60, {0.2, 0.4, 0.9}}, {110, {0.9, 0.7, 0.2}}, {180, {1, 0.3, 0.3}}},
            .opacity = {{70, 0}, {100, 0.05}, {130, 0.02}, {170, 0.6}},
            .gradient_opacity = {},
            .reference_length = 1};
}

struct Difference {
    double mean = 0, beyond = 0;  // in 1/255, and the share of pixels that differ by more than 1
    double seen = 0;              // mean of the reference
};

Difference compare(const RenderedView& view, const reference::RenderReference& reference) {
    Difference difference;
    const Shape& shape = view.picture.shape();
    for (std::int64_t y = 0; y < shape.y; ++y)
        for (std::int64_t x = 0; x < shape.x; ++x) {
            const reference::RenderedPixel pixel = reference.pixel(x, y);
            double most = 0;
            for (std::size_t c = 0; c < 3; ++c) {
                const double expected = std::nearbyint(255 * pixel.color[c]);
                const double off = std::abs(expected - view.picture(x, y, 0, 0, int(c)));
                most = std::max(most, off);
                difference.mean += off / double(3 * shape.points());
                difference.seen += expected / double(3 * shape.points());
            }
            difference.beyond += (most > 1) / double(shape.points());
        }
    return difference;
}

struct Case {
    const char* name;
    RenderMode mode = RenderMode::composite;
    double view_angle = 0;
    bool shading = true, clips = false, by_gradient = false;
};
constexpr Case cases[]{
    {.name = "composite"},
    {.name = "unshaded", .shading = false},
    {.name = "perspective", .view_angle = 40},
    {.name = "clipped", .clips = true},
    {.name = "gradient opacity", .by_gradient = true},
    {.name = "mip", .mode = RenderMode::mip},
    {.name = "mip, perspective and clipped",
     .mode = RenderMode::mip,
     .view_angle = 30,
     .clips = true},
    {.name = "average", .mode = RenderMode::average},
    {.name = "average, perspective", .mode = RenderMode::average, .view_angle = 30},
    {.name = "isosurfaces", .mode = RenderMode::isosurface},
    {.name = "isosurfaces, perspective and clipped",
     .mode = RenderMode::isosurface,
     .view_angle = 40,
     .clips = true},
};

RenderSettings settings_of(const Case& c) {
    RenderSettings settings{.mode = c.mode, .width = 72, .height = 64, .shading = c.shading};
    settings.isovalues = {150, 120};
    if (c.clips) {
        settings.clip_box = ClipBox{{5, 3, 2}, {70, 30, 25}};
        settings.clip_planes = {{{0.3, 1, 0.2}, -20}, {{0, 0, -1}, 70}};
    }
    return settings;
}

TEST_P(RenderAgainstReference, AllModesAndProjections) {
    const Image<float> volume = waves({75, 37, 29}, oblique());
    Queue queue(GetParam());
    const AnyImage types[]{as<std::uint8_t>(volume), as<std::int16_t>(volume), AnyImage(volume)};
    int type = 0;
    for (const Case& c : cases) {
        SCOPED_TRACE(c.name);
        Renderer renderer(types[type++ % 3], queue);
        TransferFunction transfer = layers();
        if (c.by_gradient) transfer.gradient_opacity = {{0, 0}, {4, 0.3}, {12, 1}};
        renderer.set_transfer(transfer);
        const Camera camera = turned(renderer.camera(CameraView::anterior, c.view_angle),
                                     {.azimuth = 35, .elevation = 25, .roll = 10, .zoom = 1.4});
        const RenderSettings settings = settings_of(c);
        const RenderedView view = renderer.render(camera, settings);
        const Difference difference = compare(view, {volume, transfer, camera, settings});
        EXPECT_LE(difference.mean, 0.1);
        EXPECT_LE(difference.beyond, 0.001);
        EXPECT_GT(difference.seen, 4);  // there is something to see
    }
}

// From in front and behind along every axis, edge and diagonal of the box: bricks are composited in
// the order in which rays meet them.
TEST_P(RenderAgainstReference, AllDirections) {
    const Image<float> volume = waves({75, 37, 29}, oblique());
    Queue queue(GetParam());
    Renderer renderer(volume, queue);
    renderer.set_transfer(layers());
    for (const double elevation : {-90, -45, 0, 45, 90})
        for (const double azimuth : {0, 45, 90, 135, 180, 225, 270, 315}) {
            if (std::abs(elevation) == 90 && azimuth > 0) continue;
            SCOPED_TRACE(std::to_string(azimuth) + ", " + std::to_string(elevation));
            for (const double view_angle : {0, 40}) {
                const Camera camera = turned(renderer.camera(CameraView::anterior, view_angle),
                                             {.azimuth = azimuth, .elevation = elevation});
                const RenderSettings settings{.width = 36, .height = 32};
                const RenderedView view = renderer.render(camera, settings);
                const Difference difference = compare(view, {volume, layers(), camera, settings});
                EXPECT_LE(difference.mean, 0.1);
                EXPECT_LE(difference.beyond, 0.001);
                EXPECT_GT(difference.seen, 4);
            }
        }
}

TEST_P(RenderAgainstReference, SkippingChangesNoBit) {
    const Image<float> volume = waves({130, 70, 67}, oblique());
    Queue queue(GetParam());
    for (const AnyImage& type : {as<std::uint8_t>(volume), AnyImage(volume)}) {
        Renderer renderer(type, queue);
        TransferFunction transfer = layers();
        transfer.opacity = {{150, 0}, {170, 0.6}};
        renderer.set_transfer(transfer);
        // Also along an axis, where rays run within the faces of blocks, and apart from one
        // another.
        const Camera cameras[]{
            turned(renderer.camera(CameraView::left), {.azimuth = 35, .elevation = 25}),
            renderer.camera(CameraView::superior),
            turned(renderer.camera(CameraView::anterior, 50), {.azimuth = -20, .zoom = 1.5})};
        for (const Camera& camera : cameras)
            for (const RenderMode mode :
                 {RenderMode::composite, RenderMode::mip, RenderMode::isosurface}) {
                SCOPED_TRACE(enum_name(mode));
                RenderSettings settings{.mode = mode, .width = 120, .height = 110};
                settings.isovalues = {165};
                settings.skipping = false;
                const RenderedView all = renderer.render(camera, settings);
                settings.skipping = true;
                const RenderedView view = renderer.render(camera, settings);
                EXPECT_EQ(view.picture.pixels(), all.picture.pixels());
                for (std::size_t i = 0; i < all.depth.pixels().size(); ++i) {
                    const float a = all.depth.pixels()[i], b = view.depth.pixels()[i];
                    ASSERT_TRUE(a == b || (std::isnan(a) && std::isnan(b))) << "pixel " << i;
                }
            }
    }
}

// Labels that touch, one of which is translucent and one hidden.
TEST_P(RenderAgainstReference, SkippingChangesNoBitOfLabels) {
    const Image<float> volume = waves({130, 70, 67}, oblique());
    LabelImage labels(volume.shape(), volume.geometry);
    for (std::size_t i = 0; i < volume.pixels().size(); ++i)
        labels.pixels()[i] = static_cast<std::uint32_t>(volume.pixels()[i] / 40);
    Queue queue(GetParam());
    Renderer renderer(volume, queue);
    renderer.set_labels(labels,
                        {{1, {1, 0, 0}, 0}, {2, {0, 1, 0}, 0.3}, {3, {0, 0, 1}, 1}, {4, {}, 1}});
    const Camera camera =
        turned(renderer.camera(CameraView::left, 40), {.azimuth = 35, .elevation = 25});
    RenderSettings settings{.mode = RenderMode::isosurface, .width = 120, .height = 110};
    const RenderedView view = renderer.render(camera, settings);
    settings.skipping = false;
    const RenderedView all = renderer.render(camera, settings);
    EXPECT_EQ(view.picture.pixels(), all.picture.pixels());
    EXPECT_GT(std::count(view.picture.pixels().begin(), view.picture.pixels().end(), 0), 100);
}

}  // namespace
}  // namespace tesela
