#include "tesela/image_view.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "tesela/error.h"

namespace tesela {
namespace {

using Bytes = ImageView<const std::uint8_t>;

template <class T>
Image<T> counting(const Shape& shape) {
    Image<T> image(shape);
    for (std::size_t i = 0; i < image.pixels().size(); ++i) image.pixels()[i] = static_cast<T>(i);
    return image;
}
template <class T>
std::vector<T> pixels_of(const AnyImageView& view) {
    return view.visit(
        [](const auto& p) { return std::vector<T>(p.pixels().begin(), p.pixels().end()); });
}

TEST(AnyImageViews, OfImagesAreTheirPixels) {
    Image<std::int16_t> image = counting<std::int16_t>({5, 4, 3, 2, 2});
    image.has_alpha = true;
    image.geometry.unit = Unit::millimeter;
    image.geometry.spacing = {1, 2, 3};
    const AnyImage any = image;
    for (const AnyImageView& view : {AnyImageView(image), AnyImageView(image.view())}) {
        EXPECT_EQ(view.shape(), image.shape());
        EXPECT_EQ(view.geometry(), image.geometry);
        EXPECT_TRUE(view.has_alpha());
        EXPECT_EQ(view.pixel_type(), PixelType::i16);
        EXPECT_FALSE(view.owns_pixels());
        view.visit([&](const auto& p) {
            EXPECT_EQ(static_cast<const void*>(p.data()), image.data());
            EXPECT_EQ(p(4, 2, 1, 1, 1), image(4, 2, 1, 1, 1));
        });
    }
    const AnyImageView of_any = any;
    of_any.visit([&](const auto& p) {
        EXPECT_EQ(static_cast<const void*>(p.data()),
                  static_cast<const void*>(std::get<Image<std::int16_t>>(any).data()));
    });
}

TEST(AnyImageViews, OtherStridesAreBroughtIntoOrderOnce) {
    const std::vector<std::uint8_t> memory = counting<std::uint8_t>({8, 6}).pixels();
    // A region of 3 x 2 in a picture of 8 x 6, and the same turned over.
    const AnyImageView region = Bytes(&memory[8 + 2], Shape{3, 2}, Bytes::Strides{1, 8, 0, 0, 0});
    EXPECT_TRUE(region.owns_pixels());
    EXPECT_EQ(pixels_of<int>(region), (std::vector<int>{10, 11, 12, 18, 19, 20}));
    const AnyImageView turned =
        Bytes(&memory[16 + 4], Shape{3, 2}, Bytes::Strides{-1, -8, 0, 0, 0});
    EXPECT_EQ(pixels_of<int>(turned), (std::vector<int>{20, 19, 18, 12, 11, 10}));
    // Planes of colors become interleaved.
    const AnyImageView planes =
        Bytes(memory.data(), Shape{2, 2, 1, 1, 3}, Bytes::Strides{1, 2, 0, 0, 4});
    EXPECT_EQ(pixels_of<int>(planes), (std::vector<int>{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}));
    // A copy of the view shares what was copied, and outlives it.
    AnyImageView kept = region;
    kept = planes;
    EXPECT_EQ(pixels_of<int>(kept), pixels_of<int>(planes));
    // Strides of axes of one point do not matter.
    const AnyImageView row = Bytes(memory.data(), Shape{8, 1}, Bytes::Strides{1, 77, -3, 0, 9});
    EXPECT_FALSE(row.owns_pixels());
}

template <class T>
void expect_refused(const T* data, const Shape& shape,
                    const typename ImageView<const T>::Strides& s, const std::string& word) {
    try {
        static_cast<void>(AnyImageView(ImageView<const T>(data, shape, s)));
        ADD_FAILURE() << "taken; expected: " << word;
    } catch (const InvalidArgument& error) {
        EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
}

TEST(AnyImageViews, BadOnesAreRefused) {
    const std::vector<float> memory(100);
    const float* data = memory.data();
    expect_refused<float>(nullptr, {3, 2}, {1, 3, 6, 6, 1}, "null");
    expect_refused<float>(data, {0, 2}, {1, 3, 6, 6, 1}, "cannot be");
    expect_refused<float>(data, {3, 2}, {1, 2, 0, 0, 0}, "overlap");  // rows share a pixel
    expect_refused<float>(data, {3, 2}, {0, 3, 0, 0, 0}, "overlap");  // all of a row is one
    expect_refused<float>(data, {3, 2, 1, 1, 3}, {1, 9, 0, 0, 1}, "overlap");
    expect_refused<float>(data, {3, 2, 2}, {1, 3, -5, 0, 0}, "1, 3, -5, 0, 0");
    constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max() / 2;
    expect_refused<float>(data, {4, 2}, {huge, 1, 0, 0, 0}, "beyond");
    expect_refused<float>(data, {4, 2}, {std::numeric_limits<std::int64_t>::min(), 1, 0, 0, 0},
                          "beyond");
}

}  // namespace
}  // namespace tesela
