// Slides on another grid, and where the pixels of each level of a pyramid lie.
#include <cmath>

#include "devices.h"
#include "tesela/error.h"
#include "tesela/registration.h"
#include "tesela/warp.h"

namespace tesela {
namespace {

// A slide in memory, of means over 2 x 2 pixels.
template <class T>
class MemorySlide : public TileSource {
  public:
    explicit MemorySlide(Image<T> first) {
        facts_.type = pixel_type_of(AnyImage(first));
        TileLevel level{first.shape(), {1, 1}, 32, 32, first.geometry};
        facts_.levels.push_back(level);
        images_.push_back(std::move(first));
        while (images_.back().shape().x > 40) {
            images_.push_back(std::get<Image<T>>(halved(AnyImage(images_.back()))));
            const Shape& shape = images_.back().shape();
            facts_.levels.push_back(level_below(level, shape.x, shape.y, 32, 32));
        }
    }
    const TileSourceFacts& facts() const override { return facts_; }

  private:
    AnyImage decode(int level, const TileBox& box) const override {
        return part_of(images_[static_cast<std::size_t>(level)], box);
    }
    TileSourceFacts facts_;
    std::vector<Image<T>> images_;
};

// Values are places, a thousand for each along y.
Image<float> ramp(std::int64_t side, const Geometry& geometry) {
    Image<float> image({side, side}, geometry);
    for (std::int64_t y = 0; y < side; ++y)
        for (std::int64_t x = 0; x < side; ++x) image(x, y) = static_cast<float>(x + 1000 * y);
    return image;
}

class WarpSlide : public testing::OnDevice {
  protected:
    Queue queue{GetParam()};

