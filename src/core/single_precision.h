// Which values of images algorithms can compute with in single precision.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>

#include "tesela/image_view.h"

namespace tesela {

// Differences of values up to here are finite; sums of some thousand; and sums of the squares of a
// billion.
inline constexpr double largest_compared = 1e37, largest_summed = 1e30, largest_squared = 1e14;

enum class NotFinite { refused, kept };

namespace detail {

[[noreturn]] void refuse_value(const Shape& shape, std::int64_t point, double value, double most);

template <class T>
bool is_beyond(T value, double most, NotFinite not_finite) {
    const auto size = std::abs(static_cast<double>(value));
    return !(size <= most) && (not_finite == NotFinite::refused || std::isfinite(value));
}

}  // namespace detail

// Throws InvalidArgument that names the first pixel whose values are beyond `most`, or not finite.
template <class T>
void require_values(std::span<const T> values, const Shape& shape, double most,
                    NotFinite not_finite = NotFinite::refused) {
    if constexpr (std::is_floating_point_v<T>) {
        bool beyond = false;  // all are looked at, because such a loop vectorizes
        for (const T value : values) beyond |= !(std::abs(static_cast<double>(value)) <= most);
        for (std::size_t i = 0; beyond && i < values.size(); ++i)
            if (detail::is_beyond(values[i], most, not_finite))
                detail::refuse_value(shape, static_cast<std::int64_t>(i) / shape.channels,
                                     static_cast<double>(values[i]), most);
    }
}
void require_values(const AnyImageView& image, double most,
                    NotFinite not_finite = NotFinite::refused);

// In mm, 1 where it is unknown. Throws InvalidArgument where it has no square or inverse in single
// precision.
std::array<double, 3> spacing_in_range(const Geometry& geometry);

}  // namespace tesela
