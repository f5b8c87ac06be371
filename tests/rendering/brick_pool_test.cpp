// Volumes in bricks that come and go, beside the same volumes in memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/vectors.h"
#include "devices.h"
#include "image_bricks.h"
#include "tesela/error.h"
#include "tesela/render.h"
#include "tesela/volume_codec.h"

namespace tesela {
namespace {

using testing::ImageBricks;

class RenderBricks : public testing::OnDevice {};
TESELA_ON_EVERY_DEVICE(RenderBricks);

// A shell and a core in noise, with empty space around them.
template <class T>
Image<T> body(const Shape& shape, double scale, double offset) {
    Image<T> volume(shape);
    volume.geometry.unit = Unit::millimeter;
    volume.geometry.spacing = {1, 0.8, 1.3};
    std::uint32_t random = 9;
    for (std::int64_t z = 0; z < shape.z; ++z)
        for (std::int64_t y = 0; y < shape.y; ++y)
            for (std::int64_t x = 0; x < shape.x; ++x)
                for (int c = 0; c < shape.channels; ++c) {
                    const auto part = [](std::int64_t at, std::int64_t length) {
                        return 2 * (double(at) + 0.5) / double(length) - 1;
                    };
                    const double r =
                        std::hypot(part(x, shape.x), part(y, shape.y), part(z, shape.z));
                    random = random * 1664525 + 1013904223;
                    const double noise = double(random >> 27);
                    const double value = r < 0.3   ? 190 + noise
                                         : r < 0.6 ? 60 + noise
                                         : r < 0.8 ? 150 + 20 * c
                                                   : 3;
                    volume(x, y, z, 0, c) = static_cast<T>(scale * value + offset);
                }
    return volume;
}

TransferFunction tissue(double scale, double offset) {
    const auto at = [&](double value) { return scale * value + offset; };
    return {.name = "tissue",
            .color = {{at(40), {0.8, 0.3, 0.2}}, {at(120), {0.9, 0.8, 0.5}}, {at(220), {1, 1, 1}}},
            .opacity = {{at(50), 0}, {at(70), 0.02}, {at(140), 0.1}, {at(210), 0.6}},
            .gradient_opacity = {},
            .reference_length = 1};
}

struct View {
    RenderSettings settings;
    double angle = 0, zoom = 1;
};
// NaN is on no side of a surface.
std::vector<View> views(double iso, bool has_nan) {
    std::vector<View> all;
    for (const RenderMode mode :
         {RenderMode::composite, RenderMode::mip, RenderMode::average, RenderMode::isosurface}) {
        if (has_nan && mode == RenderMode::isosurface) break;
        RenderSettings settings{.mode = mode, .width = 90, .height = 70};
        if (mode == RenderMode::isosurface) settings.isovalues = {iso};
        all.push_back({settings, 0, 1});
        all.push_back({settings, 60, 2.5});
    }
    all.front().settings.clip_box = ClipBox{{20, 5, 4}, {110, 90, 70}};
    all[1].settings.clip_planes = {{{1, 0.3, -0.2}, -40}};
    all[1].settings.skipping = false;
    return all;
}

RenderedView picture(Renderer& renderer, const View& view) {
    const Camera camera = turned(renderer.camera(CameraView::left, view.angle),
                                 {.azimuth = 31, .elevation = 22, .zoom = view.zoom});
    return renderer.render(camera, view.settings);
}
void expect_equal(const RenderedView& a, const RenderedView& b) {
    EXPECT_TRUE(a.picture.pixels() == b.picture.pixels());
    for (std::size_t i = 0; i < a.depth.pixels().size(); ++i) {
        const float here = a.depth.pixels()[i], there = b.depth.pixels()[i];
        ASSERT_TRUE(here == there || (std::isnan(here) && std::isnan(there))) << i;
    }
}

// Of 12 bricks all, and 9.
void expect_that_of_the_whole(const AnyImage& whole, std::shared_ptr<const BrickSource> bricks,
                              double scale, double offset, std::int64_t voxel_bytes, Queue& queue) {
    Renderer in_memory(AnyImageView(whole), queue);
    const std::int64_t page = 68 * 68 * 68 * voxel_bytes;
    for (const std::int64_t bytes : {std::int64_t{0}, 19 * page / 2 + (1 << 20)}) {
        Renderer in_bricks(bricks, queue, {.level = 0, .max_bytes = bytes});
        for (Renderer* renderer : {&in_memory, &in_bricks})
            if (!in_memory.in_colors()) renderer->set_transfer(tissue(scale, offset));
        testing::Cases cases(queue.device());
        for (const View& view :
             views(scale * 100 + offset, voxel_bytes == 4 && !in_memory.in_colors())) {
            if (!cases.take()) continue;
            SCOPED_TRACE(std::to_string(static_cast<int>(view.settings.mode)) + " in " +
                         std::to_string(bytes));
            expect_equal(picture(in_bricks, view), picture(in_memory, view));
            EXPECT_TRUE(in_bricks.counts().damaged.empty());
            // A projection needs all bricks.
            const std::int64_t tiles = in_bricks.counts().tiles;
            const bool needs_all = view.settings.mode == RenderMode::mip && view.zoom == 1;
            EXPECT_TRUE(bytes == 0 ? tiles == 1 : tiles > 1 || !needs_all) << tiles;
        }
    }
}

constexpr Shape small{130, 100, 80};

TEST_P(RenderBricks, DecodedOnTheDevice) {
    Queue queue(GetParam());
    const AnyImage bytes = body<std::uint8_t>(small, 1, 0);
    expect_that_of_the_whole(bytes, compressed_volume(bytes), 1, 0, 1, queue);
    const AnyImage words = body<std::int16_t>(small, 20, -1000);
    expect_that_of_the_whole(words, compressed_volume(words), 20, -1000, 2, queue);
}
TEST_P(RenderBricks, DecodedOnTheHost) {
    Queue queue(GetParam());
    const AnyImage words = body<std::uint16_t>(small, 30, 50);
    expect_that_of_the_whole(words, std::make_shared<ImageBricks>(words), 30, 50, 2, queue);
    Image<float> numbers = body<float>(small, 0.5, -20);
    for (std::size_t i = 0; i < numbers.pixels().size(); i += 17)
        numbers.pixels()[i] = i % 2 ? std::numeric_limits<float>::quiet_NaN()
                                    : std::numeric_limits<float>::infinity();
    expect_that_of_the_whole(numbers, std::make_shared<ImageBricks>(numbers), 0.5, -20, 4, queue);
}
TEST_P(RenderBricks, InColors) {
    Queue queue(GetParam());
    Shape colors = small;
    colors.channels = 3;
    const AnyImage volume = body<std::uint8_t>(colors, 1, 0);
    expect_that_of_the_whole(volume, std::make_shared<ImageBricks>(volume, false), 1, 0, 4, queue);
}
// Ranges are found when bricks are decoded, and leave bricks out of the next picture.
TEST_P(RenderBricks, WithoutRanges) {
    Queue queue(GetParam());
    Image<std::uint8_t> volume({200, 70, 70});
    for (std::int64_t i = 0; i < volume.shape().points(); ++i)
        volume.pixels()[static_cast<std::size_t>(i)] = i % 200 < 60 ? 200 : 3;
    Renderer renderer(std::make_shared<ImageBricks>(volume, false), queue, {.level = 0});
    renderer.set_transfer(tissue(1, 0));
    const Camera camera = renderer.camera(CameraView::anterior);
    const RenderedView first = renderer.render(camera, {.width = 64, .height = 64});
    EXPECT_EQ(renderer.counts().pages, 4 * 2 * 2);
    EXPECT_EQ(renderer.counts().skipped_blocks, 0);
    const RenderedView second = renderer.render(camera, {.width = 64, .height = 64});
    expect_equal(first, second);
    EXPECT_EQ(renderer.counts().pages, 0);
    EXPECT_EQ(renderer.counts().decoded, 0);
    EXPECT_GT(renderer.counts().skipped_blocks, renderer.counts().blocks / 2);
}

TEST_P(RenderBricks, ScalingBelongsToValues) {
    Queue queue(GetParam());
    const ValueScaling scaling{-0.25, 30};
    const AnyImage stored = body<std::int16_t>({70, 66, 65}, 10, -100);
    const AnyImage values = scaled(stored, scaling);
    Renderer in_memory(AnyImageView(values), queue);
    Renderer in_bricks(std::make_shared<ImageBricks>(stored, true, scaling), queue, {.level = 0});
    EXPECT_EQ(in_bricks.value_range(), in_memory.value_range());
    const View view{
        {.mode = RenderMode::isosurface, .width = 60, .height = 60, .isovalues = {-200}}};
    expect_equal(picture(in_bricks, view), picture(in_memory, view));
}

// A voxel is at most as large as a pixel: twice as many pixels take the next finer level.
TEST_P(RenderBricks, TheLevelFollowsThePixels) {
    Queue queue(GetParam());
    Renderer renderer(compressed_volume(body<std::uint8_t>({128, 96, 64}, 1, 0)), queue);
    renderer.set_transfer(tissue(1, 0));
    Camera camera = renderer.camera(CameraView::superior);
    camera.height = 0.8 * 64;  // mm
    for (const auto& [height, level] :
         {std::pair{128, 0}, {64, 0}, {33, 0}, {32, 1}, {17, 1}, {16, 2}, {8, 3}, {4, 4}, {1, 4}}) {
        renderer.render_only(camera, {.width = 8, .height = height});
        EXPECT_EQ(renderer.level(), level) << height;
    }
    // Of a perspective the nearest point counts.
    camera = renderer.camera(CameraView::superior, 40);
    renderer.render_only(camera, {.width = 8, .height = 8});
    const int far = renderer.level();
    EXPECT_GE(far, 2);
    camera.position[2] = camera.target[2] + 0.5 * (camera.position[2] - camera.target[2]);
    renderer.render_only(camera, {.width = 8, .height = 8});
    EXPECT_LT(renderer.level(), far);
}

TEST_P(RenderBricks, LevelsAreThoseOfTheSource) {
    Queue queue(GetParam());
    // The last one has three pages of many small bricks, which are not filled together.
    for (const auto& [shape, level] : {std::pair{Shape{128, 96, 160}, 1},
                                       {{128, 96, 160}, 2},
                                       {{128, 96, 160}, 3},
                                       {{2208, 48, 48}, 4}}) {
        const auto bricks =
            std::shared_ptr<const BrickSource>(compressed_volume(body<std::uint8_t>(shape, 1, 0)));
        const AnyImage coarse = bricks->read(level);
        Renderer in_memory(AnyImageView(coarse), queue), in_bricks(bricks, queue, {.level = level});
        for (Renderer* renderer : {&in_memory, &in_bricks}) renderer->set_transfer(tissue(1, 0));
        View view{{.width = 60, .height = 50}};
        const RenderedView a = picture(in_bricks, view), b = picture(in_memory, view);
        for (std::size_t i = 0; i < a.picture.pixels().size(); ++i)
            ASSERT_NEAR(a.picture.pixels()[i], b.picture.pixels()[i], 1) << "level " << level;
        view.settings.skipping = false;
        expect_equal(picture(in_bricks, view), a);
    }
}

TEST_P(RenderBricks, AfterTheFirstFrameNothingIsDecoded) {
    Queue queue(GetParam());
    Renderer renderer(compressed_volume(body<std::uint8_t>(small, 1, 0)), queue, {.level = 0});
    renderer.set_transfer(tissue(1, 0));
    const View view{{.width = 40, .height = 40}};
    picture(renderer, view);
    EXPECT_GT(renderer.counts().decoded, 0);
    const auto before = queue.counters().allocations;
    picture(renderer, view);
    EXPECT_EQ(renderer.counts().decoded, 0);
    EXPECT_EQ(queue.counters().allocations, before);
}

TEST_P(RenderBricks, DamagedBricksAreNamedAndEmpty) {
    Queue queue(GetParam());
    Image<std::uint8_t> volume({192, 64, 64});
    std::fill(volume.pixels().begin(), volume.pixels().end(), std::uint8_t{200});
    volume.pixels()[0] = 0;
    const auto bricks = std::make_shared<ImageBricks>(volume);
    Renderer renderer(bricks, queue, {.level = 0});
    bricks->damaged = {1};
    renderer.set_transfer(tissue(1, 0));
    Camera camera = renderer.camera(CameraView::anterior);
    camera.height = 64;
    const RenderSettings settings{.width = 192, .height = 64, .shading = false};
    const RenderedView view = renderer.render(camera, settings);
    ASSERT_EQ(renderer.counts().damaged.size(), 1u);
    EXPECT_NE(renderer.counts().damaged.front().find("brick 1"), std::string::npos);
    EXPECT_EQ(view.picture(96, 32), 0);
    EXPECT_GT(view.picture(20, 32), 100);
    EXPECT_GT(view.picture(170, 32), 100);
}

TEST_P(RenderBricks, HitsFindTheirBrick) {
    Queue queue(GetParam());
    const AnyImage volume = body<std::uint8_t>(small, 1, 0);
    const std::int64_t bytes = 19 * 68 * 68 * 68 / 2 + (1 << 20);
    Renderer in_memory(AnyImageView(volume), queue),
        in_bricks(compressed_volume(volume), queue, {.level = 0, .max_bytes = bytes});
    const View view{
        {.mode = RenderMode::isosurface, .width = 120, .height = 120, .isovalues = {100}}};
    for (Renderer* renderer : {&in_memory, &in_bricks}) picture(*renderer, view);
    for (const auto& [x, y] : {std::pair{60, 60}, {24, 60}, {60, 90}, {90, 36}}) {
        const auto a = in_memory.hit(x, y), b = in_bricks.hit(x, y);
        ASSERT_EQ(a.has_value(), b.has_value());
        EXPECT_EQ(a ? a->value : 0, b ? b->value : 0);
    }
    EXPECT_TRUE(in_bricks.hit(60, 60));
}

// A source that claims more than any memory has.
class Endless : public ImageBricks {
  public:
    explicit Endless(const Shape& shape) : ImageBricks(Image<std::uint8_t>({64, 64, 64}), false) {
        facts_.type = facts_.coded_type = PixelType::u8;
        facts_.set_levels(shape, {});
    }
    const BrickSourceFacts& facts() const override { return facts_; }
    AnyImage brick(int level, const BrickPlace&) const override {
        const std::int64_t length = side >> level;
        return Image<std::uint8_t>({length, length, length});
    }

