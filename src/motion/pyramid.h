// Pyramids of frames on a device, and flows that go up them.
#pragma once

#include <vector>

#include "motion/fields.h"
#include "tesela/compute/buffer.h"

namespace tesela {

// From the finest to the coarsest, each `scale` times the one before, rounded; at most `levels`,
// and none but the finest with a side of less than `least_side` pixels.
std::vector<LevelSize> level_sizes(const Shape& shape, double scale, int levels, int least_side);

// The frames on every level, one plane a frame, and planes of flows.
class Pyramid {
  public:
    // Uploads the weights that smooth. `frames` are those of the finest level, and outlive this.
    Pyramid(Queue& queue, std::vector<LevelSize> sizes, double scale, const DeviceFrames& frames);

    // Enqueues the other levels.
    void build();

    int levels() const { return static_cast<int>(sizes_.size()); }
    const LevelSize& size(int level) const { return sizes_[static_cast<std::size_t>(level)]; }
    std::int64_t pairs() const { return finest_.count - 1; }
    const Buffer<float>& images(int level) const {
        return level == 0 ? finest_.planes : smaller_[static_cast<std::size_t>(level) - 1];
    }

    // Planes u, v of each pair, with room around them, uninitialized.
    Buffer<float> flow_planes(int level, const char* name) const;
    // The flow of `level` on the next finer one.
    Buffer<float> enlarge(const Buffer<float>& flow, int level) const;
    // u, v of each pixel side by side, of the finest level.
    Buffer<float> interleave(const Buffer<float>& flow) const;
    // Derivatives along x and y, two planes a frame.
    Buffer<float> gradients(int level) const;

  private:
    Queue& queue_;
    std::vector<LevelSize> sizes_;
    const DeviceFrames& finest_;
    Buffer<float> smoothing_;
    std::vector<Buffer<float>> smaller_;
};

}  // namespace tesela
