#include "segmentation/mean_shift/mode_seeking_fast.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>

#include "kernels/mean_shift/mean_shift_fast.kernel.h"

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

using Lattice = kernels::mean_shift_fast_lattice;
using PerAxis = std::array<double, 4>;

int axes_of(const Shape& shape) { return shape.z == 1 && shape.t == 1 ? 2 : 4; }

// Samples of a window along x: as MEAN_SHIFT_ROW of the kernels.
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

std::int64_t product(const int (&n)[4]) { return std::int64_t{n[0]} * n[1] * n[2] * n[3]; }

std::int64_t tiles_of(const Lattice& lattice) {
    int count[4];
    for (int a = 0; a < 4; ++a) count[a] = (lattice.n[a] + lattice.tile[a] - 1) / lattice.tile[a];
    return product(count);
}

std::int64_t rows_of(const Lattice& lattice) {
    return std::int64_t{lattice.samples[1]} * lattice.samples[2] * lattice.samples[3];
}

// Whole bricks, as many as a tile of so many points holds.
void choose_tile(Lattice& lattice, int most) {
    std::copy_n(lattice.brick, 4, lattice.tile);
    for (bool grows = true; grows;) {
        grows = false;
        for (int a = 0; a < 4; ++a)
            if (lattice.tile[a] < lattice.n[a] && 2 * product(lattice.tile) <= most) {
                lattice.tile[a] *= 2;
                grows = true;
            }
    }
}

void cut(Lattice& lattice, const PerAxis& bandwidth) {
    auto& brick = lattice.brick;
    for (std::size_t a = 0; a < 4; ++a)
        brick[a] =
            static_cast<int>(std::clamp(std::round(spatial_width * bandwidth[a]), 1.0,
                                        std::min<double>(lattice.n[a], kernels::mean_shift_tile)));
    while (product(brick) > kernels::mean_shift_tile) --*std::max_element(brick, brick + 4);
    choose_tile(lattice, kernels::mean_shift_tile);
    if (tiles_of(lattice) < few_tiles) choose_tile(lattice, kernels::mean_shift_tile / 2);
}

void choose_units(Lattice& lattice, const PerAxis& bandwidth) {
    int bits = bandwidth_bits;
    for (std::size_t a = 0; a < 4; ++a) {
        const double widest = std::min<double>(bandwidth[a], lattice.n[a]);
        bits = std::min({bits, bandwidth_bits - static_cast<int>(std::ceil(std::log2(widest))),
                         29 - static_cast<int>(std::ceil(std::log2(lattice.n[a])))});
    }
    constexpr int longest_axis = 1 << 29;
    if (*std::max_element(lattice.n, lattice.n + 4) > longest_axis)
        throw InvalidArgument("--fast takes at most " + std::to_string(longest_axis) +
                              " points along an axis");
    if (bits < 0)
        throw InvalidArgument("the window is more than " + std::to_string(2 << bandwidth_bits) +
                              " points wide, which --fast does not take");
    lattice.units = 1 << bits;
    for (std::size_t a = 0; a < 3; ++a)
        lattice.scale[a] = static_cast<float>(bandwidth[0] / bandwidth[a]);
    lattice.scale[3] = 1;
    lattice.limit2[0] = static_cast<float>(std::pow(bandwidth[0] * lattice.units, 2));
    lattice.limit2[1] = static_cast<float>(std::pow(bandwidth[3] * lattice.units, 2));
}

void place_samples(Lattice& lattice, const PerAxis& bandwidth, double reach) {
    for (std::size_t a = 0; a < 4; ++a) {
        const double apart =
            std::min<double>(bandwidth[a], lattice.n[a]) / (a < 3 ? reach : time_reach);
        int& pitch = lattice.pitch[a];
        pitch = static_cast<int>(std::lround(std::max(apart, 1.0) * lattice.units));
        lattice.samples[a] = (lattice.n[a] * lattice.units + pitch - 1) / pitch;
        lattice.per_unit[a] = 1 / static_cast<float>(pitch);
    }
}

void choose_cells(Lattice& lattice, double range_limit2) {
    const double radius = std::sqrt(range_limit2) / (1 << kernels::mean_shift_level_bits);
    if (radius < fewest_levels)
        throw InvalidArgument(
            "the values span too many range bandwidths for --fast: leave it "
            "out, or take a range bandwidth " +
            std::to_string(std::lround(std::ceil(fewest_levels / radius))) + " times as large");
    // A radius has at most 2^10 levels and a level at most 21 bits: with one more than the
    // fraction the product's upper word is the quotient.
    const auto width = static_cast<std::uint64_t>(std::lround(range_width * radius));
    lattice.per_level = static_cast<std::uint32_t>((std::uint64_t{1} << 32) / width + 1);
    lattice.limit2[2] = static_cast<float>(radius * radius);
}

