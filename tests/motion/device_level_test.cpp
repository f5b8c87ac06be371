// Frames that lie on a device: their brightness, and the flow between them, as on the host.
#include <array>
#include <limits>

#include "device_images.h"
#include "refusal.h"
#include "segmentation/pictures.h"
#include "tesela/brightness.h"
#include "tesela/device_value_range.h"
#include "tesela/tv_l1.h"

namespace tesela {
namespace {

class FlowDeviceLevel : public testing::OnDeviceImages {
  protected:
    // Both frames on a scale, on the host and on the device.
    template <class T>
    void expect_same_frames(const Image<T>& first, const Image<T>& second) {
        const ValueRange range = used_range(first);
        const auto a = lent(first), b = lent(second);
        const std::array<const DeviceImage<const T>*, 2> both{&a, &b};
        DeviceImage<float> gray, colors, own;
        const std::int64_t moved = moved_by([&] {
            gray = brightness<T>(both, range, queue);
            colors = unit_colors<T>(both, range, queue);
            own = brightness(b, queue);
        });
        EXPECT_EQ(moved, (std::is_same_v<T, float> ? 5 * 4 : 0));
        expect_same(brightness(second), own);
        const auto joined = [](Image<float> one, const Image<float>& next) {
            std::vector<float> values = one.pixels();
            values.insert(values.end(), next.pixels().begin(), next.pixels().end());
            return values;
        };
        EXPECT_EQ(pixels(gray), joined(brightness(first, range), brightness(second, range)));
        EXPECT_EQ(pixels(colors), joined(unit_colors(first, range), unit_colors(second, range)));
        EXPECT_EQ(gray.shape, (Shape{first.shape().x, first.shape().y, 1, 2, 1}));
        EXPECT_EQ(colors.shape.channels, first.shape().channels == 1 ? 1 : 3);
    }
};
TESELA_ON_EVERY_DEVICE(FlowDeviceLevel);

TEST_P(FlowDeviceLevel, OfBrightness) {
    for (const int channels : {1, 3, 4}) {
        const auto frame = [&](unsigned seed) {
            Image<float> image = testing::patches({61, 47, 1, 1, channels}, 0.1, seed);
            image.has_alpha = channels == 4;
            return image;
        };
        const auto expect = [&]<class T>(T highest) {
            expect_same_frames(testing::quantized<T>(frame(3), static_cast<float>(highest)),
                               testing::quantized<T>(frame(4), static_cast<float>(highest)));
        };
        expect(std::uint8_t{255});
        expect(std::uint16_t{40000});
        expect(std::int16_t{900});
        expect_same_frames(frame(3), frame(4));
    }
}

// Also of more points than are looked at.
TEST_P(FlowDeviceLevel, OfUsedRanges) {
    const auto expect = [&](const auto& image) {
        const ValueRange host = used_range(image), device = used_range(lent(image), queue);
        EXPECT_EQ(device.lowest, host.lowest);
        EXPECT_EQ(device.highest, host.highest);
        EXPECT_EQ(gray_level(lent(image), queue), gray_level(image));
    };
    for (const Shape& shape : {Shape{1, 1}, Shape{61, 47, 1, 1, 2}, Shape{1300, 1700}}) {
        Image<float> image(shape);
        image.pixels() = testing::patches({shape.elements(), 1}, 0.1, 3).pixels();
        image.has_alpha = shape.channels == 2;
        expect(testing::quantized<std::uint8_t>(image, 255));
        expect(testing::quantized<std::uint16_t>(image, 40000));
        expect(testing::quantized<std::int16_t>(image, 900));
        expect(image);
        image(0, 0) = std::numeric_limits<float>::quiet_NaN();
        expect(image);
    }
}

TEST_P(FlowDeviceLevel, OfAPair) {
    const auto first = testing::quantized<std::uint8_t>(testing::patches({80, 60}, 0.1, 6), 255);
    const auto second = testing::quantized<std::uint8_t>(testing::patches({80, 60}, 0.1, 7), 255);
    const ValueRange range = used_range(first);
    const std::array frames{brightness(first, range), brightness(second, range)};
    const FlowResult host = tv_l1(frames, {}, queue);
    const auto a = lent(first), b = lent(second);
    const std::array<const DeviceImage<const std::uint8_t>*, 2> both{&a, &b};
    DeviceImage<float> gray = brightness<std::uint8_t>(both, range, queue);
    const auto fields = tv_l1({std::move(gray.pixels), gray.shape, gray.geometry}, {}, queue);
    EXPECT_EQ(pixels(fields), host.fields.front().pixels());
}

TEST_P(FlowDeviceLevel, RefusesWhatTheHostRefuses) {
    Image<float> image({8, 6});
    image(3, 1) = std::numeric_limits<float>::infinity();
    const std::string refused = testing::refusal([&] { brightness(lent(image), queue); });
    EXPECT_NE(refused, "");
    EXPECT_EQ(refused, testing::refusal([&] { brightness(image); }));
    EXPECT_THROW(brightness(lent(Image<float>({4, 4, 1, 1, 2})), queue), UnsupportedFormat);
    const Image<float> narrow({4, 4}), wide({5, 4});
    const auto small = lent(narrow), large = lent(wide);
    const std::array<const DeviceImage<const float>*, 2> both{&small, &large};
    EXPECT_NE(testing::refusal([&] { brightness<float>(both, {0, 1}, queue); }), "");
    EXPECT_NE(testing::refusal([&] { brightness<float>({}, {0, 1}, queue); }), "");
}

}  // namespace
}  // namespace tesela
