#include <cmath>
#include <set>

#include "io/gzip.h"
#include "io/json_file.h"
#include "tesela/geojson_io.h"

namespace tesela::io {
namespace {

// The name of what is wrong with a feature, which its reader completes.
struct WrongFeature {
    std::string reason;
};

[[noreturn]] void fail(std::string reason) { throw WrongFeature{std::move(reason)}; }

// A member, or null where there is none.
const Json& member(const Json& object, const char* name) {
    static const Json nothing;
    const auto found = object.find(name);
    return found == object.end() ? nothing : *found;
}

std::string text_or_empty(const Json& json) {
    return json.is_string() ? json.get<std::string>() : std::string();
}

// ---- Geometry ----------------------------------------------------------------------------------

PlanePoint point_of(const Json& position) {
    if (!position.is_array() || position.size() < 2 || !position[0].is_number() ||
        !position[1].is_number())
        fail("a position is not two numbers");
    const PlanePoint point{position[0].get<double>(), position[1].get<double>()};
    constexpr double farthest = 1e12;
    if (!(std::abs(point.x) <= farthest && std::abs(point.y) <= farthest))
        fail("a position is too far from the slide");
    return point;
}

// What `of` makes of each element.
template <class Of>
auto list_of(const Json& elements, const Of& of) {
    if (!elements.is_array()) fail("coordinates are no list");
    std::vector<decltype(of(elements))> list;
    list.reserve(elements.size());
    for (const Json& element : elements) list.push_back(of(element));
    return list;
}

PlaneLine line_of(const Json& positions) {
    PlaneLine line = list_of(positions, point_of);
    if (line.size() < 2) fail("a line has fewer than two points");
    return line;
}

class FeatureReader {
  public:
    Annotation annotation_of(Json&& feature) {
        Annotation made;
        if (!feature.is_object() || text_or_empty(member(feature, "type")) != "Feature")
            fail("it is no Feature");
        read_shape(feature, "geometry", made.shape, made.form);
        read_shape(feature, "nucleusGeometry", made.nucleus, made.nucleus_form);
        read_id(member(feature, "id"), made);
        Json properties = member(feature, "properties");
        if (!properties.is_null() && !properties.is_object()) fail("its properties are no object");
        if (properties.is_object()) read_properties(properties, made);
        for (const char* name : {"type", "geometry", "id", "properties"}) feature.erase(name);
        if (member(feature, "nucleusGeometry").is_object()) feature.erase("nucleusGeometry");
        if (!feature.empty()) made.members = feature.dump();
        return made;
    }

    std::int64_t open_rings = 0, without_number = 0;

  private:
    PlaneLine ring_of(const Json& positions) {
        PlaneLine ring = list_of(positions, point_of);
        if (ring.size() > 1 && ring.front() == ring.back())
            ring.pop_back();
        else
            ++open_rings;
        if (ring.size() < 3) fail("a ring has fewer than three points");
        return ring;
    }

    Polygon polygon_of(const Json& rings) {
        std::vector<PlaneLine> lines = list_of(rings, [&](const Json& r) { return ring_of(r); });
        if (lines.empty()) fail("a polygon has no ring");
        Polygon polygon;
        polygon.outer = std::move(lines.front());
        polygon.holes.assign(std::make_move_iterator(lines.begin() + 1),
                             std::make_move_iterator(lines.end()));
        return polygon;
    }

    void read_shape(const Json& feature, const char* name, PlaneShape& shape, ShapeForm& form) {
        Json geometry = member(feature, name);
        if (geometry.is_null()) return;
        if (!geometry.is_object()) fail("its geometry is no object");
        const std::string type = text_or_empty(member(geometry, "type"));
        const Json& coordinates = member(geometry, "coordinates");
        const auto polygon = [&](const Json& rings) { return polygon_of(rings); };
        if (type == "Point")
            shape = Points{point_of(coordinates)};
        else if (type == "MultiPoint")
            shape = list_of(coordinates, point_of);
        else if (type == "LineString")
            shape = Lines{line_of(coordinates)};
        else if (type == "MultiLineString")
            shape = list_of(coordinates, line_of);
        else if (type == "Polygon")
            shape = Polygons{polygon_of(coordinates)};
        else if (type == "MultiPolygon")
            shape = list_of(coordinates, polygon);
        else
            throw UnsupportedFormat("geometries of type '" + printable(type) +
                                    "' are not supported");
        form.is_ellipse = member(geometry, "isEllipse") == true;
        for (const char* known : {"type", "coordinates", "isEllipse"}) geometry.erase(known);
        if (!geometry.empty()) form.members = geometry.dump();
    }

