// What `segment` makes of an image before it looks at regions.
#pragma once

#include <cstdint>

#include "segmentation/mean_shift/feature_space.h"
#include "segmentation/segment/region_graph.h"
#include "tesela/image.h"
#include "tesela/mean_shift.h"
#include "tesela/segment.h"

namespace tesela {

struct SegmentSetting {
    MeanShiftOptions filter;
    FeatureSpace space;
    FeatureScale scale;
    double usual_cost = 0;  // of the merges that part regions from one another, about
};

// For an image of pixel type u8, u16, i16 or f32, all of whose pixels are within `values`. Throws
// as make_feature_space does.
template <class T>
SegmentSetting segment_setting(const PixelSource<T>& image, const ValueRange& values,
                               const SegmentOptions& options);

// The range of values but for outliers, on which nothing should depend.
template <class T>
ValueRange plausible_values(const PixelSource<T>& image, const ValueRange& values);

// Merges are made up to the most cost, but not below the fewest regions unless they cost no more
// than the least.
struct MergeLimits {
    double most_cost, least_cost;
    std::int64_t fewest_regions;
};
// `dearest` is the cost of the last merge, down to one region.
MergeLimits merge_limits(SegmentDetail detail, double usual_cost, double dearest);

}  // namespace tesela
