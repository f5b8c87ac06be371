// Levels of wavelet transforms on a device, pass by pass.
#pragma once

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>
#include <vector>

#include "transforms/wavelet_steps.h"

namespace tesela {

using kernels::i32;
using kernels::i64;

// What is transformed at a level: the low part of the level before.
struct LevelBox {
    std::array<std::int64_t, 3> axes;
    std::int64_t images;

    std::int64_t elements() const { return axes[0] * axes[1] * axes[2] * images; }
    std::vector<int> long_axes() const {
        std::vector<int> found;
        for (int axis = 0; axis < 3; ++axis)
            if (axes[static_cast<std::size_t>(axis)] > 1) found.push_back(axis);
        return found;
    }
};

// Elements from one row, slice and image to the next.
struct Pitches {
    i64 row, slice, image;
};
inline Pitches pitches_of(const LevelBox& box) {
    const auto [x, y, z] = box.axes;
    return {x, x * y, x * y * z};
}

// Boxes of the levels, the whole images first.
inline std::vector<LevelBox> boxes_of(const Shape& shape, int levels) {
    std::vector<LevelBox> boxes;
    LevelBox box{{shape.x, shape.y, shape.z}, shape.t * shape.channels};
    for (int level = 0; level < levels; ++level) {
        boxes.push_back(box);
        for (std::int64_t& axis : box.axes) axis = (axis + 1) / 2;
    }
    return boxes;
}

// A buffer and how boxes stand in it.
template <class T>
struct Place {
    T* buffer;
    Pitches pitches;
};

template <class T>
class WaveletTransform {
  public:
    using Kernels = WaveletKernels<T>;
    using Target = Place<Buffer<T>>;

    WaveletTransform(Queue& queue, const WaveletOptions& options, bool is_inverse)
        : queue_(queue),
          steps_(wavelet_steps<T>(options.wavelet, is_inverse)),
          border_(border_of(options.border)),
          is_inverse_(is_inverse) {}

    // One level along all axes that are longer than 1, from one buffer to another. `spare` has room
    // for the box where two axes or more are long.
    template <class In>
    void between(const LevelBox& box, const Place<In>& from, const Target& to, Buffer<T>& spare) {
        const std::vector<int> axes = order(box);
        const Target other{&spare, pitches_of(box)};
        if (axes.size() == 1) {
            pass(box, axes[0], from, to);
        } else if (axes.size() == 2) {
            pass(box, axes[0], from, other);
            pass(box, axes[1], other, to);
        } else {
            pass(box, axes[0], from, to);
            pass(box, axes[1], to, other);
            pass(box, axes[2], other, to);
        }
    }

    // One level within a buffer. `spare` and, where one or three axes are long, `second` have room
    // for the box.
    void within(const LevelBox& box, const Target& at, Buffer<T>& spare, Buffer<T>& second) {
        const std::vector<int> axes = order(box);
        const Target other{&spare, pitches_of(box)};
        const Target third{&second, pitches_of(box)};
        if (axes.size() == 1) {
            copy(box, at, third);
            pass(box, axes[0], third, at);
        } else if (axes.size() == 2) {
            pass(box, axes[0], at, other);
            pass(box, axes[1], other, at);
        } else {
            pass(box, axes[0], at, other);
            pass(box, axes[1], other, third);
            pass(box, axes[2], third, at);
        }
    }

    // One pass along an axis.
    template <class In>
    void pass(const LevelBox& box, int axis, const Place<In>& from, const Target& to) {
        const auto [x, y, z] = box.axes;
        const Pitches &f = from.pitches, &t = to.pitches;
        const std::int64_t length = box.axes[static_cast<std::size_t>(axis)];
        const std::int64_t others = axis == 2 ? y : z;
        const std::int64_t inside = pairs_inside(length, axis);
        const std::int64_t ends = (length + 1) / 2 - inside;
        kernels::wavelet_pass pass{{f.row, f.slice, f.image},
                                   {t.row, t.slice, t.image},
                                   static_cast<i32>(length),
                                   static_cast<i32>(others),
                                   border_,
                                   static_cast<i32>(inside)};
        if (axis == 2) {
            std::swap(pass.from[0], pass.from[1]);
            std::swap(pass.to[0], pass.to[1]);
        }
        const std::int64_t far = others * box.images;
        if (axis == 0)
            launch(axis, {y, 1, far}, inside, ends, *from.buffer, *to.buffer, pass);
        else
            launch(axis, {x, 1, far}, inside, ends, *from.buffer, *to.buffer, pass);
    }

    // One pass along an axis of a whole box that `parts` equal parts divide, each of which is a
    // line of its own.
    template <class In>
    void parts(const LevelBox& box, int axis, std::int64_t parts, const In& from, Buffer<T>& to) {
        const auto [x, y, z] = box.axes;
        const std::int64_t length = box.axes[static_cast<std::size_t>(axis)] / parts;
        const std::int64_t inside = pairs_inside(length, axis);
        const std::int64_t ends = (length + 1) / 2 - inside;
        kernels::wavelet_pass pass{{}, {},      static_cast<i32>(length),
                                   0,  border_, static_cast<i32>(inside)};
        // Lines of x follow one another as parts do; along y and z whole rows or slices do.
        const std::int64_t step = axis == 0 ? 1 : axis == 1 ? x : x * y;
        const std::int64_t behind = axis == 0   ? y * z * box.images
                                    : axis == 1 ? z * box.images
                                                : box.images;
        const auto set = [&](i64 first, i64 second, i64 third, std::int64_t others) {
            const std::array<i64, 3> steps{first, second, third};
            std::copy(steps.begin(), steps.end(), pass.from);
            std::copy(steps.begin(), steps.end(), pass.to);
            pass.others = static_cast<i32>(others);
        };
        if (axis == 0) {
            set(length, x, 0, behind);
            launch(axis, {parts, 1, behind}, inside, ends, from, to, pass);
        } else {
            set(step, length * step, parts * length * step, parts);
            launch(axis, {step, 1, parts * behind}, inside, ends, from, to, pass);
        }
    }

