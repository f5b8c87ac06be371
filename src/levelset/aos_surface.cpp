#include "levelset/aos_surface.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "kernels/levelset/aos_lines.kernel.h"
#include "tesela/distance.h"
#include "tesela/tridiagonal.h"

namespace tesela {
namespace {

using kernels::i32;
using kernels::u32;

// Lines that are not cut, of which as many as there are follow each other along one axis.
kernels::tridiagonal_layout layout_of(const TridiagonalLines& lines) {
    const auto [ni, nj] = lines.counts;
    const auto [si, sj] = lines.strides;
    const bool together = sj == ni * si;
    kernels::tridiagonal_layout layout{};
    layout.stride = lines.stride;
    layout.rows = layout.part = lines.rows;
    layout.counts[0] = together ? ni * nj : ni;
    layout.counts[1] = 1;
    layout.counts[2] = together ? 1 : nj;
    layout.strides[0] = si;
    layout.strides[2] = together ? 0 : sj;
    layout.part_axis = 1;
    const std::int64_t chunks = (lines.rows - 1) / kernels::tridiagonal_rows_f32 + 1;
    layout.chunks = static_cast<i32>(std::min<std::int64_t>(chunks, kernels::tridiagonal_group));
    layout.together = static_cast<i32>(
        std::min<std::int64_t>(kernels::tridiagonal_group / layout.chunks, layout.counts[0]));
    layout.is_beside = layout.counts[0] > 1 && si < lines.stride;
    return layout;
}

// Whether a group holds lines, and of those beside each other at least four, so that it reads
// neighbors together.
bool fits_group(const kernels::tridiagonal_layout& lines) {
    constexpr std::int64_t items = kernels::tridiagonal_group;
    return lines.rows <= kernels::tridiagonal_rows_f32 * (lines.is_beside ? items / 4 : items);
}

kernels::aos_grid grid_of(const Shape& shape, const std::array<double, 3>& spacing) {
    kernels::aos_grid grid{
        static_cast<i32>(shape.x), static_cast<i32>(shape.y), static_cast<i32>(shape.z), {}};
    for (std::size_t axis = 0; axis < 3; ++axis)
        grid.inverse[axis] = static_cast<float>(1 / spacing[axis]);
    return grid;
}

Range points_of(const Shape& shape) { return {shape.x, shape.y, shape.z}; }

// What elimination leaves of lines, which a CPU keeps for whole groups of lanes.
std::int64_t kept_numbers(const Shape& shape, bool on_cpu) {
    std::int64_t most = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const kernels::tridiagonal_layout lines = layout_of(volume_lines(shape, axis));
        if (!on_cpu && fits_group(lines)) continue;
        const std::int64_t blocks = (lines.counts[0] - 1) / kernels::tridiagonal_lanes + 1;
        most = std::max(most, blocks * kernels::tridiagonal_lanes * lines.counts[2] * lines.rows);
    }
    return std::max<std::int64_t>(2 * most, 1);
}

}  // namespace

std::int64_t Surface::line_bytes(const Shape& shape, const Device& device) {
    return 4 * kept_numbers(shape, device.back_end() == BackEnd::cpu);
}

Surface::Surface(Queue& queue, const Shape& shape, const std::array<double, 3>& spacing,
                 Buffer<float> u, Buffer<float> g, Buffer<std::int8_t> force)
    : queue_(queue),
      shape_(shape),
      spacing_(spacing),
      grid_(grid_of(shape, spacing)),
      u_(std::move(u)),
      g_(std::move(g)),
      steep_(queue.allocate<float>(shape.points(), "gradient of a surface")),
      right_(queue.allocate<float>(shape.points(), "right-hand sides")),
      kept_(queue.allocate<float>(kept_numbers(shape, queue.device().back_end() == BackEnd::cpu),
                                  "lines under way")),
      force_(std::move(force)),
      inside_(queue.allocate_filled<std::uint8_t>(shape.points(), 0, "inside of a surface")),
      counts_(queue.allocate<u32>(kernels::aos_counts, "counts of a surface")) {
    for (const std::int64_t length : {shape.x, shape.y, shape.z}) axes_ += length > 1;
}

