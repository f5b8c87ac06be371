#include "segmentation/mean_shift/thesis/mode_seeking.h"

#include <array>
#include <bit>
#include <chrono>
#include <span>
#include <utility>

#include "kernels/mean_shift/thesis_loop.kernel.h"
#include "tesela/compute/primitives.h"

namespace tesela::thesis {
namespace {

constexpr std::int64_t group = 256;

constexpr std::array iterate{kernels::thesis_iterate_2x1, kernels::thesis_iterate_2x3,
                             kernels::thesis_iterate_3x1, kernels::thesis_iterate_3x3,
                             kernels::thesis_iterate_4x1, kernels::thesis_iterate_4x3};

// The points that still move. It is compacted after every round.
class PointQueue {
  public:
    PointQueue(Queue& queue, std::int64_t points)
        : points_(queue.allocate<std::uint32_t>(points, "queue of points")),
          moving_points_(queue.allocate<std::uint32_t>(points, "next queue of points")),
          moving_(queue.allocate<std::uint8_t>(points, "marks of the queue")),
          kept_(queue.allocate<std::uint32_t>(1, "length of the queue")),
          length_(points) {
        queue.launch(kernels::thesis_start_queue, Range{points}, points_);
    }

    std::int64_t length() const { return length_; }
    const Buffer<std::uint32_t>& points() const { return points_; }
    Buffer<std::uint8_t>& moving() { return moving_; }

    // Keeps the points that are marked, in their order. The thesis does not say how; this uses
    // prefix sums.
    void shorten(Queue& queue) {
        compact(queue, points_, moving_, length_, moving_points_, kept_);
        std::swap(points_, moving_points_);
        std::array<std::uint32_t, 1> kept{};
        queue.read(kept_, std::span<std::uint32_t>(kept));
        length_ = kept[0];
    }

  private:
    Buffer<std::uint32_t> points_, moving_points_;
    Buffer<std::uint8_t> moving_;
    Buffer<std::uint32_t> kept_;
    std::int64_t length_;
};

void launch_round(Queue& queue, Samples& samples, const Grid& grid, const Window& w,
                  PointQueue& active) {
    const kernels::thesis_round round{
        w.spatial_limit2, w.time_limit2,    w.range_limit2, w.inverse_spatial2,
        w.inverse_time2,  w.inverse_range2, w.epsilon2,     static_cast<int>(active.length())};
    const std::int64_t groups = (active.length() + group - 1) / group;
    queue.launch(iterate[samples.layout.variant()], Groups{groups}, samples.vectors,
                 samples.positions, grid.points, grid.first, grid.last, active.points(),
                 active.moving(), std::bit_cast<kernels::thesis_cells>(grid.axes), round);
}

}  // namespace

ModeSeekingCounts seek_modes(Queue& queue, Samples& samples, const Grid& grid, const Window& window,
                             std::int64_t points, int max_iterations, const Progress& progress,
                             double begin, double end, ThesisReport& report) {
    PointQueue active(queue, points);
    ModeSeekingCounts counts;
    for (int round = 0; active.length() > 0 && round < max_iterations; ++round) {
        const double done = 1 - static_cast<double>(active.length()) / static_cast<double>(points);
        progress.report(begin + (end - begin) * done, "mean-shift loop");
        const auto started = std::chrono::steady_clock::now();
        const std::int64_t length = active.length();
        launch_round(queue, samples, grid, window, active);
        active.shorten(queue);
        const std::chrono::duration<double, std::milli> taken =
            std::chrono::steady_clock::now() - started;
        report.rounds.push_back({length, (length + group - 1) / group * group, taken.count()});
        counts.iterations += length;
    }
    counts.still_moving = active.length();
    return counts;
}

void mode_colors(Queue& queue, const Samples& samples, std::int64_t points,
                 Buffer<std::int32_t>& modes) {
    const VectorLayout& layout = samples.layout;
    queue.launch(kernels::thesis_mode_colors, Range{points}, samples.positions, modes, points,
                 layout.range, layout.dimension(), layout.spatial);
}

}  // namespace tesela::thesis
