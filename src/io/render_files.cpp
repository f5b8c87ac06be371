#include <cmath>
#include <sstream>

#include "io/json_file.h"
#include "io/text_file.h"
#include "tesela/render_io.h"

namespace tesela::io {
namespace {

constexpr std::int64_t most_bytes = 1 << 20;  // of a file of this kind

InputFile small_file(const fs::path& path) {
    InputFile file(path);
    if (file.size() > most_bytes)
        throw unreadable(path, "it has " + std::to_string(file.size()) +
                                   " bytes, more than any file of this kind");
    return file;
}

// What `read` makes of a small file's JSON.
template <class Read>
auto from_small_json(const fs::path& path, const Read& read) {
    return from_json(path, parse_json(path, whole_text(small_file(path), 0), 0), read);
}

// The same of text that stands by itself.
template <class Read>
auto from_json_text(std::string_view text, const Read& read) {
    try {
        if (std::ssize(text) > most_bytes)
            throw InvalidArgument("it has more than " + std::to_string(most_bytes) + " bytes");
        return read(parse_json(text));
    } catch (const Json::exception& error) {
        throw InvalidArgument(printable(json_reason(error)));
    }
}

// Points as lists of a value and what stands there: [value, opacity] or [value, red, green, blue].
template <class Point, class Take>
std::vector<Point> points_of(const Json& lists, std::size_t numbers, const Take& take) {
    std::vector<Point> points;
    for (const Json& list : lists) {
        if (!list.is_array() || list.size() != numbers)
            throw InvalidArgument("a point has " + std::to_string(numbers) + " numbers");
        points.push_back(take(list.get<std::vector<double>>()));
    }
    return points;
}
OpacityPoint opacity_point(const std::vector<double>& n) { return {n[0], n[1]}; }
ColorPoint color_point(const std::vector<double>& n) { return {n[0], {n[1], n[2], n[3]}}; }

Json json_of(const std::vector<OpacityPoint>& points) {
    Json lists = Json::array();
    for (const OpacityPoint& point : points) lists.push_back({point.value, point.opacity});
    return lists;
}

TransferFunction transfer_of(const Json& json) {
    if (json.value("format", "") != "tesela-transfer")
        throw InvalidArgument("it is no transfer function: \"format\" is not \"tesela-transfer\"");
    if (json.at("version") != 1)
        throw InvalidArgument("its version is not 1; a newer Tesela reads it");
    TransferFunction transfer;
    transfer.name = json.value("name", "");
    const auto units = json.value("units", "file");
    if (units != "file" && units != "percentiles")
        throw InvalidArgument("its units are '" + printable(units.substr(0, 40)) +
                              "'; they are \"file\" or \"percentiles\"");
    transfer.relative = units == "percentiles";
    transfer.reference_length = json.value("reference_length_mm", 1.0);
    transfer.color = points_of<ColorPoint>(json.at("color"), 4, color_point);
    transfer.opacity = points_of<OpacityPoint>(json.at("opacity"), 2, opacity_point);
    if (json.contains("gradient_opacity"))
        transfer.gradient_opacity =
            points_of<OpacityPoint>(json["gradient_opacity"], 2, opacity_point);
    validate(transfer);
    return transfer;
}

Json json_of(const TransferFunction& transfer) {
    Json color = Json::array();
    for (const ColorPoint& point : transfer.color)
        color.push_back({point.value, point.color[0], point.color[1], point.color[2]});
    return Json{{"format", "tesela-transfer"},
                {"version", 1},
                {"name", transfer.name},
                {"units", transfer.relative ? "percentiles" : "file"},
                {"reference_length_mm", transfer.reference_length},
                {"color", color},
                {"opacity", json_of(transfer.opacity)},
                {"gradient_opacity", json_of(transfer.gradient_opacity)}};
}

Camera camera_of(const Json& json) {
    Camera camera;
    camera.position = json.at("position").get<Vector3>();
    camera.target = json.at("target").get<Vector3>();
    camera.up = json.at("up").get<Vector3>();
    camera.view_angle = json.value("view_angle", 0.0);
    camera.height = camera.view_angle > 0 ? 1 : json.at("height").get<double>();
    validate(camera);
    return camera;
}

// A line of a volume property: how many numbers follow, then the numbers of all points.
template <class Point, class Take>
std::vector<Point> property_points(std::istream& in, std::size_t numbers, const Take& take) {
    std::size_t count = 0;
    if (!(in >> count) || count % numbers != 0 || count > most_bytes)
        throw InvalidArgument("it is no volume property of 3D Slicer: a list of points is broken");
    std::vector<Point> points;
    for (std::size_t i = 0; i < count / numbers; ++i) {
        std::vector<double> values(numbers);
        for (double& value : values)
            if (!(in >> value))
                throw InvalidArgument("it ends within a list of points: is it complete?");
        points.push_back(take(values));
    }
    return points;
}

// Interpolation, shade, diffuse, ambient, specular and its power, then the three lists.
TransferFunction property_of(const std::string& text, const fs::path& path) {
    std::istringstream in(text);
    in.imbue(std::locale::classic());
    for (int i = 0; i < 6; ++i)
        if (double ignored; !(in >> ignored))
            throw InvalidArgument(
                "it is no volume property of 3D Slicer: six numbers of lighting "
                "come first");
    TransferFunction transfer;
    transfer.name = path.stem().string();
    transfer.opacity = property_points<OpacityPoint>(in, 2, opacity_point);
    transfer.gradient_opacity = property_points<OpacityPoint>(in, 2, opacity_point);
    transfer.color = property_points<ColorPoint>(in, 4, color_point);
    validate(transfer);
    return transfer;
}

std::string property_text(const TransferFunction& transfer, const fs::path& path) {
    if (transfer.relative)
        throw UnsupportedFormat("cannot write " + quoted(path) +
                                ": a .vp file has values in file units, and this transfer function "
                                "has shares of percentiles; use .json");
    std::ostringstream out;
    out.imbue(std::locale::classic());
    out.precision(9);
    out << "1\n1\n0.7\n0.25\n0.15\n16\n" << 2 * transfer.opacity.size();
    // Of 1 mm, which is 3D Slicer's unit distance.
    for (const OpacityPoint& point : transfer.opacity)
        out << ' ' << point.value << ' '
            << 1 - std::pow(1 - point.opacity, 1 / transfer.reference_length);
    std::vector<OpacityPoint> by_gradient = transfer.gradient_opacity;
    if (by_gradient.empty()) by_gradient = {{0, 1}, {1, 1}};
    out << '\n' << 2 * by_gradient.size();
    for (const OpacityPoint& point : by_gradient) out << ' ' << point.value << ' ' << point.opacity;
    out << '\n' << 4 * transfer.color.size();
    for (const ColorPoint& point : transfer.color)
        out << ' ' << point.value << ' ' << point.color[0] << ' ' << point.color[1] << ' '
            << point.color[2];
    out << '\n';
    return out.str();
}

[[noreturn]] void throw_suffix(const fs::path& path) {
    throw UnsupportedFormat(quoted(path) +
                            ": a transfer function is a .json or .vp file, or one of the presets "
                            "of 'tesela render --list-presets'");
}

}  // namespace

TransferFunction read_transfer_function(const fs::path& path) {
    if (path.extension() == ".json") return from_small_json(path, transfer_of);
    if (path.extension() != ".vp") throw_suffix(path);
    try {
        return property_of(whole_text(small_file(path), 0), path);
    } catch (const InvalidArgument& error) {
        throw unreadable(path, error.what());
    }
}

void write_transfer_function(const TransferFunction& transfer, const fs::path& path,
                             const WriteOptions& options) {
    validate(transfer);
    if (path.extension() != ".json" && path.extension() != ".vp") throw_suffix(path);
    write_text(path.extension() == ".vp" ? property_text(transfer, path)
                                         : json_of(transfer).dump(1) + "\n",
               path, options.overwrite);
}

TransferFunction parse_transfer_function(std::string_view json) {
    return from_json_text(json, transfer_of);
}

std::string transfer_function_text(const TransferFunction& transfer) {
    return json_of(transfer).dump();
}

Camera read_camera(const fs::path& path) { return from_small_json(path, camera_of); }

Camera parse_camera(std::string_view json) { return from_json_text(json, camera_of); }

void write_camera(const Camera& camera, const fs::path& path, const WriteOptions& options) {
    Json json{{"position", camera.position}, {"target", camera.target}, {"up", camera.up}};
    if (camera.view_angle > 0)
        json["view_angle"] = camera.view_angle;
    else
        json["height"] = camera.height;
    write_text(json.dump(1) + "\n", path, options.overwrite);
}

std::vector<LabelEntry> read_label_entries(const fs::path& side_file) {
    std::error_code error;
    if (!fs::exists(side_file, error)) return {};
    constexpr std::int64_t most = std::int64_t{1} << 30;
    return from_json(side_file, read_json(side_file, most), [](const Json& json) {
        std::vector<LabelEntry> entries;
        for (const Json& label : json.at("labels")) {
            LabelEntry entry;
            entry.id = whole_number<std::uint32_t>(label.at("id"), "id");
            entry.count =
                label.contains("count") ? whole_number<std::int64_t>(label["count"], "count") : 0;
            entry.name = label.value("name", "");
            entry.segment.id = label.value("segment_id", "");
            entry.segment.tags = label.value("segment_tags", "");
            const auto text = label.at("color").get<std::string>();
            unsigned number = 0;
            if (text.size() != 7 || text[0] != '#' ||
                !(std::istringstream(text.substr(1)) >> std::hex >> number))
                throw InvalidArgument("the color of label " + std::to_string(entry.id) +
                                      " is not like #a0b1c2");
            for (std::size_t c = 0; c < 3; ++c)
                entry.color[c] = static_cast<std::uint8_t>(number >> (16 - 8 * c));
            entries.push_back(entry);
        }
        return entries;
    });
}

}  // namespace tesela::io
