#include "tesela/geometry.h"

#include <charconv>
#include <cmath>
#include <cstdio>

#include "tesela/error.h"

namespace tesela {

std::string_view unit_symbol(Unit unit) {
    switch (unit) {
        case Unit::millimeter:
            return "mm";
        case Unit::micrometer:
            return "um";
        case Unit::unknown:
            break;
    }
    return "";
}

std::array<double, 3> Geometry::spacing_mm() const {
    if (!known())
        throw InvalidArgument(
            "the image has no physical spacing; give it with --spacing or use pixels");
    const double scale = unit == Unit::micrometer ? 1e-3 : 1.0;
    return {spacing[0] * scale, spacing[1] * scale, spacing[2] * scale};
}

std::string Geometry::orientation() const {
    // LPS: positive x, y and z run to the left, the back and the head.
    static constexpr char toward_positive[] = "LPS";
    static constexpr char toward_negative[] = "RAI";
    std::string letters;
    for (int axis = 0; axis < 3; ++axis) {
        int largest = 0;
        for (int row = 1; row < 3; ++row)
            if (std::abs(direction[3 * row + axis]) > std::abs(direction[3 * largest + axis]))
                largest = row;
        letters += direction[3 * largest + axis] >= 0 ? toward_positive[largest]
                                                      : toward_negative[largest];
    }
    return letters;
}

Length Length::parse(std::string_view text) {
    const auto malformed = [&] {
        return InvalidArgument("'" + std::string(text) +
                               "' is not a length: write a number of pixels (8 or 8px), "
                               "millimeters (2.5mm) or micrometers (12um)");
    };
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{}) throw malformed();
    const std::string_view suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
    if (suffix.empty() || suffix == "px") return {value, In::pixel};
    if (suffix == "mm") return {value, In::millimeter};
    if (suffix == "um") return {value, In::micrometer};
    throw malformed();
}

std::string Length::to_string() const {
    char text[48];
    static constexpr const char* suffixes[] = {"px", "mm", "um"};
    std::snprintf(text, sizeof text, "%.9g%s", value, suffixes[static_cast<int>(in)]);
    return text;
}

}  // namespace tesela
