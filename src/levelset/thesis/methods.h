// The methods of level_set_thesis.
#pragma once

#include <cstdint>
#include <vector>

#include "tesela/level_set_thesis.h"

namespace tesela {

// What of a volume both cycles look at, one byte for each voxel.
struct ThesisFront {
    Shape shape;
    std::vector<std::int8_t> state;  // -3, -1, 1, 3
    std::vector<std::int8_t> speed;  // -1 or 1
};

// Weights of the smoothing filter along an axis, from -radius to radius; they sum to 256.
std::vector<std::uint32_t> thesis_filter(const ThesisFtcOptions& options);

// The state of a front around what is inside, by eq. 4.2.
std::vector<std::int8_t> thesis_front_around(const Shape& shape,
                                             const std::vector<std::uint8_t>& inside);

// Move `front` to the end and tell of it in `result`.
void run_ftc_lists(ThesisFront& front, const ThesisFtcOptions& options, Queue& queue,
                   const Progress& progress, ThesisLevelSetResult& result);
void run_ftc_regions(ThesisFront& front, const ThesisFtcOptions& options, Queue& queue,
                     const Progress& progress, ThesisLevelSetResult& result);
// Moves `u`, negative inside, in the stop function g.
void run_aos_regions(Image<float>& u, const Image<float>& g, const ThesisAosOptions& options,
                     Queue& queue, const Progress& progress, ThesisLevelSetResult& result);

}  // namespace tesela
