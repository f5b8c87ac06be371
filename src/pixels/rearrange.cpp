#include "tesela/rearrange.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/threads.h"
#include "kernels/pixels/rearrange.kernel.h"
#include "tesela/error.h"

namespace tesela {
namespace {

constexpr std::array<char, 3> axis_names{'x', 'y', 'z'};

std::int64_t& length(Shape& shape, int axis) {
    return axis == 0 ? shape.x : axis == 1 ? shape.y : shape.z;
}

// Whether a pixel is not 0 in any channel.
template <class T>
bool is_set(const PixelView<T>& image, std::int64_t point) {
    const T* pixel = image.data() + point * image.shape().channels;
    return std::any_of(pixel, pixel + image.shape().channels, [](T value) { return value != 0; });
}

template <class T>
struct Kernel;
template <>
struct Kernel<std::uint8_t> {
    static constexpr auto& rearrange = kernels::rearrange_u8;
};
template <>
struct Kernel<std::uint16_t> {
    static constexpr auto& rearrange = kernels::rearrange_u16;
};
template <>
struct Kernel<std::int16_t> {
    static constexpr auto& rearrange = kernels::rearrange_i16;
};
template <>
struct Kernel<std::uint32_t> {
    static constexpr auto& rearrange = kernels::rearrange_u32;
};
template <>
struct Kernel<float> {
    static constexpr auto& rearrange = kernels::rearrange_f32;
};

}  // namespace

PixelBox box_of_nonzero(const AnyImageView& image, const std::array<std::int64_t, 3>& margin) {
    const Shape& shape = image.shape();
    const std::array sizes{shape.x, shape.y, shape.z};
    std::array<std::int64_t, 3> first = sizes, last{-1, -1, -1};
    image.visit([&](const auto& pixels) {
        for (std::int64_t row = 0; row < shape.y * shape.z * shape.t; ++row) {
            const std::int64_t begin = row * shape.x;
            std::int64_t left = 0, right = shape.x - 1;
            while (left < shape.x && !is_set(pixels, begin + left)) ++left;
            if (left == shape.x) continue;
            while (!is_set(pixels, begin + right)) --right;
            const std::array low{left, row % shape.y, row / shape.y % shape.z};
            const std::array high{right, low[1], low[2]};
            for (std::size_t a = 0; a < 3; ++a) {
                first[a] = std::min(first[a], low[a]);
                last[a] = std::max(last[a], high[a]);
            }
        }
    });
    if (last[0] < 0)
        throw InvalidArgument("every pixel is 0, so there is no box around the others");
    PixelBox box;
    for (std::size_t a = 0; a < 3; ++a) {
        box.first[a] = std::max<std::int64_t>(0, first[a] - margin[a]);
        box.size[a] = std::min(sizes[a] - 1, last[a] + margin[a]) - box.first[a] + 1;
    }
    return box;
}

Arrangement::Arrangement(const Shape& shape, const Geometry& geometry, bool has_alpha)
    : shape_(shape), geometry_(geometry), has_alpha_(has_alpha) {
    const auto s = ImageView<const std::uint8_t>::contiguous_strides(shape);
    strides_ = {s.x, s.y, s.z, s.t};
}

void Arrangement::move_origin(const std::array<double, 3>& pixels) {
    if (!geometry_.known()) return;
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t a = 0; a < 3; ++a)
            geometry_.origin[row] +=
                geometry_.direction[3 * row + a] * geometry_.spacing[a] * pixels[a];
}

Arrangement& Arrangement::crop(const PixelBox& box) {
    std::array<double, 3> moved{};
    for (int axis = 0; axis < 3; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        std::int64_t& size = length(shape_, axis);
        if (box.first[a] < 0 || box.size[a] < 1 || box.first[a] > size - box.size[a])
            throw InvalidArgument("the box goes from " + std::to_string(box.first[a]) + " to " +
                                  std::to_string(box.first[a] + (box.size[a] - 1)) + " along " +
                                  axis_names[a] + ", where the image has pixels 0 to " +
                                  std::to_string(size - 1));
        first_ += box.first[a] * strides_[a];
        size = box.size[a];
        moved[a] = static_cast<double>(box.first[a]);
    }
    move_origin(moved);
    return *this;
}

Arrangement& Arrangement::flip(int axis) {
    const auto a = static_cast<std::size_t>(axis);
    const std::int64_t last = length(shape_, axis) - 1;
    std::array<double, 3> moved{};
    moved[a] = static_cast<double>(last);
    move_origin(moved);
    if (geometry_.known())
        for (std::size_t row = 0; row < 3; ++row) geometry_.direction[3 * row + a] *= -1;
    first_ += last * strides_[a];
    strides_[a] *= -1;
    return *this;
}

void Arrangement::transpose(int a, int b) {
    const auto i = static_cast<std::size_t>(a), k = static_cast<std::size_t>(b);
    std::swap(length(shape_, a), length(shape_, b));
    std::swap(strides_[i], strides_[k]);
    if (!geometry_.known()) return;
    std::swap(geometry_.spacing[i], geometry_.spacing[k]);
    for (std::size_t row = 0; row < 3; ++row)
        std::swap(geometry_.direction[3 * row + i], geometry_.direction[3 * row + k]);
}

