#include "viewer/server/routes.h"

#include <optional>

#include "tesela/compute/device.h"
#include "tesela/error.h"
#include "viewer/server/labels.h"
#include "viewer/server/saving.h"
#include "viewer/server/slices.h"
#include "viewer/server/tiles.h"

namespace tesela::viewer {
namespace {

using operations::Operation;
using operations::Registry;

// What it is listed under: its own task, or that of the family that it is in.
std::string_view task_of(const Registry& registry, const Operation& operation) {
    std::string_view task = operation.task, name = operation.name;
    while (task.empty() && !(name = operations::family_of(name)).empty())
        if (const auto* family = registry.family(name)) task = family->task;
    return task;
}

// "Grow tolerance"
std::string title_of(const Operation& operation) {
    std::string title = operation.name;
    if (!title.empty() && title[0] >= 'a' && title[0] <= 'z') title[0] -= 'a' - 'A';
    return title;
}

Json devices_json(const std::string& chosen_by) {
    Json list = Json::array();
    std::optional<Device::Choice> chosen;
    try {
        chosen = Device::choose(chosen_by);
    } catch (const Error&) {  // the verb has said so
    }
    for (const Device& device : Device::all()) {
        const bool is_chosen = chosen && chosen->device == device;
        list.push_back({{"id", device.id()},
                        {"name", device.properties().name},
                        {"usable", true},
                        {"reason", is_chosen ? chosen->reason : ""},
                        {"chosen", is_chosen}});
    }
    for (const Device::Rejected& rejected : Device::rejected())
        list.push_back({{"id", Json()},
                        {"name", rejected.what},
                        {"usable", false},
                        {"reason", rejected.why},
                        {"chosen", false}});
    return list;
}

Response done() { return json_response(Json::object()); }

}  // namespace

Routes::Routes(const RouteSettings& settings, Images& images, SlideAnnotations& annotations,
               Jobs& jobs, VolumeViews& views)
    : settings_(settings),
      images_(images),
      annotations_(annotations),
      jobs_(jobs),
      views_(views),
      labels_({.registry = settings.registry, .save_to = settings.save_to}, images),
      devices_(std::async(std::launch::async, devices_json, settings.device)) {}

bool Routes::is_slow(const Request& request) const {
    if (request.is_view()) return true;
    if (request.is_api() && request.path.size() > 1 && request.path[1] == "devices") return true;
    if (request.is_api() && request.path.size() > 1 && request.path[1] == "labels") return true;
    if (request.is_api() && request.path.size() > 1 && request.path[1] == "annotations")
        return true;
    if (request.is_api() && request.path.size() > 1 && request.path[1] == "jobs")
        return request.method == "POST" && images_.has_slides();
    if (!request.is_api() || request.path.size() < 3 || request.path[1] != "images") return false;
    if (request.path.back() == "save") return true;
    const auto id = number_of(request.path[2]);
    return id && !images_.is_open(*id);
}

void Routes::answer(const Request& request, const Respond& respond) {
    const auto failure = failure_of([&] {
        if (request.is_view()) return view(request, respond);
        respond(request.is_api() ? route(request) : page_response(settings_.page, request));
    });
    if (failure) respond(*failure);
}

Response Routes::route(const Request& request) {
    const bool reads = request.method == "GET";
    const std::string_view what = request.path.size() > 1 ? std::string_view(request.path[1]) : "";
    const std::size_t parts = request.path.size();
    if (what == "session" && parts == 2)
        return reads ? json_response(session()) : throw other_method();
    if (what == "devices" && parts == 2)
        return reads ? json_response(devices_.get()) : throw other_method();
    if (what == "images" && parts > 2) return image(request);
    if (what == "operations") return reads ? operation(request) : throw other_method();
    if (what == "jobs") return job(request);
    if (what == "annotations" && parts > 2) return annotations_.answer(request);
    if (what == "labels") return labels_.answer(request);
    throw nothing_here();
}

Json Routes::session() {
    return {{"version", settings_.version},
            {"read_only", settings_.read_only},
            {"can_save", !settings_.read_only && !settings_.save_to.empty()},
            {"images", images_.list()},
            {"annotations", annotations_.list()}};
}

Response Routes::image(const Request& request) {
    const int id = number_in(request);
    const bool reads = request.method == "GET";
    if (request.path.size() == 3) {
        if (reads) return json_response(images_.describe(id));
        if (request.method != "DELETE") throw other_method();
        images_.forget(id);
        return done();
    }
    const std::string& part = request.path[3];
    if (request.path.size() > 4 || (part != "slice" && part != "tile" && part != "save"))
        throw nothing_here();
    if (reads != (part != "save") || request.method == "DELETE") throw other_method();
    if (part == "save") return save(id, request);
    if (part == "tile")
        return tile_response(*images_.in_tiles(id), request, images_.role(id) == Role::labels);
    if (const auto labels = images_.find_labels(id))
        return labels->slice(request.query, request.accepts_gzip);
    const ImagePointer image = images_.open(id);
    const AnyImageView& view = image->pixels.view();
    return slice_response(view, slice_of(request.query, view.shape()), request.accepts_gzip);
}

Response Routes::save(int id, const Request& request) {
    if (settings_.save_to.empty())
        throw Refused(403, "nothing is saved by this viewer: start it with --save-to FOLDER");
    const Json json = parse_object(request.body);
    allow_keys(json, {"name", "overwrite", "replace_labels"});
    const std::lock_guard one_at_a_time(saving_);
    const SaveRequest wanted{.folder = settings_.save_to,
                             .name = string_in(json, "name"),
                             .overwrite = flag_in(json, "overwrite", false),
                             .replace_labels = flag_in(json, "replace_labels", false)};
    const ImagePointer image = images_.open(id);
    const auto warnings = save_image(*image, wanted, images_);
    const std::filesystem::path path = settings_.save_to / wanted.name;
    if (wanted.replace_labels) images_.read_again(path);
    if (const auto labels = images_.find_labels(id))
        labels->mark_saved(image->revision, path.string());
    return json_response({{"saved", wanted.name}, {"warnings", warnings}});
}

Response Routes::job(const Request& request) {
    if (request.path.size() == 2) {
        if (request.method != "POST") throw other_method();
        return json_response({{"job", jobs_.submit(parse_object(request.body))}}, 202);
    }
    if (request.path.size() > 3) throw nothing_here();
    const int id = number_in(request);
    if (request.method == "GET") return json_response(jobs_.state(id));
    if (request.method != "DELETE") throw other_method();
    jobs_.cancel(id);
    return done();
}

void Routes::view(const Request& request, const Respond& respond) {
    if (request.path.size() != 3) throw nothing_here();
    if (request.method != "POST") throw other_method();
    const auto asked = VolumeViews::asked_by(request.path[2]);
    if (!asked) throw nothing_here();
    views_.ask(*asked, request, respond);
}

Response Routes::operation(const Request& request) const {
    if (request.path.size() == 2) return json_response(operations());
    if (request.path.size() > 3) throw nothing_here();
    for (const Operation& operation : settings_.registry.operations())
        if (operation.name == request.path[2]) return json_response(settings_.describe(operation));
    throw Refused(404, "there is no operation '" + request.path[2] + "'");
}

Json Routes::operations() const {
    Json list = Json::array();
    for (const Operation& operation : settings_.registry.operations())
        if (is_offered(operation))
            list.push_back({{"name", operation.name},
                            {"title", title_of(operation)},
                            {"task", task_of(settings_.registry, operation)},
                            {"purpose", operation.purpose}});
    return list;
}

}  // namespace tesela::viewer
