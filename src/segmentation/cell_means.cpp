#include "segmentation/cell_means.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>

#include "kernels/cell_means.kernel.h"
#include "tesela/compute/primitives.h"

namespace tesela {
namespace {

// Widths of a cell in bandwidths: they make the quality and the time of the preset
// (docs/mean-shift.md).
constexpr double spatial_width = 0.5, range_width = 0.75;
// Means of cells say no more than this about where a mode is; a finer stop costs rounds in vain.
constexpr float finest_epsilon = 0.1f;
// The units of the samples: 2^-12 of the bandwidths, which sums of 32 bits hold, or coarser.
constexpr int bandwidth_bits = 12;
constexpr std::int64_t counter_count = 16;

using PerAxis = std::array<double, 4>;

// The bandwidth along each axis, in points.
PerAxis bandwidths(const Window& window) {
    PerAxis result{};
    for (std::size_t a = 0; a < 4; ++a)
        result[a] =
            std::sqrt(static_cast<double>(a < 3 ? window.spatial_limit2 : window.time_limit2)) /
            window.steps[a];
    return result;
}

// The image cut into bricks of pixels, one spatial cell each, and the units of the samples.
struct Cells {
    std::array<int, 4> length{}, size{}, count{};  // points of the image, of a brick; bricks
    std::array<float, 3> scale{};                  // of distances, by the spacing of the axis
    int pixel_units = 1;                           // units from point to point
    int color_unit = 1, range_cell = 1;            // units of the features
    // Squares of the bandwidths in units of the samples.
    float spatial_limit2 = 0, time_limit2 = 0, range_limit2 = 0;

    Cells(const Shape& shape, const Window& window) {
        length = {static_cast<int>(shape.x), static_cast<int>(shape.y), static_cast<int>(shape.z),
                  static_cast<int>(shape.t)};
        const PerAxis bandwidth = bandwidths(window);
        cut(bandwidth);
        choose_units(bandwidth);
        const double radius = std::sqrt(double{window.range_limit2});
        range_cell = static_cast<int>(std::max(1L, std::lround(range_width * radius)));
        color_unit =
            1 << std::max(0, static_cast<int>(std::ceil(std::log2(radius))) - bandwidth_bits);
        range_limit2 = static_cast<float>(std::pow(radius / color_unit, 2));
    }

    std::int64_t bricks() const { return std::int64_t{count[0]} * count[1] * count[2] * count[3]; }

  private:
    void cut(const PerAxis& bandwidth) {
        for (std::size_t a = 0; a < 4; ++a)
            size[a] = static_cast<int>(std::clamp(std::round(spatial_width * bandwidth[a]), 1.0,
                                                  std::min<double>(length[a], 64)));
        while (size[0] * size[1] * size[2] * size[3] > kernels::T_BRICK_PIXELS)
            --*std::max_element(size.begin(), size.end());
        for (std::size_t a = 0; a < 4; ++a) count[a] = (length[a] + size[a] - 1) / size[a];
    }

    void choose_units(const PerAxis& bandwidth) {
        int bits = bandwidth_bits;
        for (std::size_t a = 0; a < 4; ++a) {
            const double widest = std::min<double>(bandwidth[a], length[a]);
            bits = std::min({bits, bandwidth_bits - static_cast<int>(std::ceil(std::log2(widest))),
                             30 - static_cast<int>(std::ceil(std::log2(length[a])))});
        }
        if (bits < 0)
            throw InvalidArgument("the window is more than " + std::to_string(2 << bandwidth_bits) +
                                  " points wide, which --fast does not take");
        pixel_units = 1 << bits;
        for (std::size_t a = 0; a < 3; ++a)
            scale[a] = static_cast<float>(bandwidth[0] / bandwidth[a]);
        spatial_limit2 = static_cast<float>(std::pow(bandwidth[0] * pixel_units, 2));
        time_limit2 = static_cast<float>(std::pow(bandwidth[3] * pixel_units, 2));
    }
};

// What a brick's pixels were replaced by.
struct Samples {
    Buffer<std::uint32_t> starts;   // of each brick's samples
    Buffer<std::uint8_t> of_point;  // the number of its sample in the brick
    Buffer<std::int32_t> means;     // planes: the axes of the variant, then the channels
    Buffer<std::int32_t> weights;
    Buffer<std::int32_t> modes;      // planes
    Buffer<std::uint32_t> counters;  // see the kernel
};

int axes_of(const Shape& shape) { return shape.z == 1 && shape.t == 1 ? 2 : 4; }

class Climb {
  public:
    Climb(Queue& queue, const Shape& shape, int channels, const Window& window)
        : queue_(queue),
          shape_(shape),
          channels_(channels),
          window_(window),
          cells_(shape, window) {}

