// What region growing by means finds, against its reference.
#pragma once

#include <gtest/gtest.h>

#include <span>

#include "reference/color_reference.h"
#include "reference/region_mean_reference.h"
#include "segmentation/growth/growth_features.h"

namespace tesela::testing {

inline std::array<int, 4> size_of(const Shape& shape) {
    return {static_cast<int>(shape.x), static_cast<int>(shape.y), static_cast<int>(shape.z),
            static_cast<int>(shape.t)};
}

// L*a*b* comes of roots in single precision: these features are the library's, as the CPU makes
// them, and held against double precision (docs/accuracy.md); all that follows is the reference's.
inline reference::MeanFeatures lab_features(const Image<std::uint8_t>& image) {
    Queue cpu(Device::parse("cpu"));
    const DeviceImage<const std::uint8_t> pixels{
        cpu.lend(std::span<const std::uint8_t>(image.pixels()), "image"), image.shape(), {}, false};
    const GrowthFeatures made = growth_features(cpu, pixels, 3, {0, 255}, GrowthColorSpace::lab, 0);
    reference::MeanFeatures features{size_of(image.shape()), 3, 256, 128 * 256,
                                     cpu.download(made.planes)};
    for (std::size_t i = 0; i < features.points(); ++i) {
        const reference::Color lab = reference::lab_from_rgb(
            {image.pixels()[3 * i] / 255.0, image.pixels()[3 * i + 1] / 255.0,
             image.pixels()[3 * i + 2] / 255.0},
            reference::Gamma::none);
        for (int c = 0; c < 3; ++c)
            EXPECT_NEAR(features.at(c, i), 256 * lab[static_cast<std::size_t>(c)],
                        0.5 + 256 * 2e-4);
    }
    return features;
}

// Not smooth yet.
inline reference::MeanFeatures mean_features(const Image<std::uint8_t>& image,
                                             GrowthColorSpace space) {
    const Shape& shape = image.shape();
    if (shape.channels == 3 &&
        (space == GrowthColorSpace::automatic || space == GrowthColorSpace::lab))
        return lab_features(image);
    return reference::features_of_bytes(size_of(shape), shape.channels, image.pixels(), space);
}

inline void expect_equal(const RegionGrowResult& found, const reference::MeanRegions& expected) {
    EXPECT_EQ(found.labels.pixels(), expected.merged.labels);
    EXPECT_EQ(found.rounds, expected.growth_rounds);
    EXPECT_EQ(found.grown_regions, expected.grown);
    EXPECT_EQ(found.merging_rounds, expected.merged.merging_rounds);
    EXPECT_EQ(found.border_rounds, expected.merged.border_rounds);
    EXPECT_EQ(found.pruning_rounds, expected.merged.pruning_rounds);
}

inline RegionGrowResult expect_mean_reference(const Image<std::uint8_t>& image,
                                              const MeanGrowOptions& options, Queue& queue) {
    const RegionGrowResult found = region_grow(image, AutomaticSeeds{}, options, queue);
    expect_equal(found,
                 reference::grow_by_mean(mean_features(image, options.color_space), options));
    return found;
}

}  // namespace tesela::testing
