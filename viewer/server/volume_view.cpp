#include "viewer/server/volume_view.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/threads.h"
#include "io/picture.h"
#include "tesela/error.h"
#include "viewer/server/gzip.h"

namespace tesela::viewer {
namespace {

constexpr std::size_t most_waiting = 64;  // on one device
constexpr std::size_t most_scenes = 4;    // that stay there
constexpr std::chrono::seconds kept{60};  // without a request

Refused newer() { return {409, "a newer request of this view has taken the place of this one"}; }
Refused ending() { return {503, "the viewer ends"}; }

void refuse(const Respond& respond, const Refused& refused) {
    respond(error_response(refused.status(), refused.what(), refused.field()));
}

Response picture_response(const tesela::Image<std::uint8_t>& picture, const VolumeRequest& request,
                          int level, bool accepts_gzip) {
    const Shape& shape = picture.shape();
    Response response{200, request.jpeg > 0 ? "image/jpeg" : "application/octet-stream"};
    response.headers = {{"X-Tesela-Frame", std::to_string(shape.x) + " " + std::to_string(shape.y) +
                                               " " + std::to_string(shape.channels) + " " +
                                               std::to_string(level)}};
    if (request.jpeg > 0) {
        const auto bytes = io::encode_jpeg(picture, {.quality = request.jpeg, .tile = true});
        response.body.assign(bytes.begin(), bytes.end());
        return response;
    }
    response.body.assign(picture.pixels().begin(), picture.pixels().end());
    pack(response, accepts_gzip);
    return response;
}

Json json_of(const std::optional<RenderHit>& hit, const Shape& shape) {
    if (!hit) return {{"hit", Json()}};
    const std::array<std::int64_t, 3> lengths{shape.x, shape.y, shape.z};
    Json voxel = Json::array();
    for (std::size_t a = 0; a < 3; ++a)
        voxel.push_back(std::clamp<std::int64_t>(std::llround(hit->voxel[a]), 0, lengths[a] - 1));
    return {{"hit",
             {{"position", hit->position},
              {"voxel", std::move(voxel)},
              {"value", hit->value},
              {"label", hit->label}}}};
}

}  // namespace

std::optional<VolumeViews::Asked> VolumeViews::asked_by(std::string_view name) {
    if (name == "frame") return Asked::frame;
    if (name == "pick") return Asked::pick;
    if (name == "scene") return Asked::scene;
    if (name == "lines") return Asked::lines;
    return {};
}

VolumeViews::Worker& VolumeViews::worker_for(const Device& device) {
    if (const auto found = workers_.find(device.id()); found != workers_.end())
        return *found->second;
    auto worker = std::make_unique<Worker>(Worker{device});
    worker->thread = detail::start_thread([this, &own = *worker] { work(own); });
    return *workers_.emplace(device.id(), std::move(worker)).first->second;
}

// Those of the same view; one that is being drawn is stopped, and refused then.
std::deque<VolumeViews::AskingPointer> VolumeViews::replaced_by(const Asking& asking,
                                                                Worker& worker) {
    std::deque<AskingPointer> replaced;
    const std::string& view = asking.request.call->view;
    if (view.empty()) return replaced;
    const auto is_older = [&](const AskingPointer& other) {
        return other->what == asking.what && other->request.call->view == view;
    };
    std::copy_if(worker.waiting.begin(), worker.waiting.end(), std::back_inserter(replaced),
                 is_older);
    std::erase_if(worker.waiting, is_older);
    if (worker.running && is_older(worker.running)) worker.running->token.cancel();
    return replaced;
}

void VolumeViews::ask(Asked what, const Request& request, const Respond& respond) {
    const auto asking = std::make_shared<Asking>();
    asking->what = what;
    asking->request = volume_request(parse_object(request.body), settings_.registry, images_,
                                     what == Asked::pick);
    asking->accepts_gzip = request.accepts_gzip;
    asking->respond = respond;
    const Job& call = *asking->request.call;
    const Device device = device_of(call, settings_.device);
    if (what == Asked::lines)
        return respond(json_response(lines_of(asking->request, device_to_name(call, device))));
    std::deque<AskingPointer> replaced;
    {
        const std::lock_guard lock(mutex_);
        if (is_ending_) throw ending();
        Worker& worker = worker_for(device);
        replaced = replaced_by(*asking, worker);
        if (worker.waiting.size() >= most_waiting)
            throw Refused(503, "too many pictures wait for " + device.id() + ": close some views");
        worker.waiting.push_back(asking);
    }
    changed_.notify_all();
    for (const AskingPointer& older : replaced) refuse(older->respond, newer());
}

void VolumeViews::close() {
    std::deque<AskingPointer> waiting;
    {
        const std::lock_guard lock(mutex_);
        is_ending_ = true;
        for (const auto& [id, worker] : workers_) {
            if (worker->running) worker->running->token.cancel();
            std::move(worker->waiting.begin(), worker->waiting.end(), std::back_inserter(waiting));
            worker->waiting.clear();
        }
    }
    changed_.notify_all();
    for (const AskingPointer& asking : waiting) refuse(asking->respond, ending());
    for (const auto& [id, worker] : workers_)
        if (worker->thread.joinable()) worker->thread.join();
}

void VolumeViews::work(Worker& worker) {
    for (;;) {
        AskingPointer asking;
        {
            std::unique_lock lock(mutex_);
            worker.running = nullptr;
            const auto has_work = [&] { return is_ending_ || !worker.waiting.empty(); };
            if (worker.queue && !changed_.wait_for(lock, kept, has_work)) {
                // Nobody looks any more: others have the memory.
                worker.scenes.clear();
                worker.queue.reset();
            }
            changed_.wait(lock, has_work);
            if (is_ending_) break;
            asking = worker.running = std::move(worker.waiting.front());
            worker.waiting.pop_front();
        }
        run(worker, *asking);
    }
    worker.scenes.clear();
    worker.queue.reset();
}

void VolumeViews::run(Worker& worker, Asking& asking) {
    Response response;
    const auto failure = failure_of([&] {
        try {
            response = made(worker, asking);
        } catch (const Cancelled&) {
            throw newer();
        } catch (const DeviceUnavailable&) {
            // A queue of a device that failed may be of no more use.
            worker.scenes.clear();
            worker.queue.reset();
            throw;
        }
    });
    asking.respond(failure ? *failure : std::move(response));
}

Response VolumeViews::made(Worker& worker, Asking& asking) {
    const VolumeRequest& request = asking.request;
    const Progress progress({}, &asking.token);
    for (;;) try {
            progress.throw_if_cancelled();
            VolumeScene& scene = scene_of(worker, request);
            if (asking.what == Asked::scene) return json_response(scene.describe(request));
            if (asking.what == Asked::pick)
                return json_response(
                    json_of(scene.pick(request, progress), request.volume()->pixels.shape()));
            return picture_response(scene.draw(request, progress), request, scene.level(),
                                    asking.accepts_gzip);
        } catch (const OutOfMemory&) {
            // Other volumes may have the memory.
            if (worker.scenes.size() < 2) throw;
            while (worker.scenes.size() > 1) worker.scenes.pop_back();
            worker.queue->trim();
        }
}

VolumeScene& VolumeViews::scene_of(Worker& worker, const VolumeRequest& request) {
    auto& scenes = worker.scenes;
    scenes.remove_if([](const VolumeScene& scene) { return scene.is_gone(); });
    const auto found = std::find_if(scenes.begin(), scenes.end(),
                                    [&](const VolumeScene& scene) { return scene.is_of(request); });
    if (found != scenes.end()) {
        scenes.splice(scenes.begin(), scenes, found);
        return scenes.front();
    }
    if (!worker.queue) worker.queue.emplace(worker.device, settings_.queue);
    while (scenes.size() >= most_scenes) scenes.pop_back();
    for (;;) {
        const bool has_others = !scenes.empty();
        try {
            scenes.emplace_front(request, *worker.queue);
            if (!scenes.front().is_coarser_than_asked() || !has_others) return scenes.front();
        } catch (const OutOfMemory&) {
            if (!has_others) throw;
        }
        // The others have the memory.
        scenes.clear();
        worker.queue->trim();
    }
}

}  // namespace tesela::viewer
