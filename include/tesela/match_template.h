// Where a small image lies in a larger one: normalized cross-correlation at every shift.
//
// score = sum (t - mean t)(w - mean w) / sqrt(sum (t - mean t)^2 sum (w - mean w)^2) of a template
// t and the window w under it, by Fourier transforms: J. P. Lewis, "Fast normalized
// cross-correlation", Vision Interface, 1995. Sums over windows are 64-bit integers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tesela/compute/device_image.h"
#include "tesela/compute/queue.h"
#include "tesela/image_view.h"
#include "tesela/options.h"
#include "tesela/progress.h"

namespace tesela {

struct MatchOptions {
    int best = 1;
};

template <class V>
void describe(V&& v, MatchOptions& o) {
    v("best", o.best, "number of peaks to list, at least half a template apart",
      OptionRange{.lowest = 1, .highest = 10000});
}

// Where the template's first pixel lies in the image, in pixels and parts of them.
struct MatchPeak {
    double x = 0, y = 0;
    double score = 0;
};

// Reported with the scores.
struct MatchReport {
    std::vector<MatchPeak> peaks;  // the highest first
    std::vector<std::string> warnings;
};

struct MatchResult : MatchReport {
    Image<float>
        scores;  // from -1 to 1, one for each place at which the whole template lies inside
};
// The same on the device.
struct DeviceMatchResult : MatchReport {
    DeviceImage<float> scores;
};

// Of pictures; colors are compared by their luma, values in 65536 steps. Windows in which all
// values are equal have the score 0. Scores are within 1e-4 of the exact ones where the contrast of
// a window is not far below that of the image. Throws InvalidArgument (a template larger than the
// image, NaN), UnsupportedFormat (volumes, a time axis), OutOfMemory, Cancelled.
MatchResult match_template(const AnyImageView& pattern, const AnyImageView& image,
                           const MatchOptions& options, Queue& queue,
                           const Progress& progress = {});
std::int64_t match_device_bytes(const Shape& pattern, const Shape& image, const Device& device);

// Device level, of a template and an image that are on the device; T is std::uint8_t,
// std::uint16_t, std::int16_t or float. The scores are read back once, for their peaks, and the
// template in steps, in which it may be equal everywhere. Throws as above, and DeviceUnavailable
// where the device has no double precision.
template <class T>
DeviceMatchResult match_template(const DeviceImage<const T>& pattern,
                                 const DeviceImage<const T>& image, const MatchOptions& options,
                                 Queue& queue, const Progress& progress = {});

// The scores alone: `batch` pairs of a template and an image, each of one size, one behind the
// other. Gives the scores of each pair, (width - pattern_width + 1) by (height - pattern_height +
// 1). Enqueues and does not wait, but for what the first call of a size prepares.
struct MatchShape {
    std::int64_t pattern_width = 0, pattern_height = 0;
    std::int64_t width = 0, height = 0;
    std::int64_t batch = 1;
    // Side of the transforms, at least that of the images; 0: the next lengths that are fast.
    std::int64_t padded = 0;
};
Buffer<float> match_scores(Queue& queue, const MatchShape& shape,
                           const Buffer<const std::uint16_t>& patterns,
                           const Buffer<const std::uint16_t>& images);

}  // namespace tesela
