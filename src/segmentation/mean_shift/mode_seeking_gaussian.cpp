#include "segmentation/mean_shift/mode_seeking_gaussian.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "kernels/mean_shift/mean_shift_gaussian.kernel.h"
#include "tesela/compute/primitives.h"

namespace tesela {
namespace {

constexpr int rounds_per_launch = 8, counter_count = 16;
constexpr double limit_scale = gaussian_reach * gaussian_reach;

// Samples in the truncated window: a flat one of the same bandwidths holds window.samples.
double samples_of(const Shape& shape, const Window& window) {
    const int axes = (shape.z > 1 ? 3 : 2) + (shape.t > 1 ? 1 : 0);
    return std::min(window.samples * std::pow(gaussian_reach, axes),
                    static_cast<double>(shape.points()));
}

// The weight of a sample at the point itself: as fine as sums of all weights below 2^40 allow.
float heaviest_weight(double samples) {
    constexpr int finest_bits = 18, sum_bits = 40;
    const int bits = sum_bits - static_cast<int>(std::ceil(std::log2(samples)));
    return std::ldexp(1.0f, std::min(bits, finest_bits));
}

kernels::mean_shift_gaussian_window gaussian_of(const Shape& shape, const Window& window,
                                                double samples) {
    kernels::mean_shift_gaussian_window g{};
    g.points = shape.points();
    const std::int64_t n[] = {shape.x, shape.y, shape.z, shape.t};
    for (std::size_t a = 0; a < 4; ++a) {
        g.n[a] = static_cast<int>(n[a]);
        g.step[a] = window.steps[a];
    }
    g.spatial_limit2 = static_cast<float>(limit_scale * static_cast<double>(window.spatial_limit2));
    g.time_limit2 = static_cast<float>(limit_scale * static_cast<double>(window.time_limit2));
    g.range_limit2 = static_cast<float>(limit_scale * double{window.range_limit2});
    g.inverse_spatial2 = window.inverse_spatial2;
    g.inverse_time2 = window.inverse_time2;
    g.inverse_range2 = window.inverse_range2;
    g.epsilon2 = window.epsilon2;
    g.heaviest = heaviest_weight(samples);
    return g;
}

class ModeSeeking {
  public:
    ModeSeeking(Queue& queue, const Shape& shape, int channels, const Window& window,
                Buffer<std::int32_t>& modes)
        : queue_(queue),
          shape_(shape),
          channels_(channels),
          samples_(samples_of(shape, window)),
          gaussian_(gaussian_of(shape, window, samples_)),
          modes_(modes),
          features_(queue.allocate<std::int32_t>(modes.size(), "features")),
          positions_(queue.allocate<std::int32_t>(4 * shape.points(), "positions")),
          active_(queue.allocate<std::uint32_t>(shape.points(), "moving points")),
          still_active_(queue.allocate<std::uint32_t>(shape.points(), "points that go on moving")),
          moving_(queue.allocate<std::uint8_t>(shape.points(), "moving flags")),
          kept_(queue.allocate<std::uint32_t>(1, "number of moving points")),
          iterations_(queue.allocate<std::uint32_t>(counter_count, "rounds taken")) {
        queue.copy(modes, features_);
        queue.launch(kernels::mean_shift_gaussian_start, Range{shape.points()}, positions_, active_,
                     gaussian_);
    }

    ModeSeekingCounts run(int max_iterations, const std::function<void(double)>& report) {
        const std::int64_t points = shape_.points();
        ModeSeekingCounts counts{0, points};
        for (int done = 0; counts.still_moving > 0 && done < max_iterations;) {
            const int rounds = std::min(rounds_per_launch, max_iterations - done);
            const std::int64_t slice = points_per_launch(rounds);
            queue_.fill(iterations_, std::uint32_t{0});
            for (std::int64_t first = 0; first < counts.still_moving; first += slice) {
                report(static_cast<double>(points - counts.still_moving + first) /
                       static_cast<double>(points));
                launch(first, std::min(slice, counts.still_moving - first), rounds);
            }
            compact(queue_, active_, moving_, counts.still_moving, still_active_, kept_);
            std::swap(active_, still_active_);
            read_counts(counts);
            done += rounds;
        }
        return counts;
    }

  private:
    // How many points one launch takes, so that it stays short enough to stop on request.
    std::int64_t points_per_launch(int rounds) const {
        const bool gpu = prefers_groups(queue_.device());
        const double fitting = (gpu ? 1e10 : 5e7) / (samples_ * rounds);
        return static_cast<std::int64_t>(std::max(fitting, gpu ? 16384.0 : 64.0));
    }

    void launch(std::int64_t first, std::int64_t count, int rounds) {
        const auto go = [&](const auto& kernel) {
            queue_.launch(kernel, Range{count}, features_, modes_, positions_, active_, moving_,
                          iterations_, gaussian_, static_cast<int>(first), rounds);
        };
        if (channels_ == 3)
            go(kernels::mean_shift_gaussian_seek_modes_3);
        else
            go(kernels::mean_shift_gaussian_seek_modes_1);
    }

    void read_counts(ModeSeekingCounts& counts) {
        std::array<std::uint32_t, 1> remaining{};
        std::array<std::uint32_t, counter_count> taken{};
        queue_.read(kept_, std::span<std::uint32_t>(remaining));
        queue_.read(iterations_, std::span<std::uint32_t>(taken));
        counts.iterations = std::accumulate(taken.begin(), taken.end(), counts.iterations);
        counts.still_moving = remaining[0];
    }

    Queue& queue_;
    const Shape& shape_;
    const int channels_;
    const double samples_;
    const kernels::mean_shift_gaussian_window gaussian_;
    Buffer<std::int32_t>& modes_;
    Buffer<std::int32_t> features_;
    Buffer<std::int32_t> positions_;
    Buffer<std::uint32_t> active_, still_active_;
    Buffer<std::uint8_t> moving_;
    Buffer<std::uint32_t> kept_, iterations_;
};

}  // namespace

ModeSeekingCounts seek_modes_gaussian(Queue& queue, const Shape& shape, int channels,
                                      const Window& window, int max_iterations,
                                      Buffer<std::int32_t>& modes,
                                      const std::function<void(double)>& report,
                                      const std::function<void()>& then) {
    const ModeSeekingCounts counts =
        ModeSeeking(queue, shape, channels, window, modes).run(max_iterations, report);
    then();
    return counts;
}

std::int64_t mode_seeking_gaussian_bytes(const Shape& shape, int channels) {
    const std::int64_t per_point = 4 * channels + 4 * 4 + 2 * 4 + 1;
    return shape.points() * per_point + 4 * (1 + counter_count);
}

}  // namespace tesela
