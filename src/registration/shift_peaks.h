// The highest of the scores of all shifts, and the next place that is as similar.
#pragma once

#include <cstdint>
#include <vector>

#include "tesela/compute/queue.h"

namespace tesela {

// Of each of several planes of scores.
struct ShiftPeaks {
    Buffer<std::int32_t> at;                      // numbers of shifts, row by row
    std::vector<std::int32_t> places = {};        // the same
    std::vector<float> parts = {};                // of a pixel beyond them, x and y of each plane
    std::vector<float> ranks = {}, seconds = {};  // the highest, and the highest elsewhere
};

// Planes of `across` x `down` shifts, one behind the other. Places that are less than `apart` from
// the highest, along x and y, are none of elsewhere.
struct ShiftPlanes {
    std::int64_t across = 0, down = 0, apart = 0, count = 1;
};

// The shift with the highest score of each plane, the first of equal ones.
struct BestShifts {
    Buffer<float> scores;
    Buffer<std::int32_t> at;
    Buffer<float> rows;  // the highest score of each row
};
// Those of elsewhere than shift number `around`; all where it is negative.
BestShifts best_shifts(Queue& queue, const Buffer<float>& scores,
                       const Buffer<std::int32_t>& around, const ShiftPlanes& planes);

// Of the highest rank; between pixels by the scores, which may be the ranks.
ShiftPeaks highest_of_shifts(Queue& queue, const Buffer<float>& ranks, const Buffer<float>& scores,
                             const ShiftPlanes& planes);

}  // namespace tesela