    ClimbCounts run(int max_iterations, Buffer<std::int32_t>& modes,
                    const std::function<void(double)>& report) {
        const std::int64_t points = shape_.points();
        Samples s{count_samples(modes),
                  queue_.allocate<std::uint8_t>(points, "samples of points"),
                  queue_.allocate<std::int32_t>(points * (axes_of(shape_) + channels_), "samples"),
                  queue_.allocate<std::int32_t>(points, "weights"),
                  queue_.allocate<std::int32_t>(points * channels_, "modes of samples"),
                  queue_.allocate_filled<std::uint32_t>(counter_count, 0u, "rounds taken")};
        const std::int64_t slice = samples_per_launch(max_iterations);
        with_variant([&](const auto& gather, const auto& climb) {
            launch_gather(gather, modes, s);
            for (std::int64_t first = 0; first < points; first += slice) {
                report(static_cast<double>(first) / static_cast<double>(points));
                launch_climb(climb, s, first, std::min(slice, points - first), max_iterations);
            }
        });
        const auto& size = cells_.size;
        const auto& count = cells_.count;
        queue_.launch(kernels::cell_means_scatter, Range{points}, s.starts, s.of_point, s.modes,
                      modes, points, channels_, cells_.length[0], cells_.length[1],
                      cells_.length[2], size[0], size[1], size[2], size[3], count[0], count[1],
                      count[2], cells_.color_unit);
        return read_counts(s.counters);
    }

  private:
    template <class Work>
    void with_variant(const Work& work) const {
        const bool flat = axes_of(shape_) == 2;
        if (flat && channels_ == 1)
            work(kernels::cell_means_gather_2_1, kernels::cell_means_climb_2_1);
        else if (flat)
            work(kernels::cell_means_gather_2_3, kernels::cell_means_climb_2_3);
        else if (channels_ == 1)
            work(kernels::cell_means_gather_4_1, kernels::cell_means_climb_4_1);
        else
            work(kernels::cell_means_gather_4_3, kernels::cell_means_climb_4_3);
    }

    Groups groups() const {
        const auto& count = cells_.count;
        return {count[0], count[1], std::int64_t{count[2]} * count[3]};
    }

    // Where the samples of each brick begin, and last their number.
    Buffer<std::uint32_t> count_samples(const Buffer<std::int32_t>& features) {
        auto samples = queue_.allocate<std::uint32_t>(cells_.bricks(), "samples of bricks");
        auto starts = queue_.allocate<std::uint32_t>(cells_.bricks() + 1, "starts of bricks");
        const auto& length = cells_.length;
        const auto& size = cells_.size;
        const auto count = [&](const auto& kernel) {
            queue_.launch(kernel, groups(), features, samples, shape_.points(), length[0],
                          length[1], length[2], length[3], size[0], size[1], size[2], size[3],
                          cells_.count[2], cells_.range_cell);
        };
        if (channels_ == 3)
            count(kernels::cell_means_count_3);
        else
            count(kernels::cell_means_count_1);
        exclusive_scan(queue_, samples, cells_.bricks(), starts);
        return starts;
    }

    template <class Kernel>
    void launch_gather(const Kernel& kernel, const Buffer<std::int32_t>& features, Samples& s) {
        const auto& length = cells_.length;
        const auto& size = cells_.size;
        queue_.launch(kernel, groups(), features, s.starts, s.of_point, s.means, s.weights,
                      shape_.points(), length[0], length[1], length[2], length[3], size[0], size[1],
                      size[2], size[3], cells_.count[2], cells_.range_cell, cells_.pixel_units,
                      cells_.color_unit);
    }

    template <class Kernel>
    void launch_climb(const Kernel& kernel, Samples& s, std::int64_t first, std::int64_t count,
                      int rounds) {
        const auto& size = cells_.size;
        const auto& bricks = cells_.count;
        const auto& scale = cells_.scale;
        queue_.launch(kernel, Range{count}, s.means, s.weights, s.starts, s.modes, s.counters,
                      shape_.points(), static_cast<int>(first), bricks[0], bricks[1], bricks[2],
                      bricks[3], size[0], size[1], size[2], size[3], cells_.pixel_units, scale[0],
                      scale[1], scale[2], cells_.spatial_limit2, cells_.time_limit2,
                      cells_.range_limit2, 1 / cells_.spatial_limit2, 1 / cells_.time_limit2,
                      1 / cells_.range_limit2,
                      std::max(window_.epsilon2, finest_epsilon * finest_epsilon), rounds);
    }

    // How many samples one launch takes, so that it stays short enough to stop on request.
    std::int64_t samples_per_launch(int rounds) const {
        const bool gpu = queue_.device().properties().is_gpu;
        const double fitting = (gpu ? 2e10 : 1e8) / (window_.samples * std::min(rounds, 20));
        return static_cast<std::int64_t>(std::max(fitting, gpu ? 65536.0 : 256.0));
    }

    ClimbCounts read_counts(const Buffer<std::uint32_t>& counters) {
        std::array<std::uint32_t, counter_count> values{};
        queue_.read(counters, std::span<std::uint32_t>(values));
        ClimbCounts counts{0, values[14]};
        for (std::size_t i = 0; i < 7; ++i)
            counts.iterations += values[i] + (std::int64_t{values[i + 7]} << 32);
        return counts;
    }

    Queue& queue_;
    const Shape& shape_;
    const int channels_;
    const Window& window_;
    const Cells cells_;
};

}  // namespace

ClimbCounts climb_cell_means(Queue& queue, const Shape& shape, int channels, const Window& window,
                             int max_iterations, Buffer<std::int32_t>& modes,
                             const std::function<void(double)>& report) {
    return Climb(queue, shape, channels, window).run(max_iterations, modes, report);
}

std::int64_t cell_means_bytes(const Shape& shape, int channels) {
    constexpr std::int64_t brick = 8;  // at most one a point
    const std::int64_t per_point = 1 + 4 * (axes_of(shape) + channels) + 4 + 4 * channels + brick;
    return shape.points() * per_point + 4 * counter_count + 4;
}

}  // namespace tesela