Lattice lattice_of(const Shape& shape, const Window& window) {
    Lattice lattice{};
    lattice.points = shape.points();
    const std::int64_t n[] = {shape.x, shape.y, shape.z, shape.t};
    for (int a = 0; a < 4; ++a) lattice.n[a] = static_cast<int>(n[a]);
    const PerAxis bandwidth = bandwidths(window);
    cut(lattice, bandwidth);
    choose_units(lattice, bandwidth);
    place_samples(lattice, bandwidth, axes_of(shape) == 2 ? flat_reach : deep_reach);
    choose_cells(lattice, double{window.range_limit2});
    for (int k = 0; k < 3; ++k) lattice.inverse_limit2[k] = 1 / lattice.limit2[k];
    lattice.margin = window_of(shape) / 2;
    lattice.width = lattice.samples[0] + window_of(shape);
    return lattice;
}

class ModeSeeking {
  public:
    ModeSeeking(Queue& queue, const Shape& shape, int channels, const Window& window)
        : queue_(queue),
          shape_(shape),
          channels_(channels),
          epsilon2_(std::max(window.epsilon2, finest_epsilon * finest_epsilon)),
          lattice_(lattice_of(shape, window)) {}

    ModeSeekingCounts run(int max_iterations, Buffer<std::int32_t>& modes,
                          const std::function<void(double)>& report,
                          const std::function<void()>& then) {
        auto counters =
            queue_.allocate<std::uint32_t>(kernels::mean_shift_counters, "rounds taken");
        const bool flat = axes_of(shape_) == 2;
        const auto seek_with = [&](const auto& samples, const auto& flat_kernel,
                                   const auto& deep_kernel) {
            if (flat)
                seek_modes(flat_kernel, samples, max_iterations, modes, counters, report);
            else
                seek_modes(deep_kernel, samples, max_iterations, modes, counters, report);
        };
        if (channels_ == 1)
            seek_with(samples<std::uint32_t>(kernels::mean_shift_fast_samples_1, modes, counters),
                      kernels::mean_shift_fast_seek_modes_2_1,
                      kernels::mean_shift_fast_seek_modes_4_1);
        else
            seek_with(samples<std::uint64_t>(kernels::mean_shift_fast_samples_3, modes, counters),
                      kernels::mean_shift_fast_seek_modes_2_3,
                      kernels::mean_shift_fast_seek_modes_4_3);
        return read_counts(counters, then);
    }

  private:
    template <class Sample, class Kernel>
    Buffer<Sample> samples(const Kernel& kernel, const Buffer<std::int32_t>& features,
                           Buffer<std::uint32_t>& counters) {
        const std::int64_t rows = rows_of(lattice_);
        auto result = queue_.allocate<Sample>(lattice_.width * rows, "samples");
        queue_.launch(kernel, Range{lattice_.width, rows}, features, result, counters, lattice_);
        return result;
    }

    template <class Kernel, class Sample>
    void seek_modes(const Kernel& kernel, const Buffer<Sample>& samples, int rounds,
                    Buffer<std::int32_t>& modes, Buffer<std::uint32_t>& counters,
                    const std::function<void(double)>& report) {
        const std::int64_t tiles = tiles_of(lattice_);
        // So that one launch stays short enough to stop on request.
        const std::int64_t slice = prefers_groups(queue_.device()) ? 1 << 18 : 1 << 11;
        for (std::int64_t first = 0; first < tiles; first += slice) {
            report(static_cast<double>(first) / static_cast<double>(tiles));
            queue_.launch(kernel, Groups{std::min(slice, tiles - first)}, samples, modes, counters,
                          lattice_, static_cast<int>(first), epsilon2_, rounds);
        }
    }

    ModeSeekingCounts read_counts(const Buffer<std::uint32_t>& counters,
                                  const std::function<void()>& then) {
        std::array<std::uint32_t, kernels::mean_shift_counters> values{};
        queue_.read_while(counters, std::span<std::uint32_t>(values), then);
        ModeSeekingCounts counts{0, values[14]};
        for (std::size_t i = 0; i < 7; ++i)
            counts.iterations += values[i] + (std::int64_t{values[i + 7]} << 32);
        return counts;
    }

    Queue& queue_;
    const Shape& shape_;
    const int channels_;
    const float epsilon2_;
    const Lattice lattice_;
};

}  // namespace

ModeSeekingCounts seek_modes_fast(Queue& queue, const Shape& shape, int channels,
                                  const Window& window, int max_iterations,
                                  Buffer<std::int32_t>& modes,
                                  const std::function<void(double)>& report,
                                  const std::function<void()>& then) {
    return ModeSeeking(queue, shape, channels, window).run(max_iterations, modes, report, then);
}

std::int64_t mode_seeking_fast_bytes(const Shape& shape, int channels) {
    const std::int64_t lattice = (shape.x + window_of(shape)) * shape.y * shape.z * shape.t;
    return (channels == 1 ? 4 : 8) * lattice + 4 * kernels::mean_shift_counters;
}

}  // namespace tesela
