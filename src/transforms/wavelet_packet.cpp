#include "tesela/wavelet_packet.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "transforms/packet_tree.h"
#include "transforms/planes.h"
#include "transforms/wavelet_form.h"
#include "transforms/wavelet_passes.h"

namespace tesela {
namespace {

// One level of all bands at once, which divide the axes into equal parts.
template <class T>
class PacketTransform {
  public:
    PacketTransform(Queue& queue, const Shape& shape, const WaveletOptions& options,
                    bool is_inverse)
        : transform_(queue, options, is_inverse),
          shape_(shape),
          // One picture; a CPU is as fast by passes.
          takes_tiles_(prefers_groups(queue.device()) && shape.x > 1 && shape.y > 1 &&
                       shape.z * shape.t * shape.channels == 1 &&
                       !(is_inverse && std::is_same_v<T, i32>)),
          spare_(queue.allocate<T>(shape.elements(), "spare room of wavelet packets")) {}

    // `level` is that of the bands that are divided.
    template <class In>
    void level(int level, const In& from, Buffer<T>& to) {
        const LevelBox box{{shape_.x, shape_.y, shape_.z}, shape_.t * shape_.channels};
        if (takes_tiles_) {
            transform_.part_tiles(box, std::int64_t{1} << level, from, to, spare_);
            return;
        }
        const std::vector<int> axes = transform_.order(box);
        const auto pass = [&](std::size_t i, const auto& source, Buffer<T>& target) {
            transform_.parts(box, axes[i], std::int64_t{1} << level, source, target);
        };
        if (axes.size() == 1) {
            pass(0, from, to);
        } else if (axes.size() == 2) {
            pass(0, from, spare_);
            pass(1, spare_, to);
        } else {
            pass(0, from, to);
            pass(1, to, spare_);
            pass(2, spare_, to);
        }
    }

