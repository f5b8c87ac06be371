// Images merged as channels, slices and time points.
#include "tesela/merge.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "refusal.h"

namespace tesela {
namespace {

template <class T>
Image<T> counting(const Shape& shape, int first) {
    Image<T> image(shape);
    std::iota(image.pixels().begin(), image.pixels().end(), static_cast<T>(first));
    return image;
}

template <class T>
std::vector<T> merged(const std::vector<AnyImageView>& images, MergedAxis along,
                      const Shape& shape) {
    const AnyImage made = merge(images, along);
    EXPECT_EQ(shape_of(made), shape);
    return std::get<Image<T>>(made).pixels();
}

TEST(Merge, ChannelsStandPointByPoint) {
    const auto one = counting<std::uint16_t>({2, 2}, 0), two = counting<std::uint16_t>({2, 2}, 10);
    const auto pair = counting<std::uint16_t>({2, 2, 1, 1, 2}, 50);
    EXPECT_EQ(merged<std::uint16_t>({one, two}, MergedAxis::channel, {2, 2, 1, 1, 2}),
              (std::vector<std::uint16_t>{0, 10, 1, 11, 2, 12, 3, 13}));
    EXPECT_EQ(
        merged<std::uint16_t>({one, pair, two}, MergedAxis::channel, {2, 2, 1, 1, 4}),
        (std::vector<std::uint16_t>{0, 50, 51, 10, 1, 52, 53, 11, 2, 54, 55, 12, 3, 56, 57, 13}));
}

TEST(Merge, SlicesAndTimesFollowOneAnother) {
    auto one = counting<float>({2, 1, 1, 1, 2}, 0);
    one.geometry = {.spacing = {0.5, 0.5, 3}, .unit = Unit::millimeter};
    const auto two = counting<float>({2, 1, 2, 1, 2}, 10);
    EXPECT_EQ(merged<float>({one, two}, MergedAxis::z, {2, 1, 3, 1, 2}),
              (std::vector<float>{0, 1, 2, 3, 10, 11, 12, 13, 14, 15, 16, 17}));
    EXPECT_EQ(geometry_of(merge(std::vector<AnyImageView>{one, two}, MergedAxis::z)), one.geometry);
    EXPECT_EQ(merged<float>({one, one}, MergedAxis::t, {2, 1, 1, 2, 2}),
              (std::vector<float>{0, 1, 2, 3, 0, 1, 2, 3}));
}

TEST(Merge, NamesTheImageThatDoesNotFit) {
    const Image<std::uint8_t> gray({3, 2}), tall({3, 4}), volume({3, 2, 2});
    Image<std::uint8_t> clear({3, 2, 1, 1, 2});
    clear.has_alpha = true;
    const Image<float> wide({3, 2});
    const Image<std::uint8_t> series({3, 2, 1, 2});
    const auto refusal = [](const std::vector<AnyImageView>& images, MergedAxis along) {
        return testing::refusal([&] { merge(images, along); });
    };
    EXPECT_NE(refusal({gray, gray, tall}, MergedAxis::channel).find("image 3 is 3 x 4"),
              std::string::npos);
    EXPECT_NE(refusal({gray, wide}, MergedAxis::channel).find("image 2 has pixels of float32"),
              std::string::npos);
    EXPECT_NE(refusal({clear, clear}, MergedAxis::channel).find("image 1 has opacity"),
              std::string::npos);
    EXPECT_NE(refusal({gray, clear}, MergedAxis::z).find("image 2 has 2 channels"),
              std::string::npos);
    EXPECT_NE(refusal({gray, volume}, MergedAxis::t), "");
    EXPECT_NE(refusal({series, series}, MergedAxis::z).find("2 time points"), std::string::npos);
    EXPECT_NE(refusal({}, MergedAxis::z), "");
}

}  // namespace
}  // namespace tesela
