#include "pixels/device_values.h"

#include <cmath>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/used_values.h"
#include "kernels/pixels/beyond.kernel.h"
#include "kernels/pixels/some_values.kernel.h"
#include "tesela/compute/primitives.h"
#include "tesela/device_value_range.h"

namespace tesela {

void require_values(Queue& queue, const DeviceImage<const float>& image, double most,
                    NotFinite not_finite) {
    auto limit = static_cast<float>(most);
    if (static_cast<double>(limit) > most) limit = std::nextafter(limit, 0.0f);
    auto found = queue.allocate_filled<std::uint32_t>(1, 0u, "values beyond a limit");
    queue.launch(kernels::values_beyond, Range{image.shape.elements()}, image.pixels, found, limit,
                 std::int32_t{not_finite == NotFinite::refused});
    if (queue.download(found).front() == 0) return;
    const std::vector<float> values = queue.download(image.pixels);
    require_values(std::span<const float>(values), image.shape, most, not_finite);
}

ValueRange range_of(Queue& queue, const Buffer<float>& values) {
    auto lowest = queue.allocate<float>(1, "lowest value");
    auto highest = queue.allocate<float>(1, "highest value");
    reduce(queue, ReduceOperation::minimum, values, values.size(), lowest);
    reduce(queue, ReduceOperation::maximum, values, values.size(), highest);
    return {queue.download(lowest).front(), queue.download(highest).front()};
}

namespace {

template <class T>
const auto& some_values() {
    if constexpr (std::is_same_v<T, std::uint16_t>)
        return kernels::some_values_u16;
    else if constexpr (std::is_same_v<T, std::int16_t>)
        return kernels::some_values_i16;
    else
        return kernels::some_values_f32;
}

}  // namespace

template <class T>
ValueRange used_range(const DeviceImage<const T>& image, Queue& queue) {
    if constexpr (std::is_same_v<T, std::uint8_t>) {
        return {0, 255};
    } else {
        const std::int64_t step = used_values_step(image.shape.points());
        const std::int64_t points = (image.shape.points() - 1) / step + 1;
        const std::int32_t channels = image.shape.channels;
        const std::int32_t taken = channels - (image.has_alpha ? 1 : 0);
        auto found = queue.allocate<T>(points * taken, "some values");
        queue.launch(some_values<T>(), Range{taken, points}, image.pixels, found, step, channels,
                     taken);
        std::vector<T> values = queue.download(found);
        if constexpr (std::is_floating_point_v<T>)
            std::erase_if(values, [](T value) { return !std::isfinite(value); });
        return range_of_used(std::move(values));
    }
}
template <class T>
double gray_level(const DeviceImage<const T>& image, Queue& queue) {
    const ValueRange range = used_range(image, queue);
    return (range.highest - range.lowest) / 255;
}
#define TESELA_INSTANTIATE(T)                                            \
    template ValueRange used_range(const DeviceImage<const T>&, Queue&); \
    template double gray_level(const DeviceImage<const T>&, Queue&)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::uint16_t);
TESELA_INSTANTIATE(std::int16_t);
TESELA_INSTANTIATE(float);
#undef TESELA_INSTANTIATE

}  // namespace tesela
