// Options described once.
//
// Beside each options struct stands `template <class V> void describe(V&& v, Options& o)`, one
// `v(name, o.member, help, range)` a field. Visitors make from it the validation below, the command
// line's flags and help, the tables of the documentation, the JSON of `--describe`, and the
// keywords of the Python module. An enumeration that is an option has `constexpr auto
// enum_names(E)`, an array of its values with their names.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "tesela/error.h"
#include "tesela/geometry.h"

namespace tesela {

struct OptionRange {
    double lowest = -std::numeric_limits<double>::infinity();
    double highest = std::numeric_limits<double>::infinity();
    bool excludes_lowest = false;
    std::string_view unit = {};       // shown in help and tables
    std::string_view automatic = {};  // what is used where an option is not given

    bool holds(double value) const {  // false for NaN
        return (excludes_lowest ? value > lowest : value >= lowest) && value <= highest;
    }
    std::string to_string() const;  // such as "above 0", "1 to 100", "at least 0"
};

template <class E>
using EnumNames = std::pair<E, std::string_view>;

template <class E>
std::string_view enum_name(E value) {
    for (const auto& [candidate, name] : enum_names(E{}))
        if (candidate == value) return name;
    return "?";
}

// "one of a, b, c"
template <class E>
std::string enum_choices() {
    std::string text;
    for (const auto& [value, name] : enum_names(E{})) {
        if (!text.empty()) text += ", ";
        text += name;
    }
    return text;
}

template <class E>
E parse_enum(std::string_view option, std::string_view text) {
    for (const auto& [value, name] : enum_names(E{}))
        if (name == text) return value;
    throw InvalidArgument("--" + std::string(option) + ": '" + std::string(text) +
                          "' is not one of " + enum_choices<E>());
}

namespace detail {
std::string shown(double value);
[[noreturn]] void throw_out_of_range(std::string_view name, const std::string& value,
                                     const OptionRange& range);

struct Validate {
    template <class T>
    void operator()(std::string_view name, const T& value, std::string_view,
                    const OptionRange& range = {}) const {
        if constexpr (requires { value.has_value(); }) {
            if (value) (*this)(name, *value, {}, range);
        } else if constexpr (std::is_same_v<T, Length>) {
            if (!range.holds(value.value) || !std::isfinite(value.value))
                throw_out_of_range(name, value.to_string(), range);
        } else if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
            const double number = static_cast<double>(value);
            if (!range.holds(number) || !std::isfinite(number))
                throw_out_of_range(name, shown(number), range);
        }
    }
};
}  // namespace detail

// Throws InvalidArgument naming field, value and allowed range.
template <class Options>
void validate_options(const Options& options) {
    Options copy = options;
    describe(detail::Validate{}, copy);
}

}  // namespace tesela
