// Pictures whose bricks have different levels.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/vectors.h"
#include "devices.h"
#include "image_bricks.h"
#include "tesela/error.h"
#include "tesela/render.h"
#include "tesela/synthetic_volume.h"
#include "tesela/volume_codec.h"

namespace tesela {
namespace {

using testing::ImageBricks;

class RenderMixedLevels : public testing::OnDevice {};
TESELA_ON_EVERY_DEVICE(RenderMixedLevels);

TransferFunction linear(double highest) {
    return {.name = "values",
            .color = {{0, {0, 0, 0}}, {highest, {1, 1, 1}}},
            .opacity = {{0, 1}},
            .gradient_opacity = {},
            .reference_length = 1};
}
TransferFunction vessels() {
    return {.name = "vessels",
            .color = {{60, {0.7, 0.2, 0.1}}, {200, {1, 0.9, 0.8}}},
            .opacity = {{60, 0}, {110, 0.1}, {200, 0.5}},
            .gradient_opacity = {},
            .reference_length = 1};
}

// Means of voxels are values of a ramp at their middle, so that it has no seam between levels.
TEST_P(RenderMixedLevels, ARampHasNoSeams) {
    Queue queue(GetParam());
    Image<float> ramp({256, 96, 160});
    for (std::int64_t z = 0; z < 160; ++z)
        for (std::int64_t y = 0; y < 96; ++y)
            for (std::int64_t x = 0; x < 256; ++x) ramp(x, y, z) = static_cast<float>(x + y + z);
    Renderer renderer(std::make_shared<ImageBricks>(ramp), queue);
    renderer.set_transfer(linear(510));
    RenderSettings settings{.mode = RenderMode::average, .width = 256, .height = 96, .step = 0.25};
    settings.clip_box = ClipBox{{0, 0, 32}, {255, 95, 127}};
    settings.focus = ClipBox{{70, 0, 0}, {100, 95, 159}};  // bricks of one place along x
    Camera camera = renderer.camera(CameraView::superior);
    camera.height = 96;  // a pixel is a voxel
    const Vector3 forward = detail::normalized(detail::operator-(camera.target, camera.position));
    const Vector3 right = detail::normalized(detail::cross(forward, camera.up));
    const Vector3 down = detail::cross(forward, right);
    renderer.render_only(camera, settings);
    EXPECT_EQ(renderer.level(), 0);
    const Image<float> colors = renderer.colors();
    for (std::int64_t y = 16; y < 80; ++y)
        for (std::int64_t x = 16; x < 240; ++x) {
            const double a = double(x) - 127.5, b = double(y) - 47.5;
            const double expected =
                127.5 + 47.5 + 79.5 + a * (right[0] + right[1]) + b * (down[0] + down[1]);
            ASSERT_NEAR(colors(x, y, 0, 0, 0), expected / 510, 1.0 / 255) << x << ", " << y;
        }
}

// Rays within the focus have the bits of the finest level, others are of coarser voxels.
TEST_P(RenderMixedLevels, TheFocusIsFine) {
    Queue queue(GetParam());
    const Image<std::uint8_t> volume =
        synthetic_volume({.scene = VolumeScene::vessels, .shape = {192, 128, 128}}).image;
    const auto bricks = std::shared_ptr<const BrickSource>(compressed_volume(volume));
    Renderer renderer(bricks, queue), finest(bricks, queue, {.level = 0});
    for (Renderer* each : {&renderer, &finest}) each->set_transfer(vessels());
    Camera camera = renderer.camera(CameraView::superior);
    camera.height = 128;
    for (const RenderMode mode : {RenderMode::composite, RenderMode::isosurface}) {
        RenderSettings settings{.mode = mode, .width = 192, .height = 128, .shading = true};
        if (mode == RenderMode::isosurface) settings.isovalues = {110};
        const RenderedView whole = finest.render(camera, settings);
        settings.focus = ClipBox{{64, 0, 0}, {127, 127, 127}};
        const RenderedView view = renderer.render(camera, settings);
        int others = 0;
        for (std::int64_t y = 0; y < 128; ++y)
            for (std::int64_t x = 0; x < 192; ++x) {
                const bool within = x > 66 && x < 125;
                if (within)
                    ASSERT_EQ(view.picture(x, y), whole.picture(x, y)) << x << ", " << y;
                else
                    others += view.picture(x, y) != whole.picture(x, y);
            }
        EXPECT_GT(others, 100);
        EXPECT_LT(renderer.counts().pages, finest.counts().pages + 8);
        settings.skipping = false;
        EXPECT_TRUE(renderer.render(camera, settings).picture.pixels() == view.picture.pixels());
    }
}

TEST_P(RenderMixedLevels, FarBricksAreCoarse) {
    Queue queue(GetParam());
    const Image<std::uint8_t> volume =
        synthetic_volume({.scene = VolumeScene::vessels, .shape = {128, 256, 128}}).image;
    const auto bricks = std::shared_ptr<const BrickSource>(compressed_volume(volume));
    const std::int64_t small = 25 * 68 * 68 * 68 / 2 + (1 << 20);
    Renderer renderer(bricks, queue), finest(bricks, queue, {.level = 0}),
        pooled(bricks, queue, {.max_bytes = small});
    for (Renderer* each : {&renderer, &finest, &pooled}) each->set_transfer(vessels());
    Camera camera = renderer.camera(CameraView::anterior, 50);
    camera.position[1] = camera.target[1] - 170;                 // 42 mm before the first voxel
    for (Vector3* place : {&camera.position, &camera.target}) {  // no ray along edges of bricks
        (*place)[0] += 30;
        (*place)[2] += 25;
    }
    RenderSettings settings{.width = 96, .height = 96};
    const RenderedView view = renderer.render(camera, settings),
                       whole = finest.render(camera, settings);
    EXPECT_EQ(renderer.level(), 0);
    EXPECT_LT(renderer.counts().pages, finest.counts().pages);
    double squares = 0;
    for (std::size_t i = 0; i < view.picture.pixels().size(); ++i)
        squares += std::pow(double(view.picture.pixels()[i]) - whole.picture.pixels()[i], 2);
    EXPECT_GT(10 * std::log10(65025 * double(view.picture.pixels().size()) / squares), 25);
    EXPECT_TRUE(pooled.render(camera, settings).picture.pixels() == view.picture.pixels());
    EXPECT_GT(pooled.counts().tiles, 1);
    settings.skipping = false;
    EXPECT_TRUE(renderer.render(camera, settings).picture.pixels() == view.picture.pixels());
}

TEST_P(RenderMixedLevels, AFocusNeedsBricks) {
    Queue queue(GetParam());
    Renderer renderer(Image<std::uint8_t>({20, 20, 20}), queue);
    RenderSettings settings{.width = 8, .height = 8};
    settings.focus = ClipBox{{0, 0, 0}, {3, 3, 3}};
    try {
        renderer.render_only(renderer.camera(CameraView::left), settings);
        ADD_FAILURE() << "a focus in memory was ignored";
    } catch (const InvalidArgument& error) {
        EXPECT_NE(std::string(error.what()).find("--focus"), std::string::npos);
    }
}

}  // namespace
}  // namespace tesela