  private:
    WaveletTransform<T> transform_;
    Shape shape_;
    bool takes_tiles_;
    Buffer<T> spare_;
};

template <class T>
void check(Queue& queue, const Shape& shape, const WaveletOptions& options, std::int64_t samples,
           std::int64_t coefficients) {
    validate(shape);
    if (options.levels < 0 || options.levels > most_packet_levels(shape))
        throw InvalidArgument("--levels is " + std::to_string(options.levels) +
                              "; packets of images of this size have 0 to " +
                              std::to_string(most_packet_levels(shape)));
    if (std::is_same_v<T, i32> != is_integer(options.wavelet))
        throw InvalidArgument("the wavelet " + std::string(enum_name(options.wavelet)) +
                              (is_integer(options.wavelet) ? " takes integers alone"
                                                           : " takes floating-point numbers"));
    if (std::is_same_v<T, double> && !queue.device().properties().has_f64)
        throw DeviceUnavailable("device " + queue.device().id() +
                                " has no double precision; choose another device or float");
    if (packet_shape(shape, options.levels) != shape)
        throw InvalidArgument("packets need axes that are multiples of " +
                              std::to_string(std::int64_t{1} << options.levels));
    if (samples < shape.elements() || coefficients < shape.elements())
        throw InvalidArgument("buffers of " + std::to_string(samples) + " samples and " +
                              std::to_string(coefficients) + " coefficients are too small for " +
                              std::to_string(shape.elements()));
}

kernels::wavelet_cells cells_of(const Shape& shape, const PacketTree& tree) {
    constexpr std::int64_t piece = 64;
    const auto [x, y, z] = tree.cells();
    const std::int64_t wide = shape.x / x;
    return {{static_cast<i32>(shape.x), static_cast<i32>(shape.y), static_cast<i32>(shape.z)},
            {static_cast<i32>(wide), static_cast<i32>(shape.y / y), static_cast<i32>(shape.z / z)},
            static_cast<i32>((wide + piece - 1) / piece),
            static_cast<i32>(piece)};
}

Range all_of(const Shape& shape) { return {shape.x, shape.y, shape.z * shape.t * shape.channels}; }

// What the coefficients in each cell cost.
template <class T, class In>
std::vector<double> costs_of(Queue& queue, const Shape& shape, const PacketTree& tree,
                             PacketBasis basis, double norm, const In& values) {
    const kernels::wavelet_cells cells = cells_of(shape, tree);
    const std::int64_t pieces = tree.cells()[0] * cells.pieces;
    const Range range{pieces, shape.y, shape.z * shape.t * shape.channels};
    auto found = queue.allocate<float>(pieces * range.y * range.z, "costs of wavelet packets");
    queue.launch(WaveletKernels<T>::packet_cost, range, values, found, cells,
                 norm > 0 ? static_cast<float>(1 / norm) : 0.0f,
                 static_cast<i32>(basis == PacketBasis::entropy));
    std::vector<double> costs(static_cast<std::size_t>(tree.count()));
    const std::vector<float> of_pieces = queue.download(found);
    std::size_t piece = 0;
    for (std::int64_t z = 0; z < range.z; ++z)
        for (std::int64_t y = 0; y < shape.y; ++y)
            for (std::int64_t x = 0; x < pieces; ++x, ++piece)
                costs[tree.cell(x / cells.pieces, y / cells.cell[1],
                                z % shape.z / cells.cell[2])] +=
                    static_cast<double>(of_pieces[piece]);
    return costs;
}

// The cost of the best basis of a band, whose cells get their levels.
double choose(const PacketTree& tree, const std::vector<std::vector<double>>& costs,
              const PacketBand& band, PacketLeaves& leaves) {
    double whole = 0, divided = 0;
    tree.for_cells(band, [&](std::size_t cell) {
        whole += costs[static_cast<std::size_t>(band.level)][cell];
    });
    if (band.level < tree.levels()) {
        tree.for_parts(
            band, [&](const PacketBand& part) { divided += choose(tree, costs, part, leaves); });
        if (divided < whole) return divided;
    }
    tree.for_cells(band,
                   [&](std::size_t cell) { leaves[cell] = static_cast<std::uint8_t>(band.level); });
    return whole;
}

Buffer<i32> leaves_on_device(Queue& queue, const PacketLeaves& leaves) {
    const std::vector<i32> wide(leaves.begin(), leaves.end());
    return queue.upload(std::span<const i32>(wide), "leaves of wavelet packets");
}

template <class T>
double norm_of(const std::vector<T>& values) {
    double sum = 0;
    for (const T value : values) sum += static_cast<double>(value) * static_cast<double>(value);
    return std::sqrt(sum);
}

template <class T>
AnyImage transformed(const AnyImageView& image, const Shape& padded, const WaveletOptions& options,
                     PacketBasis basis, Queue& queue, PacketLeaves& leaves) {
    const std::vector<T> planes =
        planes_of<T>(image, padded, std::is_same_v<T, double> ? 1e150 : largest_summed);
    std::vector<T> found(planes.size());
    const auto samples = queue.lend(std::span<const T>(planes), "samples");
    auto coefficients = queue.allocate_for(std::span<T>(found), "coefficients");
    if (basis == PacketBasis::full) {
        packet_forward<T>(queue, padded, options, samples, coefficients);
        leaves.assign(static_cast<std::size_t>(PacketTree(padded, options.levels).count()),
                      static_cast<std::uint8_t>(options.levels));
    } else {
        leaves = packet_forward_best<T>(queue, padded, options, basis, norm_of(planes), samples,
                                        coefficients);
    }
    queue.read(coefficients, std::span<T>(found));
    return image_of<T>(found, padded, padded, image.geometry());
}

}  // namespace

template <class T>
void packet_forward(Queue& queue, const Shape& shape, const WaveletOptions& options,
                    const Buffer<const T>& samples, Buffer<T>& coefficients) {
    check<T>(queue, shape, options, samples.size(), coefficients.size());
    if (options.levels == 0) {
        queue.copy(samples, coefficients);
        return;
    }
    PacketTransform<T> transform(queue, shape, options, false);
    auto other = queue.allocate<T>(options.levels > 1 ? shape.elements() : 1,
                                   "coefficients of a level of packets");
    // By turns, so that the last level is among the coefficients.
    const auto at = [&](int level) -> Buffer<T>& {
        return (options.levels - level) % 2 == 0 ? coefficients : other;
    };
    transform.level(0, samples, at(1));
    for (int level = 1; level < options.levels; ++level)
        transform.level(level, at(level), at(level + 1));
}

template <class T>
PacketLeaves packet_forward_best(Queue& queue, const Shape& shape, const WaveletOptions& options,
                                 PacketBasis basis, double norm, const Buffer<const T>& samples,
                                 Buffer<T>& coefficients) {
    check<T>(queue, shape, options, samples.size(), coefficients.size());
    PacketTransform<T> transform(queue, shape, options, false);
    const PacketTree tree(shape, options.levels);
    std::vector<Buffer<T>> levels;  // from the first on
    std::vector<std::vector<double>> costs{costs_of<T>(queue, shape, tree, basis, norm, samples)};
    for (int level = 0; level < options.levels; ++level) {
        auto next = queue.allocate<T>(shape.elements(), "coefficients of a level of packets");
        if (level == 0)
            transform.level(level, samples, next);
        else
            transform.level(level, levels.back(), next);
        costs.push_back(costs_of<T>(queue, shape, tree, basis, norm, next));
        levels.push_back(std::move(next));
    }
    PacketLeaves leaves(static_cast<std::size_t>(tree.count()));
    choose(tree, costs, tree.whole(), leaves);
    const auto on_device = leaves_on_device(queue, leaves);
    const kernels::wavelet_cells cells = cells_of(shape, tree);
    const auto take = [&](int level, const auto& from) {
        queue.launch(WaveletKernels<T>::packet_take, all_of(shape), from, coefficients, on_device,
                     cells, static_cast<i32>(level), static_cast<i32>(level));
    };
    take(0, samples);
    for (int level = 1; level <= options.levels; ++level)
        take(level, levels[static_cast<std::size_t>(level - 1)]);
    return leaves;
}

template <class T>
void packet_inverse(Queue& queue, const Shape& shape, const WaveletOptions& options,
                    const PacketLeaves& leaves, Buffer<T>& coefficients, Buffer<T>& samples) {
    check<T>(queue, shape, options, samples.size(), coefficients.size());
    const PacketTree tree(shape, options.levels);
    if (!leaves.empty() && std::ssize(leaves) != tree.count())
        throw InvalidArgument("the basis of packets has another number of cells than its levels");
    if (options.levels == 0) {
        queue.copy(coefficients, samples);
        return;
    }
    PacketTransform<T> transform(queue, shape, options, true);
    const bool is_full = std::all_of(leaves.begin(), leaves.end(),
                                     [&](std::uint8_t leaf) { return leaf == options.levels; });
    const auto on_device = leaves_on_device(queue, is_full ? PacketLeaves(1) : leaves);
    const auto at = [&](int level) -> Buffer<T>& {
        return level % 2 == 0 ? samples : coefficients;
    };
    // By turns, so that the last one is among the samples.
    if (options.levels % 2 == 0) queue.copy(coefficients, samples);
    for (int level = options.levels - 1; level >= 0; --level) {
        transform.level(level, at(level + 1), at(level));
        if (!is_full)
            queue.launch(WaveletKernels<T>::packet_take, all_of(shape), at(level + 1), at(level),
                         on_device, cells_of(shape, tree), i32{0}, static_cast<i32>(level));
    }
}

WaveletCoefficients wavelet_packet(const AnyImageView& image, const WaveletOptions& options,
                                   PacketBasis basis, Queue& queue, const Progress& progress) {
    const Shape shape = image.shape();
    if (options.levels < 0 || options.levels > most_packet_levels(shape))
        throw InvalidArgument("--levels is " + std::to_string(options.levels) +
                              "; packets of this image have 0 to " +
                              std::to_string(most_packet_levels(shape)));
    StageClock clock;
    clock.start("transform");
    progress.report(0, "transform");
    const Shape padded = packet_shape(shape, options.levels);
    WaveletCoefficients result;
    const auto transform = [&](auto type) {
        return transformed<decltype(type)>(image, padded, options, basis, queue, result.leaves);
    };
    switch (coefficient_type(image.pixel_type(), options.wavelet)) {
        case PixelType::i32:
            result.values = transform(std::int32_t{});
            break;
        case PixelType::f32:
            result.values = transform(float{});
            break;
        default:
            result.values = transform(double{});
    }
    result.shape = shape;
    result.pixel_type = image.pixel_type();
    result.has_alpha = image.has_alpha();
    result.options = options;
    result.stages = clock.take();
    progress.report(1, "done");
    return result;
}

std::int64_t packet_device_bytes(const AnyImageView& image, const WaveletOptions& options,
                                 PacketBasis basis) {
    const std::int64_t value =
        pixel_type_bytes(coefficient_type(image.pixel_type(), options.wavelet));
    // Samples, coefficients, room for a pass and another level, or for all of them.
    const std::int64_t held = basis == PacketBasis::full ? 4 : 4 + options.levels;
    return packet_shape(image.shape(), options.levels).elements() * value * held;
}

#define TESELA_PACKETS_OF(T)                                                                       \
    template void packet_forward(Queue&, const Shape&, const WaveletOptions&,                      \
                                 const Buffer<const T>&, Buffer<T>&);                              \
    template PacketLeaves packet_forward_best(Queue&, const Shape&, const WaveletOptions&,         \
                                              PacketBasis, double, const Buffer<const T>&,         \
                                              Buffer<T>&);                                         \
    template void packet_inverse(Queue&, const Shape&, const WaveletOptions&, const PacketLeaves&, \
                                 Buffer<T>&, Buffer<T>&);
TESELA_PACKETS_OF(float)
TESELA_PACKETS_OF(double)
TESELA_PACKETS_OF(std::int32_t)
#undef TESELA_PACKETS_OF

}  // namespace tesela
