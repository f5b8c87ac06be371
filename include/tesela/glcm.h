// Gray-level co-occurrence matrices and the texture descriptors that come from them.
//
// R. M. Haralick, K. Shanmugam, I. Dinstein, "Textural features for image classification", IEEE
// Transactions on Systems, Man and Cybernetics 3(6), 1973.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tesela/compute/queue.h"
#include "tesela/image_view.h"
#include "tesela/options.h"
#include "tesela/progress.h"
#include "tesela/stage_times.h"

namespace tesela {

// The partner of a pixel, in pixels to the right and down.
struct PixelOffset {
    int x = 1, y = 0;

    bool operator==(const PixelOffset&) const = default;
};

// round(distance cos), round(distance sin): angles turn from +x to +y, which points down, as in
// scikit-image. Throws InvalidArgument for a distance that is not in 1..32767.
PixelOffset offset_at(double distance, double degrees);

struct CooccurrenceMatrix {
    int levels = 0;
    std::vector<std::int64_t> counts;  // levels x levels; the row is the pixel's own level

    std::int64_t operator()(int i, int j) const {
        return counts[static_cast<std::size_t>(i) * levels + j];
    }
    std::int64_t pairs() const;
};

// The sum of a matrix and its transpose: pairs counted both ways.
CooccurrenceMatrix symmetric(const CooccurrenceMatrix& matrix);

// asm                        sum p^2 (Matlab's energy)
// energy                     its root (scikit-image's)
// homogeneity                sum p / (1 + |i - j|) (Matlab's)
// inverse-difference-moment  sum p / (1 + (i - j)^2) (scikit-image's homogeneity)
// dissimilarity              sum p |i - j|
// and the other of Haralick's thirteen by their names. Entropies have natural logarithms; sums and
// differences are i + j and |i - j|, levels counted from 0; `variance` is that of rows. Where all
// pixels or all partners have one level, correlations are 0. Of a matrix without pairs all are 0.
inline constexpr std::array<std::string_view, 16> descriptor_names{"asm",
                                                                   "contrast",
                                                                   "correlation",
                                                                   "variance",
                                                                   "inverse-difference-moment",
                                                                   "sum-average",
                                                                   "sum-variance",
                                                                   "sum-entropy",
                                                                   "entropy",
                                                                   "difference-variance",
                                                                   "difference-entropy",
                                                                   "information-correlation-1",
                                                                   "information-correlation-2",
                                                                   "energy",
                                                                   "homogeneity",
                                                                   "dissimilarity"};
inline constexpr std::size_t haralick_descriptors = 13;  // the first of them
using Descriptors = std::array<double, descriptor_names.size()>;

// In double precision, in one written order: the same bits for the same counts.
Descriptors descriptors_of(const CooccurrenceMatrix& matrix);

// Which of the values around 0 the levels of a* and b* are spread over.
enum class ColorRange { full, half };
constexpr auto enum_names(ColorRange) {
    return std::array{EnumNames<ColorRange>{ColorRange::full, "full"},
                      EnumNames<ColorRange>{ColorRange::half, "half"}};
}
constexpr auto enum_help(ColorRange) {
    return std::array<std::string_view, 2>{"-128 to 127", "-64 to 63"};
}

struct GlcmOptions {
    int levels = 16;
    std::string distances = "1", angles = "0,45,90,135";
    bool symmetric = false;
    ColorRange color_range = ColorRange::full;
};

template <class V>
void describe(V&& v, GlcmOptions& o) {
    v("levels", o.levels, "gray levels of the matrices", OptionRange{.lowest = 2, .highest = 256});
    v("distances", o.distances, "distances of the pairs in pixels, comma-separated");
    v("angles", o.angles, "angles of the pairs in degrees, clockwise from right");
    v("symmetric", o.symmetric, "count each pair in both directions");
    v("color-range", o.color_range, "gray levels span a* and b* of -128..127 or -64..63");
}

struct GlcmResult {
    struct Pairs {
        double distance = 0, angle = 0;
        PixelOffset offset;
    };
    std::vector<std::string> channels;  // "gray", or "L", "a", "b"
    std::vector<Pairs> pairs;           // each angle of the first distance, of the second, ...
    // Of channel c and pair k at c * pairs.size() + k.
    std::vector<CooccurrenceMatrix> matrices;
    std::vector<StageTime> stages;
    std::vector<std::string> warnings;  // sentences for the user
};

// The matrices of an image: gray values, or L*, a* and b* of sRGB, each in 8 bits, spread over
// `levels` steps of equal width. Gray images of other types are looked at in 256 steps from their
// lowest to their highest value. Where `mask` is given, both pixels of a pair must be inside, where
// it is not 0. Throws InvalidArgument (options, a mask of another size), UnsupportedFormat
// (volumes, colors of more than 8 bits), OutOfMemory, Cancelled. The same counts on every device.
GlcmResult glcm(const AnyImageView& image, const std::optional<AnyImageView>& mask,
                const GlcmOptions& options, Queue& queue, const Progress& progress = {});

// Device memory that it takes at most, in bytes.
std::int64_t glcm_device_bytes(const AnyImageView& image, const GlcmOptions& options);

}  // namespace tesela
