// Transfer functions: the color and opacity of the values of a volume.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tesela {

struct ColorPoint {
    double value = 0;
    std::array<double, 3> color{};  // sRGB, 0 to 1
    bool operator==(const ColorPoint&) const = default;
};
struct OpacityPoint {
    double value = 0, opacity = 0;  // opacity 0 to 1
    bool operator==(const OpacityPoint&) const = default;
};

// Piecewise linear between its points and constant beyond them. Two points of one value are a step:
// from this value on the second one holds. `opacity` is that of a layer as thick as the reference
// length; `gradient_opacity` multiplies it, by the length of the gradient in values per mm.
struct TransferFunction {
    std::string name;
    std::vector<ColorPoint> color;
    std::vector<OpacityPoint> opacity;
    std::vector<OpacityPoint> gradient_opacity;  // empty: 1 everywhere
    double reference_length = 1;                 // mm
    // Whether values are not in file units: 0 and 1 stand for the 1st and 99th percentile of the
    // volume, and gradients are in shares of this range per mm.
    bool relative = false;

    bool operator==(const TransferFunction&) const = default;
};

// Throws InvalidArgument for no points, points out of order, and colors, opacities or lengths out
// of range.
void validate(const TransferFunction& transfer);

std::array<double, 3> color_at(const std::vector<ColorPoint>& points, double value);
double opacity_at(const std::vector<OpacityPoint>& points, double value);

// The same in file units, where 0 and 1 stand for `low` and `high`.
TransferFunction in_file_units(TransferFunction transfer, double low, double high);

struct TransferPreset {
    std::string_view name, purpose;
};
const std::vector<TransferPreset>& transfer_presets();
// Nothing where there is no preset of this name.
std::optional<TransferFunction> transfer_preset(std::string_view name);

}  // namespace tesela
