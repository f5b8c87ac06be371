// Pictures of known cell nuclei in fluorescence, to test their segmentation with.
#pragma once

#include <cstdint>

#include "tesela/image.h"
#include "tesela/options.h"

namespace tesela {

struct SyntheticNucleiOptions {
    std::int64_t width = 512, height = 512;
    std::int32_t count = 100;
    double diameter = 24;   // mean of all nuclei; each is up to a quarter smaller or larger
    double touching = 0.3;  // share of nuclei placed against an earlier one
    double light = 0.4;     // share of the light that is missing at the darkest place
    double noise = 0.05;    // standard deviation, as a share of the contrast
    double blur = 1;        // standard deviation of the Gaussian, pixels
    std::uint64_t seed = 1;
};

template <class V>
void describe(V&& v, SyntheticNucleiOptions& o) {
    v("width", o.width, "width of the image",
      OptionRange{.lowest = 1, .highest = 65536, .unit = "pixels"});
    v("height", o.height, "height of the image",
      OptionRange{.lowest = 1, .highest = 65536, .unit = "pixels"});
    v("count", o.count, "number of nuclei", OptionRange{.lowest = 0, .highest = 1e6});
    v("diameter", o.diameter, "mean diameter of the nuclei",
      OptionRange{.lowest = 4, .highest = 1024, .unit = "pixels"});
    v("touching", o.touching, "share of nuclei that touch another one",
      OptionRange{.lowest = 0, .highest = 1});
    v("light", o.light, "share of the light missing at the darkest place",
      OptionRange{.lowest = 0, .highest = 0.9});
    v("noise", o.noise, "standard deviation of the noise, as a share of contrast",
      OptionRange{.lowest = 0, .highest = 10});
    v("blur", o.blur, "standard deviation of the Gaussian blur",
      OptionRange{.lowest = 0, .highest = 32, .unit = "pixels"});
    v("seed", o.seed, "seed of the random numbers");
}

struct SyntheticNuclei {
    Image<std::uint8_t> image;
    LabelImage truth;  // 1..count, in the order in which they were placed; 0: background
};

// Ellipses, whole in the image, whose axes differ by a factor of 1 to 1.6. Two that touch overlap
// by a few percent of their diameter, and each pixel of both belongs to the one in which it lies
// deeper. Others are two pixels apart. Brightness varies from nucleus to nucleus, and falls off
// through image and background alike, as under a lamp. Computed on the host. Throws
// InvalidArgument for options, and where there is no place for so many nuclei.
SyntheticNuclei synthetic_nuclei(const SyntheticNucleiOptions& options);

}  // namespace tesela
