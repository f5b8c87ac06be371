#include "tesela/value_range.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tesela {
namespace {

// A ramp from `first` on, a step a pixel.
template <class T>
Image<T> ramp(const Shape& shape, double first, double step) {
    Image<T> image(shape);
    for (std::size_t i = 0; i < image.pixels().size(); ++i)
        image.pixels()[i] = static_cast<T>(first + step * static_cast<double>(i));
    return image;
}

void expect_range(const AnyImage& image, double lowest, double highest, double tolerance = 0) {
    const ValueRange range = used_range(image);
    EXPECT_NEAR(range.lowest, lowest, tolerance);
    EXPECT_NEAR(range.highest, highest, tolerance);
    EXPECT_EQ(gray_level(image), (range.highest - range.lowest) / 255);
}

TEST(ValueRange, OfEightBitsIsAllOfThem) {
    expect_range(Image<std::uint8_t>({3, 2}), 0, 255);
    expect_range(ramp<std::uint8_t>({9, 9}, 20, 1), 0, 255);
}

TEST(ValueRange, OfOthersIsWhatTheyUse) {
    expect_range(ramp<std::uint16_t>({64, 64}, 0, 1), 4, 4091);
    expect_range(ramp<std::int16_t>({50, 20}, -1000, 2), -998, 996);
    expect_range(ramp<float>({100, 100}, 0, 1e-4), 1e-3, 0.9989, 1e-6);
    expect_range(ramp<double>({2000, 2000}, 0, 1), 4000, 3996000, 8);  // a sample of them
}

TEST(ValueRange, BrokenPixelsAndAlphaDoNotCount) {
    auto image = ramp<float>({100, 100}, 0, 1);
    image.pixels()[5] = 1e30f;
    image.pixels()[6] = std::nanf("");
    image.pixels()[7] = -std::numeric_limits<float>::infinity();
    expect_range(image, 10, 9990, 5);
    auto clear = ramp<std::uint16_t>({1000, 1, 1, 1, 2}, 0, 0);
    clear.has_alpha = true;
    for (std::size_t i = 0; i < 1000; ++i) {
        clear.pixels()[2 * i] = static_cast<std::uint16_t>(i);
        clear.pixels()[2 * i + 1] = 65535;
    }
    expect_range(clear, 1, 998);
}

TEST(ValueRange, OfHardlyAnyValues) {
    auto spots = Image<std::uint16_t>({100, 100});
    spots(7, 8) = 300;
    expect_range(spots, 0, 300);
    expect_range(Image<std::uint16_t>({4, 4}), 0, 65535);
    expect_range(ramp<float>({4, 4}, 3, 0), 3, 4);
    expect_range(ramp<float>({4, 4}, std::nan(""), 0), 0, 1);
}

}  // namespace
}  // namespace tesela
