// What pixels of masks and label maps are.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tesela/error.h"
#include "tesela/image_view.h"
#include "tesela/options.h"

namespace tesela {

// The one value besides 0, or 1 where there is no other; nothing where there are several.
template <class T>
std::optional<T> value_of_mask(std::span<const T> pixels) {
    const auto first = std::find_if(pixels.begin(), pixels.end(), [](T v) { return v != T{}; });
    if (first == pixels.end()) return T{1};
    const T one = *first;
    const bool has_other =
        std::any_of(first, pixels.end(), [one](T v) { return v != T{} && v != one; });
    if (has_other || one != one) return {};
    return one;
}

// 1 where a value is not 0.
template <class T>
std::vector<std::uint8_t> bytes_of_mask(std::span<const T> pixels) {
    std::vector<std::uint8_t> mask(pixels.size());
    std::transform(pixels.begin(), pixels.end(), mask.begin(),
                   [](T v) -> std::uint8_t { return v != T{} ? 1 : 0; });
    return mask;
}

// Throws InvalidArgument for a value that is no label.
template <class T>
std::vector<std::uint32_t> labels_of(const PixelView<T>& image) {
    std::vector<std::uint32_t> labels(image.pixels().size());
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const auto value = static_cast<double>(image.pixels()[i]);
        if (!(value >= 0 && value <= 4294967295.0) || value != std::floor(value))
            throw InvalidArgument("labels are whole numbers from 0 to 4294967295, and pixel " +
                                  std::to_string(i) + " is " + detail::shown(value));
        labels[i] = static_cast<std::uint32_t>(value);
    }
    return labels;
}

}  // namespace tesela
