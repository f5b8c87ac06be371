#include "io/zarr/form.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "io/lost_geometry.h"

namespace tesela::io::zarr {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr const char* own_order = std::endian::native == std::endian::little ? "little" : "big";

std::string dtype_of(PixelType type) {
    const int bytes = pixel_type_bytes(type);
    const char kind = type == PixelType::f32 || type == PixelType::f64 ? 'f'
                      : type == PixelType::u8 || type == PixelType::u16 || type == PixelType::u32
                          ? 'u'
                          : 'i';
    const char order = bytes == 1 ? '|' : std::endian::native == std::endian::little ? '<' : '>';
    return std::string{order, kind} + std::to_string(bytes);
}

Json axes_of(const Form& form) {
    Json axes = Json::array();
    for (const char letter : form.axes) {
        Json axis{{"name", std::string(1, letter)},
                  {"type", letter == 't'   ? "time"
                           : letter == 'c' ? "channel"
                                           : "space"}};
        if (letter == 't') axis["unit"] = "second";
        if (letter != 't' && letter != 'c' && form.geometry.known())
            axis["unit"] = form.geometry.unit == Unit::millimeter ? "millimeter" : "micrometer";
        axes.push_back(std::move(axis));
    }
    return axes;
}

// A point of a level lies in the middle of those that it covers.
Json transforms_of(const Form& form, const Level& level) {
    const Geometry& g = form.geometry;
    const bool has_origin = g.known() && !is_turned(g);
    Json scale = Json::array(), translation = Json::array();
    for (const char letter : form.axes) {
        const std::size_t axis = std::string_view("xyz").find(letter);
        if (axis == std::string_view::npos) {
            scale.push_back(letter == 't' ? g.time_step : 1.0);
            translation.push_back(0.0);
            continue;
        }
        const double spacing = g.known() ? g.spacing[axis] : 1;
        const double factor = level.downsample[axis];
        scale.push_back(spacing * factor);
        translation.push_back((has_origin ? g.origin[axis] : 0) + (factor - 1) / 2 * spacing);
    }
    return {{{"type", "scale"}, {"scale", scale}},
            {{"type", "translation"}, {"translation", translation}}};
}

// Of pictures of a color; channels that are measurements have no names here.
Json color_channels(const Form& form) {
    const int count = form.levels.front().shape.channels;
    const bool is_color =
        count - form.has_alpha == 3 && (form.type == PixelType::u8 || form.has_alpha);
    if (!is_color && !form.has_alpha) return Json::array();
    static constexpr const char* names[] = {"red", "green", "blue"};
    static constexpr const char* colors[] = {"FF0000", "00FF00", "0000FF"};
    const double white = form.type == PixelType::u8 ? 255 : form.type == PixelType::u16 ? 65535 : 1;
    Json channels = Json::array();
    for (int c = 0; c < count; ++c) {
        const bool is_alpha = form.has_alpha && c == count - 1;
        const std::string name = is_alpha   ? "alpha"
                                 : is_color ? names[c]
                                            : "channel " + std::to_string(c);
        channels.push_back(
            {{"label", name},
             {"color", is_color && !is_alpha ? colors[c] : "FFFFFF"},
             {"active", !is_alpha},
             {"window", {{"min", 0.0}, {"max", white}, {"start", 0.0}, {"end", white}}}});
    }
    return channels;
}

// What describes a level: its .zarray, or its zarr.json.
struct LevelLengths {
    Json shape = Json::array(), chunk = Json::array();
};
LevelLengths described_lengths(const Form& form, const Level& level) {
    const Lengths lengths = lengths_of(level.shape), chunk = chunk_of(form, level.shape);
    LevelLengths described;
    for (const char axis : form.axes) {
        described.shape.push_back(lengths[axis_letters.find(axis)]);
        described.chunk.push_back(chunk[axis_letters.find(axis)]);
    }
    return described;
}
Json format_2(const Form& form, const Level& level) {
    Json compressor;
    if (form.packing)
        compressor = {{"id", "blosc"},
                      {"cname", form.packing->compressor},
                      {"clevel", form.packing->level},
                      {"shuffle", 1},
                      {"blocksize", 0}};
    const LevelLengths lengths = described_lengths(form, level);
    return {{"zarr_format", 2},
            {"shape", lengths.shape},
            {"chunks", lengths.chunk},
            {"dtype", dtype_of(form.type)},
            {"compressor", compressor},
            {"fill_value", 0},
            {"order", "C"},
            {"filters", nullptr},
            {"dimension_separator", "/"}};
}
Json format_3(const Form& form, const Level& level) {
    Json codecs = Json::array({{{"name", "bytes"}, {"configuration", {{"endian", own_order}}}}});
    if (form.packing)
        codecs.push_back({{"name", "blosc"},
                          {"configuration",
                           {{"typesize", form.packing->number_bytes},
                            {"cname", form.packing->compressor},
                            {"clevel", form.packing->level},
                            {"shuffle", "shuffle"},
                            {"blocksize", 0}}}});
    codecs.push_back({{"name", "crc32c"}});
    const LevelLengths lengths = described_lengths(form, level);
    Json names = Json::array();
    for (const char axis : form.axes) names.push_back(std::string(1, axis));
    const bool is_float = form.type == PixelType::f32 || form.type == PixelType::f64;
    return {
        {"zarr_format", 3},
        {"node_type", "array"},
        {"shape", lengths.shape},
        {"data_type", pixel_type_name(form.type)},
        {"chunk_grid", {{"name", "regular"}, {"configuration", {{"chunk_shape", lengths.chunk}}}}},
        {"chunk_key_encoding", {{"name", "default"}, {"configuration", {{"separator", "/"}}}}},
        {"fill_value", is_float ? Json(0.0) : Json(0)},
        {"codecs", codecs},
        {"dimension_names", names}};
}

template <class T>
Bytes chunk_bytes(const Image<T>& image, const Lengths& first, const Lengths& chunk) {
    const Shape& s = image.shape();
    const std::int64_t nx = chunk[4], ny = chunk[3], nz = chunk[2];
    Bytes bytes(static_cast<std::size_t>(nx * ny * nz) * sizeof(T));
    const std::int64_t count = std::min(nx, s.x - first[4]);
    for (std::int64_t z = 0; z < std::min(nz, s.z - first[2]); ++z)
        for (std::int64_t y = 0; y < std::min(ny, s.y - first[3]); ++y) {
            const T* from =
                &image(first[4], first[3] + y, first[2] + z, first[0], static_cast<int>(first[1]));
            std::uint8_t* to =
                bytes.data() + static_cast<std::size_t>((z * ny + y) * nx) * sizeof(T);
            if (s.channels == 1) {
                std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(T));
                continue;
            }
            for (std::int64_t x = 0; x < count; ++x, to += sizeof(T))
                std::memcpy(to, from + x * s.channels, sizeof(T));
        }
    return bytes;
}

}  // namespace

