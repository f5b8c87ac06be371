// Windows of gray values matched on a device: normalized cross-correlation at every shift.
#pragma once

#include <cstdint>
#include <vector>

#include "registration/window_matcher.h"
#include "tesela/register_thesis.h"

namespace tesela {

// The shift of a window, in whole pixels from the first place in the one it is looked for in.
struct GrayPeak {
    std::int64_t x = 0, y = 0;
    double score = 0;
};
// `templates` are as many boxes of `sizes.window` pixels as `windows` are of `sizes.search`.
std::vector<GrayPeak> gray_peaks(Queue& queue, const ThesisWindows& sizes,
                                 const WindowBoxes& templates, const WindowBoxes& windows);
// The same from the scores of all shifts and the windows in steps. Fourier transforms round by the
// place of a window in its batch, so the shifts whose scores are within rounding of the best one
// are compared again by sums of whole numbers: the highest of these scores, the first of equal
// ones, has the same bits in any batch.
std::vector<GrayPeak> direct_peaks(Queue& queue, const ThesisWindows& sizes,
                                   const Buffer<float>& scores,
                                   const Buffer<const std::uint16_t>& templates,
                                   const Buffer<const std::uint16_t>& windows);

// Windows that are matched at once, and the memory that this takes, with their boxes.
std::int64_t gray_batch(const ThesisWindows& sizes, const Device& device);
std::int64_t gray_device_bytes(const ThesisWindows& sizes, const Device& device);

// What windows of a side are sampled as.
inline WindowSizes whole_windows(std::int64_t side) { return {side, 0}; }

}  // namespace tesela
