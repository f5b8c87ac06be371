// Pyramids of frames on a device, and flows that go up them.
#pragma once

#include <functional>
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
    // Uploads the weights that smooth. The finest level is `frames`, which outlive this, after a
    // Gaussian of `presmoothing` pixels.
    Pyramid(Queue& queue, std::vector<LevelSize> sizes, double scale, double presmoothing,
            const DeviceImage<const float>& frames);

    // Enqueues all levels.
    void build();
    // Elements of device memory that it then takes, beside the frames, of which there are `count`.
    static std::int64_t elements(const std::vector<LevelSize>& sizes, double presmoothing,
                                 std::int64_t count);

    int levels() const { return static_cast<int>(sizes_.size()); }
    const LevelSize& size(int level) const { return sizes_[static_cast<std::size_t>(level)]; }
    std::int64_t pairs() const { return count_ - 1; }
    const Buffer<const float>& images(int level) const {
        if (level > 0) return smaller_[static_cast<std::size_t>(level) - 1];
        return presmoothing_.empty() ? frames_ : smoothed_;
    }

    // Planes u, v of each pair, with room around them, uninitialized.
    Buffer<float> flow_planes(int level, const char* name) const;
    static std::int64_t flow_elements(const LevelSize& size, std::int64_t pairs);
    // From the coarsest level, where nothing moves yet, to the finest: `refine` makes `flow`, of
    // the level that it is called with, better. `gradients` are then that level's derivatives along
    // x and y, two planes a frame.
    void coarse_to_fine(Buffer<float>& flow, Buffer<float>& gradients,
                        const std::function<void(int level)>& refine) const;
    // u, v of each pixel side by side, of the finest level.
    Buffer<float> interleave(const Buffer<float>& flow) const;

  private:
    Buffer<float> shrink(const Buffer<const float>& images, const LevelSize& from,
                         const LevelSize& to) const;
    Buffer<float> shrink_along(const Buffer<const float>& images, const LevelSize& from,
                               const LevelSize& to, int along_y) const;
    // Takes `flow`, of a level of the size `from`, to `level`.
    void begin(int level, const LevelSize& from, Buffer<float>& flow,
               Buffer<float>& gradients) const;

    Queue& queue_;
    std::vector<LevelSize> sizes_;
    const Buffer<const float>& frames_;
    std::int64_t count_;
    Buffer<float> presmoothing_, smoothing_;  // weights; no presmoothing where there are none
    Buffer<const float> smoothed_;
    std::vector<Buffer<const float>> smaller_;
};

}  // namespace tesela
