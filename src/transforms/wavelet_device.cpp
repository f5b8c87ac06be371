// Wavelet transforms on a device, level by level.
#include "transforms/wavelet_passes.h"

namespace tesela {
namespace {

// Tiles are for devices whose groups have local memory; a CPU is as fast by passes.
bool takes_tiles(const Queue& queue, const LevelBox& box) {
    return prefers_groups(queue.device()) && box.axes[0] > 1 && box.axes[1] > 1;
}

// The low bands of levels by turns, each as long as its box, where every level reads what the one
// before it wrote.
template <class T>
class LowBands {
  public:
    LowBands(Queue& queue, const std::vector<LevelBox>& boxes) {
        for (std::size_t turn = 0; turn < rooms_.size(); ++turn)
            rooms_[turn] = queue.allocate<T>(
                turn + 1 < boxes.size() ? boxes[turn + 1].elements() : 1, "low wavelet bands");
    }
    // Of the box of `level`, which is not the first.
    Place<Buffer<T>> of(std::size_t level, const LevelBox& box) {
        return {&rooms_[(level + 1) % 2], pitches_of(box)};
    }

  private:
    std::array<Buffer<T>, 2> rooms_;
};

// All levels of planes by tiles.
template <class T, class In>
void forward_planes(Queue& queue, const WaveletOptions& options, const std::vector<LevelBox>& boxes,
                    const In& samples, Buffer<T>& coefficients) {
    WaveletTransform<T> transform(queue, options, false);
    LowBands<T> lows(queue, boxes);
    const Place<Buffer<T>> rest{&coefficients, pitches_of(boxes[0])};
    for (std::size_t level = 0; level < boxes.size(); ++level) {
        const LevelBox& box = boxes[level];
        const bool is_last = level + 1 == boxes.size();
        const Place<Buffer<T>> low = lows.of(level + 1, is_last ? box : boxes[level + 1]);
        if (level == 0)
            transform.tiles(box, Place<const In>{&samples, pitches_of(box)}, low, rest, !is_last);
        else
            transform.tiles(box, lows.of(level, box), low, rest, !is_last);
    }
}

template <class T>
void inverse_planes(Queue& queue, const WaveletOptions& options, const std::vector<LevelBox>& boxes,
                    Buffer<T>& coefficients, Buffer<T>& samples) {
    WaveletTransform<T> transform(queue, options, true);
    LowBands<T> lows(queue, boxes);
    const Place<Buffer<T>> rest{&coefficients, pitches_of(boxes[0])};
    for (std::size_t level = boxes.size(); level-- > 0;) {
        const LevelBox& box = boxes[level];
        const bool is_last = level + 1 == boxes.size();
        const Place<Buffer<T>> low = lows.of(level + 1, is_last ? box : boxes[level + 1]);
        const Place<Buffer<T>> to =
            level == 0 ? Place<Buffer<T>>{&samples, pitches_of(box)} : lows.of(level, box);
        transform.inverse_tiles(box, low, rest, to, !is_last);
    }
}

// All levels of volumes: along z to `spare`, and from there by tiles. Low bands stay among the
// coefficients.
template <class T, class In>
void forward_volumes(Queue& queue, const WaveletOptions& options,
                     const std::vector<LevelBox>& boxes, const In& samples, Buffer<T>& coefficients,
                     Buffer<T>& spare) {
    WaveletTransform<T> transform(queue, options, false);
    auto nothing = queue.allocate<T>(1, "low wavelet bands");
    const Place<Buffer<T>> at{&coefficients, pitches_of(boxes[0])};
    for (std::size_t level = 0; level < boxes.size(); ++level) {
        const LevelBox& box = boxes[level];
        const Place<Buffer<T>> between{&spare, pitches_of(box)};
        if (level == 0)
            transform.pass(box, 2, Place<const In>{&samples, pitches_of(box)}, between);
        else
            transform.pass(box, 2, at, between);
        transform.tiles(box, between, {&nothing, {}}, at, false);
    }
}

template <class T>
void inverse_volumes(Queue& queue, const WaveletOptions& options,
                     const std::vector<LevelBox>& boxes, Buffer<T>& coefficients,
                     Buffer<T>& samples, Buffer<T>& spare) {
    WaveletTransform<T> transform(queue, options, true);
    const Place<Buffer<T>> at{&coefficients, pitches_of(boxes[0])};
    for (std::size_t level = boxes.size(); level-- > 0;) {
        const LevelBox& box = boxes[level];
        const Place<Buffer<T>> between{&spare, pitches_of(box)};
        transform.inverse_tiles(box, at, at, between, false);
        transform.pass(box, 2, between,
                       level == 0 ? Place<Buffer<T>>{&samples, pitches_of(box)} : at);
    }
}

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
Buffer<T> room(Queue& queue, const std::vector<LevelBox>& boxes, std::size_t first,
               bool (*needs)(std::size_t axes)) {
    std::int64_t elements = 0;
    for (std::size_t level = first; level < boxes.size(); ++level)
        if (needs(boxes[level].long_axes().size()))
            elements = std::max(elements, boxes[level].elements());
    return queue.allocate<T>(elements, "spare room of a wavelet transform");
}
bool several(std::size_t axes) { return axes > 1; }
bool odd(std::size_t axes) { return axes % 2 == 1; }
bool volumes(std::size_t axes) { return axes == 3; }

template <class T, class In>
void forward(Queue& queue, const Shape& shape, const WaveletOptions& options, const In& samples,
             Buffer<T>& coefficients) {
    check<T>(queue, shape, options, samples.size(), coefficients.size());
    if (options.levels == 0) {
        queue.copy(samples, coefficients);
        return;
    }
    const std::vector<LevelBox> boxes = boxes_of(shape, options.levels);
    const Pitches whole = pitches_of(boxes[0]);
    const bool by_tiles = takes_tiles(queue, boxes[0]);
    auto spare = room<T>(queue, boxes, 0, by_tiles ? volumes : several);
    if (by_tiles) {
        if (boxes[0].axes[2] == 1)
            forward_planes<T>(queue, options, boxes, samples, coefficients);
        else
            forward_volumes<T>(queue, options, boxes, samples, coefficients, spare);
        return;
    }
    auto second = room<T>(queue, boxes, 1, odd);
    WaveletTransform<T> transform(queue, options, false);
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
    const std::vector<LevelBox> boxes = boxes_of(shape, options.levels);
    const Pitches whole = pitches_of(boxes[0]);
    const bool by_tiles = !std::is_same_v<T, i32> && takes_tiles(queue, boxes[0]);
    auto spare = room<T>(queue, boxes, 0, by_tiles ? volumes : several);
    if constexpr (!std::is_same_v<T, i32>)
        if (by_tiles) {
            if (boxes[0].axes[2] == 1)
                inverse_planes<T>(queue, options, boxes, coefficients, samples);
            else
                inverse_volumes<T>(queue, options, boxes, coefficients, samples, spare);
            return;
        }
    WaveletTransform<T> transform(queue, options, true);
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
