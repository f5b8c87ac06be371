#include "convert.h"

#include <cmath>
#include <limits>

namespace tesela::cli {
namespace {

template <class To>
To converted(double value, Conversion& counts) {
    if constexpr (std::is_same_v<To, double>) {
        return value;
    } else if constexpr (std::is_same_v<To, float>) {
        constexpr double most = std::numeric_limits<float>::max();
        if (!std::isfinite(value) || std::abs(value) <= most) return static_cast<float>(value);
        ++counts.saturated;
        return static_cast<float>(std::copysign(most, value));
    } else {
        using Limits = std::numeric_limits<To>;
        const double whole = std::round(value);
        const bool below = !(whole >= static_cast<double>(Limits::min()));  // NaN as well
        const bool above = whole > static_cast<double>(Limits::max());
        counts.saturated += below || above;
        counts.rounded += !below && !above && whole != value;
        if (std::isnan(value)) return 0;
        return below ? Limits::min() : above ? Limits::max() : static_cast<To>(whole);
    }
}

template <class To, class From>
Image<To> converted_image(const Image<From>& from, Conversion& counts) {
    Image<To> to(from.shape(), from.geometry);
    to.has_alpha = from.has_alpha;
    for (std::size_t i = 0; i < from.pixels().size(); ++i)
        to.pixels()[i] = converted<To>(static_cast<double>(from.pixels()[i]), counts);
    return to;
}

template <class To>
void convert_to(const AnyImage& from, Conversion& result) {
    result.image =
        std::visit([&](const auto& image) { return converted_image<To>(image, result); }, from);
}

}  // namespace

Conversion convert(const AnyImage& image, PixelType type) {
    Conversion result;
    switch (type) {
        case PixelType::u8:
            convert_to<std::uint8_t>(image, result);
            break;
        case PixelType::i8:
            convert_to<std::int8_t>(image, result);
            break;
        case PixelType::u16:
            convert_to<std::uint16_t>(image, result);
            break;
        case PixelType::i16:
            convert_to<std::int16_t>(image, result);
            break;
        case PixelType::u32:
            convert_to<std::uint32_t>(image, result);
            break;
        case PixelType::i32:
            convert_to<std::int32_t>(image, result);
            break;
        case PixelType::f32:
            convert_to<float>(image, result);
            break;
        case PixelType::f64:
            convert_to<double>(image, result);
            break;
    }
    return result;
}

}  // namespace tesela::cli
