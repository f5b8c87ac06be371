// The stages of the single-scale Lucas-Kanade method, that of the thesis, on a queue.
#pragma once

#include <functional>

#include "tesela/compute/queue.h"
#include "tesela/lucas_kanade.h"

namespace tesela {

// Of filters and blocks, where the options have none.
constexpr int thesis_filter_size = 5, thesis_block = 15;
// Of thesis_local, in pixels: what its tiles in local memory hold.
constexpr int longest_tiled_block = 33;

// Takes `count` frames, one after the other in `pixels`, as those from `first` on.
using TakeFrames = std::function<void(const Buffer<const float>& pixels, int first, int count)>;

// The fields of all pairs of a sequence, one after the other, (u, v) interleaved. `sequence` has
// its frames along t; options are valid. `give` is called once and hands over every frame.
Buffer<float> lucas_kanade_stages(Queue& queue, const Shape& sequence,
                                  const LucasKanadeOptions& options,
                                  const std::function<void(const TakeFrames&)>& give,
                                  const Progress& progress);

// Device memory in bytes, with the frames, which `give` takes back where they are no longer needed.
std::int64_t lucas_kanade_stages_bytes(const Shape& sequence, const LucasKanadeOptions& options);

}  // namespace tesela
