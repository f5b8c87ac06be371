#include "motion/pyramid.h"

#include <algorithm>
#include <cmath>

#include "kernels/flow_levels.kernel.h"
#include "kernels/horn_schunck.kernel.h"

namespace tesela {
namespace {

// A Gaussian that leaves little above the sampling rate of the next level, out to three of its
// standard deviations.
std::vector<float> smoothing_weights(double scale) {
    const double sigma = 0.6 * std::sqrt(1 / (scale * scale) - 1);
    constexpr int most = (kernels::flow_shrink_taps - 4) / 2;
    const int radius = std::clamp(static_cast<int>(std::ceil(3 * sigma)), 1, most);
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

Pyramid::Pyramid(Queue& queue, std::vector<LevelSize> sizes, double scale,
                 const DeviceFrames& frames)
    : queue_(queue),
      sizes_(std::move(sizes)),
      finest_(frames),
      smoothing_(
          queue.upload(std::span<const float>(smoothing_weights(scale)), "smoothing weights")) {}

void Pyramid::build() {
    const int radius = static_cast<int>(smoothing_.size() - 1) / 2;
    for (int level = 1; level < levels(); ++level) {
        const LevelSize &from = size(level - 1), &to = size(level);
        auto images = queue_.allocate<float>(finest_.count * to.points(), "smaller frames");
        queue_.launch(kernels::flow_shrink, Range{to.width, to.height, finest_.count},
                      this->images(level - 1), smoothing_, images, from.width, from.height,
                      to.width, to.height, radius);
        smaller_.push_back(std::move(images));
    }
}

Buffer<float> Pyramid::flow_planes(int level, const char* name) const {
    return queue_.allocate<float>(2 * pairs() * size(level).points() + 2 * kernels::flow_margin,
                                  name);
}

Buffer<float> Pyramid::enlarge(const Buffer<float>& flow, int level) const {
    const LevelSize &from = size(level), &to = size(level - 1);
    auto larger = flow_planes(level - 1, "flow");
    queue_.launch(kernels::flow_enlarge, Range{to.width, to.height, 2 * pairs()}, flow, larger,
                  from.width, from.height, to.width, to.height);
    return larger;
}

Buffer<float> Pyramid::interleave(const Buffer<float>& flow) const {
    const std::int64_t points = size(0).points();
    auto fields = queue_.allocate<float>(2 * pairs() * points, "flow fields");
    queue_.launch(kernels::flow_interleave_f32, Range{points, pairs()}, flow, fields, points);
    return fields;
}

Buffer<float> Pyramid::gradients(int level) const {
    const LevelSize& at = size(level);
    auto gradients = queue_.allocate<float>(2 * finest_.count * at.points(), "derivatives");
    queue_.launch(kernels::flow_gradient, Range{at.width, at.height, finest_.count}, images(level),
                  gradients, at.width, at.height);
    return gradients;
}

}  // namespace tesela
