// Lucas-Kanade from the coarsest to the finest level of a pyramid, on a queue.
#pragma once

#include "motion/fields.h"
#include "tesela/lucas_kanade.h"

namespace tesela {

// Of the pyramid that frames of this shape have.
std::vector<LevelSize> lucas_kanade_levels(const Shape& shape, const LucasKanadeOptions& options);

// The fields of all pairs; their confidence where it `wants_confidence` or options have a least
// one. Options and frames are valid.
ConfidentFlow pyramidal_lucas_kanade(const DeviceImage<const float>& frames,
                                     const LucasKanadeOptions& options, bool wants_confidence,
                                     Queue& queue, const Progress& progress);

// Device memory in bytes, with the frames.
std::int64_t pyramidal_lucas_kanade_bytes(const Shape& frames, const LucasKanadeOptions& options,
                                          const Device& device);

}  // namespace tesela
