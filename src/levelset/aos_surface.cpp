#include "levelset/aos_surface.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "kernels/levelset/aos_lines.kernel.h"
#include "tesela/distance.h"
#include "tesela/tridiagonal.h"
#include "transforms/tridiagonal_form.h"

namespace tesela {
namespace {

using kernels::i32;
using kernels::u32;

// Whole lines. Where the strides allow it, one axis counts all of them.
kernels::tridiagonal_layout layout_of(const TridiagonalLines& lines) {
    const auto [ni, nj] = lines.counts;
    const auto [si, sj] = lines.strides;
    const bool is_one_axis = sj == ni * si;
    kernels::tridiagonal_layout layout{};
    layout.stride = lines.stride;
    layout.rows = layout.part = lines.rows;
    layout.counts[0] = is_one_axis ? ni * nj : ni;
    layout.counts[1] = 1;
    layout.counts[2] = is_one_axis ? 1 : nj;
    layout.strides[0] = si;
    layout.strides[2] = is_one_axis ? 0 : sj;
    layout.part_axis = 1;
    const std::int64_t chunks = (lines.rows - 1) / kernels::tridiagonal_rows_f32 + 1;
    layout.chunks = static_cast<i32>(std::min<std::int64_t>(chunks, kernels::tridiagonal_group));
    layout.parts_per_group = static_cast<i32>(
        std::min<std::int64_t>(kernels::tridiagonal_group / layout.chunks, layout.counts[0]));
    layout.is_interleaved = layout.counts[0] > 1 && si < lines.stride;
    return layout;
}

// Whether a group can hold lines, at least four of interleaved ones, so that its reads coalesce.
bool fits_group(const kernels::tridiagonal_layout& lines) {
    constexpr std::int64_t items = kernels::tridiagonal_group;
    return lines.rows <= kernels::tridiagonal_rows_f32 * (lines.is_interleaved ? items / 4 : items);
}

Range points_of(const Shape& shape) { return {shape.x, shape.y, shape.z}; }

// Lines of a box, with the strides of the image.
TridiagonalLines lines_of(const Shape& image, const Shape& box, int axis) {
    TridiagonalLines lines = volume_lines(image, axis);
    const TridiagonalLines own = volume_lines(box, axis);
    lines.rows = own.rows;
    lines.counts = own.counts;
    return lines;
}

// A CPU takes lines in blocks along axis 0 of the layout.
std::int64_t blocks_of(std::int64_t lines) { return (lines - 1) / kernels::tridiagonal_lanes + 1; }
// Numbers that elimination stores for a block.
std::int64_t numbers_of_block(std::int64_t rows) { return 2 * kernels::tridiagonal_lanes * rows; }

// Numbers that elimination stores for the lines in flight. A CPU takes as many at once as need a
// byte a point, but at least the blocks of a slice.
std::int64_t kept_numbers(const Shape& shape, bool in_groups) {
    std::int64_t most = 1;
    for (int axis = 0; axis < 3; ++axis) {
        const TridiagonalLines lines = volume_lines(shape, axis);
        const std::int64_t blocks = lines.counts[1] > 1 ? blocks_of(lines.counts[0]) : 1;
        if (!in_groups)
            most = std::max({most, shape.points() / 4, blocks * numbers_of_block(lines.rows)});
        else if (!fits_group(layout_of(lines)))
            most = std::max(most, 2 * shape.points());
    }
    return most;
}

}  // namespace

std::int64_t Surface::line_bytes(const Shape& shape, const Device& device) {
    return 4 * kept_numbers(shape, takes_tridiagonal_groups(device));
}

Surface::Surface(Queue& queue, const Shape& shape, const std::array<double, 3>& spacing,
                 Buffer<float> u, Buffer<float> g, Buffer<std::int8_t> force)
    : queue_(queue),
      shape_(shape),
      spacing_(spacing),
      u_(std::move(u)),
      g_(std::move(g)),
      steep_(queue.allocate<float>(shape.points(), "gradient of a surface")),
      right_(queue.allocate<float>(shape.points(), "right-hand sides")),
      kept_(queue.allocate<float>(kept_numbers(shape, takes_tridiagonal_groups(queue.device())),
                                  "lines under way")),
      force_(std::move(force)),
      inside_(queue.allocate_filled<std::uint8_t>(shape.points(), 0, "inside of a surface")),
      counts_(queue.allocate<u32>(kernels::aos_counts, "counts of a surface")) {
    for (const std::int64_t length : {shape.x, shape.y, shape.z}) axes_ += length > 1;
    grid_.slice = shape.x * shape.y;
    grid_.row = static_cast<i32>(shape.x);
    for (std::size_t axis = 0; axis < 3; ++axis)
        grid_.inverse[axis] = static_cast<float>(1 / spacing[axis]);
    // The distance that all directions reach within `reach` passes from voxel to voxel: clamping
    // there leaves no jump.
    const double shortest = *std::min_element(spacing_.begin(), spacing_.end());
    grid_.far = static_cast<float>(reach / std::sqrt(3.0) * shortest);
    look_at({0, 0, 0}, shape);
}

void Surface::look_at(const std::array<std::int64_t, 3>& first, const Shape& box) {
    first_ = first;
    box_ = box;
    grid_.first = (first[2] * shape_.y + first[1]) * shape_.x + first[0];
    grid_.nx = static_cast<i32>(box.x);
    grid_.ny = static_cast<i32>(box.y);
    grid_.nz = static_cast<i32>(box.z);
}

void Surface::fit_box(const Counts& counts, std::int64_t margin) {
    if (counts.inside == 0) return;
    // These and u are swapped.
    if (!has_box_)
        for (Buffer<float>* values : {&steep_, &right_}) queue_.fill(*values, grid_.far);
    const std::array<std::int64_t, 3> image{shape_.x, shape_.y, shape_.z};
    const std::array<std::int64_t, 3> before{box_.x, box_.y, box_.z};
    std::array<std::int64_t, 3> first{}, lengths{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        // Rows begin at aligned addresses, so that reads coalesce.
        const std::int64_t unit = axis == 0 ? 32 : 1;
        first[axis] = std::max<std::int64_t>(counts.first[axis] - margin, 0) / unit * unit;
        std::int64_t end = counts.last[axis] + margin + unit;
        end = std::min(end / unit * unit, image[axis]);
        if (has_box_) {
            first[axis] = std::min(first[axis], first_[axis]);
            end = std::max(end, first_[axis] + before[axis]);
        }
        lengths[axis] = end - first[axis];
    }
    has_box_ = true;
    look_at(first, {lengths[0], lengths[1], lengths[2]});
}

void Surface::step(const SurfaceOptions& options) {
    queue_.launch(kernels::aos_prepare, points_of(box_), u_, g_, force_, steep_, right_,
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
    const kernels::tridiagonal_layout lines = layout_of(lines_of(shape_, box_, axis));
    const double spacing = spacing_[static_cast<std::size_t>(axis)];
    const int axes = std::max(axes_, 1);
    const auto factor = static_cast<float>(2 * axes * options.step / (spacing * spacing));
    const auto share = static_cast<float>(1.0 / axes);
    if (!takes_tridiagonal_groups(queue_.device())) {
        // Vectors of adjacent lines, as many at once as there is room for: whole slices, or blocks
        // of the only one.
        const bool slices = lines.counts[2] > 1;
        const std::int64_t blocks = blocks_of(lines.counts[0]);
        const std::int64_t parts = slices ? lines.counts[2] : blocks;
        const std::int64_t numbers = numbers_of_block(lines.rows) * (slices ? blocks : 1);
        const std::int64_t at_once = std::max<std::int64_t>(kept_.size() / numbers, 1);
        for (std::int64_t part = 0; part < parts; part += at_once) {
            kernels::tridiagonal_layout some = lines;
            const std::int64_t left = std::min(at_once, parts - part);
            const std::int64_t before = part * (slices ? 1 : kernels::tridiagonal_lanes);
            if (slices)
                some.counts[2] = left;
            else
                some.counts[0] =
                    std::min(left * kernels::tridiagonal_lanes, lines.counts[0] - before);
            queue_.launch(kernels::aos_lanes, Range{blocks_of(some.counts[0]), some.counts[2]},
                          steep_, g_, right_, kept_, u_, factor, share, i32{adds},
                          grid_.first + before * lines.strides[slices ? 2 : 0], some);
        }
    } else if (fits_group(lines)) {
        queue_.launch(kernels::aos_groups,
                      Groups{(lines.counts[0] - 1) / lines.parts_per_group + 1, 1, lines.counts[2]},
                      steep_, g_, right_, u_, factor, share, i32{adds}, grid_.first, lines);
    } else {
        queue_.launch(kernels::aos_line, Range{lines.counts[0], lines.counts[2]}, steep_, g_,
                      right_, kept_, u_, factor, share, i32{adds}, grid_.first, lines);
    }
}

void Surface::redistance() {
    queue_.launch(kernels::aos_near, points_of(box_), u_, steep_, grid_);
    for (int k = 1; k < reach; ++k) {
        queue_.launch(kernels::aos_farther, points_of(box_), steep_, right_, grid_);
        std::swap(steep_, right_);
    }
    std::swap(u_, steep_);
}

Surface::Counts Surface::count() {
    constexpr std::int64_t part = kernels::aos_items * kernels::aos_points;
    queue_.fill(counts_, 0u);
    queue_.launch(kernels::aos_count, Groups{(box_.points() - 1) / part + 1}, u_, inside_, counts_,
                  box_.points(), grid_);
    const std::vector<u32> found = queue_.download(counts_);
    Counts counts{found[kernels::aos_within], found[kernels::aos_front],
                  found[kernels::aos_changed], first_, first_};
    const std::array<std::int64_t, 3> lengths{box_.x, box_.y, box_.z};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const u32* extent = found.data() + kernels::aos_extent + 2 * axis;
        counts.first[axis] += lengths[axis] - 1 - extent[0];
        counts.last[axis] += extent[1];
    }
    return counts;
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
