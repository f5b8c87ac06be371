// Thresholds with hysteresis, on every device.
#include <limits>
#include <vector>

#include "device_images.h"
#include "refusal.h"
#include "tesela/threshold.h"

namespace tesela {
namespace {

class HysteresisThreshold : public testing::OnDeviceImages {};
TESELA_ON_EVERY_DEVICE(HysteresisThreshold);

template <class T>
Image<T> ramps(const Shape& shape) {
    Image<T> image(shape);
    for (std::int64_t i = 0; i < shape.points(); ++i) {
        const std::int64_t x = i % shape.x, y = i / shape.x;
        image.pixels()[static_cast<std::size_t>(i)] =
            static_cast<T>((x * 37 + y * 91 + x * y * x * y * 13) % 251);
    }
    return image;
}

// Pixels above `low` are taken from those above `high` until none of six neighbors is left.
template <class T>
std::vector<std::uint8_t> expected(const Image<T>& image, double low, double high) {
    const Shape& s = image.shape();
    Image<std::uint8_t> mask(s);
    const auto inside = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
        return x >= 0 && x < s.x && y >= 0 && y < s.y && z >= 0 && z < s.z && mask(x, y, z) != 0;
    };
    for (bool changed = true; changed;) {
        changed = false;
        for (std::int64_t z = 0; z < s.z; ++z)
            for (std::int64_t y = 0; y < s.y; ++y)
                for (std::int64_t x = 0; x < s.x; ++x) {
                    const auto value = static_cast<double>(image(x, y, z));
                    if (mask(x, y, z) != 0 || !(value > low)) continue;
                    if (value > high || inside(x - 1, y, z) || inside(x + 1, y, z) ||
                        inside(x, y - 1, z) || inside(x, y + 1, z) || inside(x, y, z - 1) ||
                        inside(x, y, z + 1)) {
                        mask(x, y, z) = 255;
                        changed = true;
                    }
                }
    }
    return mask.pixels();
}

// skimage.filters.apply_hysteresis_threshold(image, 90, 200) of scikit-image 0.26.0.
TEST_P(HysteresisThreshold, MaskIsThatOfScikitImage) {
    const std::vector<int> mask = {0, 0, 0, 1, 1, 1, 1, 0, 0, 1, 1, 1, 0, 1, 1, 0, 1, 1, 1, 0, 1,
                                   0, 1, 1, 0, 1, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0, 1, 1, 0, 0, 0, 1,
                                   0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 1, 1, 1, 1, 0, 1, 1};
    const auto found =
        hysteresis_threshold(ramps<std::uint8_t>({9, 7}), {.low = 90, .high = 200}, queue);
    std::int64_t points = 0;
    for (std::size_t i = 0; i < mask.size(); ++i) {
        EXPECT_EQ(found.mask.pixels()[i], 255 * mask[i]) << i;
        points += mask[i];
    }
    EXPECT_EQ(found.points_above, points);
}

TEST_P(HysteresisThreshold, EqualsGrowthFromTheHighPixels) {
    const auto expect_equal = [&](const auto& image, double low, double high) {
        const HysteresisThresholdOptions options{.low = low, .high = high};
        const auto found = hysteresis_threshold(image, options, queue);
        EXPECT_EQ(found.mask.pixels(), expected(image, low, high)) << low << ", " << high;
        expect_same(found.mask, hysteresis_threshold(lent(image), options, queue).mask);
    };
    for (const Shape& shape : {Shape{1, 1}, Shape{1, 40}, Shape{37, 23}, Shape{13, 11, 9}}) {
        expect_equal(ramps<std::uint8_t>(shape), 120, 240);
        expect_equal(ramps<std::int16_t>(shape), 119.5, 120);
        expect_equal(ramps<std::uint16_t>(shape), -5, 300);
        expect_equal(ramps<float>(shape), 100.25, 100.25);
    }
    Image<float> image({4, 1});
    image.pixels() = {0.1F, std::numeric_limits<float>::quiet_NaN(), 0.3F, 0.2F};
    expect_equal(image, static_cast<double>(0.1F), static_cast<double>(0.2F));
}

TEST_P(HysteresisThreshold, DiagonalsConnectWhereAsked) {
    Image<std::uint8_t> image({2, 2});
    image.pixels() = {9, 0, 0, 5};
    const auto last = [&](Connectivity connectivity) {
        return hysteresis_threshold(image, {.low = 4, .high = 8, .connectivity = connectivity},
                                    queue)
            .mask(1, 1);
    };
    EXPECT_EQ(last(Connectivity::automatic), 0);
    EXPECT_EQ(last(Connectivity::four), 0);
    EXPECT_EQ(last(Connectivity::eight), 255);
}

TEST_P(HysteresisThreshold, BadInputIsRefused) {
    const Image<std::uint8_t> image({5, 4});
    const auto refusal = [&](const HysteresisThresholdOptions& options) {
        return testing::refusal([&] { hysteresis_threshold(image, options, queue); });
    };
    EXPECT_NE(refusal({.low = 3}).find("--high"), std::string::npos);
    EXPECT_NE(refusal({.low = 3, .high = 2}).find("above --high"), std::string::npos);
    EXPECT_NE(refusal({.low = std::numeric_limits<double>::quiet_NaN(), .high = 2}), "");
    EXPECT_NE(refusal({.low = 1, .high = 2, .connectivity = Connectivity::six}), "");
    EXPECT_THROW(
        hysteresis_threshold(Image<std::uint8_t>({5, 4, 1, 1, 3}), {.low = 1, .high = 2}, queue),
        UnsupportedFormat);
}

TEST_P(HysteresisThreshold, MemoryIsAsPlanned) {
    const auto image = ramps<std::uint8_t>({400, 300});
    const HysteresisThresholdOptions options{.low = 120, .high = 240};
    hysteresis_threshold(image, options, queue);
    EXPECT_LE(queue.counters().peak_bytes_in_use,
              hysteresis_threshold_device_bytes(image, options) * 17 / 16);
}

}  // namespace
}  // namespace tesela
