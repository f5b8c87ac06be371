#include "io/lost_geometry.h"

#include <cmath>
#include <sstream>

#include "io/pixel_size.h"
#include "io/tiff_description.h"

namespace tesela::io {
namespace {

std::string number_text(double value) {
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text << value;
    return text.str();
}

bool holds_pixel_size(const AnyImage& image, Format format) {
    const Shape& shape = shape_of(image);
    switch (format) {
        case Format::png:
            return png_counts.counts_of(shape, geometry_of(image)).has_value();
        case Format::jpeg:
            return jpeg_counts.counts_of(shape, geometry_of(image)).has_value();
        default:
            return format == Format::tiff || format == Format::zarr;
    }
}

std::string pixel_size_text(const Geometry& geometry) {
    const auto [x, y, z] = micrometers(geometry);
    return "its pixel size (" + number_text(x) + " x " + number_text(y) + " um)";
}

bool has_origin(const Geometry& geometry, const Shape& shape) {
    const std::size_t axes = shape.z > 1 ? 3 : 2;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        // Along the image's own axes; across a single slice every distance counts.
        double along = 0;
        for (std::size_t row = 0; row < 3; ++row)
            along += geometry.direction[3 * row + axis] * geometry.origin[row];
        const double nothing = axis < axes ? geometry.spacing[axis] : 0;
        if (std::abs(along) > nothing) return true;
    }
    return false;
}

std::string origin_text(const Geometry& geometry) {
    return "its origin (" + number_text(geometry.origin[0]) + ", " +
           number_text(geometry.origin[1]) + ", " + number_text(geometry.origin[2]) + " " +
           std::string(unit_symbol(geometry.unit)) + ")";
}

}  // namespace

bool is_turned(const Geometry& geometry) {
    constexpr double tolerance = 1e-6;
    const Geometry straight;
    for (std::size_t i = 0; i < 9; ++i)
        if (std::abs(geometry.direction[i] - straight.direction[i]) > tolerance) return true;
    return false;
}

std::vector<std::string> lost_geometry(const AnyImage& image, const OutputFormat& format,
                                       const fs::path& path) {
    const Geometry& geometry = geometry_of(image);
    const bool is_zarr = format.format == Format::zarr;
    const bool holds_all = is_volume(format.format) && format.format != Format::npy && !is_zarr;
    if (holds_all || !geometry.known()) return {};
    const bool turned = is_turned(geometry);
    const bool holds_origin = is_zarr && !turned;
    std::vector<std::string> lost;
    if (!holds_pixel_size(image, format.format)) lost.push_back(pixel_size_text(geometry));
    if (!holds_origin && has_origin(geometry, shape_of(image)))
        lost.push_back(origin_text(geometry));
    if (turned) lost.push_back("its orientation (" + geometry.orientation() + ")");
    if (lost.empty()) return {};
    std::string all;
    for (std::size_t i = 0; i < lost.size(); ++i)
        all += (i == 0 ? "" : i + 1 < lost.size() ? ", " : " and ") + lost[i];
    return {quoted(path.filename()) +
            " does not keep the image's geometry: " + std::string(format.name) + " does not hold " +
            all + "; .nrrd, .nii.gz and .mha hold all of it"};
}

}  // namespace tesela::io
