// Stains of histological sections told apart by their colors.
//
// A. C. Ruifrok, D. A. Johnston, "Quantification of histochemical staining by color deconvolution",
// Analytical and Quantitative Cytology and Histology 23, 2001; M. Macenko et al., "A method for
// normalizing histology slides for quantitative analysis", IEEE ISBI 2009.
//
// The optical density of a value v is log10((w + 1) / (v + 1)), where w is that of the empty
// background. Densities of stains add up: those of a pixel are the amounts of the stains times
// their vectors, the densities that an amount of 1 has in red, green and blue.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "tesela/compute/queue.h"
#include "tesela/image_view.h"
#include "tesela/options.h"
#include "tesela/progress.h"

namespace tesela {

using StainVector = std::array<double, 3>;

struct StainMatrix {
    std::array<StainVector, 2> stains{};       // of length 1
    std::array<double, 3> white{1, 1, 1};      // of the background, as a share of the full range
    std::array<double, 2> strength{0.8, 0.5};  // amounts that one pixel in a hundred exceeds
};

// Hematoxylin is the first stain of both, with the vectors of Ruifrok and Johnston.
enum class StainSet { he, hdab };
constexpr auto enum_names(StainSet) {
    return std::array{EnumNames<StainSet>{StainSet::he, "he"},
                      EnumNames<StainSet>{StainSet::hdab, "hdab"}};
}
constexpr auto enum_help(StainSet) {
    return std::array<std::string_view, 2>{"hematoxylin and eosin", "hematoxylin and DAB"};
}
StainMatrix stain_matrix(StainSet set);

struct MacenkoOptions {
    double threshold = 0.15;  // pixels whose vector of densities is shorter are background
    double extreme = 1;       // percent of the angles and amounts that are beyond the extremes
    double white = 1;
};

template <class V>
void describe(V&& v, MacenkoOptions& o) {
    v("threshold", o.threshold, "least optical density of stained pixels",
      OptionRange{.lowest = 0, .highest = 3});
    v("extreme", o.extreme, "percentage of pixels beyond the extreme angles",
      OptionRange{.lowest = 0, .highest = 20});
    v("white", o.white, "background as a share of the full range",
      OptionRange{.lowest = 0.1, .highest = 1});
}

// Macenko's estimate, from at most 2^20 pixels on a regular grid; the first stain is the one with
// more density in red, as hematoxylin. Computed on the host. Throws UnsupportedFormat for other
// images than RGB of 8 or 16 bits, InvalidArgument for options and where fewer than 100 pixels are
// stained or all of them alike.
StainMatrix estimate_stains(const AnyImageView& image, const MacenkoOptions& options = {});

// Which stains an image has: a known pair, or those that Macenko's method finds.
enum class StainChoice { he, hdab, macenko };
constexpr auto enum_names(StainChoice) {
    return std::array{EnumNames<StainChoice>{StainChoice::he, "he"},
                      EnumNames<StainChoice>{StainChoice::hdab, "hdab"},
                      EnumNames<StainChoice>{StainChoice::macenko, "macenko"}};
}
constexpr auto enum_help(StainChoice) {
    return std::array<std::string_view, 3>{"hematoxylin and eosin", "hematoxylin and DAB",
                                           "estimated from the image (Macenko)"};
}

struct StainOptions : MacenkoOptions {
    StainChoice stains = StainChoice::he;
};

template <class V>
void describe(V&& v, StainOptions& o) {
    v("stains", o.stains, "stain vectors: a known pair, or estimated (macenko)");
    describe(v, static_cast<MacenkoOptions&>(o));
}

// The known pair on a background of `white`; nothing where the stains are to be estimated.
std::optional<StainMatrix> known_stains(const StainOptions& options);
// Those, or the estimate from the image, which throws as estimate_stains does. Of a slide:
// tesela/tissue_slides.h.
StainMatrix stains_of(const AnyImageView& image, const StainOptions& options);

// The three functions below take RGB images of 8 or 16 bits, with alpha or not, of any extent.
// Results are the same bits on every device. They throw UnsupportedFormat, OutOfMemory, Cancelled,
// and InvalidArgument for vectors that are zero or alike, or a background that is none.

// The amounts of both stains and of what neither explains, whose vector is at right angles to both:
// three channels.
Image<float> separate_stains(const AnyImageView& image, const StainMatrix& matrix, Queue& queue,
                             const Progress& progress = {});

// What the image would look like with the first (0) or second (1) stain alone.
AnyImage stain_picture(const AnyImageView& image, const StainMatrix& matrix, int stain,
                       Queue& queue, const Progress& progress = {});

// The amounts of the stains of `from`, scaled to the strengths of `to`, in the colors of `to` and
// on its background. What the stains do not explain is left out, as in Macenko's method.
AnyImage normalize_stains(const AnyImageView& image, const StainMatrix& from, const StainMatrix& to,
                          Queue& queue, const Progress& progress = {});

// Device memory that a call of these takes at most, in bytes.
std::int64_t stain_device_bytes(const AnyImageView& image);

}  // namespace tesela
