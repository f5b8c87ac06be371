#include "viewer/server/annotations.h"

#include <string>
#include <utility>
#include <vector>

#include "tesela/color.h"
#include "tesela/geojson_io.h"
#include "viewer/server/gzip.h"
#include "viewer/server/image_facts.h"

namespace tesela::viewer {
namespace {

enum class Form : std::uint32_t { points, lines, area };

// All shapes as the page draws them: lists that refer to each other by their ends.
class Shapes {
  public:
    void add(const Annotation& annotation) {
        const std::uint32_t number = class_of(annotation);
        add(annotation.shape, number);
        add(annotation.nucleus, number);
    }

    Json classes() const {
        Json list = Json::array();
        for (const Class& one : classes_)
            list.push_back({{"name", one.name}, {"color", one.color}, {"count", one.count}});
        return list;
    }
    std::size_t count() const { return class_.size(); }

    // Counts of shapes, of rings and of points; then for each shape its class and its form; for
    // each shape the end of its rings; for each ring the end of its points; x and y of each point.
    std::string bytes() const {
        const std::vector<std::uint32_t> counts{static_cast<std::uint32_t>(class_.size()),
                                                static_cast<std::uint32_t>(point_ends_.size()),
                                                static_cast<std::uint32_t>(points_.size() / 2)};
        std::string all;
        for (const auto* list : {&counts, &class_, &form_, &ring_ends_, &point_ends_})
            append(all, *list);
        append(all, points_);
        return all;
    }

  private:
    struct Class {
        std::string name, color;
        std::int64_t count = 0;
    };

    template <class T>
    static void append(std::string& all, const std::vector<T>& list) {
        all.append(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(T));
    }

    std::uint32_t class_of(const Annotation& annotation) {
        std::string name;
        for (const std::string& part : annotation.classes)
            name += (name.empty() ? "" : ": ") + part;
        const auto [found, is_new] =
            numbers_.try_emplace(name, static_cast<std::uint32_t>(classes_.size()));
        const std::uint32_t number = found->second;
        if (is_new)
            classes_.push_back(
                {name, color_text(annotation.color.value_or(label_color(number + 1)))});
        ++classes_[number].count;
        return number;
    }

    void add_ring(const PlaneLine& ring) {
        for (const PlanePoint& point : ring) {
            points_.push_back(static_cast<float>(point.x));
            points_.push_back(static_cast<float>(point.y));
        }
        point_ends_.push_back(static_cast<std::uint32_t>(points_.size() / 2));
    }
    void end_shape(std::uint32_t number, Form form) {
        class_.push_back(number);
        form_.push_back(static_cast<std::uint32_t>(form));
        ring_ends_.push_back(static_cast<std::uint32_t>(point_ends_.size()));
    }

    void add(const PlaneShape& shape, std::uint32_t number) {
        if (const auto* points = std::get_if<Points>(&shape)) {
            add_ring(*points);
            end_shape(number, Form::points);
        } else if (const auto* lines = std::get_if<Lines>(&shape)) {
            for (const PlaneLine& line : *lines) add_ring(line);
            end_shape(number, Form::lines);
        } else if (const auto* polygons = std::get_if<Polygons>(&shape)) {
            for (const Polygon& polygon : *polygons) {
                add_ring(polygon.outer);
                for (const PlaneLine& hole : polygon.holes) add_ring(hole);
                end_shape(number, Form::area);
            }
        }
    }

    std::map<std::string, std::uint32_t> numbers_;  // of classes
    std::vector<Class> classes_;
    std::vector<std::uint32_t> class_, form_, ring_ends_, point_ends_;
    std::vector<float> points_;
};

}  // namespace

bool is_annotations_name(const std::filesystem::path& path) {
    const std::string name = path.filename().string();
    return name.ends_with(".geojson") || name.ends_with(".geojson.gz");
}

void SlideAnnotations::add(const std::filesystem::path& path, int of) {
    auto file = std::make_unique<File>();
    file->path = path;
    file->of = of;
    files_.emplace(static_cast<int>(files_.size()) + 1, std::move(file));
}

Json SlideAnnotations::list() const {
    Json all = Json::array();
    for (const auto& [id, file] : files_)
        all.push_back({{"id", id}, {"name", file->path.filename().string()}, {"of", file->of}});
    return all;
}

void SlideAnnotations::read(int id, File& file) const {
    const Annotations read = io::read_geojson(file.path, {.max_bytes = max_bytes_});
    Shapes shapes;
    for (const Annotation& annotation : read.list) shapes.add(annotation);
    Response response{200, "application/octet-stream"};
    response.body = shapes.bytes();
    file.shapes = std::move(response);
    file.facts = {{"id", id},
                  {"name", file.path.filename().string()},
                  {"of", file.of},
                  {"objects", read.list.size()},
                  {"shapes", shapes.count()},
                  {"classes", shapes.classes()},
                  {"warnings", read.warnings}};
}

Response SlideAnnotations::answer(const Request& request) {
    const bool asks_for_shapes = request.path.size() == 4 && request.path[3] == "shapes";
    if (request.path.size() != 3 && !asks_for_shapes) throw nothing_here();
    if (request.method != "GET") throw other_method();
    const int id = number_in(request);
    const auto found = files_.find(id);
    if (found == files_.end()) throw Refused(404, "there are no annotations " + std::to_string(id));
    File& file = *found->second;
    const std::lock_guard lock(file.reading);
    if (file.facts.is_null()) read(id, file);
    if (!asks_for_shapes) return json_response(file.facts);
    Response response = file.shapes;
    pack(response, request.accepts_gzip);
    return response;
}

}  // namespace tesela::viewer