std::string axes_with_length(const Shape& shape, const Geometry& geometry) {
    const Lengths lengths = lengths_of(shape);
    const bool has_place =
        geometry.known() && (geometry.spacing[2] != 1 || geometry.origin[2] != 0);
    std::string axes;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        const char axis = axis_letters[i];
        if (axis == 'y' || axis == 'x' || lengths[i] > 1 || (axis == 'z' && has_place))
            axes += axis;
    }
    return axes;
}

Json with_version(bool is_format_3, Json multiscale) {
    if (!is_format_3) multiscale["version"] = "0.4";
    Json attributes = Json::object();
    if (is_format_3) attributes["version"] = "0.5";
    attributes["multiscales"] = Json::array({std::move(multiscale)});
    return attributes;
}

Json attributes(const Form& form, const std::string& name) {
    Json datasets = Json::array();
    for (std::size_t i = 0; i < form.levels.size(); ++i)
        datasets.push_back({{"path", std::to_string(i)},
                            {"coordinateTransformations", transforms_of(form, form.levels[i])}});
    Json multiscale{{"name", name},
                    {"axes", axes_of(form)},
                    {"datasets", datasets},
                    {"type", form.is_labels ? "nearest" : "mean"}};
    Json attributes = with_version(form.is_format_3, std::move(multiscale));
    if (!form.is_labels)
        if (const Json channels = color_channels(form); !channels.empty())
            attributes["omero"] = {{"channels", channels}, {"rdefs", {{"model", "color"}}}};
    return attributes;
}

void put_group(bool is_format_3, const Json& attributes, Sink& sink) {
    if (is_format_3)
        return sink.put_json(
            "zarr.json",
            {{"zarr_format", 3}, {"node_type", "group"}, {"attributes", {{"ome", attributes}}}});
    sink.put_json(".zgroup", {{"zarr_format", 2}});
    sink.put_json(".zattrs", attributes);
}

void put_levels(const Form& form, Sink& sink) {
    for (std::size_t i = 0; i < form.levels.size(); ++i) {
        const std::string folder = std::to_string(i) + "/";
        if (form.is_format_3)
            sink.put_json(folder + "zarr.json", format_3(form, form.levels[i]));
        else
            sink.put_json(folder + ".zarray", format_2(form, form.levels[i]));
    }
}

Lengths lengths_of(const Shape& shape) {
    return {shape.t, shape.channels, shape.z, shape.y, shape.x};
}

Lengths chunk_of(const Form& form, const Shape& shape) {
    return {1, 1, std::min(form.side, shape.z), std::min(form.side, shape.y),
            std::min(form.side, shape.x)};
}

std::string chunk_key(const Form& form, std::size_t level, const Lengths& place) {
    std::string key = std::to_string(level) + (form.is_format_3 ? "/c" : "");
    for (const char axis : form.axes) key += "/" + std::to_string(place[axis_letters.find(axis)]);
    return key;
}

Bytes packed_chunk(const Form& form, const AnyImage& image, const Lengths& first,
                   const Lengths& chunk, const fs::path& path) {
    Bytes bytes =
        std::visit([&](const auto& typed) { return chunk_bytes(typed, first, chunk); }, image);
    if (std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == 0; }))
        return {};
    if (form.packing) bytes = blosc_packed(path, bytes, *form.packing);
    if (form.is_format_3) add_checksum(bytes);
    return bytes;
}

}  // namespace tesela::io::zarr
