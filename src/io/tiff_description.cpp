#include "io/tiff_description.h"

#include <charconv>
#include <string_view>

namespace tesela::io {
namespace {

std::string number_text(double value) {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    return {text, end};
}

// Where it is not known it is 1.
bool has_time_step(const Shape& shape, const Geometry& geometry) {
    return shape.t > 1 && geometry.time_step > 0 && geometry.time_step != 1;
}

std::string_view ome_type(PixelType type) {
    return type == PixelType::f32   ? "float"
           : type == PixelType::f64 ? "double"
                                    : pixel_type_name(type);
}

std::string attribute(const std::string& name, const std::string& value) {
    return " " + name + "=\"" + value + "\"";
}

std::string ome_sizes(const Shape& shape, const Geometry& geometry) {
    std::string text;
    const auto size = [&](const char* axis, std::int64_t length) {
        text += attribute(std::string("Size") + axis, std::to_string(length));
    };
    size("X", shape.x);
    size("Y", shape.y);
    size("Z", shape.z);
    size("C", shape.channels);
    size("T", shape.t);
    if (geometry.known()) {
        const auto lengths = micrometers(geometry);
        for (std::size_t axis = 0; axis < (shape.z > 1 ? 3u : 2u); ++axis) {
            const std::string name = std::string("PhysicalSize") + "XYZ"[axis];
            // The micro sign in UTF-8: Bio-Formats takes no reference for it.
            text +=
                attribute(name, number_text(lengths[axis])) + attribute(name + "Unit", "\xc2\xb5m");
        }
    }
    if (has_time_step(shape, geometry))
        text += attribute("TimeIncrement", number_text(geometry.time_step)) +
                attribute("TimeIncrementUnit", "s");
    return text;
}

}  // namespace

std::array<double, 3> micrometers(const Geometry& geometry) {
    if (geometry.unit == Unit::micrometer) return geometry.spacing;
    std::array<double, 3> lengths = geometry.spacing_mm();
    for (double& length : lengths) length *= 1000;
    return lengths;
}

std::string imagej_description(const Shape& shape, const Geometry& geometry, int planes) {
    std::string text = "ImageJ=1.53t\n";
    const auto line = [&](const char* key, const std::string& value) {
        text += std::string(key) + "=" + value + "\n";
    };
    const auto count = [&](const char* key, std::int64_t value) {
        if (value > 1) line(key, std::to_string(value));
    };
    count("images", planes * shape.z * shape.t);
    count("channels", planes);
    count("slices", shape.z);
    count("frames", shape.t);
    if (planes > 1 || shape.t > 1) line("hyperstack", "true");
    if (planes > 1) line("mode", "grayscale");
    if (geometry.known()) line("unit", "micron");
    if (geometry.known() && shape.z > 1) line("spacing", number_text(micrometers(geometry)[2]));
    if (has_time_step(shape, geometry)) line("finterval", number_text(geometry.time_step));
    line("loop", "false");
    return text;
}

std::string ome_description(PixelType type, const Shape& shape, const Geometry& geometry,
                            int samples) {
    const int channels = shape.channels / samples;
    std::string text =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
        "<OME xmlns=\"http://www.openmicroscopy.org/Schemas/OME/2016-06\" "
        "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
        "xsi:schemaLocation=\"http://www.openmicroscopy.org/Schemas/OME/2016-06 "
        "http://www.openmicroscopy.org/Schemas/OME/2016-06/ome.xsd\">"
        "<Image ID=\"Image:0\"><Pixels ID=\"Pixels:0\" DimensionOrder=\"XYCZT\"" +
        attribute("Type", std::string(ome_type(type))) + ome_sizes(shape, geometry) + ">";
    for (int c = 0; c < channels; ++c)
        text += "<Channel" + attribute("ID", "Channel:0:" + std::to_string(c)) +
                attribute("SamplesPerPixel", std::to_string(samples)) + "/>";
    return text + "<TiffData IFD=\"0\"" +
           attribute("PlaneCount", std::to_string(channels * shape.z * shape.t)) +
           "/></Pixels></Image></OME>";
}

}  // namespace tesela::io
