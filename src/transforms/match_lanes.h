// Scores of templates on a CPU, where lines of transforms stay in its cache between all steps.
#pragma once

#include "tesela/compute/fft.h"
#include "tesela/match_template.h"
#include "transforms/match_windows.h"

namespace tesela {

// Of `batch` templates and images: their values, the sums of these, and the sums of squared
// differences of templates from their mean.
struct MatchInput {
    const Buffer<const std::uint16_t>&patterns, &images;
    const Buffer<std::int64_t>&pattern_sums, &image_sums;
    const Buffer<float>& pattern_deviations;
};

// Whether the device takes transforms of this shape so.
bool matches_in_lanes(const Device& device, const MatchShape& shape, const FftShape& transform);
// Device memory that it takes then beside scores and input, in bytes.
std::int64_t match_in_lanes_bytes(const Device& device, const MatchShape& shape,
                                  const FftShape& transform);
void match_in_lanes(Queue& queue, const MatchShape& shape, const FftShape& transform,
                    const MatchInput& input, Buffer<float>& scores);

}  // namespace tesela
