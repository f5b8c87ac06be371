#include "option_types.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "tesela/error.h"

namespace tesela::cli {
namespace {

InvalidArgument malformed(std::string_view name, std::string_view text, std::string_view expected) {
    return InvalidArgument(fmt::format("--{}: '{}' is not {}", name, text, expected));
}

// Reads a number at the start of `text`; gives what stands behind it, or nothing where there is no
// number.
std::optional<std::string_view> leading_number(std::string_view text, double& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{}) return std::nullopt;
    return text.substr(static_cast<std::size_t>(end - text.data()));
}

}  // namespace

std::string readable_bytes(std::int64_t bytes) {
    if (bytes < 1024) return fmt::format("{} bytes", bytes);
    double amount = static_cast<double>(bytes);
    std::string_view unit;
    for (const std::string_view next : {"KiB", "MiB", "GiB", "TiB"}) {
        if (!unit.empty() && amount < 1024) break;
        amount /= 1024;
        unit = next;
    }
    return fmt::format("{:.{}f} {}", amount, amount < 10 ? 2 : 1, unit);
}

double parse_number(std::string_view name, std::string_view text) {
    double value = 0;
    const auto rest = leading_number(text, value);
    if (!rest || !rest->empty()) throw malformed(name, text, "a number");
    return value;
}

std::int64_t parse_integer(std::string_view name, std::string_view text, std::int64_t lowest,
                           std::int64_t highest) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error != std::errc::invalid_argument && end == text.data() + text.size();
    if (!whole) throw malformed(name, text, "a whole number");
    if (error != std::errc{} || value < lowest || value > highest)
        throw malformed(name, text, fmt::format("a whole number from {} to {}", lowest, highest));
    return value;
}

constexpr std::string_view byte_suffixes = "KMGT";  // of 2^10, 2^20, ...

ByteSize parse_bytes(std::string_view name, std::string_view text) {
    double value = 0;
    auto rest = leading_number(text, value);
    double factor = 1;
    if (rest && rest->size() == 1) {
        const std::size_t place = byte_suffixes.find(rest->front());
        if (place != std::string_view::npos) {
            factor = std::ldexp(1.0, 10 * (static_cast<int>(place) + 1));
            rest = "";
        }
    }
    const double bytes = value * factor;
    if (!rest || !rest->empty() || !(bytes >= 1) || bytes > 0x1p62)
        throw malformed(name, text,
                        "an amount of memory: write bytes, or a number with K, M, G or T (8G)");
    return {static_cast<std::int64_t>(bytes)};
}

std::string bytes_text(ByteSize size) {
    std::int64_t count = size.bytes;
    std::size_t steps = 0;
    for (; count != 0 && count % 1024 == 0 && steps < byte_suffixes.size(); ++steps) count /= 1024;
    std::string text = std::to_string(count);
    if (steps > 0) text += byte_suffixes[steps - 1];
    return text;
}

Spacing parse_spacing(std::string_view name, std::string_view text) {
    Spacing spacing;
    std::string_view rest = text;
    for (const std::string_view unit : {"um", "mm"})
        if (rest.ends_with(unit)) {
            rest.remove_suffix(unit.size());
            spacing.in_micrometers = unit == "um";
            break;
        }
    std::size_t count = 0;
    for (bool more = true; more; ++count) {
        double value = 0;
        const auto behind = leading_number(rest, value);
        constexpr double least = 1e-9, most = 1e9;  // whose inverse squares single precision holds
        const bool valid = behind && count < 3 && value >= least && value <= most &&
                           (behind->empty() || behind->front() == ',');
        if (!valid)
            throw malformed(name, text,
                            "a spacing: write one number from 1e-9 to 1e9, X,Y or X,Y,Z, in mm, or "
                            "in um with um behind the last");
        spacing.millimeters[count] = spacing.in_micrometers ? value * 1e-3 : value;
        more = !behind->empty();
        rest = more ? behind->substr(1) : *behind;
    }
    if (count == 1) spacing.millimeters.fill(spacing.millimeters[0]);
    return spacing;
}

Length parse_length(std::string_view name, std::string_view text) {
    try {
        return Length::parse(text);
    } catch (const InvalidArgument& error) {
        throw InvalidArgument(fmt::format("--{}: {}", name, error.what()));
    }
}

PixelType parse_pixel_type(std::string_view name, std::string_view text) {
    try {
        return tesela::parse_pixel_type(text);
    } catch (const InvalidArgument& error) {
        throw InvalidArgument(fmt::format("--{}: {}", name, error.what()));
    }
}

}  // namespace tesela::cli
