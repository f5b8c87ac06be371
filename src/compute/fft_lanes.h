// Transforms of lines side by side on a CPU, for kernels that do more with lines while they are in
// its cache (kernels/primitives/cpu/fft_lanes.h).
#pragma once

#include "compute/fft_plan.h"
#include "kernels/primitives/cpu/fft_lanes.kernel.h"
#include "tesela/compute/fft.h"

namespace tesela::detail {

// Lines of a length, and how many of them in all.
struct LaneLines {
    std::int64_t length, outer, inner;
    bool is_real;
};

// Whether the device takes such lines so, without a convolution.
bool takes_lanes(const Device& device, const LaneLines& lines);

struct LanePlan {
    kernels::fft_lines lines;
    const Buffer<float>& tables;  // the queue's
    std::int64_t room;            // floats of each of an item's rooms

    Groups groups() const { return {lines.slots}; }
};
LanePlan lane_plan(Queue& queue, const LaneLines& lines);
// Memory of `rooms` of each item for lines of a length, in bytes, with tables.
std::int64_t lane_bytes(const Device& device, const LaneLines& lines, std::int64_t rooms);

}  // namespace tesela::detail
