// The types an option can have: how its text is read, shown and written as JSON. Numbers are read
// and shown the same way in every locale.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tesela/geometry.h"
#include "tesela/image.h"
#include "tesela/options.h"

namespace tesela::cli {

using Json = nlohmann::ordered_json;

// An amount of memory: a number of bytes, or one with a binary suffix K, M, G or T ("8G").
struct ByteSize {
    std::int64_t bytes = 0;  // 0: no limit was given
};
// "12 bytes", "1.5 MiB", "8 GiB"
std::string readable_bytes(std::int64_t bytes);

// Distance of neighboring pixels along x, y and z in millimeters; z is 0 where it was not given.
// One number is that of all axes.
struct Spacing {
    std::array<double, 3> millimeters{};
    bool in_micrometers = false;  // as it was written
    bool given() const { return millimeters[0] > 0; }
};

// Each throws InvalidArgument that names the option `name` and quotes `text`.
double parse_number(std::string_view name, std::string_view text);
std::int64_t parse_integer(std::string_view name, std::string_view text, std::int64_t lowest,
                           std::int64_t highest);
ByteSize parse_bytes(std::string_view name, std::string_view text);
// As a user would write it: "512M", "1000".
std::string bytes_text(ByteSize size);
Spacing parse_spacing(std::string_view name, std::string_view text);
Length parse_length(std::string_view name, std::string_view text);
PixelType parse_pixel_type(std::string_view name, std::string_view text);

// For each type: `kind` as --describe and help name it, `parse`, `text` (empty where there is
// nothing to show) and `json`.
template <class T, class = void>
struct OptionType;

template <>
struct OptionType<bool> {
    static constexpr std::string_view kind = "flag";
    static std::string text(bool value) { return value ? "on" : "off"; }
    static Json json(bool value) { return value; }
};

template <class T>
struct OptionType<T, std::enable_if_t<std::is_floating_point_v<T>>> {
    static constexpr std::string_view kind = "number";
    static T parse(std::string_view name, std::string_view text) {
        return static_cast<T>(parse_number(name, text));
    }
    static std::string text(T value) { return detail::shown(static_cast<double>(value)); }
    static Json json(T value) { return value; }
};

template <class T>
struct OptionType<T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>>> {
    static constexpr std::string_view kind = "integer";
    static T parse(std::string_view name, std::string_view text) {
        using Limits = std::numeric_limits<T>;
        constexpr auto highest = static_cast<std::uint64_t>(Limits::max());
        constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        return static_cast<T>(parse_integer(name, text, static_cast<std::int64_t>(Limits::min()),
                                            static_cast<std::int64_t>(std::min(highest, most))));
    }
    static std::string text(T value) { return std::to_string(value); }
    static Json json(T value) { return value; }
};

template <class T>
struct OptionType<T, std::enable_if_t<std::is_enum_v<T>>> {
    static constexpr std::string_view kind = "choice";
    static T parse(std::string_view name, std::string_view text) {
        return parse_enum<T>(name, text);
    }
    static std::string text(T value) { return std::string(enum_name(value)); }
    static Json json(T value) { return enum_name(value); }
};

template <>
struct OptionType<Length> {
    static constexpr std::string_view kind = "length";
    static Length parse(std::string_view name, std::string_view text) {
        return parse_length(name, text);
    }
    static std::string text(const Length& value) { return value.to_string(); }
    static Json json(const Length& value) { return value.to_string(); }
};

template <>
struct OptionType<std::string> {
    static constexpr std::string_view kind = "text";
    static std::string parse(std::string_view, std::string_view text) { return std::string(text); }
    static std::string text(const std::string& value) { return value; }
    static Json json(const std::string& value) { return value; }
};

// What may be given more than once.
template <>
struct OptionType<std::vector<std::string>> {
    static constexpr std::string_view kind = "text";
    static std::string text(const std::vector<std::string>&) { return ""; }
    static Json json(const std::vector<std::string>& value) {
        return value.empty() ? Json("") : value.size() == 1 ? Json(value.front()) : Json(value);
    }
};

template <>
struct OptionType<std::filesystem::path> {
    static constexpr std::string_view kind = "path";
    static std::filesystem::path parse(std::string_view name, std::string_view text) {
        if (text.empty()) throw InvalidArgument("--" + std::string(name) + ": the path is empty");
        return text;
    }
    static std::string text(const std::filesystem::path& value) { return value.string(); }
    static Json json(const std::filesystem::path& value) {
        return value.empty() ? Json() : Json(value.string());
    }
};

template <>
struct OptionType<ByteSize> {
    static constexpr std::string_view kind = "size";
    static ByteSize parse(std::string_view name, std::string_view text) {
        return parse_bytes(name, text);
    }
    static std::string text(ByteSize value) { return value.bytes ? bytes_text(value) : ""; }
    static Json json(ByteSize value) { return value.bytes ? Json(value.bytes) : Json(); }
};

template <>
struct OptionType<Spacing> {
    static constexpr std::string_view kind = "spacing";
    static Spacing parse(std::string_view name, std::string_view text) {
        return parse_spacing(name, text);
    }
    static std::string text(const Spacing&) { return ""; }
    static Json json(const Spacing& value) {
        return value.given() ? Json(value.millimeters) : Json();
    }
};

template <>
struct OptionType<PixelType> {
    static constexpr std::string_view kind = "pixel type";
    static PixelType parse(std::string_view name, std::string_view text) {
        return parse_pixel_type(name, text);
    }
    static std::string text(PixelType value) { return std::string(pixel_type_name(value)); }
    static Json json(PixelType value) { return pixel_type_name(value); }
};

// What need not be given.
template <class T>
struct OptionType<std::optional<T>> {
    static constexpr std::string_view kind = OptionType<T>::kind;
    static std::optional<T> parse(std::string_view name, std::string_view text) {
        return OptionType<T>::parse(name, text);
    }
    static std::string text(const std::optional<T>& value) {
        return value ? OptionType<T>::text(*value) : "";
    }
    static Json json(const std::optional<T>& value) {
        return value ? OptionType<T>::json(*value) : Json();
    }
};

template <class T>
struct GivenType {
    using type = T;
};
template <class T>
struct GivenType<std::optional<T>> {
    using type = T;
};

}  // namespace tesela::cli
