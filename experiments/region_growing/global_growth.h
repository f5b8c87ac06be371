// Growth over the whole image, to compare with that in tiles.
#pragma once

#include "tesela/region_grow_thesis.h"

namespace tesela::experiments {

struct GlobalGrowth {
    LabelImage labels;  // as ThesisGrowResult has them
    int iterations = 0;
    std::int64_t region_count = 0, unlabeled_pixels = 0;
};

// From the same seeds as region_grow_thesis, by the same distance, but through the whole image, one
// launch an iteration; means are computed by the host (after M. Hofmann, A. Binna, "Massive
// parallel image processing", HSR Rapperswil, 2010, as far as the thesis tells of it). Regions are
// then merged as those of tiles are.
GlobalGrowth grow_globally(const Image<std::uint8_t>& image, const ThesisGrowOptions& options,
                           Queue& queue, const Progress& progress);

}  // namespace tesela::experiments
