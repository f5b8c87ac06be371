// The size of a slide's pixels, from whatever its file says of it.
#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>

#include "io/ome_xml.h"
#include "io/slide.h"

namespace tesela::io {
double number_of(std::string_view text) {
    double value = 0;
    const auto begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return std::numeric_limits<double>::quiet_NaN();
    text.remove_prefix(begin);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end != text.data() ? value
                                                      : std::numeric_limits<double>::quiet_NaN();
}

double micrometers_in(std::string_view unit) {
    struct Length {
        std::string_view symbol;
        double micrometers;
    };
    // OME's UnitsLength, then what ImageJ's users write.
    static constexpr Length lengths[] = {
        {"", 1},
        {"\xc2\xb5m", 1},
        {"\xce\xbcm", 1},
        {"um", 1},
        {"nm", 1e-3},
        {"\xc3\x85", 1e-4},
        {"pm", 1e-6},
        {"fm", 1e-9},
        {"mm", 1e3},
        {"cm", 1e4},
        {"dm", 1e5},
        {"m", 1e6},
        {"am", 1e-12},
        {"zm", 1e-15},
        {"ym", 1e-18},
        {"dam", 1e7},
        {"hm", 1e8},
        {"km", 1e9},
        {"Mm", 1e12},
        {"Gm", 1e15},
        {"Tm", 1e18},
        {"Pm", 1e21},
        {"Em", 1e24},
        {"Zm", 1e27},
        {"Ym", 1e30},
        {"ua", 149597870700e6},
        {"ly", 9460730472580800e6},
        {"pc", 3.0856775814913673e22},
        {"in", 25400},
        {"ft", 304800},
        {"yd", 914400},
        {"mi", 1609344e3},
        {"thou", 25.4},
        {"mil", 25.4},
        {"li", 25400.0 / 12},
        {"pt", 25400.0 / 72},
        {"micron", 1},
        {"microns", 1},
        {"micrometer", 1},
        {"micrometers", 1},
        {"micrometre", 1},
        {"micrometres", 1},
        {"\\u00B5m", 1},
        {"\xb5m", 1},
        {"angstrom", 1e-4},
        {"A", 1e-4},
        {"nanometer", 1e-3},
        {"nanometers", 1e-3},
        {"millimeter", 1e3},
        {"millimeters", 1e3},
        {"centimeter", 1e4},
        {"centimeters", 1e4},
        {"meter", 1e6},
        {"meters", 1e6},
        {"kilometer", 1e9},
        {"inch", 25400},
        {"inches", 25400},
    };
    for (const Length& length : lengths)
        if (length.symbol == unit) return length.micrometers;
    return 0;
}

namespace {

double length_of(const pugi::xml_node& pixels, const std::string& name) {
    const pugi::xml_attribute size = pixels.attribute(name.c_str());
    if (!size) return 0;
    return number_of(size.value()) *
           micrometers_in(pixels.attribute((name + "Unit").c_str()).value());
}

}  // namespace

PixelScale believable(PixelScale scale, std::vector<std::string>& warnings,
                      const std::string& option, double highest) {
    if (scale.source.empty()) return scale;
    constexpr double lowest = 1e-3;
    for (const double size : scale.micrometers)
        if (!(size >= lowest && size <= highest)) {
            warnings.push_back("the size of a pixel by " + scale.source + ", " +
                               std::to_string(scale.micrometers[0]) + " x " +
                               std::to_string(scale.micrometers[1]) +
                               " um, is not believed; give it by " + option);
            return {};
        }
    return scale;
}

void set_levels(TileSourceFacts& facts, const PixelScale& scale, const SlideReadOptions& options) {
    PixelScale used = believable(scale, facts.warnings);
    if (options.micrometers_per_pixel) used = {*options.micrometers_per_pixel, "given"};
    facts.spacing_source = used.source;
    TileLevel& first = facts.levels.front();
    if (!used.source.empty())
        first.geometry = micrometers_per_pixel(used.micrometers[0], used.micrometers[1]);
    for (TileLevel& level : facts.levels)
        level =
            level_below(first, level.shape.x, level.shape.y, level.tile_width, level.tile_height);
}

OmePixels ome_pixels(const pugi::xml_node& pixels) {
    OmePixels found;
    const double x = length_of(pixels, "PhysicalSizeX"), y = length_of(pixels, "PhysicalSizeY");
    // One of them alone means square pixels. A unit without a length says nothing.
    if (x != 0 || y != 0) found.scale = {{x != 0 ? x : y, y != 0 ? y : x}, "OME"};
    if (const double depth = length_of(pixels, "PhysicalSizeZ"); depth > 0) found.depth = depth;
    for (const char* name : {"PhysicalSizeXUnit", "PhysicalSizeYUnit", "PhysicalSizeZUnit"}) {
        const std::string unit = pixels.attribute(name).value();
        const bool is_none = unit == "pixel" || unit == "reference frame";
        if (!is_none && !(micrometers_in(unit) > 0)) found.unknown_unit = unit;
    }
    const auto count = [&](const char* name) {
        return std::max(1, pixels.attribute(name).as_int(1));
    };
    const int samples =
        std::max(1, ome_child(pixels, "Channel").attribute("SamplesPerPixel").as_int(1));
    found.planes =
        std::int64_t{count("SizeZ")} * count("SizeT") * std::max(1, count("SizeC") / samples);
    return found;
}

std::optional<OmePixels> parse_ome(const std::string& xml) {
    pugi::xml_document document;
    if (!document.load_buffer(xml.data(), xml.size())) return {};
    const pugi::xml_node pixels =
        ome_child(ome_child(ome_child(document, "OME"), "Image"), "Pixels");
    return pixels ? std::optional(ome_pixels(pixels)) : std::nullopt;
}

std::optional<double> aperio_number(const std::string& description, const std::string& name) {
    if (!description.starts_with("Aperio")) return {};
    for (std::size_t at = description.find('|'); at != std::string::npos;
         at = description.find('|', at + 1)) {
        std::string_view entry = std::string_view(description).substr(at + 1);
        entry = entry.substr(0, entry.find('|'));
        const auto equals = entry.find('=');
        if (equals == std::string_view::npos) continue;
        std::string_view key = entry.substr(0, equals);
        while (key.ends_with(' ')) key.remove_suffix(1);
        if (key == name) return number_of(entry.substr(equals + 1));
    }
    return {};
}

}  // namespace tesela::io