Arrangement& Arrangement::turn(int quarters, int axis) {
    const int right = axis == 0 ? 1 : 0, down = axis == 2 ? 1 : 2;
    for (int turn = 0; turn < ((quarters % 4) + 4) % 4; ++turn) flip(right).transpose(right, down);
    return *this;
}

AnyImage rearrange(const AnyImageView& image, const Arrangement& arrangement, int threads,
                   const Progress& progress) {
    return image.visit([&]<class T>(const PixelView<T>& pixels) -> AnyImage {
        const Shape& shape = arrangement.shape();
        Image<T> made(shape, arrangement.geometry());
        made.has_alpha = arrangement.has_alpha();
        const auto& steps = arrangement.strides();
        const auto copy_row = [&](std::int64_t row) {
            const T* source = pixels.data() + arrangement.first() + row % shape.y * steps[1] +
                              row / shape.y % shape.z * steps[2] +
                              row / (shape.y * shape.z) * steps[3];
            T* target = made.data() + row * shape.x * shape.channels;
            for (std::int64_t x = 0; x < shape.x; ++x, source += steps[0])
                target = std::copy_n(source, shape.channels, target);
        };
        detail::for_each_index(shape.y * shape.z * shape.t, threads, copy_row,
                               [&](std::int64_t) { progress.throw_if_cancelled(); });
        return made;
    });
}

template <class T>
DeviceImage<T> rearrange(const DeviceImage<const T>& image, const Arrangement& arrangement,
                         Queue& queue) {
    const Shape& shape = arrangement.shape();
    const auto& strides = arrangement.strides();
    const auto size = [](std::int64_t length) { return static_cast<kernels::i32>(length); };
    const kernels::rearrange_steps steps{arrangement.first(), strides[0],    strides[1],
                                         strides[2],          strides[3],    size(shape.x),
                                         size(shape.y),       size(shape.z), shape.channels};
    DeviceImage<T> made{queue.allocate<T>(shape.elements(), "rearranged image"), shape,
                        arrangement.geometry(), arrangement.has_alpha()};
    queue.launch(Kernel<T>::rearrange, Range{shape.x, shape.y, shape.z * shape.t}, image.pixels,
                 made.pixels, steps);
    return made;
}
template DeviceImage<std::uint8_t> rearrange(const DeviceImage<const std::uint8_t>&,
                                             const Arrangement&, Queue&);
template DeviceImage<std::uint16_t> rearrange(const DeviceImage<const std::uint16_t>&,
                                              const Arrangement&, Queue&);
template DeviceImage<std::int16_t> rearrange(const DeviceImage<const std::int16_t>&,
                                             const Arrangement&, Queue&);
template DeviceImage<std::uint32_t> rearrange(const DeviceImage<const std::uint32_t>&,
                                              const Arrangement&, Queue&);
template DeviceImage<float> rearrange(const DeviceImage<const float>&, const Arrangement&, Queue&);

template <class T>
Buffer<T> gather(const Buffer<const T>& pixels, const PixelSteps& steps, const Shape& shape,
                 Queue& queue) {
    const auto& [t, z, y, x, c] = steps.strides;
    const auto size = [](std::int64_t length) { return static_cast<kernels::i32>(length); };
    Buffer<T> gathered = queue.allocate<T>(shape.elements() * steps.elements, "gathered image");
    if (shape.channels == 1 || c == steps.elements) {
        const kernels::rearrange_steps ways{steps.first,
                                            x,
                                            y,
                                            z,
                                            t,
                                            size(shape.x),
                                            size(shape.y),
                                            size(shape.z),
                                            shape.channels * steps.elements};
        queue.launch(Kernel<T>::rearrange, Range{shape.x, shape.y, shape.z * shape.t}, pixels,
                     gathered, ways);
    } else if (shape.t == 1) {  // the channels are an axis of their own
        const kernels::rearrange_steps ways{
            steps.first, c, x, y, z, shape.channels, size(shape.x), size(shape.y), steps.elements};
        queue.launch(Kernel<T>::rearrange, Range{shape.channels, shape.x, shape.y * shape.z},
                     pixels, gathered, ways);
    } else {
        throw InvalidArgument(
            "the channels of an image in time are apart: make them the last axis, "
            "contiguous");
    }
    return gathered;
}
template Buffer<std::uint8_t> gather(const Buffer<const std::uint8_t>&, const PixelSteps&,
                                     const Shape&, Queue&);
template Buffer<std::uint16_t> gather(const Buffer<const std::uint16_t>&, const PixelSteps&,
                                      const Shape&, Queue&);
template Buffer<std::uint32_t> gather(const Buffer<const std::uint32_t>&, const PixelSteps&,
                                      const Shape&, Queue&);

}  // namespace tesela
