// Gray levels of any image, as integers on a device; input of thresholds and edges.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tesela/compute/device_image.h"
#include "tesela/compute/queue.h"
#include "tesela/image_view.h"

namespace tesela {

enum class LevelsOf { brightness, channels };

// Pixel value = offset + level * unit. Levels of 8-bit and 16-bit images are exact; those of others
// are 65536 steps from the lowest to the highest value.
struct GrayLevels {
    Buffer<std::uint32_t> planes;  // one for each channel, each of the image's points
    int channels = 1;
    std::uint32_t highest = 255;  // 255 or 65535
    double offset = 0, unit = 1;
    std::vector<std::string> warnings;

    double value(double level) const { return offset + level * unit; }
    // What makes 16-bit levels of these.
    std::uint32_t to_16_bits() const { return highest == 255 ? 257 : 1; }
};

// `brightness`: one plane, the luma of colors; `channels`: one each. Alpha is ignored. Throws
// InvalidArgument (NaN or infinite pixels, more than 2^31-1 points) and UnsupportedFormat (channel
// counts but 1 and 3).
GrayLevels gray_levels(Queue& queue, const AnyImageView& image, LevelsOf of);
// Of pixels on the device. T is std::uint8_t, std::uint16_t, std::int16_t or float.
template <class T>
GrayLevels gray_levels(Queue& queue, const DeviceImage<const T>& image, LevelsOf of);

// The levels for edges, whose thresholds are fractions of the range of values. Of 8-bit images
// these are the levels as above, and the range is all of them. Cameras of 12 bits fill no 16, and
// one broken pixel no range: of other images it is the 0.1 to the 99.9 percentile, which have a
// quarter of 65536 levels between them; values beyond are clamped one and a half ranges away. Where
// the percentiles are equal, the range is of all values.
struct EdgeLevels : GrayLevels {
    std::uint32_t lowest = 0, highest_of_range = 255;  // levels

    double range_in_16_bits() const {
        return static_cast<double>((highest_of_range - lowest) * to_16_bits());
    }
};
EdgeLevels edge_levels(Queue& queue, const AnyImageView& image, LevelsOf of);
template <class T>
EdgeLevels edge_levels(Queue& queue, const DeviceImage<const T>& image, LevelsOf of);

// Weights of a Gaussian at distances 0, 1, ...; those along rows make 16 bits of the levels.
struct SmoothingWeights {
    std::vector<std::uint32_t> along_rows, along_columns;
};
SmoothingWeights smoothing_weights(const GrayLevels& levels, double sigma);

// A Gaussian of each channel's plane; the result has 16 bits, whatever the levels have. Sums are of
// integers.
Buffer<std::uint32_t> smooth_levels(Queue& queue, const Shape& shape, const GrayLevels& levels,
                                    double sigma);

// Device memory for the levels, in bytes.
std::int64_t gray_levels_bytes(const AnyImageView& image, LevelsOf of);
std::int64_t edge_levels_bytes(const AnyImageView& image, LevelsOf of);

}  // namespace tesela
