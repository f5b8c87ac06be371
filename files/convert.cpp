#include "files/convert.h"

#include <cmath>
#include <limits>

#include "tesela/tile_source.h"

namespace tesela::files {
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

}  // namespace

Conversion convert(const AnyImage& image, PixelType type) {
    Conversion result{filled_image(type, shape_of(image), {})};
    std::visit(
        [&](const auto& from, auto& to) {
            to.geometry = from.geometry;
            to.has_alpha = from.has_alpha;
            using To = typename std::decay_t<decltype(to)>::value_type;
            for (std::size_t i = 0; i < from.pixels().size(); ++i)
                to.pixels()[i] = converted<To>(static_cast<double>(from.pixels()[i]), result);
        },
        image, result.image);
    return result;
}

}  // namespace tesela::files
