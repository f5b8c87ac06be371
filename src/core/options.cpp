#include "tesela/options.h"

#include <cmath>
#include <cstdio>

namespace tesela {
namespace detail {

std::string shown(double value) {
    char text[32];
    const bool is_whole = std::abs(value) < 1e12 && std::trunc(value) == value;
    std::snprintf(text, sizeof text, is_whole ? "%.0f" : "%.9g", value);
    return text;
}

void throw_out_of_range(std::string_view name, const std::string& value, const OptionRange& range) {
    const std::string allowed = range.to_string();
    throw InvalidArgument("--" + std::string(name) + " is " + value + "; it must be " +
                          (allowed.empty() ? "a finite number" : allowed));
}

}  // namespace detail

std::string OptionRange::to_string() const {
    const bool has_lowest = std::isfinite(lowest);
    const bool has_highest = std::isfinite(highest);
    std::string text;
    if (has_lowest && has_highest && !excludes_lowest)
        text = detail::shown(lowest) + " to " + detail::shown(highest);
    else if (has_lowest && has_highest)
        text = "above " + detail::shown(lowest) + " and at most " + detail::shown(highest);
    else if (has_lowest)
        text = (excludes_lowest ? "above " : "at least ") + detail::shown(lowest);
    else if (has_highest)
        text = "at most " + detail::shown(highest);
    return text;
}

}  // namespace tesela