  private:
    BrickSourceFacts facts_;
};

// The tables of a finer level take their room from the pool.
TEST_P(RenderBricks, AFinerLevelTakesNoMoreMemory) {
    const auto bricks = std::make_shared<Endless>(Shape{2048, 2048, 2048});
    constexpr std::int64_t bytes = std::int64_t{160} << 20;
    RenderSettings settings{.mode = RenderMode::mip, .width = 8, .height = 8};
    settings.clip_box = ClipBox{{0, 0, 0}, {9, 9, 9}};
    Queue one(GetParam()), other(GetParam());
    Renderer fine(bricks, one, {.level = 0, .max_bytes = bytes}),
        coarse(bricks, other, {.level = 1, .max_bytes = bytes});
    const Camera camera = fine.camera(CameraView::left);
    for (Renderer* renderer : {&fine, &coarse}) renderer->render_only(camera, settings);
    settings.focus = settings.clip_box;
    coarse.render_only(camera, settings);
    EXPECT_EQ(coarse.level(), 0);
    EXPECT_LE(other.counters().bytes_in_use, one.counters().bytes_in_use);
}

TEST_P(RenderBricks, WhatDoesNotFitIsRefused) {
    Queue queue(GetParam());
    const auto little = std::make_shared<ImageBricks>(body<std::uint8_t>(small, 1, 0));
    EXPECT_THROW(Renderer(little, queue, {.max_bytes = 1 << 18}), OutOfMemory);
    EXPECT_THROW(Renderer(little, queue, {.level = 5}), InvalidArgument);
    Renderer one(little, queue, {.level = 0, .max_bytes = (1 << 20) + 450000});
    try {
        one.render(one.camera(CameraView::left),
                   {.mode = RenderMode::mip, .width = 8, .height = 8});
        ADD_FAILURE() << "the bricks of a pixel fit into one";
    } catch (const OutOfMemory& error) {
        EXPECT_NE(std::string(error.what()).find("--max-memory"), std::string::npos)
            << error.what();
    }
    const auto endless = std::make_shared<Endless>(Shape{1 << 20, 1 << 20, 1 << 20});
    EXPECT_THROW(Renderer(endless, queue, {.max_bytes = 1 << 28}), OutOfMemory);
    // A focus would show 2^24 bricks at level 0.
    Renderer far(std::make_shared<Endless>(Shape{1 << 14, 1 << 14, 1 << 14}), queue,
                 {.max_bytes = 1 << 26});
    EXPECT_THROW(far.render_only(far.camera(CameraView::left),
                                 {.width = 8, .height = 8, .focus = ClipBox{{0, 0, 0}, {9, 9, 9}}}),
                 OutOfMemory);
    EXPECT_THROW(one.set_labels(LabelImage(small), {}), InvalidArgument);
    Shape film = small;
    film.t = 2;
    EXPECT_THROW(Renderer(std::make_shared<Endless>(film), queue), UnsupportedFormat);
}

}  // namespace
}  // namespace tesela