    // One level along x and y, both longer than 1: the band that is low along both is in `low` if
    // `has_low`, all others are in `high_bands`.
    template <class In>
    void tiles(const LevelBox& box, const Place<In>& whole, const Target& low,
               const Target& high_bands, bool has_low) {
        queue_.launch(
            Kernels::forward_tile, groups_of(box), *whole.buffer, *low.buffer, *high_bands.buffer,
            tiles_of(box, whole.pitches, low.pitches, high_bands.pitches, has_low), steps_);
    }
    // The same of a picture that `parts` equal parts along each axis divide: those along x count as
    // slices, those along y as images. Not of integers, if inverse. `nothing` stands for low bands
    // that are stored apart.
    template <class In>
    void part_tiles(const LevelBox& box, std::int64_t parts, const In& from, Buffer<T>& to,
                    Buffer<T>& nothing) {
        const auto [x, y, z] = box.axes;
        const LevelBox part{{x / parts, y / parts, parts}, parts};
        const Pitches at{x, x / parts, y / parts * x};
        const kernels::wavelet_tiles layout = tiles_of(part, at, at, at, false);
        if (!is_inverse_)
            queue_.launch(Kernels::forward_tile, groups_of(part), from, nothing, to, layout,
                          steps_);
        else if constexpr (!std::is_same_v<T, i32>)
            queue_.launch(Kernels::inverse_tile, groups_of(part), nothing, from, to, layout,
                          steps_);
    }
    // Not of integers, which are rounded: their order of axes has to be the other one.
    void inverse_tiles(const LevelBox& box, const Target& low, const Target& high_bands,
                       const Target& whole, bool has_low) {
        queue_.launch(
            Kernels::inverse_tile, groups_of(box), *low.buffer, *high_bands.buffer, *whole.buffer,
            tiles_of(box, whole.pitches, low.pitches, high_bands.pitches, has_low), steps_);
    }

    // z, y, x, as in JPEG 2000, and backwards for the inverse: integers depend on it.
    std::vector<int> order(const LevelBox& box) const {
        std::vector<int> axes = box.long_axes();
        if (!is_inverse_) std::reverse(axes.begin(), axes.end());
        return axes;
    }

  private:
    // The windows of both directions together reach from four samples before the first of a pair to
    // five after it.
    static std::int64_t pairs_inside(std::int64_t length, int axis) {
        constexpr std::int64_t first = kernels::wavelet_end_pairs;
        const std::int64_t inside = std::max<std::int64_t>(0, (length - 6) / 2 - first + 1);
        return axis == 0 ? inside : inside - inside % kernels::wavelet_strip;
    }
    // `lines` has those along the other axes, first the one that follows the line's own.
    template <class In>
    void launch(int axis, const Range& lines, std::int64_t inside, std::int64_t ends,
                const In& from, Buffer<T>& to, const kernels::wavelet_pass& pass) {
        const i32 along_x = axis == 0 ? 1 : 0;
        if (inside > 0) {
            const Range range = along_x ? Range{inside, lines.x, lines.z}
                                        : Range{lines.x, inside / kernels::wavelet_strip, lines.z};
            const auto& kernel =
                along_x ? (is_inverse_ ? Kernels::inverse_x : Kernels::forward_x)
                        : (is_inverse_ ? Kernels::inverse_along : Kernels::forward_along);
            queue_.launch(kernel, range, from, to, pass, steps_);
        }
        queue_.launch(is_inverse_ ? Kernels::inverse_ends : Kernels::forward_ends,
                      along_x ? Range{ends, lines.x, lines.z} : Range{lines.x, ends, lines.z}, from,
                      to, pass, steps_, along_x);
    }
    static Groups groups_of(const LevelBox& box) {
        const auto [x, y, z] = box.axes;
        constexpr std::int64_t wide = 2 * kernels::wavelet_tile_pairs,
                               high = 2 * kernels::wavelet_tile_y;
        return {(x + wide - 1) / wide, (y + high - 1) / high, z * box.images};
    }
    kernels::wavelet_tiles tiles_of(const LevelBox& box, const Pitches& whole, const Pitches& low,
                                    const Pitches& high_bands, bool has_low) const {
        return {{whole.row, whole.slice, whole.image},
                {low.row, low.slice, low.image},
                {high_bands.row, high_bands.slice, high_bands.image},
                {static_cast<i32>(box.axes[0]), static_cast<i32>(box.axes[1])},
                static_cast<i32>(box.axes[2]),
                has_low ? 1 : 0,
                border_,
                0};
    }
    static i32 border_of(WaveletBorder border) {
        switch (border) {
            case WaveletBorder::periodic:
                return kernels::wavelet_periodic;
            case WaveletBorder::zero:
                return kernels::wavelet_zero;
            default:
                return kernels::wavelet_reflect;
        }
    }
    void copy(const LevelBox& box, const Target& from, const Target& to) {
        const Pitches &f = from.pitches, &t = to.pitches;
        const auto [x, y, z] = box.axes;
        queue_.launch(
            Kernels::copy, Range{x, y, z * box.images}, *from.buffer, *to.buffer,
            kernels::wavelet_box{{f.row, f.slice, f.image}, {t.row, t.slice, t.image}, z});
    }

    Queue& queue_;
    typename Kernels::Steps steps_;
    i32 border_;
    bool is_inverse_;
};

}  // namespace tesela
