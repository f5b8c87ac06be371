#include "tesela/value_range.h"

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "core/used_values.h"

namespace tesela {
namespace {

template <class T>
std::vector<T> sampled_values(const PixelView<T>& image) {
    const std::int64_t points = image.shape().points(), stride = image.shape().channels;
    const std::int64_t channels = stride - (image.has_alpha ? 1 : 0);
    const std::int64_t step = used_values_step(points);
    std::vector<T> values;
    values.reserve(static_cast<std::size_t>((points + step - 1) / step * channels));
    for (std::int64_t point = 0; point < points; point += step)
        for (std::int64_t c = 0; c < channels; ++c) {
            const T value = image.data()[point * stride + c];
            if (std::isfinite(static_cast<double>(value))) values.push_back(value);
        }
    return values;
}

}  // namespace

ValueRange used_range(const AnyImageView& image) {
    return image.visit([]<class T>(const PixelView<T>& pixels) -> ValueRange {
        if constexpr (std::is_same_v<T, std::uint8_t>)
            return {0, 255};
        else
            return range_of_used(sampled_values(pixels));
    });
}

double gray_level(const AnyImageView& image) {
    const ValueRange range = used_range(image);
    return (range.highest - range.lowest) / 255;
}

}  // namespace tesela
