// Mean shift's loop with a flat window: features become modes, on a device.
#pragma once

#include <cstdint>
#include <functional>

#include "segmentation/mean_shift/window.h"
#include "tesela/compute/queue.h"
#include "tesela/image.h"

namespace tesela {

struct ModeSeekingCounts {
    std::int64_t iterations = 0;    // over all points
    std::int64_t still_moving = 0;  // points stopped by the cap
};

// Moves every point to its mode, in the form that suits the device. `modes`, one plane of
// `channels` (1 or 3) for each channel, comes in with the features and goes out with the modes.
// `report` is told which part of the points is done, and may throw. `then` is called when the modes
// are enqueued and no memory is taken but theirs: what it enqueues, the device does while the host
// waits for the counts.
ModeSeekingCounts seek_modes(Queue& queue, const Shape& shape, int channels, const Window& window,
                             int max_iterations, Buffer<std::int32_t>& modes,
                             const std::function<void(double)>& report,
                             const std::function<void()>& then);

// How the work is cut up; all plans give the same.
struct ModeSeekingPlan {
    bool shares_windows;  // several items share a window of the last points, which suits a GPU
    int passes;           // that leave checkpoints, 2 or 3
    std::int64_t block;   // points that go together, 64 to 2^26 - 1
    double launch_pairs;  // point-sample pairs of a launch, about
    std::int64_t fewest;  // points of a launch that is cut
};
ModeSeekingPlan usual_plan(const Device& device, const Shape& shape);
ModeSeekingCounts seek_modes_by_plan(const ModeSeekingPlan& plan, Queue& queue, const Shape& shape,
                                     int channels, const Window& window, int max_iterations,
                                     Buffer<std::int32_t>& modes,
                                     const std::function<void(double)>& report,
                                     const std::function<void()>& then);

// Device memory that seek_modes takes beside its arguments at most, in bytes.
std::int64_t mode_seeking_bytes(const Shape& shape, int channels);

}  // namespace tesela
