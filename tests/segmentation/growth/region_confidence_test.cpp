// Growth by the region's own statistics, and the sums that these are made of.
#include <cmath>
#include <random>
#include <type_traits>

#include "devices.h"
#include "segmentation/growth/confidence.h"
#include "segmentation/growth/region_grow_checks.h"
#include "tesela/region_grow.h"

namespace tesela::region_growing {
namespace {

class RegionConfidence : public testing::OnDevice {
  protected:
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(RegionConfidence);

template <class T>
void check_confidence(Queue& queue, double height) {
    for (const Shape& shape : shapes) {
        const Image<T> image = hills<T>(shape, height, 11);
        const std::vector<double> values(image.pixels().begin(), image.pixels().end());
        const std::size_t seed = case_of(image, height).seed;
        reference::Confidence c;
        c.radius = {2, 2, shape.z > 1 ? 2 : 0, shape.t > 1 ? 2 : 0};
        c.multiplier = 1.5;
        c.iterations = 3;
        c.whole_values = std::is_integral_v<T>;
        ConfidenceGrowOptions options;
        options.radius = 2;
        options.multiplier = 1.5;
        options.iterations = 3;
        const auto result = region_grow(image, *parse_seeds(text_of(shape, seed)), options, queue);
        ASSERT_TRUE(region_of(result.labels.pixels()) ==
                    reference::confidence(grid_of(shape, 1), values, {seed}, c))
            << shape.x << "x" << shape.y << "x" << shape.z;
        ASSERT_EQ(result.intervals.size(), 1u);
        EXPECT_LE(result.intervals[0].lower, values[seed]);
        EXPECT_GE(result.intervals[0].upper, values[seed]);
    }
}

TEST_P(RegionConfidence, EqualsTheReference) {
    check_confidence<std::uint8_t>(queue, 255);
    check_confidence<std::int16_t>(queue, -30000);
    check_confidence<std::uint16_t>(queue, 60000);
    check_confidence<std::int32_t>(queue, 100000);
    check_confidence<float>(queue, 1000);
}

TEST_P(RegionConfidence, SumsAreExact) {
    // Seven groups; two of words of bits, whose rows end in the middle.
    const Shape shape{331, 303};
    const std::int64_t words = 6;
    Image<std::uint16_t> image(shape);
    std::vector<std::uint32_t> host(static_cast<std::size_t>(shape.points()));
    std::vector<std::uint64_t> mask(static_cast<std::size_t>(words * shape.y)), open = mask;
    std::mt19937 generator(2);
    std::int64_t count = 0, sum = 0, squares = 0;
    for (std::size_t i = 0; i < host.size(); ++i) {
        image.pixels()[i] = static_cast<std::uint16_t>(generator() % 7 ? 65535 : generator());
        host[i] = static_cast<std::uint32_t>(generator() % 3);
        const std::size_t word = i / 331 * words + i % 331 / 64;
        const std::uint64_t bit = std::uint64_t{1} << i % 331 % 64;
        if (host[i] == 0) {  // beyond the mask, or in it and open
            if (generator() % 2) mask[word] |= bit, open[word] |= bit;
            continue;
        }
        mask[word] |= bit;
        ++count;
        sum += image.pixels()[i];
        squares += std::int64_t{image.pixels()[i]} * image.pixels()[i];
    }
    const DeviceImage<const std::uint16_t> pixels{
        queue.lend(std::span<const std::uint16_t>(image.pixels()), "image"), image.shape(), {}};
    const auto labels = queue.upload(std::span<const std::uint32_t>(host), "labels");
    const RegionBits bits{static_cast<std::int32_t>(words),
                          queue.upload(std::span<const std::uint64_t>(mask), "mask"),
                          queue.upload(std::span<const std::uint64_t>(open), "open")};
    for (const ValueSums& found :
         {region_sums(queue, pixels, labels, {}), region_sums(queue, pixels, bits, {})}) {
        EXPECT_EQ(found.count, count);
        EXPECT_EQ(found.sum, sum);
        EXPECT_EQ(found.squares, squares);
    }
}

TEST(FixedPointForm, HoldsTheSumsOfAnyImage) {
    for (const double extent : {0.0, 1e-6, 1.0, 254.9, 256.0, 1e9})
        for (const std::int64_t points :
             {std::int64_t{1}, std::int64_t{1} << 24, (std::int64_t{1} << 31) - 1}) {
            const FixedPoint form = fixed_point_for(-3, -3 + extent, points);
            const double highest = std::nearbyint(extent * form.scale);
            EXPECT_LE(highest, std::ldexp(1.0, 24));
            EXPECT_LT(highest * highest * static_cast<double>(points), std::ldexp(1.0, 63));
        }
    // Whole numbers of 12 bits stay what they are in any volume.
    EXPECT_GE(fixed_point_for(0, 4095, std::int64_t{1} << 31).scale, 1.0F);
}

TEST_P(RegionConfidence, StaysWithinThePlan) {
    for (const Shape& shape :
         {Shape{1, 60000}, Shape{3, 20000}, Shape{300, 200}, Shape{40, 30, 50}})
        for (const char* text : {"0,0", "0,0=1;0,100=2"}) {
            const Seeds seeds = *parse_seeds(shape.z > 1 ? "0,0,0=1;9,9,9=2" : text);
            const AnyImage image = hills<std::uint8_t>(shape, 200, 5);
            const ConfidenceGrowOptions options;
            Queue fresh(GetParam());
            region_grow(image, seeds, options, fresh);
            EXPECT_LE(fresh.counters().peak_bytes_in_use,
                      region_grow_device_bytes(image, seeds, options, GetParam()) * 17 / 16 + 65536)
                << shape.x << "x" << shape.y << "x" << shape.z << ", " << text;
        }
}

}  // namespace
}  // namespace tesela::region_growing
