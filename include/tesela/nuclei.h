// Cell nuclei in pictures of fluorescence or of stained sections, in one call.
//
// Nuclei are where the picture, slightly smoothed, is brighter than its surroundings: the ratio to
// the local mean is divided by Otsu's method, and what touches is split by its distances. Stained
// sections are first separated into their stains (tesela/stain.h). Which of its constants come from
// where: docs/nuclei.md.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tesela/compute/queue.h"
#include "tesela/geometry.h"
#include "tesela/image_view.h"
#include "tesela/options.h"
#include "tesela/progress.h"
#include "tesela/stain.h"

namespace tesela {

enum class NucleusStain { automatic, dapi, hematoxylin };
constexpr auto enum_names(NucleusStain) {
    return std::array{EnumNames<NucleusStain>{NucleusStain::automatic, "auto"},
                      EnumNames<NucleusStain>{NucleusStain::dapi, "dapi"},
                      EnumNames<NucleusStain>{NucleusStain::hematoxylin, "hematoxylin"}};
}
constexpr auto enum_help(NucleusStain) {
    return std::array<std::string_view, 3>{"hematoxylin in color pictures on a bright ground",
                                           "bright nuclei, as in fluorescence",
                                           "hematoxylin of an RGB picture"};
}

enum class PositiveStain { none, dab };
constexpr auto enum_names(PositiveStain) {
    return std::array{EnumNames<PositiveStain>{PositiveStain::none, "none"},
                      EnumNames<PositiveStain>{PositiveStain::dab, "dab"}};
}

struct NucleiOptions {
    std::optional<Length> diameter = {};
    NucleusStain stain = NucleusStain::automatic;
    std::optional<Length> expand = {};
    PositiveStain positive = PositiveStain::none;
};
template <class V>
void describe(V&& v, NucleiOptions& o) {
    v("diameter", o.diameter, "typical diameter of a nucleus",
      OptionRange{.lowest = 0,
                  .excludes_lowest = true,
                  .unit = "px, or um with the suffix",
                  .automatic = "estimated"});
    v("stain", o.stain, "what shows the nuclei");
    v("expand", o.expand, "width of the cells around nuclei",
      OptionRange{.lowest = 0,
                  .excludes_lowest = true,
                  .unit = "px, or um with the suffix",
                  .automatic = "no cells"});
    v("positive", o.positive, "stain of positive nuclei: share and H-score");
}

// Least optical densities, means of a nucleus, of weakly, moderately and strongly positive ones:
// those of QuPath.
inline constexpr std::array<double, 3> positive_limits{0.2, 0.4, 0.6};

struct Positivity {
    std::vector<double> density;         // mean optical density of DAB, of each nucleus
    std::vector<int> level;              // 0 negative, 1 weak, 2 moderate, 3 strong
    std::array<std::int64_t, 4> counts;  // of nuclei of each level
    double share = 0;                    // of positive nuclei; 0 where there is no nucleus
    double h_score = 0;                  // percentages of levels times the level: 0 to 300
};

struct NucleiResult {
    LabelImage nuclei;  // 1..count in raster order of first points; 0: background
    LabelImage cells;   // the same labels, grown; empty without `expand`
    std::uint32_t count = 0;
    NucleusStain stain = NucleusStain::dapi;    // as it was used
    std::optional<StainSet> section = {};       // stains of the section, with hematoxylin
    double diameter = 0;                        // as it was used, pixels
    Image<float> channel;                       // in which nuclei are bright: values or densities
    std::optional<Positivity> positivity = {};  // where it was asked for
    std::vector<std::string> warnings = {};     // sentences for the user
};

// Pictures of one channel with bright nuclei, or RGB: of fluorescence, whose brightest channel
// counts, or of 8 or 16 bits of a section stained by hematoxylin and eosin or DAB. Automatically
// the latter where the mean of the picture is in the upper half of its range. Positive nuclei are
// searched in the sum of both stains unless hematoxylin is named, as DAB hides it. Finds no nuclei,
// with a warning, where nothing is 15 % brighter than its surroundings. The same bits on every
// device. Throws InvalidArgument (options, lengths in um without spacing, NaN or infinite pixels),
// UnsupportedFormat (volumes, series, other channel counts, stains of gray pictures), OutOfMemory,
// Cancelled.
NucleiResult find_nuclei(const AnyImageView& image, const NucleiOptions& options, Queue& queue,
                         const Progress& progress = {});

// Device memory that find_nuclei takes at most, in bytes.
std::int64_t find_nuclei_device_bytes(const AnyImageView& image, const Device& device);

}  // namespace tesela
