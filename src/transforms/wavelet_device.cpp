// Levels of wavelet transforms on a device, pass by pass.
#include <algorithm>
#include <bit>
#include <utility>

#include "transforms/wavelet_steps.h"

namespace tesela {
namespace {

using kernels::i32;
using kernels::i64;

// What is transformed at a level: the low part of the level before.
struct Box {
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
Pitches pitches_of(const Box& box) {
    const auto [x, y, z] = box.axes;
    return {x, x * y, x * y * z};
}

// Boxes of the levels, the whole images first.
std::vector<Box> boxes_of(const Shape& shape, int levels) {
    std::vector<Box> boxes;
    Box box{{shape.x, shape.y, shape.z}, shape.t * shape.channels};
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
class Transform {
  public:
    using Kernels = WaveletKernels<T>;
    using Target = Place<Buffer<T>>;

    Transform(Queue& queue, const WaveletOptions& options, bool is_inverse)
        : queue_(queue),
          steps_(wavelet_steps<T>(options.wavelet, is_inverse)),
          border_(border_of(options.border)),
          is_inverse_(is_inverse) {}

    // One level along all axes that are longer than 1, from one buffer to another. `spare` has room
    // for the box where two axes or more are long.
    template <class In>
    void between(const Box& box, const Place<In>& from, const Target& to, Buffer<T>& spare) {
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
    void within(const Box& box, const Target& at, Buffer<T>& spare, Buffer<T>& second) {
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

  private:
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
    std::vector<int> order(const Box& box) const {
        std::vector<int> axes = box.long_axes();
        if (is_inverse_) std::reverse(axes.begin(), axes.end());
        return axes;
    }

    void copy(const Box& box, const Target& from, const Target& to) {
        const Pitches &f = from.pitches, &t = to.pitches;
        const auto [x, y, z] = box.axes;
        queue_.launch(
            Kernels::copy, Range{x, y, z * box.images}, *from.buffer, *to.buffer,
            kernels::wavelet_box{{f.row, f.slice, f.image}, {t.row, t.slice, t.image}, z});
    }

    template <class In>
    void pass(const Box& box, int axis, const Place<In>& from, const Target& to) {
        const auto [x, y, z] = box.axes;
        const Pitches &f = from.pitches, &t = to.pitches;
        const std::int64_t length = box.axes[static_cast<std::size_t>(axis)];
        const std::int64_t others = axis == 2 ? y : z;
        // Both directions look from three samples before to five behind the first of a pair.
        constexpr std::int64_t reach = kernels::wavelet_reach;
        std::int64_t inside = std::max<std::int64_t>(0, (length - 6) / 2 - reach + 1);
        if (axis != 0) inside -= inside % 2;
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
        const i32 along_x = axis == 0 ? 1 : 0;
        if (inside > 0) {
            const Range range = axis == 0 ? Range{inside, y, far} : Range{x, inside / 2, far};
            const auto& kernel =
                axis == 0 ? (is_inverse_ ? Kernels::inverse_x : Kernels::forward_x)
                          : (is_inverse_ ? Kernels::inverse_along : Kernels::forward_along);
            queue_.launch(kernel, range, *from.buffer, *to.buffer, pass, steps_);
        }
        queue_.launch(is_inverse_ ? Kernels::inverse_ends : Kernels::forward_ends,
                      axis == 0 ? Range{ends, y, far} : Range{x, ends, far}, *from.buffer,
                      *to.buffer, pass, steps_, along_x);
    }

    Queue& queue_;
    typename Kernels::Steps steps_;
    i32 border_;
    bool is_inverse_;
};

template <class T>
void check(Queue& queue, const Shape& shape, const WaveletOptions& options, std::int64_t samples,
           std::int64_t coefficients) {
    validate(shape);
    const int most = most_wavelet_levels(shape);
    if (options.levels < 0 || options.levels > most)
        throw InvalidArgument("--levels is " + std::to_string(options.levels) +
                              "; images of this size have 0 to " + std::to_string(most));
    if (std::is_same_v<T, i32> != is_integer(options.wavelet))
        throw InvalidArgument("the wavelet " + std::string(enum_name(options.wavelet)) +
                              (is_integer(options.wavelet) ? " takes integers alone"
                                                           : " takes floating-point numbers"));
    if (std::is_same_v<T, double> && !queue.device().properties().has_f64)
        throw DeviceUnavailable("device " + queue.device().id() +
                                " has no double precision; choose another device or float");
    if (wavelet_shape(shape, options) != shape)
        throw InvalidArgument("the border 'periodic' needs axes that are multiples of " +
                              std::to_string(1 << options.levels));
    if (samples < shape.elements() || coefficients < shape.elements())
        throw InvalidArgument("buffers of " + std::to_string(samples) + " samples and " +
                              std::to_string(coefficients) + " coefficients are too small for " +
                              std::to_string(shape.elements()));
}

// Room for boxes of the levels from `first` on that need it.
template <class T>
Buffer<T> room(Queue& queue, const std::vector<Box>& boxes, std::size_t first,
               bool (*needs)(std::size_t axes)) {
    std::int64_t elements = 0;
    for (std::size_t level = first; level < boxes.size(); ++level)
        if (needs(boxes[level].long_axes().size()))
            elements = std::max(elements, boxes[level].elements());
    return queue.allocate<T>(elements, "spare room of a wavelet transform");
}
bool several(std::size_t axes) { return axes > 1; }
bool odd(std::size_t axes) { return axes % 2 == 1; }

template <class T, class In>
void forward(Queue& queue, const Shape& shape, const WaveletOptions& options, const In& samples,
             Buffer<T>& coefficients) {
    check<T>(queue, shape, options, samples.size(), coefficients.size());
    if (options.levels == 0) {
        queue.copy(samples, coefficients);
        return;
    }
    const std::vector<Box> boxes = boxes_of(shape, options.levels);
    const Pitches whole = pitches_of(boxes[0]);
    auto spare = room<T>(queue, boxes, 0, several);
    auto second = room<T>(queue, boxes, 1, odd);
    Transform<T> transform(queue, options, false);
    const Place<Buffer<T>> at{&coefficients, whole};
    transform.between(boxes[0], Place<const In>{&samples, whole}, at, spare);
    for (std::size_t level = 1; level < boxes.size(); ++level)
        transform.within(boxes[level], at, spare, second);
}

}  // namespace

template <class T>
void wavelet_forward(Queue& queue, const Shape& shape, const WaveletOptions& options,
                     const Buffer<const T>& samples, Buffer<T>& coefficients) {
    forward<T>(queue, shape, options, samples, coefficients);
}
template <class T>
void wavelet_forward(Queue& queue, const Shape& shape, const WaveletOptions& options,
                     const Buffer<T>& samples, Buffer<T>& coefficients) {
    forward<T>(queue, shape, options, samples, coefficients);
}

// `samples` serves as room until the last level fills it.
template <class T>
void wavelet_inverse(Queue& queue, const Shape& shape, const WaveletOptions& options,
                     Buffer<T>& coefficients, Buffer<T>& samples) {
    check<T>(queue, shape, options, samples.size(), coefficients.size());
    if (options.levels == 0) {
        queue.copy(coefficients, samples);
        return;
    }
    const std::vector<Box> boxes = boxes_of(shape, options.levels);
    const Pitches whole = pitches_of(boxes[0]);
    auto spare = room<T>(queue, boxes, 0, several);
    Transform<T> transform(queue, options, true);
    const Place<Buffer<T>> at{&coefficients, whole};
    for (std::size_t level = boxes.size() - 1; level > 0; --level)
        transform.within(boxes[level], at, spare, samples);
    transform.between(boxes[0], at, Place<Buffer<T>>{&samples, whole}, spare);
}

#define TESELA_WAVELETS_OF(T)                                                                    \
    template void wavelet_forward(Queue&, const Shape&, const WaveletOptions&,                   \
                                  const Buffer<const T>&, Buffer<T>&);                           \
    template void wavelet_forward(Queue&, const Shape&, const WaveletOptions&, const Buffer<T>&, \
                                  Buffer<T>&);                                                   \
    template void wavelet_inverse(Queue&, const Shape&, const WaveletOptions&, Buffer<T>&,       \
                                  Buffer<T>&);
TESELA_WAVELETS_OF(float)
TESELA_WAVELETS_OF(double)
TESELA_WAVELETS_OF(std::int32_t)
#undef TESELA_WAVELETS_OF

}  // namespace tesela
