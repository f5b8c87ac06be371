#include "viewer/server/routes.h"

#include <charconv>
#include <new>
#include <optional>

#include "tesela/compute/device.h"
#include "tesela/error.h"
#include "viewer/server/saving.h"
#include "viewer/server/slices.h"

namespace tesela::viewer {
namespace {

using operations::Operation;
using operations::Registry;

int status_of(ErrorCode code) {
    switch (code) {
        case ErrorCode::invalid_argument:
            return 400;
        case ErrorCode::unreadable_input:
        case ErrorCode::unsupported_format:
        case ErrorCode::too_narrow:
            return 422;
        case ErrorCode::device_unavailable:
            return 503;
        case ErrorCode::out_of_memory:
            return 507;
        default:
            return 500;
    }
}

Refused nothing_here() { return {404, "there is nothing at this address"}; }
Refused other_method() { return {405, "this address has no such method"}; }

std::optional<int> number_of(const std::string& text) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 1) return {};
    return number;
}

// The number behind "images" or "jobs".
int number_in(const Request& request) {
    const auto number = number_of(request.path[2]);
    if (!number) throw nothing_here();
    return *number;
}

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

Routes::Routes(const RouteSettings& settings, Images& images, Jobs& jobs)
    : settings_(settings),
      images_(images),
      jobs_(jobs),
      devices_(std::async(std::launch::async, devices_json, settings.device)) {}

bool Routes::is_slow(const Request& request) const {
    if (!request.is_api() || request.path.size() < 3 || request.path[1] != "images") return false;
    if (request.path.back() == "save") return true;
    const auto id = number_of(request.path[2]);
    return id && !images_.is_open(*id);
}

Response Routes::answer(const Request& request) {
    try {
        return request.is_api() ? route(request) : page_response(settings_.page, request);
    } catch (const Refused& refused) {
        return error_response(refused.status(), refused.what(), refused.field());
    } catch (const Error& error) {
        return error_response(status_of(error.code()), error.what());
    } catch (const std::bad_alloc&) {
        return error_response(507, "this machine has not enough memory for that");
    } catch (const std::exception& error) {
        return error_response(500, error.what());
    }
}

Response Routes::route(const Request& request) {
    const bool reads = request.method == "GET";
    const std::string_view what = request.path.size() > 1 ? std::string_view(request.path[1]) : "";
    const std::size_t parts = request.path.size();
    if (what == "session" && parts == 2)
        return reads ? json_response(session()) : throw other_method();
    if (what == "images" && parts > 2) return image(request);
    if (what == "operations") return reads ? operation(request) : throw other_method();
    if (what == "jobs") return job(request);
    throw nothing_here();
}

Json Routes::session() {
    return {{"version", settings_.version},
            {"read_only", settings_.read_only},
            {"can_save", !settings_.read_only && !settings_.save_to.empty()},
            {"images", images_.list()},
            {"devices", devices_.get()}};
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
    if (request.path.size() > 4 || (part != "slice" && part != "save")) throw nothing_here();
    if (reads != (part == "slice") || request.method == "DELETE") throw other_method();
    if (part == "save") return save(id, request);
    const ImagePointer image = images_.open(id);
    const AnyImageView& view = image->pixels.view();
    return slice_response(view, slice_of(request.query, view.shape()), request.accepts_gzip);
}

Response Routes::save(int id, const Request& request) {
    if (settings_.save_to.empty())
        throw Refused(403, "nothing is saved by this viewer: start it with --save-to FOLDER");
    const Json json = parse_object(request.body);
    allow_keys(json, {"name", "overwrite"});
    const std::lock_guard one_at_a_time(saving_);
    const SaveRequest wanted{.folder = settings_.save_to,
                             .name = string_in(json, "name"),
                             .overwrite = flag_in(json, "overwrite", false)};
    const auto warnings = save_image(*images_.open(id), wanted, images_);
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
