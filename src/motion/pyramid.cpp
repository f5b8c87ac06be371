#include "motion/pyramid.h"

#include <algorithm>
#include <cmath>

#include "kernels/flow_levels.kernel.h"
#include "kernels/horn_schunck.kernel.h"

namespace tesela {
namespace {

// Weights of a Gaussian, from -radius to radius, out to three of its standard deviations.
std::vector<float> gaussian(double sigma, int most_radius) {
    const int radius = std::clamp(static_cast<int>(std::ceil(3 * sigma)), 1, most_radius);
    std::vector<double> weights;
    double sum = 0;
    for (int k = -radius; k <= radius; ++k) {
        weights.push_back(std::exp(-0.5 * k * k / (sigma * sigma)));
        sum += weights.back();
    }
    std::vector<float> normalized;
    for (const double weight : weights) normalized.push_back(static_cast<float>(weight / sum));
    return normalized;
}

// That leaves little above the sampling rate of the next level.
std::vector<float> smoothing_weights(double scale) {
    constexpr int most = (kernels::flow_smoothing_taps - 1) / 2;
    return gaussian(0.6 * std::sqrt(1 / (scale * scale) - 1), most);
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
    constexpr int most_radius = 20;
    if (presmoothing > 0)
        presmoothing_ = queue.upload(std::span<const float>(gaussian(presmoothing, most_radius)),
                                     "presmoothing weights");
}

void Pyramid::build() {
    if (!presmoothing_.empty()) smoothed_ = smooth(smooth(frames_, 0), 1);
    for (int level = 1; level < levels(); ++level) {
        const LevelSize &from = size(level - 1), &to = size(level);
        const LevelSize narrow{to.width, from.height};
        smaller_.push_back(shrink(shrink(images(level - 1), from, narrow, 0), narrow, to, 1));
    }
}

std::int64_t Pyramid::elements(const std::vector<LevelSize>& sizes, double presmoothing,
                               std::int64_t count) {
    std::int64_t points = presmoothing > 0 ? sizes.front().points() : 0;
    for (std::size_t level = 1; level < sizes.size(); ++level) points += sizes[level].points();
    return count * points;
}

Buffer<float> Pyramid::shrink(const Buffer<const float>& images, const LevelSize& from,
                              const LevelSize& to, int along_y) {
    auto smaller = queue_.allocate<float>(count_ * to.points(), "smaller frames");
    queue_.launch(kernels::flow_shrink, Range{to.width, to.height, count_}, images, smoothing_,
                  smaller, from.width, from.height, to.width, to.height, along_y,
                  radius_of(smoothing_));
    return smaller;
}

Buffer<float> Pyramid::smooth(const Buffer<const float>& images, int along_y) {
    auto smoothed = queue_.allocate<float>(count_ * size(0).points(), "smoothed frames");
    queue_.launch(kernels::flow_smooth, Range{size(0).width, size(0).height, count_}, images,
                  presmoothing_, smoothed, size(0).width, size(0).height, along_y,
                  radius_of(presmoothing_));
    return smoothed;
}

Buffer<float> Pyramid::flow_planes(int level, const char* name) const {
    return queue_.allocate<float>(flow_elements(size(level), pairs()), name);
}

std::int64_t Pyramid::flow_elements(const LevelSize& size, std::int64_t pairs) {
    return 2 * pairs * size.points() + 2 * kernels::flow_margin;
}

Buffer<float> Pyramid::enlarge(const Buffer<float>& flow, int level) const {
    const LevelSize &from = size(level), &to = size(level - 1);
    auto larger = flow_planes(level - 1, "flow");
    queue_.launch(kernels::flow_enlarge, Range{to.width, to.height, 2 * pairs()}, flow, larger,
                  from.width, from.height, to.width, to.height);
    return larger;
}

void Pyramid::coarse_to_fine(Buffer<float>& flow,
                             const std::function<void(int level)>& refine) const {
    flow = flow_planes(levels() - 1, "flow");
    queue_.fill(flow, 0.0f);
    for (int level = levels(); level-- > 0;) {
        refine(level);
        if (level > 0) flow = enlarge(flow, level);
    }
}

Buffer<float> Pyramid::interleave(const Buffer<float>& flow) const {
    const std::int64_t points = size(0).points();
    auto fields = queue_.allocate<float>(2 * pairs() * points, "flow fields");
    queue_.launch(kernels::flow_interleave_f32, Range{points, pairs()}, flow, fields, points);
    return fields;
}

Buffer<float> Pyramid::gradients(int level) const {
    const LevelSize& at = size(level);
    auto gradients = queue_.allocate<float>(2 * count_ * at.points(), "derivatives");
    queue_.launch(kernels::flow_gradient, Range{at.width, at.height, count_}, images(level),
                  gradients, at.width, at.height);
    return gradients;
}

}  // namespace tesela