    Image<float> box(const TileSource& slide, const Transform& transform, const ImageGrid& target,
                     const TileBox& where) {
        return std::get<Image<float>>(
            warp_box(slide, transform, target, where, {.outside = -1}, false, queue));
    }
};
TESELA_ON_EVERY_DEVICE(WarpSlide);

// A grid as coarse as a level shows the level as it is: nothing is off by half a pixel.
TEST_P(WarpSlide, EveryLevelLiesWhereItsPixelsDo) {
    for (const bool known : {true, false}) {
        const Geometry geometry = known ? micrometers_per_pixel(0.5, 0.5) : Geometry{};
        const MemorySlide<float> slide(ramp(320, geometry));
        ASSERT_GE(slide.facts().levels.size(), 4u);
        for (const TileLevel& level : slide.facts().levels) {
            const double scale = level.downsample[0], first = (scale - 1) / 2;
            Transform transform;
            ImageGrid target{level.shape, level.geometry};
            if (!known)
                transform.steps = {LinearMap{LinearKind::similarity,
                                             {scale, 0, 0, 0, scale, 0, 0, 0, 1},
                                             {first, first, 0}}};
            const Image<float> warped =
                box(slide, transform, target, {2, 3, level.shape.x - 4, 20});
            for (std::int64_t y = 0; y < 20; y += 3)
                for (std::int64_t x = 0; x < level.shape.x - 4; x += 5) {
                    const double column = first + scale * static_cast<double>(x + 2);
                    const double row = first + scale * static_cast<double>(y + 3);
                    EXPECT_NEAR(warped(x, y), column + 1000 * row, 0.2);
                }
        }
    }
}

// The levels that registration compares lie where those of slides do.
TEST_P(WarpSlide, PyramidLevelsLieWhereTheirPixelsDo) {
    Image<float> image({256, 192});
    for (std::int64_t y = 0; y < 192; ++y)
        for (std::int64_t x = 0; x < 256; ++x) image(x, y) = static_cast<float>(x);
    const RegistrationImage prepared = registration_image(AnyImage(image), {}, queue);
    ASSERT_GE(prepared.levels.size(), 3u);
    for (const RegistrationLevel& level : prepared.levels) {
        const std::vector<float> gray = queue.download(level.gray);
        const std::int64_t y = level.shape.y / 2;
        for (std::int64_t x = 6; x + 6 < level.shape.x; x += 4) {
            const double column =
                level.placed({static_cast<double>(x), static_cast<double>(y), 0})[0];
            EXPECT_NEAR(gray[static_cast<std::size_t>(y * level.shape.x + x)] * 255, column, 0.05);
        }
    }
}

TEST_P(WarpSlide, BoxesAreThoseOfTheWholeImage) {
    Image<std::uint8_t> image({200, 160, 1, 1, 3});
    std::uint32_t state = 1;
    for (auto& pixel : image.pixels())
        pixel = static_cast<std::uint8_t>((state = state * 1664525u + 1013904223u) >> 24);
    SplineMap bend = spline_over({0, 0, 0}, {199, 159, 0}, 2, 40);
    for (std::size_t i = 0; i < bend.displacements.size(); ++i)
        bend.displacements[i] = 4 * std::sin(1.1 * static_cast<double>(i));
    const double c = std::cos(0.4), s = std::sin(0.4);
    const Transform transform{
        .steps = {bend, LinearMap{LinearKind::rigid, {c, -s, 0, s, c, 0, 0, 0, 1}, {40, -30, 0}}}};
    const ImageGrid target{{180, 150}, {}};
    const MemorySlide<std::uint8_t> slide(image);
    for (const bool inverse : {false, true}) {
        const auto whole = std::get<Image<std::uint8_t>>(
            warp(AnyImage(image), transform, target, {.inverse = inverse}, queue));
        for (const TileBox& part : {TileBox{0, 0, 64, 50}, {64, 100, 64, 50}, {128, 50, 52, 64}}) {
            const auto warped = std::get<Image<std::uint8_t>>(
                warp_box(slide, transform, target, part, {.inverse = inverse}, false, queue));
            int off = 0;
            for (std::int64_t y = 0; y < part.height; ++y)
                for (std::int64_t x = 0; x < part.width; ++x)
                    for (int channel = 0; channel < 3; ++channel)
                        off = std::max(off, std::abs(warped(x, y, 0, 0, channel) -
                                                     whole(part.x + x, part.y + y, 0, 0, channel)));
            EXPECT_LE(off, 1) << inverse;  // points are rounded otherwise
        }
    }
}

TEST_P(WarpSlide, LabelsAndWhatIsOutside) {
    Image<std::uint16_t> labels({64, 64});
    for (std::int64_t y = 0; y < 64; ++y)
        for (std::int64_t x = 0; x < 64; ++x) labels(x, y) = x < 32 ? 7 : 60000;
    const MemorySlide<std::uint16_t> slide(labels);
    const Transform shift{.steps = {LinearMap{.translation = {20.3, 0, 0}}}};
    const auto warped = std::get<Image<std::uint16_t>>(
        warp_box(slide, shift, {{64, 64}, {}}, {0, 0, 64, 64}, {}, true, queue));
    EXPECT_EQ(warped(11, 5), 7);
    EXPECT_EQ(warped(12, 5), 60000);
    EXPECT_EQ(warped(50, 5), 0);
    const Transform away{.steps = {LinearMap{.translation = {5000, 0, 0}}}};
    const auto nothing = std::get<Image<std::uint16_t>>(
        warp_box(slide, away, {{64, 64}, {}}, {0, 0, 64, 64}, {.outside = 9}, false, queue));
    EXPECT_EQ(nothing(3, 3), 9);
}

TEST_P(WarpSlide, MillimetersNeedASpacing) {
    const MemorySlide<float> slide(ramp(64, {}));
    Transform transform{.unit = Unit::millimeter, .steps = {LinearMap{}}};
    EXPECT_THROW(box(slide, transform, {{64, 64}, {}}, {0, 0, 64, 64}), InvalidArgument);
    EXPECT_THROW(warp(AnyImage(ramp(64, {})), transform, {{64, 64}, {}}, {}, queue),
                 InvalidArgument);
    transform.dimensions = 3;
    EXPECT_THROW(box(slide, transform, {{64, 64}, {}}, {0, 0, 64, 64}), InvalidArgument);
}

}  // namespace
}  // namespace tesela
