// Splitting and merging on every device (spec 001, row H5).
#include "tesela/split_merge.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "devices.h"
#include "reference/components_reference.h"
#include "segmentation/pictures.h"
#include "tesela/value_range.h"

namespace tesela {
namespace {

class SplitMerge : public testing::OnDevice {
  protected:
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(SplitMerge);

// Splits from the top; gives each point the mean of its block in 1/256, rounded.
void split(const Image<std::uint8_t>& image, std::int64_t x0, std::int64_t y0, std::int64_t z,
           std::int64_t size, int most, std::vector<std::int64_t>& means) {
    const Shape& shape = image.shape();
    const std::int64_t x1 = std::min(x0 + size, shape.x), y1 = std::min(y0 + size, shape.y);
    if (x0 >= x1 || y0 >= y1) return;
    bool uniform = true;
    std::vector<std::int64_t> sums;
    for (int c = 0; c < shape.channels; ++c) {
        int low = 255, high = 0;
        sums.push_back(0);
        for (std::int64_t y = y0; y < y1; ++y)
            for (std::int64_t x = x0; x < x1; ++x) {
                low = std::min<int>(low, image(x, y, z, 0, c));
                high = std::max<int>(high, image(x, y, z, 0, c));
                sums.back() += image(x, y, z, 0, c);
            }
        uniform = uniform && high - low <= most;
    }
    if (!uniform) {
        for (const std::int64_t dy : {std::int64_t{0}, size / 2})
            for (const std::int64_t dx : {std::int64_t{0}, size / 2})
                split(image, x0 + dx, y0 + dy, z, size / 2, most, means);
        return;
    }
    const std::int64_t area = (x1 - x0) * (y1 - y0);
    for (std::int64_t y = y0; y < y1; ++y)
        for (std::int64_t x = x0; x < x1; ++x)
            for (int c = 0; c < shape.channels; ++c)
                means[((z * shape.y + y) * shape.x + x) * shape.channels + c] =
                    (sums[c] * 256 + area / 2) / area;
}

std::vector<std::uint32_t> expected_labels(const Image<std::uint8_t>& image, int most, int grouping,
                                           std::int64_t largest, int axes) {
    const Shape& shape = image.shape();
    std::vector<std::int64_t> means(image.pixels().size());
    for (std::int64_t z = 0; z < shape.z; ++z)
        for (std::int64_t y = 0; y < shape.y; y += largest)
            for (std::int64_t x = 0; x < shape.x; x += largest)
                split(image, x, y, z, largest, most, means);
    const std::int64_t limit2 = std::int64_t{grouping} * 256 * grouping * 256;
    return reference::components(
        {static_cast<int>(shape.x), static_cast<int>(shape.y), static_cast<int>(shape.z), 1}, axes,
        [&](std::size_t a, std::size_t b) {
            std::int64_t sum = 0;
            for (int c = 0; c < shape.channels; ++c) {
                const std::int64_t d =
                    means[a * shape.channels + c] - means[b * shape.channels + c];
                sum += d * d;
            }
            return sum <= limit2;
        });
}

TEST_P(SplitMerge, EqualsTheReference) {
    unsigned seed = 0;
    for (const Shape& shape :
         {Shape{1, 1}, Shape{1, 40}, Shape{37, 23}, Shape{130, 70}, Shape{40, 33, 3}})
        for (const int channels : {1, 3})
            for (const int largest : {1, 16, 64}) {
                Shape of = shape;
                of.channels = channels;
                const Image<std::uint8_t> image =
                    testing::quantized<std::uint8_t>(testing::patches(of, 0.1, ++seed), 255);
                const SplitMergeResult found = split_merge(
                    image,
                    {.homogeneity = 30, .grouping = 9, .largest_block = largest, .min_region = 0},
                    queue);
                const auto expected = expected_labels(image, 30, 9, largest, shape.dimensions());
                ASSERT_TRUE(found.labels.pixels() == expected)
                    << shape.x << "x" << shape.y << "x" << shape.z << ", " << channels
                    << " channels, blocks of " << largest;
                EXPECT_EQ(found.count, *std::max_element(expected.begin(), expected.end()));
                EXPECT_EQ(found.count, found.group_count);
            }
}

TEST_P(SplitMerge, DiscIsTwoRegions) {
    Image<std::uint8_t> image({150, 140, 1, 1, 3});
    std::mt19937 generator(3);
    for (std::int64_t y = 0; y < 140; ++y)
        for (std::int64_t x = 0; x < 150; ++x)
            for (int c = 0; c < 3; ++c)
                image(x, y, 0, 0, c) = static_cast<std::uint8_t>(
                    ((x - 75) * (x - 75) + (y - 70) * (y - 70) < 1600 ? 60 + 50 * c
                                                                      : 200 - 60 * c) +
                    static_cast<int>(generator() % 9));
    const SplitMergeResult found = split_merge(image, {}, queue);
    EXPECT_EQ(found.count, 2u);
    EXPECT_EQ(found.labels(0, 0), 1u);
    EXPECT_EQ(found.labels(75, 70), 2u);
}

// Cameras of 12 bits, and numbers of any scale.
TEST_P(SplitMerge, DefaultsFollowTheRangeOfValues) {
    const auto image = testing::quantized<std::uint8_t>(testing::patches({90, 80}, 0.2, 8), 255);
    const ValueRange range = used_range([&] {
        Image<float> values(image.shape());
        std::copy(image.pixels().begin(), image.pixels().end(), values.data());
        return values;
    }());
    const double level = (range.highest - range.lowest) / 255;
    const SplitMergeOptions given{.homogeneity = 40 * level, .grouping = 8 * level};
    const SplitMergeResult expected = split_merge(image, given, queue);
    EXPECT_GT(expected.count, 4u);
    Image<std::uint16_t> of_12_bits(image.shape());
    Image<std::int16_t> below_0(image.shape());
    for (std::size_t i = 0; i < image.pixels().size(); ++i) {
        of_12_bits.pixels()[i] = static_cast<std::uint16_t>(16 * image.pixels()[i]);
        below_0.pixels()[i] = static_cast<std::int16_t>(8 * image.pixels()[i] - 1000);
    }
    EXPECT_EQ(split_merge(of_12_bits, {}, queue).labels.pixels(), expected.labels.pixels());
    EXPECT_EQ(split_merge(below_0, {}, queue).labels.pixels(), expected.labels.pixels());
}

TEST_P(SplitMerge, SmallRegionsAreAbsorbed) {
    const Image<std::uint8_t> image =
        testing::quantized<std::uint8_t>(testing::patches({90, 80}, 0.3, 8), 255);
    const SplitMergeResult found =
        split_merge(image, {.homogeneity = 10, .grouping = 3, .min_region = 30}, queue);
    EXPECT_LT(found.count, found.group_count);
    std::vector<int> areas(found.count + 1, 0);
    for (const std::uint32_t label : found.labels.pixels()) ++areas[label];
    EXPECT_EQ(areas[0], 0);
    for (std::size_t k = 1; k < areas.size(); ++k) EXPECT_GE(areas[k], 30);
}

TEST_P(SplitMerge, StopsBetweenRoundsOfMerging) {
    const Image<std::uint8_t> image =
        testing::quantized<std::uint8_t>(testing::patches({90, 80}, 0.3, 8), 255);
    CancelToken token;
    int reports = 0;
    const Progress progress(
        [&](double, std::string_view stage) {
            if (stage == "merge" && ++reports == 3) token.cancel();
        },
        &token);
    EXPECT_THROW(split_merge(image, {.min_region = 30}, queue, progress), Cancelled);
}

TEST_P(SplitMerge, MemoryIsAsPlanned) {
    const Image<std::uint8_t> image =
        testing::quantized<std::uint8_t>(testing::patches({300, 200, 1, 1, 3}, 0.1, 4), 255);
    split_merge(image, {}, queue);
    EXPECT_LE(queue.counters().peak_bytes_in_use,
              split_merge_device_bytes(image) * 17 / 16 + 65536);
}

TEST_P(SplitMerge, BadInputIsRefused) {
    const Image<std::uint8_t> image({5, 4});
    EXPECT_THROW(split_merge(image, {.homogeneity = -1}, queue), InvalidArgument);
    EXPECT_THROW(split_merge(image, {.largest_block = 0}, queue), InvalidArgument);
    EXPECT_THROW(split_merge(image, {.largest_block = 512}, queue), InvalidArgument);
    EXPECT_THROW(split_merge(image, {.connectivity = Connectivity::six}, queue), InvalidArgument);
    EXPECT_THROW(split_merge(Image<std::uint8_t>({5, 4, 1, 1, 2}), {}, queue), UnsupportedFormat);
}

}  // namespace
}  // namespace tesela
