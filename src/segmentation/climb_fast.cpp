#include "segmentation/climb_fast.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>

#include "kernels/mean_shift_fast.kernel.h"

namespace tesela {
namespace {

// These make the quality and the time of the preset (docs/mean-shift.md). Widths of a cell are in
// bandwidths; samples stand so far apart that a window has this many of them from its center to its
// end, in images of two axes and of more, and along the time axis.
constexpr double spatial_width = 0.5, range_width = 0.75;
constexpr double flat_reach = 4, deep_reach = 2.5, time_reach = 2;
// Means of so few samples say no more than this about where a mode is; a finer stop costs rounds in
// vain.
constexpr float finest_epsilon = 0.05f;
// A bandwidth has at most 2^12 units of a position, so that sums over a window are exact in floats.
constexpr int bandwidth_bits = 12;
// A range bandwidth has usually 1024 levels of a value; with fewer than this its window is coarse.
constexpr double fewest_levels = 16;
// Fewer groups than this leave a GPU waiting for the longest of them: then they are halved.
constexpr std::int64_t few_tiles = 1 << 14;

using PerAxis = std::array<double, 4>;
using Lengths = std::array<int, 4>;

int axes_of(const Shape& shape) { return shape.z == 1 && shape.t == 1 ? 2 : 4; }

// Samples of a window along x: as T_WINDOW of the kernels.
int window_of(const Shape& shape) { return axes_of(shape) == 2 ? 8 : 5; }

// The bandwidth along each axis, in points.
PerAxis bandwidths(const Window& window) {
    PerAxis result{};
    for (std::size_t a = 0; a < 4; ++a)
        result[a] =
            std::sqrt(static_cast<double>(a < 3 ? window.spatial_limit2 : window.time_limit2)) /
            window.steps[a];
    return result;
}

std::int64_t product(const Lengths& n) { return std::int64_t{n[0]} * n[1] * n[2] * n[3]; }

// The image cut into bricks, tiles of whole bricks, and a lattice of samples.
struct Layout {
    Lengths points{}, brick{}, tile{}, pitch{}, samples{};
    std::array<float, 3> scale{};  // of distances, by the spacing of the axis
    int units = 1;                 // of a position, from point to point
    int margin = 0, width = 0;     // of a row of the lattice: samples beside the image, and all
    std::uint32_t per_level = 0;   // cells, times 2^32
    // Squares of the bandwidths in units and in levels.
    float spatial_limit2 = 0, time_limit2 = 0, range_limit2 = 0;

    Layout(const Shape& shape, const Window& window) {
        points = {static_cast<int>(shape.x), static_cast<int>(shape.y), static_cast<int>(shape.z),
                  static_cast<int>(shape.t)};
        const PerAxis bandwidth = bandwidths(window);
        cut(bandwidth);
        choose_units(bandwidth);
        place_samples(bandwidth, axes_of(shape) == 2 ? flat_reach : deep_reach);
        margin = window_of(shape) / 2;
        width = samples[0] + window_of(shape);
        const double radius = std::sqrt(double{window.range_limit2}) / (1 << kernels::T_LEVEL_BITS);
        if (radius < fewest_levels)
            throw InvalidArgument(
                "the values span too many range bandwidths for --fast: leave it "
                "out, or take a range bandwidth " +
                std::to_string(std::lround(std::ceil(fewest_levels / radius))) + " times as large");
        // A radius has at most 2^10 levels and a level at most 21 bits: with one more than the
        // fraction the product's upper word is the quotient.
        const auto cell_width = static_cast<std::uint64_t>(std::lround(range_width * radius));
        per_level = static_cast<std::uint32_t>((std::uint64_t{1} << 32) / cell_width + 1);
        range_limit2 = static_cast<float>(radius * radius);
    }

