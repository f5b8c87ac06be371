// Pages that are channels or frames of an image, as ImageJ and OME-XML say it.
#pragma once

#include <cstdint>
#include <string>

#include "tesela/image.h"

namespace tesela::io {

// Of pages in the order of channels, slices and frames.
struct PlaneCounts {
    int channels = 1;
    std::int64_t slices = 1, frames = 1;
    double time_step = 1;
};
// Of a description that counts this many pages of `samples` channels each; slices where it does
// not.
PlaneCounts plane_counts(const std::string& description, std::int64_t pages, int samples);

// From pages one behind the other to channels side by side.
AnyImage with_planes(AnyImage pages, const PlaneCounts& counts);

}  // namespace tesela::io
