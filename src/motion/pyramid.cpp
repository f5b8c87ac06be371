#include "motion/pyramid.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "filters/gaussian.h"
#include "kernels/motion/flow_levels.kernel.h"
#include "kernels/motion/horn_schunck.kernel.h"

namespace tesela {
namespace {

// That leaves little above the sampling rate of the next level.
std::vector<float> smoothing_weights(double scale) {
    constexpr int most = (kernels::flow_smoothing_taps - 1) / 2;
    return gaussian_floats(0.6 * std::sqrt(1 / (scale * scale) - 1), most);
}

int radius_of(const Buffer<float>& weights) { return static_cast<int>(weights.size() - 1) / 2; }

}  // namespace

std::vector<LevelSize> level_sizes(const Shape& shape, double scale, int levels, int least_side) {
    std::vector<LevelSize> sizes;
    for (int level = 0; level < levels; ++level) {
        const double factor = std::pow(scale, level);
        const auto scaled = [&](std::int64_t length) {
            return static_cast<int>(std::floor(static_cast<double>(length) * factor + 0.5));
        };
        const LevelSize size{scaled(shape.x), scaled(shape.y)};
        if (level > 0 && std::min(size.width, size.height) < least_side) break;
        sizes.push_back(size);
    }
    return sizes;
}

Pyramid::Pyramid(Queue& queue, std::vector<LevelSize> sizes, double scale, double presmoothing,
                 const DeviceImage<const float>& frames)
    : queue_(queue),
      sizes_(std::move(sizes)),
      frames_(frames.pixels),
      count_(frames.shape.t),
      smoothing_(
          queue.upload(std::span<const float>(smoothing_weights(scale)), "smoothing weights")) {
    if (presmoothing > 0)
        presmoothing_ = queue.upload(std::span<const float>(gaussian_floats(presmoothing)),
                                     "presmoothing weights");
}

void Pyramid::build() {
    if (!presmoothing_.empty())
        smoothed_ =
            smooth_images(queue_, size(0).width, size(0).height, count_, frames_, presmoothing_);
    for (int level = 1; level < levels(); ++level) {
        smaller_.push_back(shrink(images(level - 1), size(level - 1), size(level)));
    }
}

std::int64_t Pyramid::elements(const std::vector<LevelSize>& sizes, double presmoothing,
                               std::int64_t count) {
    std::int64_t points = presmoothing > 0 ? sizes.front().points() : 0;
    for (std::size_t level = 1; level < sizes.size(); ++level) points += sizes[level].points();
    return count * points;
}

// On a GPU in one launch, where a group's rows have room.
Buffer<float> Pyramid::shrink(const Buffer<const float>& images, const LevelSize& from,
                              const LevelSize& to) const {
    constexpr int columns = kernels::flow_shrink_columns, rows = kernels::flow_shrink_rows;
    const int sources = (rows - 1) * from.height / to.height + 2 + kernels::flow_shrink_taps;
    if (!prefers_groups(queue_.device()) || sources > kernels::flow_shrink_sources) {
        const LevelSize narrow{to.width, from.height};
        return shrink_along(shrink_along(images, from, narrow, 0), narrow, to, 1);
    }
    auto smaller = queue_.allocate<float>(count_ * to.points(), "smaller frames");
    queue_.launch(kernels::flow_shrink_tile,
                  Groups{(to.width + columns - 1) / columns, (to.height + rows - 1) / rows, count_},
                  images, smoothing_, smaller, from.width, from.height, to.width, to.height,
                  radius_of(smoothing_));
    return smaller;
}

Buffer<float> Pyramid::shrink_along(const Buffer<const float>& images, const LevelSize& from,
                                    const LevelSize& to, int along_y) const {
    auto smaller = queue_.allocate<float>(count_ * to.points(), "smaller frames");
    queue_.launch(kernels::flow_shrink, Range{to.width, to.height, count_}, images, smoothing_,
                  smaller, from.width, from.height, to.width, to.height, along_y,
                  radius_of(smoothing_));
    return smaller;
}

Buffer<float> Pyramid::flow_planes(int level, const char* name) const {
    return queue_.allocate<float>(flow_elements(size(level), pairs()), name);
}

std::int64_t Pyramid::flow_elements(const LevelSize& size, std::int64_t pairs) {
    return 2 * pairs * size.points() + 2 * kernels::flow_margin;
}

void Pyramid::begin(int level, const LevelSize& from, Buffer<float>& flow,
                    Buffer<float>& gradients) const {
    const LevelSize& at = size(level);
    gradients = {};  // those of the level before leave their memory
    gradients = queue_.allocate<float>(2 * count_ * at.points(), "derivatives");
    auto larger = flow_planes(level, "flow");
    queue_.launch(kernels::flow_begin, Range{at.width, at.height, count_ + 2 * pairs()},
                  images(level), flow, gradients, larger, at.width, at.height, from.width,
                  from.height, static_cast<int>(count_));
    flow = std::move(larger);
}

void Pyramid::coarse_to_fine(Buffer<float>& flow, Buffer<float>& gradients,
                             const std::function<void(int level)>& refine) const {
    LevelSize from{1, 1};  // a pixel that does not move
    flow = queue_.allocate_filled<float>(flow_elements(from, pairs()), 0.0f, "no flow");
    for (int level = levels(); level-- > 0;) {
        begin(level, from, flow, gradients);
        refine(level);
        from = size(level);
    }
}

Buffer<float> Pyramid::interleave(const Buffer<float>& flow) const {
    const std::int64_t points = size(0).points();
    auto fields = queue_.allocate<float>(2 * pairs() * points, "flow fields");
    queue_.launch(kernels::flow_interleave_f32, Range{points, pairs()}, flow, flow, fields, points,
                  0);
    return fields;
}

}  // namespace tesela
