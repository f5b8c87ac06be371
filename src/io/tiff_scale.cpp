#include "io/tiff_scale.h"

#include <cmath>
#include <optional>

#include "io/pixel_size.h"

namespace tesela::io {
namespace {

struct Resolution {
    float x = 0, y = 0;  // pixels of a unit
};
std::optional<Resolution> resolution(const TiffHandle& tiff) {
    float x = 0, y = 0;
    if (!TIFFGetField(tiff.get(), TIFFTAG_XRESOLUTION, &x) ||
        !TIFFGetField(tiff.get(), TIFFTAG_YRESOLUTION, &y) || !(x > 0 && y > 0))
        return {};
    return Resolution{x, y};
}

// The size of a pixel where the unit has this many micrometers.
std::array<double, 2> size_of(const Resolution& pixels, double unit) {
    const auto size = [&](float count) {
        return rounded_length(unit / static_cast<double>(count), [&](double length) {
            return static_cast<float>(unit / length) == count;
        });
    };
    return {size(pixels.x), size(pixels.y)};
}

std::string text_of(const TiffHandle& tiff, std::uint32_t tag) {
    char* text = nullptr;
    return TIFFGetField(tiff.get(), tag, &text) && text ? text : "";
}

int resolution_unit(const TiffHandle& tiff) {
    return tiff.field<std::uint16_t>(TIFFTAG_RESOLUTIONUNIT, RESUNIT_NONE);
}

// ImageJ counts in inches where a picture came with the resolution of print. Where both say so, a
// resolution is in centimeters and the description in micrometers.
StackScale imagej_scale(const TiffHandle& tiff, const std::string& description) {
    const std::string unit = imagej_value(description, "unit");
    if (unit.empty()) return {resolution_of(tiff)};
    const double length = unit == "inch" ? 0 : micrometers_in(unit);
    const auto pixels = resolution(tiff);
    if (!(length > 0) || !pixels) return {};
    // Axes have units of their own where these differ.
    const auto length_along = [&](const char* key) {
        const std::string other = imagej_value(description, key);
        return other.empty() ? length : micrometers_in(other);
    };
    const double along_y = length_along("yunit");
    if (!(along_y > 0)) return {};
    const bool in_centimeters = unit == "um" && resolution_unit(tiff) == RESUNIT_CENTIMETER;
    StackScale scale{
        {size_of(*pixels, in_centimeters ? micrometers_of_centimeter : length), "ImageJ"}};
    scale.pixel.micrometers[1] *= along_y / length;
    // A distance of exactly 1 is not written.
    const std::string spacing = imagej_value(description, "spacing");
    const double depth =
        (spacing.empty() ? 1 : std::abs(number_of(spacing))) * length_along("zunit");
    if (depth > 0) scale.depth = depth;
    return scale;
}

}  // namespace

std::string description_of(const TiffHandle& tiff) {
    return text_of(tiff, TIFFTAG_IMAGEDESCRIPTION);
}

std::string imagej_value(const std::string& description, const std::string& key) {
    const std::string begin = "\n" + key + "=";
    const std::size_t at = description.find(begin);
    if (at == std::string::npos) return {};
    const std::size_t first = at + begin.size();
    std::string value = description.substr(first, description.find('\n', first) - first);
    while (!value.empty() && (value.back() == '\r' || value.back() == ' ')) value.pop_back();
    return value;
}

bool is_ome(const std::string& description) {
    return description.find("<OME") != std::string::npos ||
           description.find(":OME ") != std::string::npos;
}

PixelScale resolution_of(const TiffHandle& tiff) {
    const auto pixels = resolution(tiff);
    const int unit = resolution_unit(tiff);
    const double length = unit == RESUNIT_CENTIMETER ? micrometers_of_centimeter
                          : unit == RESUNIT_INCH     ? micrometers_of_inch
                                                     : 0;
    if (!pixels || !(length > 0)) return {};
    return unless_print({size_of(*pixels, length), "TIFF resolution"},
                        text_of(tiff, TIFFTAG_SOFTWARE) == software);
}

StackScale stack_scale(const TiffHandle& tiff, const std::string& description) {
    if (is_ome(description)) return {resolution_of(tiff)};
    if (description.starts_with("ImageJ=")) return imagej_scale(tiff, description);
    if (const auto mpp = aperio_number(description, "MPP")) return {{{*mpp, *mpp}, "Aperio MPP"}};
    return {resolution_of(tiff)};
}

}  // namespace tesela::io