    // Versions of QuPath before 0.3 have the type of the object in place of an id.
    static void read_id(const Json& id, Annotation& made) {
        made.id = id.is_number() ? id.dump() : text_or_empty(id);
        constexpr std::pair<const char*, const char*> early[] = {
            {"PathAnnotationObject", "annotation"},
            {"PathDetectionObject", "detection"},
            {"PathCellObject", "cell"},
            {"PathTileObject", "tile"}};
        for (const auto& [name, type] : early)
            if (made.id == name) {
                made.type = type;
                made.id.clear();
            }
    }

    // Takes what is known out of the properties and keeps the rest.
    void read_properties(Json& properties, Annotation& made) {
        const auto take_text = [&](const char* name, std::string& text) {
            if (!member(properties, name).is_string()) return;
            text = properties[name].get<std::string>();
            properties.erase(name);
        };
        take_text("objectType", made.type);
        take_text("name", made.name);
        if (member(properties, "classification").is_object()) {
            read_classes(properties["classification"], made);
            properties.erase("classification");
        }
        if (member(properties, "measurements").is_structured()) {
            read_measurements(properties["measurements"], made);
            properties.erase("measurements");
        }
        if (!properties.empty()) made.properties = properties.dump();
    }

    // {"names": ["Tumor", "Positive"]}, or {"name": "Tumor: Positive"} of earlier versions; the
    // color as three numbers or, earlier, packed into one.
    static void read_classes(const Json& classification, Annotation& made) {
        const Json& names = member(classification, "names");
        if (names.is_array())
            for (const Json& name : names) made.classes.push_back(text_or_empty(name));
        std::string joined = text_or_empty(member(classification, "name"));
        if (!names.is_array() && !joined.empty())
            for (std::size_t at = 0; at != std::string::npos;) {
                const std::size_t end = joined.find(": ", at);
                made.classes.push_back(joined.substr(at, end - at));
                at = end == std::string::npos ? end : end + 2;
            }
        const Json& color = member(classification, "color");
        const Json& packed = member(classification, "colorRGB");
        const auto is_byte = [](const Json& value) {
            return value.is_number_integer() && value >= 0 && value <= 255;
        };
        if (color.is_array() && color.size() == 3 && is_byte(color[0]) && is_byte(color[1]) &&
            is_byte(color[2])) {
            made.color = color.get<std::array<std::uint8_t, 3>>();
        } else if (packed.is_number_integer()) {
            const auto bits = static_cast<std::uint32_t>(packed.get<std::int64_t>());
            made.color = {static_cast<std::uint8_t>(bits >> 16),
                          static_cast<std::uint8_t>(bits >> 8), static_cast<std::uint8_t>(bits)};
        }
    }

    // {"Area": 3}, or [{"name": "Area", "value": 3}] of earlier versions.
    void read_measurements(const Json& measurements, Annotation& made) {
        const auto add = [&](const std::string& name, const Json& value) {
            if (value.is_number())
                made.measurements.emplace_back(name, value.get<double>());
            else
                ++without_number;
        };
        if (measurements.is_object())
            for (const auto& [name, value] : measurements.items()) add(name, value);
        else
            for (const Json& entry : measurements)
                if (entry.is_object())
                    add(text_or_empty(member(entry, "name")), member(entry, "value"));
    }
};

// ---- The file ----------------------------------------------------------------------------------

class GeoJsonReader {
  public:
    explicit GeoJsonReader(const fs::path& path) : path_(path) {}

    Annotations read(const std::string& text) {
        Json root;
        try {
            root = Json::parse(text, [&](int depth, Json::parse_event_t event, Json& parsed) {
                return keep(depth, event, parsed);
            });
        } catch (const Json::exception& error) {
            throw unreadable(path_, "it is no valid JSON: " + printable(json_reason(error)));
        }
        finish(root);
        return std::move(annotations_);
    }

