// Volumes that the experiments on level sets are run with.
#pragma once

#include <string>

#include "experiments/volumes/laboratory.h"
#include "tesela/level_set_thesis.h"

namespace tesela::experiments {

// A volume whose object is known: where seeds begin and what values it has.
struct KnownVolume {
    std::string name, source;
    Image<std::uint8_t> image;
    LabelImage truth;
    std::uint32_t lowest_label = 1;  // of the object, which has this label and higher ones
    Seeds seeds = {};
    double lower = 0, upper = 255;
};

// Gray 255 in a cube of half the side.
KnownVolume cube_volume(int side);
// `tesela synthesize volume` in place of what the thesis had.
KnownVolume head_volume(const Shape& shape);
KnownVolume vessel_volume(const Shape& shape);
// brainweb-1 from a folder, where there is one, else the head in its place.
KnownVolume brain_volume(const VolumeLaboratory& laboratory);

double dice_of(const LabelImage& labels, const KnownVolume& volume);

}  // namespace tesela::experiments
