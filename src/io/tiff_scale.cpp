#include "io/tiff_scale.h"

#include <cmath>
#include <optional>

namespace tesela::io {
namespace {

constexpr double micrometers_of_inch = 25400, micrometers_of_centimeter = 1e4;

struct Resolution {
    double x = 0, y = 0;  // pixels of a unit
};
std::optional<Resolution> resolution(const TiffHandle& tiff) {
    float x = 0, y = 0;
    if (!TIFFGetField(tiff.get(), TIFFTAG_XRESOLUTION, &x) ||
        !TIFFGetField(tiff.get(), TIFFTAG_YRESOLUTION, &y) || !(x > 0 && y > 0))
        return {};
    return Resolution{static_cast<double>(x), static_cast<double>(y)};
}

// ImageJ counts in inches where a picture came with the resolution of print.
StackScale imagej_scale(const TiffHandle& tiff, const std::string& description) {
    const std::string unit = imagej_value(description, "unit");
    const double length = unit.empty() || unit == "inch" ? 0 : micrometers_in(unit);
    const auto pixels = resolution(tiff);
    if (!(length > 0) || !pixels) return {};
    StackScale scale{{{length / pixels->x, length / pixels->y}, "ImageJ"}};
    const double depth = std::abs(number_of(imagej_value(description, "spacing"))) * length;
    if (depth > 0) scale.depth = depth;
    return scale;
}

}  // namespace

std::string description_of(const TiffHandle& tiff) {
    char* text = nullptr;
    return TIFFGetField(tiff.get(), TIFFTAG_IMAGEDESCRIPTION, &text) && text ? text : "";
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

PixelScale resolution_of(const TiffHandle& tiff, bool only_fine) {
    constexpr double coarsest = 10;
    const auto pixels = resolution(tiff);
    if (!pixels) return {};
    const auto unit = tiff.field<std::uint16_t>(TIFFTAG_RESOLUTIONUNIT, RESUNIT_NONE);
    const double length = unit == RESUNIT_CENTIMETER ? micrometers_of_centimeter
                          : unit == RESUNIT_INCH     ? micrometers_of_inch
                                                     : 0;
    const double size = length / pixels->x;
    const bool counts = unit == RESUNIT_CENTIMETER && !only_fine;
    if (!(size > 0) || !(counts || size < coarsest)) return {};
    return {{size, length / pixels->y}, "TIFF resolution"};
}

StackScale stack_scale(const TiffHandle& tiff, const std::string& description) {
    if (is_ome(description)) return {};
    if (description.starts_with("ImageJ=")) return imagej_scale(tiff, description);
    if (const auto mpp = aperio_number(description, "MPP")) return {{{*mpp, *mpp}, "Aperio MPP"}};
    return {resolution_of(tiff, true)};
}

}  // namespace tesela::io
