// The channel of a picture in which nuclei are bright.
#pragma once

#include "tesela/nuclei.h"

namespace tesela {

struct NucleusChannel {
    NucleusStain stain = NucleusStain::dapi;
    std::optional<StainSet> section = {};
    Image<float> values = {};
    Image<float> dab = {};  // its optical density, where positive nuclei are asked for
};
NucleusChannel nucleus_channel(const AnyImageView& image, const NucleiOptions& options,
                               Queue& queue);

}  // namespace tesela
