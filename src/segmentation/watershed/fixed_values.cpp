#include "segmentation/watershed/fixed_values.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/watershed/fixed_values.kernel.h"
#include "pixels/finite_range.h"

namespace tesela {
namespace {

constexpr double highest_unit = fixed_highest;

template <class T>
struct Kernels;
#define TESELA_FIXED_KERNELS(type, suffix)                              \
    template <>                                                         \
    struct Kernels<type> {                                              \
        static constexpr auto& values = kernels::fixed_values_##suffix; \
    }
TESELA_FIXED_KERNELS(std::uint8_t, u8);
TESELA_FIXED_KERNELS(std::uint16_t, u16);
TESELA_FIXED_KERNELS(std::int16_t, i16);
TESELA_FIXED_KERNELS(float, f32);
#undef TESELA_FIXED_KERNELS

// The finest power of two in which the finite values span no more than the units.
FixedSpace space_of(const PixelSource<float>& image) {
    const auto [lowest, highest] = checked_for_units(finite_range(image));
    if (highest == lowest) return {lowest, 1};
    const double step = (highest - lowest) / highest_unit;
    return {lowest, std::ldexp(1.0, static_cast<int>(std::ceil(std::log2(step))))};
}

}  // namespace

std::uint32_t FixedSpace::units(double difference) const {
    return static_cast<std::uint32_t>(std::floor(std::min(difference / step, highest_unit)));
}

template <class T>
FixedSpace fixed_space(const PixelSource<T>& image, FixedSteps steps) {
    if constexpr (std::is_same_v<T, float>) {
        return space_of(image);
    } else {
        const bool divided = sizeof(T) == 1 && steps == FixedSteps::fine;
        return {static_cast<double>(std::numeric_limits<T>::lowest()), divided ? 1.0 / 256 : 1.0};
    }
}

template <class T>
Buffer<std::uint16_t> fixed_values(Queue& queue, const DeviceImage<const T>& image, int channels,
                                   const FixedSpace& space) {
    const std::int64_t points = image.shape.points();
    auto values = queue.allocate<std::uint16_t>(points * channels, "fixed values");
    queue.launch(Kernels<T>::values, Range{points}, image.pixels, values, points,
                 image.shape.channels, channels, static_cast<float>(space.offset),
                 static_cast<float>(1 / space.step));
    return values;
}

#define TESELA_INSTANTIATE(T)                                                             \
    template FixedSpace fixed_space(const PixelSource<T>&, FixedSteps);                   \
    template Buffer<std::uint16_t> fixed_values(Queue&, const DeviceImage<const T>&, int, \
                                                const FixedSpace&)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::uint16_t);
TESELA_INSTANTIATE(std::int16_t);
TESELA_INSTANTIATE(float);
#undef TESELA_INSTANTIATE

}  // namespace tesela
