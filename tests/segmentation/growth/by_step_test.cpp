// Competing seeds by steps on every device: equal to a flood with a priority queue over
// the image's own values.
#include <cmath>
#include <limits>
#include <random>

#include "devices.h"
#include "reference/minimax_reference.h"
#include "tesela/region_grow.h"

namespace tesela {
namespace {

class StepGrowth : public testing::OnDevice {
  protected:
    Queue queue{GetParam()};

    // Largest difference of a channel, of the first `channels`; beyond the limit where there is
    // none.
    template <class T>
    std::vector<std::uint32_t> flooded(const Image<T>& image, int channels, int axes, double limit,
                                       const std::vector<std::uint32_t>& seeds) {
        const Shape& s = image.shape();
        constexpr double fine = 256;  // of values that are multiples of 1/256
        return reference::minimax_flood(
                   {static_cast<int>(s.x), static_cast<int>(s.y), static_cast<int>(s.z)}, axes,
                   static_cast<std::uint32_t>(limit * fine), seeds,
                   [&](std::size_t a, std::size_t b) {
                       double largest = 0;
                       for (int c = 0; c < channels; ++c) {
                           const double d =
                               std::abs(static_cast<double>(image.pixels()[a * s.channels + c]) -
                                        static_cast<double>(image.pixels()[b * s.channels + c]));
                           largest = std::isfinite(d) ? std::max(largest, d) : 1e6;
                       }
                       return static_cast<std::uint32_t>(largest * fine);
                   })
            .labels;
    }
    template <class T>
    void expect_flood(const Image<T>& image, int channels, int axes, const CompeteGrowOptions& o) {
        LabelImage seeds({image.shape().x, image.shape().y, image.shape().z});
        const auto points = static_cast<std::size_t>(image.shape().points());
        for (std::uint32_t k = 1; k <= 12; ++k) {
            const std::size_t point = 7919 * k % points;
            if (std::isfinite(static_cast<double>(image.pixels()[point * image.shape().channels])))
                seeds.pixels()[point] = 1 + k % 8;
        }
        const RegionGrowResult found = region_grow(image, seeds, o, queue);
        const auto expected =
            flooded(image, channels, axes, o.max_step.value_or(65534), seeds.pixels());
        EXPECT_TRUE(found.labels.pixels() == expected);
        EXPECT_GE(found.rounds, 2);
    }
};
TESELA_ON_EVERY_DEVICE(StepGrowth);

template <class T>
Image<T> noise(const Shape& shape, unsigned levels, double unit) {
    std::mt19937 generator(11);
    Image<T> image(shape);
    for (T& value : image.pixels())
        value = static_cast<T>(static_cast<double>(generator() % levels) * unit);
    return image;
}

const CompeteGrowOptions by_step;

TEST_P(StepGrowth, EqualsTheFlood) {
    CompeteGrowOptions limited = by_step;
    limited.max_step = 9;
    CompeteGrowOptions diagonal = by_step;
    diagonal.connectivity = Connectivity::eight;
    const auto color = noise<std::uint8_t>({90, 70, 1, 1, 3}, 40, 1);
    expect_flood(color, 3, 1, by_step);
    expect_flood(color, 3, 1, limited);
    expect_flood(color, 3, 2, diagonal);
    auto with_alpha = noise<std::uint8_t>({90, 70, 1, 1, 4}, 40, 1);
    with_alpha.has_alpha = true;
    expect_flood(with_alpha, 3, 1, by_step);
    expect_flood(noise<std::uint16_t>({80, 60}, 60000, 1), 1, 1, by_step);
    expect_flood(noise<std::int16_t>({20, 21, 22}, 30000, 1), 1, 1, by_step);
    expect_flood(noise<double>({80, 60}, 200, 0.25), 1, 1, limited);
}

// Pixels without a value belong to no region and let none through.
TEST_P(StepGrowth, GapsStayFree) {
    auto image = noise<float>({64, 48}, 250, 0.5);
    for (std::size_t i = 20; i < image.pixels().size(); i += 64)
        image.pixels()[i] = std::numeric_limits<float>::quiet_NaN();
    image.pixels()[5] = std::numeric_limits<float>::infinity();
    expect_flood(image, 1, 1, by_step);
}

std::vector<Connectivity> connectivities_of(const Shape& shape) {
    using enum Connectivity;
    return shape.z > 1 ? std::vector{six, eighteen, twenty_six} : std::vector{four, eight};
}

TEST_P(StepGrowth, MemoryStaysWithinThePlan) {
    for (const Shape& shape : {Shape{400, 300}, Shape{400, 300, 1, 1, 3}, Shape{60, 50, 40},
                               Shape{70, 66, 40, 1, 3}, Shape{130, 90, 4}}) {
        const AnyImage image = noise<std::uint8_t>(shape, 200, 1);
        for (const Connectivity connectivity : connectivities_of(shape)) {
            CompeteGrowOptions options = by_step;
            options.connectivity = connectivity;
            Queue fresh(GetParam());
            region_grow(image, GridSeeds{20}, options, fresh);
            const std::int64_t planned =
                region_grow_device_bytes(image, GridSeeds{20}, options, GetParam());
            // Blocks are rounded up by at most a sixteenth.
            EXPECT_LE(fresh.counters().peak_bytes_in_use, planned * 17 / 16 + 65536);
        }
    }
}

TEST(StepGrowthPlan, IsAtMost40BytesAPoint) {
    for (const Shape& shape : {Shape{1024, 1024, 1, 1, 3}, Shape{40, 40, 40}, Shape{64, 64, 64},
                               Shape{100, 100, 100}, Shape{128, 128, 128, 1, 3},
                               Shape{181, 217, 181}, Shape{256, 256, 20}, Shape{320, 320, 320}}) {
        const AnyImage image = Image<float>(shape);
        for (const Connectivity connectivity : connectivities_of(shape)) {
            CompeteGrowOptions options = by_step;
            options.connectivity = connectivity;
            EXPECT_LE(region_grow_device_bytes(image, GridSeeds{64}, options, Device::parse("cpu")),
                      40 * shape.points());
        }
    }
}

TEST_P(StepGrowth, WhatIsRefused) {
    const auto refuse = [&](const AnyImage& image, const CompeteGrowOptions& options,
                            const std::string& part) {
        try {
            region_grow(image, std::vector<SeedPoint>{{{{1, 1, 1, 0}, 4}}}, options, queue);
            ADD_FAILURE() << "taken: " << part;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
        }
    };
    CompeteGrowOptions options = by_step;
    refuse(noise<std::uint8_t>({8, 8, 3, 2}, 9, 1), options, "2 frames");
    options.merge_threshold = 3;
    refuse(noise<std::uint8_t>({8, 8, 3}, 9, 1), options, "--merge-threshold is for --by mean");
    options = by_step;
    options.max_step = -1;
    refuse(noise<std::uint8_t>({8, 8, 3}, 9, 1), options, "max-step");
}

}  // namespace
}  // namespace tesela