  private:
    // A feature is taken when it is complete and dropped, so that never all of them are held as
    // JSON.
    bool keep(int depth, Json::parse_event_t event, Json& parsed) {
        using Event = Json::parse_event_t;
        if (depth > deepest_json)
            throw unreadable(
                path_, "it is nested more than " + std::to_string(deepest_json) + " levels deep");
        if (depth == 0 && event == Event::array_start) is_list_ = true;
        if (depth == 1 && event == Event::key) in_features_ = parsed == "features";
        const bool is_feature = is_list_ ? depth == 1 : depth == 2 && in_features_;
        if (!is_feature || event == Event::object_start || event == Event::array_start ||
            event == Event::key)
            return true;
        add(std::move(parsed));
        return false;
    }

    void add(Json&& feature) {
        const std::string number = std::to_string(annotations_.list.size() + 1);
        try {
            annotations_.list.push_back(features_.annotation_of(std::move(feature)));
        } catch (const WrongFeature& wrong) {
            throw unreadable(path_, "feature " + number + ": " + wrong.reason);
        } catch (const UnsupportedFormat& error) {
            throw unsupported(path_, "feature " + number + ": " + error.what());
        }
    }

    void finish(Json& root) {
        if (!is_list_) {
            const std::string type =
                root.is_object() ? text_or_empty(member(root, "type")) : std::string();
            if (type == "Feature")
                add(std::move(root));
            else if (type != "FeatureCollection" || !member(root, "features").is_array())
                throw unsupported(path_, "it is no FeatureCollection of GeoJSON");
            else
                read_calibration(member(root, "tesela:calibration"));
        }
        warn(features_.open_rings, "ring was open and is closed", "rings were open and are closed");
        warn(features_.without_number, "measurement is no number and is left out",
             "measurements are no numbers and are left out");
    }

    void read_calibration(const Json& json) {
        if (!json.is_object()) return;
        const auto pair_of = [&](const char* x, const char* y) {
            const Json &first = member(json, x), &second = member(json, y);
            if (!first.is_number() || !second.is_number())
                throw unreadable(path_,
                                 std::string("its calibration has no numbers ") + x + " and " + y);
            return std::array{first.get<double>(), second.get<double>()};
        };
        annotations_.calibration = {pair_of("mpp_x", "mpp_y"), pair_of("bounds_x", "bounds_y")};
    }

    void warn(std::int64_t count, const std::string& one, const std::string& several) {
        if (count > 0)
            annotations_.warnings.push_back(quoted(path_) + ": " + std::to_string(count) + " " +
                                            (count == 1 ? one : several));
    }

    const fs::path& path_;
    Annotations annotations_;
    FeatureReader features_;
    bool is_list_ = false, in_features_ = false;
};

// Early versions of QuPath write measurements without a value as NaN, which JSON does not have.
std::string without_nan(const std::string& text) {
    std::string result;
    result.reserve(text.size());
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '"') in_string = !in_string;
        std::size_t skipped = 0;
        for (const std::string_view word : {"NaN", "-Infinity", "Infinity"})
            if (!in_string && skipped == 0 && text.compare(i, word.size(), word) == 0)
                skipped = word.size();
        if (skipped > 0) {
            result += "null";
            i += skipped - 1;
            continue;
        }
        result += c;
        if (in_string && c == '\\' && i + 1 < text.size()) result += text[++i];
    }
    return result;
}

std::string text_of(const InputFile& file, std::int64_t longest) {
    const std::vector<std::uint8_t> head = file.head(2);
    constexpr std::uint8_t gzip_mark[] = {0x1f, 0x8b};
    if (std::equal(head.begin(), head.end(), std::begin(gzip_mark), std::end(gzip_mark)))
        return inflate_all(file, 0, longest);
    require_memory(file.path(), 0, longest, file.size());
    std::string text(static_cast<std::size_t>(file.size()), '\0');
    file.read(0, {reinterpret_cast<std::uint8_t*>(text.data()), text.size()});
    return text;
}

}  // namespace

Annotations read_geojson(const fs::path& path, const ReadOptions& options) {
    Annotations annotations;
    with_memory_guard(path, [&] {
        std::string text = text_of(InputFile(path), options.max_bytes);
        // The text, its points, which take at most three times as much, and a feature as JSON.
        require_memory(path, 0, options.max_bytes, 5 * static_cast<std::int64_t>(text.size()));
        if (text.find("NaN") != text.npos || text.find("Infinity") != text.npos)
            text = without_nan(text);
        annotations = GeoJsonReader(path).read(text);
    });
    return annotations;
}

}  // namespace tesela::io
