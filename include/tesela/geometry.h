// Where an image lies in space, and lengths with units.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace tesela {

enum class Unit { unknown, millimeter, micrometer };

std::string_view unit_symbol(Unit unit);  // "", "mm" or "um"

// The physical frame is LPS (x to the left, y to the back, z to the head of a patient), as in ITK
// and DICOM. `origin` is the center of the first voxel. `direction` is row-major: column a is the
// direction of image axis a. With an unknown unit the spacing is one pixel and has no length.
struct Geometry {
    std::array<double, 3> spacing{1, 1, 1};
    std::array<double, 3> origin{0, 0, 0};
    std::array<double, 9> direction{1, 0, 0, 0, 1, 0, 0, 0, 1};
    double time_step = 1;  // seconds between two time points; 1 where unknown
    Unit unit = Unit::unknown;

    bool known() const { return unit != Unit::unknown; }
    // Spacing in millimeters. Throws InvalidArgument where the unit is unknown.
    std::array<double, 3> spacing_mm() const;
    // Three letters, the side that each axis points to, such as "LPS" or "RAS".
    std::string orientation() const;

    bool operator==(const Geometry&) const = default;
};

// A length as people write it: "8" and "8px" are pixels, "2.5mm" and "12um" are physical.
struct Length {
    enum class In { pixel, millimeter, micrometer };

    double value = 0;
    In in = In::pixel;

    constexpr Length() = default;
    constexpr Length(double pixels) : value(pixels) {}  // NOLINT: a plain number is pixels
    constexpr Length(double v, In unit) : value(v), in(unit) {}

    // Throws InvalidArgument for text that is not a number with px, mm, um or nothing behind it.
    static Length parse(std::string_view text);
    std::string to_string() const;
    bool physical() const { return in != In::pixel; }
    double millimeters() const { return in == In::micrometer ? value * 1e-3 : value; }

    bool operator==(const Length&) const = default;
};

}  // namespace tesela
