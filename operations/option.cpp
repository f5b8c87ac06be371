#include "operations/option.h"

#include <array>
#include <cmath>

#include "tesela/error.h"

namespace tesela::operations {

std::string_view kind_name(OptionKind kind) {
    constexpr std::array<std::string_view, 6> names{"flag",   "integer", "number",
                                                    "length", "choice",  "text"};
    return names[static_cast<std::size_t>(kind)];
}

namespace {

// 0 where there is none.
double size_of(const OptionValue& value) {
    if (const auto* length = std::get_if<Length>(&value)) return length->value;
    if (const auto* number = std::get_if<double>(&value)) return *number;
    const auto* integer = std::get_if<std::int64_t>(&value);
    return integer ? static_cast<double>(*integer) : 0;
}

}  // namespace

std::optional<SuggestedRange> Option::suggested() const {
    if (suggestion) return suggestion;
    if (kind != OptionKind::integer && kind != OptionKind::number && kind != OptionKind::length)
        return {};
    constexpr double unknown = 10, several = 4, wide = 25, step = 0.01;
    const double value = size_of(default_value);
    const double reach = value != 0 ? several * std::abs(value) : unknown;
    SuggestedRange around{value - reach, std::min(range.highest, value + reach)};
    if (std::isfinite(range.lowest))
        around.lowest = range.lowest + (range.excludes_lowest ? step * reach : 0);
    if (range.highest - around.lowest <= wide * reach) around.highest = range.highest;
    return around;
}

namespace detail {

void throw_wrong_kind(std::string_view name, OptionKind kind) {
    throw InvalidArgument("--" + std::string(name) + ": the value is of another kind than " +
                          std::string(kind_name(kind)));
}

std::int64_t whole_number(const Option& option, const OptionValue& value) {
    const auto* integer = std::get_if<std::int64_t>(&value);
    if (!integer) throw_wrong_kind(option.name, option.kind);
    if (*integer < option.lowest_integer || *integer > option.highest_integer)
        throw InvalidArgument("--" + std::string(option.name) + ": '" + std::to_string(*integer) +
                              "' is not a whole number from " +
                              std::to_string(option.lowest_integer) + " to " +
                              std::to_string(option.highest_integer));
    return *integer;
}

double number(const Option& option, const OptionValue& value) {
    if (const auto* integer = std::get_if<std::int64_t>(&value))
        return static_cast<double>(*integer);
    const auto* number = std::get_if<double>(&value);
    if (!number) throw_wrong_kind(option.name, option.kind);
    return *number;
}

// A number is a length in pixels, and a text is parsed.
Length length(const Option& option, const OptionValue& value) {
    if (const auto* length = std::get_if<Length>(&value)) return *length;
    const auto* text = std::get_if<std::string>(&value);
    if (!text) return number(option, value);
    try {
        return Length::parse(*text);
    } catch (const InvalidArgument& error) {
        throw InvalidArgument("--" + std::string(option.name) + ": " + error.what());
    }
}

}  // namespace detail

Options::Options(const Options& other)
    : described_(other.described_),
      values_(other.values_ ? other.values_->copy() : nullptr),
      given_(other.given_) {}

Options& Options::operator=(const Options& other) { return *this = Options(other); }

Options Options::without(std::initializer_list<std::string_view> names) && {
    for (const std::string_view name : names) {
        find(name);
        std::erase_if(described_, [&](const Option& option) { return option.name == name; });
    }
    return std::move(*this);
}

Options Options::suggest(std::string_view name, SuggestedRange range) && {
    for (Option& option : described_)
        if (option.name == name) option.suggestion = range;
    return std::move(*this);
}

const Option& Options::find(std::string_view name) const {
    for (const Option& option : described_)
        if (option.name == name) return option;
    throw InvalidArgument("there is no option '" + std::string(name) + "'");
}

// Where there is no option, there may be no values: `find` throws first.
OptionValue Options::get(std::string_view name) const {
    const Option& option = find(name);
    return values_->get(option.name);
}

OptionValue Options::untouched(std::string_view name) const {
    const Option& option = find(name);
    return values_->untouched()->get(option.name);
}

void Options::set(std::string_view name, const OptionValue& value) {
    const Option& option = find(name);
    values_->set(option, value);
    given_.emplace(name);
}

}  // namespace tesela::operations