    std::int64_t tiles() const {
        Lengths count{};
        for (std::size_t a = 0; a < 4; ++a) count[a] = (points[a] + tile[a] - 1) / tile[a];
        return product(count);
    }
    float per_unit(std::size_t axis) const { return 1 / static_cast<float>(pitch[axis]); }
    std::int64_t rows() const { return std::int64_t{samples[1]} * samples[2] * samples[3]; }

  private:
    void cut(const PerAxis& bandwidth) {
        for (std::size_t a = 0; a < 4; ++a)
            brick[a] = static_cast<int>(std::clamp(std::round(spatial_width * bandwidth[a]), 1.0,
                                                   std::min<double>(points[a], kernels::T_TILE)));
        while (product(brick) > kernels::T_TILE) --*std::max_element(brick.begin(), brick.end());
        choose_tile(kernels::T_TILE);
        if (tiles() < few_tiles) choose_tile(kernels::T_TILE / 2);
    }

    // Whole bricks, as many as a tile of so many points holds.
    void choose_tile(int most) {
        tile = brick;
        for (bool grows = true; grows;) {
            grows = false;
            for (std::size_t a = 0; a < 4; ++a)
                if (tile[a] < points[a] && 2 * product(tile) <= most) {
                    tile[a] *= 2;
                    grows = true;
                }
        }
    }

    void choose_units(const PerAxis& bandwidth) {
        int bits = bandwidth_bits;
        for (std::size_t a = 0; a < 4; ++a) {
            const double widest = std::min<double>(bandwidth[a], points[a]);
            bits = std::min({bits, bandwidth_bits - static_cast<int>(std::ceil(std::log2(widest))),
                             29 - static_cast<int>(std::ceil(std::log2(points[a])))});
        }
        constexpr int longest_axis = 1 << 29;
        if (*std::max_element(points.begin(), points.end()) > longest_axis)
            throw InvalidArgument("--fast takes at most " + std::to_string(longest_axis) +
                                  " points along an axis");
        if (bits < 0)
            throw InvalidArgument("the window is more than " + std::to_string(2 << bandwidth_bits) +
                                  " points wide, which --fast does not take");
        units = 1 << bits;
        for (std::size_t a = 0; a < 3; ++a)
            scale[a] = static_cast<float>(bandwidth[0] / bandwidth[a]);
        spatial_limit2 = static_cast<float>(std::pow(bandwidth[0] * units, 2));
        time_limit2 = static_cast<float>(std::pow(bandwidth[3] * units, 2));
    }

    void place_samples(const PerAxis& bandwidth, double reach) {
        for (std::size_t a = 0; a < 4; ++a) {
            const double apart =
                std::min<double>(bandwidth[a], points[a]) / (a < 3 ? reach : time_reach);
            pitch[a] = static_cast<int>(std::lround(std::max(apart, 1.0) * units));
            samples[a] = (points[a] * units + pitch[a] - 1) / pitch[a];
        }
    }
};

class Climb {
  public:
    Climb(Queue& queue, const Shape& shape, int channels, const Window& window)
        : queue_(queue), shape_(shape), channels_(channels), window_(window), l_(shape, window) {}

    ClimbCounts run(int max_iterations, Buffer<std::int32_t>& modes,
                    const std::function<void(double)>& report, const std::function<void()>& then) {
        auto counters = queue_.allocate<std::uint32_t>(kernels::T_COUNTERS, "rounds taken");
        const bool flat = axes_of(shape_) == 2;
        const auto climb_over = [&](const auto& samples, const auto& flat_kernel,
                                    const auto& deep_kernel) {
            if (flat)
                climb(flat_kernel, samples, max_iterations, modes, counters, report);
            else
                climb(deep_kernel, samples, max_iterations, modes, counters, report);
        };
        if (channels_ == 1)
            climb_over(samples<std::uint32_t>(kernels::mean_shift_fast_samples_1, modes, counters),
                       kernels::mean_shift_fast_climb_2_1, kernels::mean_shift_fast_climb_4_1);
        else
            climb_over(samples<std::uint64_t>(kernels::mean_shift_fast_samples_3, modes, counters),
                       kernels::mean_shift_fast_climb_2_3, kernels::mean_shift_fast_climb_4_3);
        return read_counts(counters, then);
    }

