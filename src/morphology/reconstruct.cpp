#include "tesela/reconstruct.h"

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/single_precision.h"
#include "kernels/morphology/reconstruct.kernel.h"
#include "morphology/reconstruct_on_host.h"
#include "pixels/same_grid.h"
#include "segmentation/watershed/minimax.h"

namespace tesela {
namespace {

MinimaxGrid grid_of(const Shape& shape, const ReconstructOptions& options) {
    if (shape.channels != 1)
        throw UnsupportedFormat("reconstruction is of images of one channel; this image has " +
                                std::to_string(shape.channels));
    if (shape.t > 1)
        throw UnsupportedFormat("reconstruction is of pictures and volumes; this image has " +
                                std::to_string(shape.t) + " frames: give them one by one");
    return {shape, axes_of_neighbors(options.connectivity, shape)};
}

template <class T>
const auto& turn_kernel() {
    if constexpr (std::is_same_v<T, std::uint8_t>)
        return kernels::reconstruct_turn_u8;
    else
        return kernels::reconstruct_turn_u16;
}
template <class T>
const auto& turn_back_kernel() {
    if constexpr (std::is_same_v<T, std::uint8_t>)
        return kernels::reconstruct_turn_back_u8;
    else
        return kernels::reconstruct_turn_back_u16;
}

// Of levels up to 65534.
template <class T>
Buffer<T> reconstructed(const MinimaxGrid& grid, const Buffer<const T>& marker,
                        const Buffer<const T>& mask, Queue& queue, const Progress& progress) {
    const Range points{grid.points()};
    auto heights = queue.allocate<std::uint16_t>(points.x, "heights");
    auto relief = queue.allocate<std::uint16_t>(points.x, "relief");
    queue.launch(turn_kernel<T>(), points, marker, mask, heights, relief);
    {
        auto seeds = queue.allocate_filled<std::uint32_t>(points.x, 0U, "seeds of none");
        const auto weights = minimax_weights(queue, grid, relief, seeds);
        seeds = {};
        minimax_reconstruct(queue, grid, weights, heights, progress);
    }
    auto values = queue.allocate<T>(points.x, "reconstructed image");
    queue.launch(turn_back_kernel<T>(), points, heights, values);
    return values;
}

// The different values of both, ascending; more than there are levels where there are too many.
template <class T>
std::vector<T> values_of(std::span<const T> marker, std::span<const T> mask) {
    std::vector<T> values(marker.begin(), marker.end());
    values.insert(values.end(), mask.begin(), mask.end());
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
}

template <class T>
std::vector<std::uint16_t> ranks_of(std::span<const T> pixels, const std::vector<T>& values) {
    std::vector<std::uint16_t> ranks(pixels.size());
    std::transform(pixels.begin(), pixels.end(), ranks.begin(), [&](T v) {
        return static_cast<std::uint16_t>(std::lower_bound(values.begin(), values.end(), v) -
                                          values.begin());
    });
    return ranks;
}

template <class T>
Image<T> reconstructed_image(const PixelView<T>& marker, const PixelView<T>& mask,
                             const MinimaxGrid& grid, Queue& queue, const Progress& progress) {
    Image<T> result(mask.shape(), mask.geometry);
    const auto lend = [&]<class Level>(std::span<const Level> levels) {
        return queue.lend(levels, "levels");
    };
    if constexpr (std::is_same_v<T, std::uint8_t>) {
        const auto found =
            reconstructed<T>(grid, lend(marker.pixels()), lend(mask.pixels()), queue, progress);
        queue.read(found, std::span<T>(result.pixels()));
        return result;
    }
    for (const PixelView<T>* image : {&marker, &mask})
        require_values(image->pixels(), image->shape(), std::numeric_limits<double>::max());
    const std::vector<T> values = values_of(marker.pixels(), mask.pixels());
    if (values.size() <= kernels::reconstruct_highest + 1) {
        const auto low = ranks_of(marker.pixels(), values);
        const auto high = ranks_of(mask.pixels(), values);
        const auto found = reconstructed<std::uint16_t>(
            grid, lend(std::span<const std::uint16_t>(low)),
            lend(std::span<const std::uint16_t>(high)), queue, progress);
        const std::vector<std::uint16_t> ranks = queue.download(found);
        std::transform(ranks.begin(), ranks.end(), result.pixels().begin(),
                       [&](std::uint16_t rank) { return values[rank]; });
        return result;
    }
    const std::vector<T> bounds(mask.pixels().begin(), mask.pixels().end());
    std::transform(marker.pixels().begin(), marker.pixels().end(), bounds.begin(),
                   result.pixels().begin(), [](T a, T b) { return std::min(a, b); });
    HostReconstruction<T>(mask.shape(), grid.axes, result.pixels(), bounds).run(progress);
    return result;
}

}  // namespace

AnyImage reconstruct(const AnyImageView& marker, const AnyImageView& mask,
                     const ReconstructOptions& options, Queue& queue, const Progress& progress) {
    require_mask_of(mask.shape(), marker.shape());
    const MinimaxGrid grid = grid_of(mask.shape(), options);
    return mask.visit([&]<class T>(const PixelView<T>& typed) -> AnyImage {
        const auto* of_type = marker.get_if<T>();
        if (!of_type)
            throw InvalidArgument(
                "the marker has pixels of " + std::string(pixel_type_name(marker.pixel_type())) +
                ", and the mask of " + std::string(pixel_type_name(mask.pixel_type())) +
                ": both need the same pixel type");
        return reconstructed_image(*of_type, typed, grid, queue, progress);
    });
}

DeviceImage<std::uint8_t> reconstruct(const DeviceImage<const std::uint8_t>& marker,
                                      const DeviceImage<const std::uint8_t>& mask,
                                      const ReconstructOptions& options, Queue& queue,
                                      const Progress& progress) {
    require_mask_of(mask.shape, marker.shape);
    const MinimaxGrid grid = grid_of(mask.shape, options);
    return {reconstructed<std::uint8_t>(grid, marker.pixels, mask.pixels, queue, progress),
            mask.shape, mask.geometry};
}

std::int64_t reconstruct_device_bytes(const AnyImageView& mask, const ReconstructOptions& options) {
    const MinimaxGrid grid = grid_of(mask.shape(), options);
    const std::int64_t points = grid.points();
    return (2 * 2 + 2 * 2 + 2) * points +
           std::max(4 * points + minimax_weights_bytes(grid), minimax_bytes(grid));
}

}  // namespace tesela
