#include "segmentation/climb.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>
#include <tuple>

#include "kernels/mean_shift.kernel.h"

namespace tesela {
namespace {

// The counters of mean_shift.kernel.h.
enum Counter { capped = 1, listed = 2, rounds_taken = 8, counters_size = 16 };

// Rows of features begin at different banks of a GPU's memory: 8 words apart, modulo 16. Blocks of
// samples may read past the last row.
constexpr std::int64_t bank_words = 16, bank_offset = 8, longest_block = 16;

std::int64_t pitch_of(const Shape& shape) {
    return shape.x + (bank_offset - shape.x % bank_words + bank_words) % bank_words;
}

std::int64_t rows_of(const Shape& shape) { return shape.y * shape.z * shape.t; }

std::int64_t axes_of(const Shape& shape) { return shape.t > 1 ? 4 : shape.z > 1 ? 3 : 2; }

// So many points that a slice of `pairs` point-sample pairs stays short enough to stop on request.
std::int64_t points_per_slice(const Shape& shape, double samples, double pairs, double fewest) {
    constexpr double usual_rounds = 15, most = 1 << 26;
    return std::min(
        static_cast<std::int64_t>(std::clamp(pairs / (samples * usual_rounds), fewest, most)),
        shape.points());
}

class Climb {
  public:
    Climb(Queue& queue, const Shape& shape, int channels, const Window& window,
          Buffer<std::int32_t>& modes)
        : queue_(queue),
          shape_(shape),
          channels_(channels),
          window_(window),
          modes_(modes),
          features_(queue.allocate<std::int32_t>(
              pitch_of(shape) * rows_of(shape) * channels + longest_block, "features by rows")),
          counters_(queue.allocate<std::uint32_t>(counters_size, "counters of the climb")) {
        queue.launch(kernels::mean_shift_spread, Range{shape.x, rows_of(shape) * channels}, modes,
                     features_, static_cast<int>(shape.x), static_cast<int>(pitch_of(shape)));
    }

    ClimbCounts alone(int max_iterations, const std::function<void(double)>& report) {
        const std::int64_t slice = points_per_slice(shape_, window_.samples, 1e8, 256);
        return by_slices(slice, report, [&](std::int64_t first, std::int64_t count) {
            launch_alone(first, count, max_iterations);
            return capped;
        });
    }

    // Few items a point as long as there are many points, which keeps them all busy; then many
    // items for each of the few points that need many rounds, which makes a round short.
    ClimbCounts together(int max_iterations, const std::function<void(double)>& report) {
        constexpr int first_rounds = 24, last_lanes = 8;
        constexpr std::int64_t many_points = 1 << 21;
        const std::int64_t slice = points_per_slice(shape_, window_.samples, 2e11, 65536);
        positions_ = queue_.allocate<std::int32_t>(axes_of(shape_) * slice, "positions");
        list_ = queue_.allocate<std::uint32_t>(slice, "moving points");
        return by_slices(slice, report, [&](std::int64_t first, std::int64_t count) {
            launch_together(first, count, std::min(max_iterations, first_rounds),
                            count < many_points ? 2 : 1, 0);
            if (max_iterations <= first_rounds) return listed;
            launch_together(first, count, max_iterations - first_rounds, last_lanes, 1);
            return capped;
        });
    }

  private:
    // `climb_slice` says which counter then holds the points that still move.
    template <class ClimbSlice>
    ClimbCounts by_slices(std::int64_t slice, const std::function<void(double)>& report,
                          const ClimbSlice& climb_slice) {
        ClimbCounts counts;
        const std::int64_t points = shape_.points();
        for (std::int64_t first = 0; first < points; first += slice) {
            if (report) report(static_cast<double>(first) / static_cast<double>(points));
            queue_.fill(counters_, std::uint32_t{0});
            const Counter still_moving = climb_slice(first, std::min(slice, points - first));
            std::array<std::uint32_t, counters_size> found{};
            queue_.read(counters_, std::span<std::uint32_t>(found));
            counts.iterations =
                std::accumulate(found.begin() + rounds_taken, found.end(), counts.iterations);
            counts.still_moving += found[still_moving];
        }
        return counts;
    }

