// How the regions of two label images overlap.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tesela/image_view.h"

namespace tesela::evaluation {

// "Segment" is a region of the segmentation, "region" one of the truth.
struct Contingency {
    struct Cell {
        std::uint32_t segment, region;  // labels
        std::int64_t pixels;            // that have both; above 0
        std::int64_t segment_pixels, region_pixels;
    };

    std::int64_t pixels = 0;
    std::vector<Cell> cells;                                // ordered by region, then by segment
    std::vector<std::int64_t> segment_areas, region_areas;  // each region once, in no set order
};

// Both images have one shape. Memory grows with the number of pairs of labels that meet in some
// pixel, not with the labels' values.
Contingency contingency(const LabelView& segmentation, const LabelView& truth);

// Memory that it takes at most, in bytes, from a look at the images.
std::int64_t contingency_bytes(const LabelView& segmentation, const LabelView& truth);

// Throws InvalidArgument where images have not one channel and one shape.
void check_images(const LabelView& segmentation, std::span<const LabelView> truths);

}  // namespace tesela::evaluation
