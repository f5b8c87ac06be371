// Stained sections whose tissues are known.
#pragma once

#include <cstdint>

#include "tesela/annotation.h"
#include "tesela/image.h"
#include "tesela/options.h"
#include "tesela/stain.h"

namespace tesela {

// Labels of the truth, whose classes in annotations are "Fibers", "Mesh" and "Empty".
enum class SyntheticTissue : std::uint8_t { empty = 0, fibers = 1, mesh = 2 };

struct SyntheticSlideOptions {
    double mpp = 0.5;
    StainSet stains = StainSet::he;
    std::uint64_t seed = 1;
};

template <class V>
void describe(V&& v, SyntheticSlideOptions& o) {
    v("mpp", o.mpp, "pixel size", OptionRange{.lowest = 0.05, .highest = 20, .unit = "um"});
    v("stains", o.stains, "stains of the section");
    v("seed", o.seed, "seed of the random numbers");
}

// A square section with blobs of oriented fibers with spindle-shaped nuclei, and of a mesh of cells
// with round nuclei and a lumen, on empty glass along its border. Copies beside each other make a
// slide of any size. The same options give the same pixels.
struct SyntheticSection {
    Image<std::uint8_t> picture;        // RGB
    Image<std::uint8_t> labels;         // of SyntheticTissue
    std::vector<Annotation> tissues{};  // polygons that cover the square, each point once
};

// Throws InvalidArgument for options, or a side below 64 pixels.
SyntheticSection synthetic_section(std::int64_t side, const SyntheticSlideOptions& options = {});

// The annotations of copies of such a section, side by side, cut at the border of a slide.
std::vector<Annotation> repeated_annotations(const SyntheticSection& section, std::int64_t width,
                                             std::int64_t height);

}  // namespace tesela
