// Cameras that fit a volume, and turns around it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "devices.h"
#include "tesela/error.h"
#include "tesela/render.h"

namespace tesela {
namespace {

class Turntables : public testing::OnDevice {};
TESELA_ON_EVERY_DEVICE(Turntables);

Image<std::int16_t> volume(std::int16_t air, std::int16_t inside) {
    Image<std::int16_t> made({20, 30, 12});
    std::fill(made.pixels().begin(), made.pixels().end(), air);
    for (std::int64_t z = 3; z < 9; ++z)
        for (std::int64_t y = 5; y < 25; ++y)
            for (std::int64_t x = 5; x < 15; ++x) made(x, y, z) = inside;
    made.geometry.unit = Unit::millimeter;
    made.geometry.spacing = {1, 0.5, 3};
    return made;
}

// In the frame that fills the picture most, the volume reaches 2 % of a side from its border.
TEST_P(Turntables, ANamedViewShowsAllOfTheVolumeInEachFrame) {
    Queue queue(GetParam());
    const Renderer renderer(volume(0, 100), queue);
    for (const std::int32_t frames : {0, 1, 7}) {
        const RenderOptions options{.size = "60x100",
                                    .azimuth = 10,
                                    .elevation = 30,
                                    .perspective = 40,
                                    .turntable = frames};
        const Camera camera = camera_of(renderer, CameraView::left, options);
        double least = 1e9;
        for (int i = 0; i < std::max(frames, 1); ++i)
            least = std::min(
                least, fitting_zoom(turned(camera, {.azimuth = 360.0 * i / std::max(frames, 1)}),
                                    renderer.corners(), 0.6));
        EXPECT_NEAR(least, 1, 1e-9) << frames;
        RenderOptions nearer = options;
        nearer.zoom = 2;
        EXPECT_NEAR(camera_of(renderer, CameraView::left, nearer).height, camera.height / 2, 1e-9);
    }
}

TEST_P(Turntables, ACameraOfOnesOwnKeepsItsHeight) {
    Queue queue(GetParam());
    const Renderer renderer(volume(0, 100), queue);
    const Camera own{.position = {0, -50, 0}, .target = {1, 2, 3}, .height = 17};
    EXPECT_EQ(camera_of(renderer, own, {.zoom = 2}).height, 8.5);
    EXPECT_EQ(camera_of(renderer, own, {.azimuth = 30, .turntable = 5}),
              turned(turned(own, {.azimuth = 30}), {}));
    EXPECT_THROW(camera_of(renderer, own, {.size = "x"}), InvalidArgument);
}

TEST_P(Turntables, FramesAreThoseOfTurnedCameras) {
    Queue queue(GetParam());
    Renderer renderer(volume(0, 100), queue);
    renderer.set_transfer(default_transfer(renderer));
    const RenderSettings settings{.width = 24, .height = 16};
    const Camera camera =
        camera_of(renderer, CameraView::anterior, {.size = "24x16", .turntable = 3});
    const RenderedView turn = render_turntable(renderer, camera, settings, 3);
    ASSERT_EQ(turn.picture.shape(), (Shape{24, 16, 1, 3, 3}));
    EXPECT_EQ(turn.depth.shape(), (Shape{24, 16}));
    for (std::int64_t t = 0; t < 3; ++t) {
        const RenderedView frame =
            renderer.render(turned(camera, {.azimuth = 120.0 * static_cast<double>(t)}), settings);
        const auto first = turn.picture.pixels().begin() + t * frame.picture.shape().elements();
        EXPECT_TRUE(
            std::equal(frame.picture.pixels().begin(), frame.picture.pixels().end(), first));
    }
    EXPECT_THROW(render_turntable(renderer, camera, settings, 0), InvalidArgument);
}

// Hounsfield units are known by their air.
TEST_P(Turntables, TheDefaultPresetIsOfTheValues) {
    Queue queue(GetParam());
    const Renderer ct(volume(-1000, 700), queue), mr(volume(0, 700), queue);
    EXPECT_EQ(default_transfer(ct).name, "ct-bone");
    const TransferFunction of_mr = default_transfer(mr);
    EXPECT_EQ(of_mr.name, "mr");
    const auto corners = mr.corners();
    const double diagonal = std::hypot(corners[7][0] - corners[0][0], corners[7][1] - corners[0][1],
                                       corners[7][2] - corners[0][2]);
    EXPECT_DOUBLE_EQ(of_mr.reference_length, diagonal / 300);
}

}  // namespace
}  // namespace tesela