void Surface::step(const SurfaceOptions& options) {
    queue_.launch(kernels::aos_prepare, points_of(shape_), u_, g_, force_, steep_, right_,
                  static_cast<float>(options.push / 127), i32{options.geodesic}, i32{options.stops},
                  grid_);
    bool adds = false;
    for (int axis = 0; axis < 3; ++axis) {
        if (volume_lines(shape_, axis).rows == 1 && axes_ > 0) continue;
        solve_lines(axis, options, adds);
        if (axes_ == 0) return;
        adds = true;
    }
}

void Surface::solve_lines(int axis, const SurfaceOptions& options, bool adds) {
    const kernels::tridiagonal_layout lines = layout_of(volume_lines(shape_, axis));
    const double spacing = spacing_[static_cast<std::size_t>(axis)];
    const int axes = std::max(axes_, 1);
    const auto factor = static_cast<float>(2 * axes * options.step / (spacing * spacing));
    const auto share = static_cast<float>(1.0 / axes);
    // A CPU takes lines side by side as vectors.
    if (queue_.device().back_end() == BackEnd::cpu)
        queue_.launch(
            kernels::aos_lanes,
            Range{(lines.counts[0] - 1) / kernels::tridiagonal_lanes + 1, lines.counts[2]}, steep_,
            g_, right_, kept_, u_, factor, share, i32{adds}, lines);
    else if (fits_group(lines))
        queue_.launch(kernels::aos_groups,
                      Groups{(lines.counts[0] - 1) / lines.together + 1, 1, lines.counts[2]},
                      steep_, g_, right_, u_, factor, share, i32{adds}, lines);
    else
        queue_.launch(kernels::aos_line, Range{lines.counts[0], lines.counts[2]}, steep_, g_,
                      right_, kept_, u_, factor, share, i32{adds}, lines);
}

void Surface::redistance() {
    // As far as passes from voxel to voxel come in every direction, so that no step is left there.
    const double shortest = *std::min_element(spacing_.begin(), spacing_.end());
    const auto far = static_cast<float>(reach / std::sqrt(3.0) * shortest);
    queue_.launch(kernels::aos_near, points_of(shape_), u_, steep_, far, grid_);
    for (int k = 1; k < reach; ++k) {
        queue_.launch(kernels::aos_farther, points_of(shape_), steep_, right_, far, grid_);
        std::swap(steep_, right_);
    }
    std::swap(u_, steep_);
}

Surface::Counts Surface::count() {
    constexpr std::int64_t part = kernels::aos_items * kernels::aos_points;
    queue_.fill(counts_, 0u);
    queue_.launch(kernels::aos_count, Groups{(shape_.points() - 1) / part + 1}, u_, inside_,
                  counts_, shape_.points(), grid_);
    const std::vector<u32> counts = queue_.download(counts_);
    return {counts[0], counts[1], counts[2]};
}

Buffer<float> surface_around(Queue& queue, const Shape& shape, const std::array<double, 3>& spacing,
                             const Buffer<std::uint8_t>& inside) {
    auto own = queue.allocate<std::uint8_t>(shape.points(), "object");
    queue.copy(inside, own);
    auto u = signed_distance(queue, shape, spacing, std::move(own));
    const double shortest = *std::min_element(spacing.begin(), spacing.end());
    queue.launch(kernels::aos_between, Range{shape.points()}, u, static_cast<float>(shortest / 2));
    return u;
}

void add_ball(Queue& queue, const Shape& shape, const PlacedBall& ball, double radius, double unit,
              Buffer<float>& u) {
    kernels::aos_ball placed{{}, {}, static_cast<float>(radius), static_cast<float>(unit)};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        placed.center[axis] = static_cast<float>(ball.center[axis]);
        placed.step[axis] = static_cast<float>(ball.step[axis]);
    }
    queue.launch(kernels::aos_add_ball, points_of(shape), u, static_cast<i32>(shape.x),
                 static_cast<i32>(shape.y), placed);
}

}  // namespace tesela
