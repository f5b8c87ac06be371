#include "tesela/value_range.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace tesela {
namespace {

template <class T>
std::vector<T> sampled_values(const PixelView<T>& image) {
    constexpr std::int64_t most_points = 1 << 20;
    const std::int64_t points = image.shape().points(), stride = image.shape().channels;
    const std::int64_t channels = stride - (image.has_alpha ? 1 : 0);
    const std::int64_t step = 1 + (points - 1) / most_points;
    std::vector<T> values;
    values.reserve(static_cast<std::size_t>((points + step - 1) / step * channels));
    for (std::int64_t point = 0; point < points; point += step)
        for (std::int64_t c = 0; c < channels; ++c) {
            const T value = image.data()[point * stride + c];
            if (std::isfinite(static_cast<double>(value))) values.push_back(value);
        }
    return values;
}

template <class T>
ValueRange range_of_constant(T value) {
    if constexpr (std::is_integral_v<T>)
        return {static_cast<double>(std::numeric_limits<T>::lowest()),
                static_cast<double>(std::numeric_limits<T>::max())};
    else
        return {static_cast<double>(value), static_cast<double>(value) + 1};
}

template <class T>
ValueRange range_of(const PixelView<T>& image) {
    std::vector<T> values = sampled_values(image);
    if (values.empty()) return {};
    const auto percentile = [&](double share) {
        const auto place =
            values.begin() + std::lround(share * static_cast<double>(values.size() - 1));
        std::nth_element(values.begin(), place, values.end());
        return *place;
    };
    constexpr double tail = 0.001;
    T lowest = percentile(tail), highest = percentile(1 - tail);
    if (lowest == highest) {
        lowest = *std::min_element(values.begin(), values.end());
        highest = *std::max_element(values.begin(), values.end());
    }
    if (lowest == highest) return range_of_constant(lowest);
    return {static_cast<double>(lowest), static_cast<double>(highest)};
}

}  // namespace

ValueRange used_range(const AnyImageView& image) {
    return image.visit([]<class T>(const PixelView<T>& pixels) -> ValueRange {
        if constexpr (std::is_same_v<T, std::uint8_t>)
            return {0, 255};
        else
            return range_of(pixels);
    });
}

double gray_level(const AnyImageView& image) {
    const ValueRange range = used_range(image);
    return (range.highest - range.lowest) / 255;
}

}  // namespace tesela