  private:
    template <class Sample, class Kernel>
    Buffer<Sample> samples(const Kernel& kernel, const Buffer<std::int32_t>& features,
                           Buffer<std::uint32_t>& counters) {
        auto lattice = queue_.allocate<Sample>(l_.width * l_.rows(), "samples");
        const auto& n = l_.points;
        const auto& pitch = l_.pitch;
        const auto& count = l_.samples;
        queue_.launch(kernel, Range{l_.width, l_.rows()}, features, lattice, counters,
                      shape_.points(), l_.margin, l_.width, n[0], n[1], n[2], n[3], pitch[0],
                      pitch[1], pitch[2], pitch[3], count[0], count[1], count[2], count[3],
                      l_.units, l_.range_limit2);
        return lattice;
    }

    template <class Kernel, class Sample>
    void climb(const Kernel& kernel, const Buffer<Sample>& lattice, int rounds,
               Buffer<std::int32_t>& modes, Buffer<std::uint32_t>& counters,
               const std::function<void(double)>& report) {
        const auto& n = l_.points;
        const auto& tile = l_.tile;
        const auto& brick = l_.brick;
        const auto& pitch = l_.pitch;
        const auto& count = l_.samples;
        const std::int64_t tiles = l_.tiles();
        // So that one launch stays short enough to stop on request.
        const std::int64_t slice = queue_.device().properties().is_gpu ? 1 << 18 : 1 << 11;
        for (std::int64_t first = 0; first < tiles; first += slice) {
            report(static_cast<double>(first) / static_cast<double>(tiles));
            queue_.launch(kernel, Groups{std::min(slice, tiles - first)}, lattice, modes, counters,
                          shape_.points(), static_cast<int>(first), n[0], n[1], n[2], n[3], tile[0],
                          tile[1], tile[2], tile[3], brick[0], brick[1], brick[2], brick[3],
                          pitch[0], pitch[1], pitch[2], pitch[3], count[0], count[1], count[2],
                          count[3], l_.per_unit(0), l_.per_unit(1), l_.per_unit(2), l_.per_unit(3),
                          l_.units, l_.margin, l_.width, l_.per_level, l_.scale[0], l_.scale[1],
                          l_.scale[2], l_.spatial_limit2, l_.time_limit2, l_.range_limit2,
                          1 / l_.spatial_limit2, 1 / l_.time_limit2, 1 / l_.range_limit2,
                          std::max(window_.epsilon2, finest_epsilon * finest_epsilon), rounds);
        }
    }

    ClimbCounts read_counts(const Buffer<std::uint32_t>& counters,
                            const std::function<void()>& then) {
        std::array<std::uint32_t, kernels::T_COUNTERS> values{};
        queue_.read_while(counters, std::span<std::uint32_t>(values), then);
        ClimbCounts counts{0, values[14]};
        for (std::size_t i = 0; i < 7; ++i)
            counts.iterations += values[i] + (std::int64_t{values[i + 7]} << 32);
        return counts;
    }

    Queue& queue_;
    const Shape& shape_;
    const int channels_;
    const Window& window_;
    const Layout l_;
};

}  // namespace

ClimbCounts climb_fast(Queue& queue, const Shape& shape, int channels, const Window& window,
                       int max_iterations, Buffer<std::int32_t>& modes,
                       const std::function<void(double)>& report,
                       const std::function<void()>& then) {
    return Climb(queue, shape, channels, window).run(max_iterations, modes, report, then);
}

std::int64_t climb_fast_bytes(const Shape& shape, int channels) {
    const std::int64_t lattice = (shape.x + window_of(shape)) * shape.y * shape.z * shape.t;
    return (channels == 1 ? 4 : 8) * lattice + 4 * kernels::T_COUNTERS;
}

}  // namespace tesela
