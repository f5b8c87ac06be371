// MeanGrowOptions: regions grow to the closest mean until they cover the image, and merge.
#pragma once

#include <optional>

#include "segmentation/growth/automatic_seeds.h"
#include "segmentation/growth/growth.h"
#include "segmentation/growth/growth_features.h"
#include "segmentation/growth/nearest_growth.h"
#include "segmentation/mean_shift/region_fusion.h"

namespace tesela {

// In feature units.
struct MeanRules {
    SeedRules seeds;
    NearestGrowthRules growth;
    RegionRules merging;
    std::int64_t weak_step2 = -1;  // of merging.borders: steps whose square is less are weak

    bool merges() const;
    // Regions stay as they have grown.
    void leave_unmerged();
};

// What the options come to; those that are not given have their defaults.
MeanRules mean_rules(const MeanGrowOptions& options, const Shape& shape, int axes,
                     const GrowthFeatures& features);

struct MeanRegions {
    Buffer<std::uint32_t> labels;
    bool has_seeds = true;
    int growth_rounds = 0;
    MergedRegions merged;
};

// From seeds that the image makes itself to labels 1..merged.count, raster-first, of every point.
// `features` are given up. What is merged is connected; without rules for merging so is all that
// grew from one seed.
MeanRegions regions_from_automatic_seeds(Queue& queue, const Shape& shape, GrowthFeatures features,
                                         const MeanRules& rules, const Progress& progress);

// From given seeds. Where nothing is to be merged, labels are those of the seeds, 0 for points that
// no region took.
MeanRegions regions_from_given_seeds(Queue& queue, const Shape& shape, GrowthFeatures features,
                                     const PlacedSeeds& seeds, const MeanRules& rules,
                                     const Progress& progress);

// Throws InvalidArgument where the options do not go together.
void check_mean(const MeanGrowOptions& options, const Shape& shape);

// Gives up the pixels on the device.
template <class T>
Buffer<std::uint32_t> grow_by_mean(GrowthJob<T>& job, const MeanGrowOptions& options);

// Device memory in bytes, with the image and the labels. Neighbors differ along at most `axes`
// axes.
std::int64_t mean_bytes(const Shape& shape, std::int64_t image_bytes, int color_channels, int axes,
                        SeedChoice choice, const PlacedSeeds& seeds,
                        const MeanGrowOptions& options);

}  // namespace tesela
