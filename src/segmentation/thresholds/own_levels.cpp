#include "segmentation/thresholds/own_levels.h"

#include <algorithm>
#include <limits>

#include "kernels/thresholds/own_levels.kernel.h"
#include "segmentation/thresholds/threshold_result.h"

namespace tesela {
namespace {

using kernels::i32;
using kernels::u32;

template <class T>
struct Kernels;
#define TESELA_OWN_LEVEL_KERNELS(type, suffix, number)                     \
    template <>                                                            \
    struct Kernels<type> {                                                 \
        static constexpr int tables = number;                              \
        static constexpr auto& count = kernels::own_levels_count_##suffix; \
        static constexpr auto& mask = kernels::own_levels_mask_##suffix;   \
    }
TESELA_OWN_LEVEL_KERNELS(std::uint8_t, u8, 4);
TESELA_OWN_LEVEL_KERNELS(std::uint16_t, u16, 1);
TESELA_OWN_LEVEL_KERNELS(std::int16_t, i16, 1);
#undef TESELA_OWN_LEVEL_KERNELS

std::int64_t levels_of(std::size_t pixel_bytes) { return pixel_bytes == 1 ? 256 : 65536; }

// Parts that are long beside their tables, and enough of them for many threads.
std::int64_t parts_of(std::int64_t points, std::int64_t levels) {
    return std::clamp<std::int64_t>(points / (64 * levels), 1, 64);
}

}  // namespace

bool takes_own_levels(const Device& device, const Shape& shape) {
    return shape.channels == 1 && shape.points() <= std::numeric_limits<i32>::max() &&
           !prefers_groups(device);
}

std::int64_t own_levels_bytes(const Shape& shape, int pixel_bytes) {
    const std::int64_t levels = levels_of(static_cast<std::size_t>(pixel_bytes));
    const std::int64_t tables =
        (pixel_bytes == 1 ? Kernels<std::uint8_t>::tables : 1) * parts_of(shape.points(), levels);
    return shape.points() * (pixel_bytes + 1) + (tables + 1) * levels * 4;
}

template <class T>
GrayLevels scale_of_own_levels() {
    GrayLevels levels;
    levels.highest = static_cast<u32>(levels_of(sizeof(T)) - 1);
    levels.offset = static_cast<double>(std::numeric_limits<T>::lowest());
    return levels;
}

template <class T>
std::vector<u32> count_own_levels(Queue& queue, const DeviceImage<const T>& image) {
    const std::int64_t points = image.shape.points(), levels = levels_of(sizeof(T));
    const std::int64_t parts = parts_of(points, levels), tables = parts * Kernels<T>::tables;
    auto of_parts = queue.allocate<u32>(tables * levels, "histograms of parts");
    queue.launch(Kernels<T>::count, Groups{parts}, image.pixels, points, of_parts);
    auto counts = queue.allocate<u32>(levels, "histogram");
    queue.launch(kernels::own_levels_add, Range{levels}, of_parts, static_cast<i32>(tables),
                 static_cast<i32>(levels), counts);
    return queue.download(counts);
}

template <class T>
void mask_own_levels(Queue& queue, const DeviceImage<const T>& image, u32 threshold,
                     ThresholdSide side, Buffer<std::uint8_t>& mask) {
    const auto [above, below] = mask_values(side);
    queue.launch(Kernels<T>::mask, Range{image.shape.points()}, image.pixels,
                 static_cast<i32>(threshold), above, below, mask);
}

#define TESELA_INSTANTIATE(T)                                                              \
    template GrayLevels scale_of_own_levels<T>();                                          \
    template std::vector<u32> count_own_levels(Queue&, const DeviceImage<const T>&);       \
    template void mask_own_levels(Queue&, const DeviceImage<const T>&, u32, ThresholdSide, \
                                  Buffer<std::uint8_t>&)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::uint16_t);
TESELA_INSTANTIATE(std::int16_t);
#undef TESELA_INSTANTIATE

}  // namespace tesela
