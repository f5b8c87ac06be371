#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/fingerprint.h"
#include "io/gzip_pieces.h"
#include "io/json_error.h"
#include "tesela/geojson_io.h"

namespace tesela::io {
namespace {

using Json = nlohmann::ordered_json;

// The shortest decimal number that reads as the same value.
void append(std::string& text, double value) {
    if (!std::isfinite(value)) throw InvalidArgument("a coordinate is not finite");
    char digits[32];
    text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

void append(std::string& text, const PlanePoint& point) {
    text += '[';
    append(text, point.x);
    text += ',';
    append(text, point.y);
    text += ']';
}

// [a,b,c] of what `one` appends.
template <class List, class One>
void append_list(std::string& text, const List& list, const One& one) {
    text += '[';
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (i > 0) text += ',';
        one(list[i]);
    }
    text += ']';
}

void append(std::string& text, const PlaneLine& line) {
    if (line.size() < 2) throw InvalidArgument("a line has fewer than two points");
    append_list(text, line, [&](const PlanePoint& point) { append(text, point); });
}

void append_ring(std::string& text, PlaneLine ring, bool forward) {
    if (ring.size() < 3) throw InvalidArgument("a ring has fewer than three points");
    if ((signed_area(ring) > 0) != forward) std::reverse(ring.begin(), ring.end());
    ring.push_back(ring.front());
    append(text, ring);
}

void append(std::string& text, const Polygon& polygon) {
    text += '[';
    append_ring(text, polygon.outer, true);
    for (const PlaneLine& hole : polygon.holes) {
        text += ',';
        append_ring(text, hole, false);
    }
    text += ']';
}

// The members of the text of an object; none of an empty text.
Json members_of(const std::string& text) {
    if (text.empty()) return Json::object();
    Json object = Json::parse(text, nullptr, false);
    if (!object.is_object())
        throw InvalidArgument("further members are no JSON object: " + printable(text));
    return object;
}

// Bytes that are no UTF-8 are replaced.
std::string dumped(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void append_members(std::string& text, const std::string& members) {
    const Json more = members_of(members);
    for (const auto& [name, value] : more.items()) text += "," + dumped(name) + ":" + dumped(value);
}

// {"type": "Polygon", "coordinates": ...}, with "Multi" in front unless there is one element.
struct AppendShape {
    std::string& text;
    const ShapeForm& form;

    void operator()(std::monostate) const { text += "null"; }
    void operator()(const Points& points) const { append_all(points, "Point"); }
    void operator()(const Lines& lines) const { append_all(lines, "LineString"); }
    void operator()(const Polygons& polygons) const { append_all(polygons, "Polygon"); }

  private:
    template <class Element>
    void append_all(const std::vector<Element>& elements, const char* type) const {
        text += R"({"type":")";
        if (elements.size() != 1) text += "Multi";
        text += type;
        text += R"(","coordinates":)";
        if (elements.size() == 1)
            append(text, elements.front());
        else
            append_list(text, elements, [&](const Element& element) { append(text, element); });
        if (form.is_ellipse) text += R"(,"isEllipse":true)";
        append_members(text, form.members);
        text += '}';
    }
};

Json classification_of(const Annotation& annotation) {
    Json classification;
    if (annotation.classes.size() == 1)
        classification["name"] = annotation.classes.front();
    else
        classification["names"] = annotation.classes;
    if (annotation.color) classification["color"] = *annotation.color;
    return classification;
}

Json properties_of(const Annotation& annotation) {
    Json properties = {{"objectType", annotation.type}};
    if (!annotation.name.empty()) properties["name"] = annotation.name;
    if (!annotation.classes.empty()) properties["classification"] = classification_of(annotation);
    if (!annotation.measurements.empty()) {
        Json& measurements = properties["measurements"] = Json::object();
        for (const auto& [name, value] : annotation.measurements) {
            if (!std::isfinite(value))
                throw InvalidArgument("the measurement '" + printable(name) + "' is not finite");
            measurements[name] = value;
        }
    }
    const Json more = members_of(annotation.properties);
    for (const auto& [name, value] : more.items())
        if (!properties.contains(name)) properties[name] = value;
    return properties;
}

// A UUID of version 8 (RFC 9562) from what a feature holds and its place: the same annotations get
// the same ids.
std::string id_of(const std::string& feature, std::size_t place) {
    std::string digits;
    for (const char* half : {"high ", "low "}) {
        detail::Fingerprint hash;
        hash.add(half + std::to_string(place) + " " + feature);
        digits += hash.text();
    }
    digits[12] = '8';                     // the version
    digits[16] = "89ab"[digits[16] % 4];  // the variant
    for (const std::size_t at : {20, 16, 12, 8}) digits.insert(at, "-");
    return digits;
}

std::string feature_text(const Annotation& annotation, std::size_t place) {
    std::string text = R"("geometry":)";
    std::visit(AppendShape{text, annotation.form}, annotation.shape);
    if (!std::holds_alternative<std::monostate>(annotation.nucleus)) {
        text += R"(,"nucleusGeometry":)";
        std::visit(AppendShape{text, annotation.nucleus_form}, annotation.nucleus);
    }
    text += R"(,"properties":)" + dumped(properties_of(annotation));
    append_members(text, annotation.members);
    const std::string id = annotation.id.empty() ? id_of(text, place) : annotation.id;
    return R"({"type":"Feature","id":)" + dumped(id) + "," + text + "}";
}

void write_collection(const Annotations& annotations, OutputFile& file) {
    const auto put = [&](const std::string& text) {
        file.write_or_throw(text.data(), text.size());
    };
    put(R"({"type":"FeatureCollection",)");
    if (const auto& c = annotations.calibration) {
        std::string text = "\"tesela:calibration\":{\"mpp_x\":";
        append(text, c->micrometers_per_pixel[0]);
        append(text += ",\"mpp_y\":", c->micrometers_per_pixel[1]);
        append(text += ",\"bounds_x\":", c->bounds[0]);
        append(text += ",\"bounds_y\":", c->bounds[1]);
        put(text + "},");
    }
    put("\"features\":[");
    for (std::size_t i = 0; i < annotations.list.size(); ++i) {
        std::string text = i > 0 ? ",\n" : "\n";
        try {
            text += feature_text(annotations.list[i], i);
        } catch (const InvalidArgument& error) {
            throw InvalidArgument("feature " + std::to_string(i + 1) + ": " + error.what());
        }
        put(text);
    }
    put("\n]}\n");
    file.close();
}

}  // namespace

void write_geojson(const Annotations& annotations, const fs::path& path,
                   const WriteOptions& options) {
    with_memory_guard(path, [&] {
        Staging staging({path}, options.overwrite);
        const bool packed = path.extension() == ".gz";
        const fs::path plain = packed ? staging.scratch("plain.json") : staging.staged();
        OutputFile file(plain, staging.target());
        write_collection(annotations, file);
        if (packed) {
            OutputFile out(staging.staged(), staging.target());
            gzip_file(plain, out);
            out.close();
        }
        staging.commit();
    });
}

}  // namespace tesela::io
