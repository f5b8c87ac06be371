#include <algorithm>

#include "io/json_file.h"
#include "io/text_file.h"
#include "io/transform_text.h"
#include "tesela/transform_io.h"

namespace tesela::io {
namespace {

constexpr const char* format_name = "tesela-transform";
constexpr int format_version = 1;

template <class T>
std::vector<T> first_of(const std::array<T, 3>& values, int count) {
    return {values.begin(), values.begin() + count};
}

Json json_of(const LinearMap& map, int d) {
    Json rows = Json::array();
    for (std::size_t row = 0; row < static_cast<std::size_t>(d); ++row)
        rows.push_back(std::vector<double>(map.matrix.begin() + 3 * row,
                                           map.matrix.begin() + 3 * row + std::size_t(d)));
    return {{"type", enum_name(map.kind)},
            {"matrix", rows},
            {"translation", first_of(map.translation, d)}};
}

Json json_of(const SplineMap& map, int d) {
    return {{"type", "bspline"},
            {"size", first_of(map.size, d)},
            {"origin", first_of(map.origin, d)},
            {"spacing", first_of(map.spacing, d)},
            {"displacements", map.displacements}};
}

Json json_of(const ImageGrid& grid, int d) {
    const std::array<std::int64_t, 3> size{grid.shape.x, grid.shape.y, grid.shape.z};
    Json json{{"size", first_of(size, d)}};
    if (grid.geometry.known()) {
        const LinearMap placed = placement(grid);
        json["spacing_mm"] = grid.geometry.spacing_mm();
        json["origin_mm"] = placed.translation;
        json["direction"] = grid.geometry.direction;
    }
    return json;
}

// What a member has to be is asked of the JSON library, whose errors name it.
class JsonReader {
  public:
    explicit JsonReader(const fs::path& path) : path_(path) {}

    Transform read(const Json& json) const {
        if (!json.is_object() || json.value("format", "") != format_name)
            throw unsupported(path_, "it is no transform of Tesela");
        if (json.at("version") != format_version)
            throw unsupported(path_, "its version is not " + std::to_string(format_version));
        Transform transform{.dimensions = whole_number<int>(json.at("dimensions"), "dimensions")};
        if (transform.dimensions != 2 && transform.dimensions != 3)
            throw unreadable(path_, "it has neither 2 nor 3 dimensions");
        const auto unit = json.at("unit").get<std::string>();
        if (unit != "mm" && unit != "px") throw unreadable(path_, "its unit is neither mm nor px");
        transform.unit = unit == "mm" ? Unit::millimeter : Unit::unknown;
        for (const Json& step : json.at("steps")) add_step(step, transform);
        if (json.contains("fixed")) transform.fixed = grid_of(json["fixed"], transform);
        if (json.contains("moving")) transform.moving = grid_of(json["moving"], transform);
        return transform;
    }

  private:
    template <class T>
    std::array<T, 3> numbers(const Json& json, int count, T rest) const {
        std::vector<T> list;
        if constexpr (std::is_integral_v<T>)
            list = whole_numbers<T>(json, "size");
        else
            list = json.get<std::vector<T>>();
        if (std::ssize(list) != count)
            throw unreadable(path_, "a list has " + std::to_string(list.size()) +
                                        " numbers instead of " + std::to_string(count));
        std::array<T, 3> values{rest, rest, rest};
        std::copy(list.begin(), list.end(), values.begin());
        return values;
    }

    void add_step(const Json& json, Transform& transform) const {
        const int d = transform.dimensions;
        const auto type = json.at("type").get<std::string>();
        if (type == "bspline") {
            transform.steps.emplace_back(
                SplineMap{.size = numbers<std::int64_t>(json.at("size"), d, 1),
                          .origin = numbers<double>(json.at("origin"), d, 0),
                          .spacing = numbers<double>(json.at("spacing"), d, 1),
                          .displacements = json.at("displacements").get<std::vector<double>>()});
            return;
        }
        LinearMap map;
        bool known = false;
        for (const auto& [kind, name] : enum_names(LinearKind{}))
            if (name == type) {
                map.kind = kind;
                known = true;
            }
        if (!known)
            throw unsupported(
                path_, "a step of the type '" + printable(type.substr(0, 40)) + "' is not known");
        const Json& rows = json.at("matrix");
        if (std::ssize(rows) != d) throw unreadable(path_, "a matrix is not square");
        for (std::size_t row = 0; row < static_cast<std::size_t>(d); ++row) {
            const auto values = numbers<double>(rows.at(row), d, 0);
            std::copy_n(values.begin(), d, map.matrix.begin() + 3 * row);
        }
        map.translation = numbers<double>(json.at("translation"), d, 0);
        transform.steps.emplace_back(map);
    }

    ImageGrid grid_of(const Json& json, const Transform& transform) const {
        const auto size = numbers<std::int64_t>(json.at("size"), transform.dimensions, 1);
        ImageGrid grid{{size[0], size[1], size[2]}, {}};
        validate(grid.shape);
        if (!json.contains("spacing_mm")) return grid;
        grid.geometry.unit = Unit::millimeter;
        grid.geometry.spacing = numbers<double>(json["spacing_mm"], 3, 1);
        grid.geometry.origin = numbers<double>(json.at("origin_mm"), 3, 0);
        const auto direction = json.at("direction").get<std::vector<double>>();
        if (direction.size() != 9) throw unreadable(path_, "a direction has not 9 numbers");
        std::copy(direction.begin(), direction.end(), grid.geometry.direction.begin());
        static_cast<void>(placement(grid).inverse());
        return grid;
    }

    const fs::path& path_;
};

}  // namespace

std::string transform_json(const Transform& transform) {
    const int d = transform.dimensions;
    Json json{{"format", format_name},
              {"version", format_version},
              {"dimensions", d},
              // ITK's points are physical, in millimeters.
              {"unit", transform.unit == Unit::unknown && transform.has_unit ? "px" : "mm"},
              {"maps", "points of the fixed image to points of the moving image"},
              {"steps", Json::array()}};
    for (const auto& step : transform.steps)
        json["steps"].push_back(std::visit([&](const auto& map) { return json_of(map, d); }, step));
    if (transform.fixed) json["fixed"] = json_of(*transform.fixed, d);
    if (transform.moving) json["moving"] = json_of(*transform.moving, d);
    return json.dump(1) + "\n";
}

Transform read_transform(const fs::path& path, const ReadOptions& options) {
    Transform transform;
    with_memory_guard(path, [&] {
        const std::string text = whole_text(InputFile(path), options.max_bytes);
        const std::size_t first = text.find_first_not_of(" \t\r\n");
        if (text.starts_with(itk_mark))
            transform = itk_transform(text, path);
        else if (first == std::string::npos || text[first] != '{')
            throw unsupported(path, "it is neither a transform of Tesela nor of ITK");
        else
            transform = from_json(path, parse_json(path, text, options.max_bytes),
                                  [&](const Json& json) { return JsonReader(path).read(json); });
        try {
            validate(transform);
        } catch (const InvalidArgument& error) {
            throw unreadable(path, error.what());
        }
    });
    return transform;
}

void write_transform(const Transform& transform, const fs::path& path,
                     const WriteOptions& options) {
    validate(transform);
    const fs::path suffix = path.extension();
    if (suffix != ".json" && suffix != ".tfm" && suffix != ".txt")
        throw unsupported(path, "transforms are written as .json, or as .tfm of ITK");
    write_text(suffix == ".json" ? transform_json(transform) : itk_text(transform), path,
               options.overwrite);
}

}  // namespace tesela::io
