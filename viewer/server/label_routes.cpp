#include "viewer/server/label_routes.h"

#include <algorithm>
#include <memory>

#include "operations/kinds/image.h"
#include "operations/kinds/table.h"
#include "tesela/align.h"
#include "tesela/error.h"
#include "tesela/measure.h"
#include "viewer/server/label_export.h"
#include "viewer/server/labels.h"
#include "viewer/server/saving.h"

namespace tesela::viewer {
namespace {

std::shared_ptr<Labels> labels_at(int id, Images& images) {
    auto labels = images.find_labels(id);
    if (!labels)
        throw Refused(404, "image " + std::to_string(id) + " is no label map to be edited");
    return labels;
}

int image_in(const Json& request, std::string_view key) {
    return static_cast<int>(whole_in(request, key, 1, 1 << 30));
}

// A name that tells labels of one image apart: "labels of head.nii", "labels 2 of head.nii".
std::string new_name(const Image& image, bool is_copy, const Images& images) {
    const Json all = images.list();
    for (int i = 1;; ++i) {
        const std::string number = i > 1 ? " " + std::to_string(i) : "";
        std::string name = is_copy ? image.name + " (edited" + number + ")"
                                   : "labels" + number + " of " + image.name;
        const bool is_taken = std::any_of(
            all.begin(), all.end(), [&](const Json& other) { return other.at("name") == name; });
        if (!is_taken) return name;
    }
}

LabelsStart empty_on(const Image& image) {
    Shape shape = image.pixels.shape();
    shape.channels = 1;
    return {.name = {},
            .of = image.of.value_or(image.id),
            .labels = LabelImage(shape, image.pixels.geometry())};
}

LabelsStart copy_of(const Image& image) {
    try {
        const SharedLabelTable& table = image.pixels.label_table();
        return {.name = {},
                .of = image.of,
                .labels = label_map_of(image.pixels.view()),
                .table = table ? *table : LabelTable{}};
    } catch (const Error& error) {
        throw Refused(400, "'" + image.name + "' is no label map: " + error.what(), "from");
    }
}

}  // namespace

Response LabelRoutes::answer(const Request& request) {
    const bool reads = request.method == "GET";
    const std::size_t parts = request.path.size();
    if (parts == 2) {
        if (request.method != "POST") throw other_method();
        return begin(parse_object(request.body));
    }
    const int id = number_in(request);
    if (parts == 3) {
        if (!reads) throw other_method();
        return json_response(labels_at(id, images_)->describe(request.query));
    }
    const std::string& part = request.path[3];
    if (parts > 4) throw nothing_here();
    if (part == "place") {
        if (!reads) throw other_method();
        return json_response(labels_at(id, images_)->place(request.query));
    }
    if (part != "edits" && part != "table" && part != "overlay") throw nothing_here();
    if (request.method != "POST") throw other_method();
    const Json body = parse_object(request.body);
    return part == "edits" ? edit(id, body) : save(id, part, body);
}

Response LabelRoutes::begin(const Json& request) {
    allow_keys(request, {"of", "from"});
    const bool copies = request.contains("from");
    if (copies == request.contains("of"))
        throw Refused(400, "either 'of', for empty labels, or 'from' has to be given", "of");
    const ImagePointer image = images_.open(image_in(request, copies ? "from" : "of"));
    LabelsStart start = copies ? copy_of(*image) : empty_on(*image);
    start.name = new_name(*image, copies, images_);
    const int id = images_.add_labels(std::move(start));
    return json_response({{"image", id}}, 201);
}

Response LabelRoutes::edit(int id, const Json& request) {
    Json answer = labels_at(id, images_)->edit(request, images_);
    images_.make_room_for_history();
    return json_response(answer);
}

Response LabelRoutes::save(int id, std::string_view what, const Json& request) {
    if (settings_.save_to.empty())
        throw Refused(403, "nothing is saved by this viewer: start it with --save-to FOLDER");
    allow_keys(request, {"name", "overwrite", "image"});
    const SaveRequest wanted{.folder = settings_.save_to,
                             .name = string_in(request, "name"),
                             .overwrite = flag_in(request, "overwrite", false)};
    const ImagePointer labels = labels_at(id, images_)->image();
    ImagePointer image;
    if (request.contains("image")) image = images_.open(image_in(request, "image"));
    const std::filesystem::path path = path_to_save(wanted, false, images_);
    const auto warnings = what == "table"
                              ? write_table(*labels, image.get(), path, settings_.registry)
                              : write_overlay(*labels, image.get(), path, settings_.registry);
    return json_response({{"saved", wanted.name}, {"warnings", warnings}});
}

}  // namespace tesela::viewer
