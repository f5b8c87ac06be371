// Volumes in three dimensions: for each device a queue of pictures, with a thread of its own beside
// that of jobs, so that they come while a job runs. Volumes stay on the device between pictures.
#pragma once

#include <condition_variable>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "tesela/compute/queue.h"
#include "viewer/server/images.h"
#include "viewer/server/jobs.h"
#include "viewer/server/message.h"
#include "viewer/server/volume_scene.h"

namespace tesela::viewer {

class VolumeViews {
  public:
    // What a page may want: a picture, what is at a pixel of it, what is known of the volume, or
    // the lines that give the same picture.
    enum class Asked { frame, pick, scene, lines };
    static std::optional<Asked> asked_by(std::string_view name);

    // `settings`: as those of jobs; the device's memory is that of volumes and pictures together.
    VolumeViews(const JobSettings& settings, Images& images)
        : settings_(settings), images_(images) {}
    ~VolumeViews() { close(); }
    VolumeViews(const VolumeViews&) = delete;
    VolumeViews& operator=(const VolumeViews&) = delete;

    // Responds as soon as the device is free; nothing is computed in the caller's thread. A request
    // for a picture that the same view has made before and that has not been responded to is
    // refused (409). Throws Refused.
    void ask(Asked what, const Request& request, const Respond& respond);
    // Refuses what waits, and all that is asked for from now on; returns when nothing is computed.
    void close();

  private:
    struct Asking {
        Asked what = Asked::frame;
        VolumeRequest request = {};
        bool accepts_gzip = false;
        Respond respond = {};
        CancelToken token = {};
    };
    using AskingPointer = std::shared_ptr<Asking>;

    struct Worker {
        Device device;
        std::deque<AskingPointer> waiting = {};
        AskingPointer running = {};
        // The thread's own; the volume that was shown last is the first.
        std::optional<Queue> queue = {};
        std::list<VolumeScene> scenes = {};
        std::thread thread = {};
    };

    Worker& worker_for(const Device& device);
    std::deque<AskingPointer> replaced_by(const Asking& asking, Worker& worker);
    void work(Worker& worker);
    void run(Worker& worker, Asking& asking);
    Response made(Worker& worker, Asking& asking);
    VolumeScene& scene_of(Worker& worker, const VolumeRequest& request);

    const JobSettings settings_;
    Images& images_;

    std::mutex mutex_;  // guards what follows
    std::condition_variable changed_;
    std::map<std::string, std::unique_ptr<Worker>> workers_;  // by the ids of their devices
    bool is_ending_ = false;
};

}  // namespace tesela::viewer
