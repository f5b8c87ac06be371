// Local binary patterns: which neighbors of a pixel are brighter.
//
// T. Ojala, M. Pietikainen, T. Maenpaa, "Multiresolution gray-scale and rotation invariant texture
// classification with local binary patterns", IEEE TPAMI 24(7), 2002.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tesela/compute/queue.h"
#include "tesela/image_view.h"
#include "tesela/options.h"
#include "tesela/progress.h"
#include "tesela/stage_times.h"

namespace tesela {

// `circle`: samples on a circle, bilinear, at least as bright as the center; codes are the number
// of such samples where they stand together, otherwise `points` + 1 (scikit-image's `uniform`; its
// offsets, rounded to five decimals). `square`: the eight neighbors, brighter than the center, as
// the bits of a code from 0 to 255, the upper left one highest, then clockwise.
enum class LbpShape { circle, square };
constexpr auto enum_names(LbpShape) {
    return std::array{EnumNames<LbpShape>{LbpShape::circle, "circle"},
                      EnumNames<LbpShape>{LbpShape::square, "square"}};
}
constexpr auto enum_help(LbpShape) {
    return std::array<std::string_view, 2>{"samples on a circle", "the 3 x 3 neighborhood"};
}

struct LbpOptions {
    LbpShape shape = LbpShape::circle;
    int points = 8;
    double radius = 1;

    bool operator==(const LbpOptions&) const = default;
};

template <class V>
void describe(V&& v, LbpOptions& o) {
    v("shape", o.shape, "neighbors: samples on a circle, or the square of 3 x 3");
    v("points", o.points, "samples on the circle: 8, 16 or 24",
      OptionRange{.lowest = 8, .highest = 24});
    v("radius", o.radius, "radius of the circle",
      OptionRange{.lowest = 1, .highest = 16, .unit = "pixels"});
}

// Pixels at the border that have no code, and how many codes there are.
int lbp_margin(const LbpOptions& options);
int lbp_codes(const LbpOptions& options);

// Class of a code of `square`: the number of its bits where they stand together on the ring,
// otherwise 9 (Ojala's riu2).
int uniform_class(int square_code);

struct LbpResult {
    Image<std::uint8_t> codes;            // without the border: 2 lbp_margin() pixels less each way
    std::vector<std::int64_t> histogram;  // lbp_codes() counts, of pixels inside the mask
    std::vector<StageTime> stages;
    std::vector<std::string> warnings;  // sentences for the user
};

// Codes of gray values, or of L* of sRGB, in 8 bits; other images as in glcm(). A pixel counts
// where `mask` is not 0; its neighbors may be outside. Images smaller than the circle have no
// codes. Throws as glcm() does. The same codes on every device.
LbpResult lbp(const AnyImageView& image, const std::optional<AnyImageView>& mask,
              const LbpOptions& options, Queue& queue, const Progress& progress = {});

std::int64_t lbp_device_bytes(const AnyImageView& image);

}  // namespace tesela