    void launch_alone(std::int64_t first, std::int64_t count, int rounds) {
        const auto go = [&](const auto& kernel) {
            launch(kernel, Range{count}, std::tie(features_, modes_, counters_),
                   static_cast<int>(first), rounds);
        };
        if (channels_ == 3)
            go(kernels::mean_shift_climb_3);
        else
            go(kernels::mean_shift_climb_1);
    }

    void launch_together(std::int64_t first, std::int64_t count, int rounds, int lanes,
                         int resumes) {
        constexpr std::int64_t group = 64, groups_per_unit = 16;
        const std::int64_t resident = queue_.device().properties().compute_units * groups_per_unit;
        const Groups groups{std::min((count * lanes + group - 1) / group, resident)};
        const auto go = [&](const auto& kernel) {
            launch(kernel, groups, std::tie(features_, modes_, positions_, list_, counters_),
                   static_cast<int>(first), static_cast<int>(count), rounds, lanes, resumes);
        };
        if (channels_ == 3)
            go(kernels::mean_shift_climb_together_3);
        else
            go(kernels::mean_shift_climb_together_1);
    }

    // Launches with `buffers`, what the kernels know of image and window, and `own`.
    template <class Kernel, class Size, class... Buffers, class... Own>
    void launch(const Kernel& kernel, const Size& size, std::tuple<Buffers&...> buffers,
                Own... own) {
        const Window& w = window_;
        const auto go = [&](auto&... buffer) {
            queue_.launch(kernel, size, buffer..., static_cast<int>(shape_.x),
                          static_cast<int>(shape_.y), static_cast<int>(shape_.z),
                          static_cast<int>(shape_.t), static_cast<int>(pitch_of(shape_)),
                          w.steps[0], w.steps[1], w.steps[2], w.steps[3], inverse_step(0),
                          inverse_step(1), inverse_step(2), inverse_step(3), radius_in_steps(0),
                          radius_in_steps(1), radius_in_steps(2), radius_in_steps(3),
                          static_cast<float>(1 / std::sqrt(static_cast<double>(w.spatial_limit2))),
                          w.spatial_limit2, w.time_limit2, w.range_limit2, w.inverse_spatial2,
                          w.inverse_time2, w.inverse_range2, w.epsilon2, own...);
        };
        std::apply(go, buffers);
    }

    float inverse_step(int axis) const { return 1.0f / static_cast<float>(window_.steps[axis]); }
    float radius_in_steps(int axis) const {
        const std::int64_t limit2 = axis < 3 ? window_.spatial_limit2 : window_.time_limit2;
        return static_cast<float>(std::sqrt(static_cast<double>(limit2)) / window_.steps[axis]);
    }

    Queue& queue_;
    const Shape& shape_;
    const int channels_;
    const Window& window_;
    Buffer<std::int32_t>& modes_;
    Buffer<std::int32_t> features_;
    Buffer<std::uint32_t> counters_;
    Buffer<std::int32_t> positions_;
    Buffer<std::uint32_t> list_;
};

}  // namespace

ClimbCounts climb_alone(Queue& queue, const Shape& shape, int channels, const Window& window,
                        int max_iterations, Buffer<std::int32_t>& modes,
                        const std::function<void(double)>& report) {
    return Climb(queue, shape, channels, window, modes).alone(max_iterations, report);
}

ClimbCounts climb_together(Queue& queue, const Shape& shape, int channels, const Window& window,
                           int max_iterations, Buffer<std::int32_t>& modes,
                           const std::function<void(double)>& report) {
    return Climb(queue, shape, channels, window, modes).together(max_iterations, report);
}

ClimbCounts climb(Queue& queue, const Shape& shape, int channels, const Window& window,
                  int max_iterations, Buffer<std::int32_t>& modes,
                  const std::function<void(double)>& report) {
    const auto form = queue.device().properties().is_gpu ? climb_together : climb_alone;
    return form(queue, shape, channels, window, max_iterations, modes, report);
}

std::int64_t climb_bytes(const Shape& shape, int channels) {
    const std::int64_t features = pitch_of(shape) * rows_of(shape) * channels + longest_block;
    const std::int64_t moving = shape.points() * (axes_of(shape) + 1);
    return (features + moving + counters_size) * static_cast<std::int64_t>(sizeof(std::int32_t));
}

}  // namespace tesela
