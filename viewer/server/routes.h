// What is at each address (viewer/README.md).
#pragma once

#include <filesystem>
#include <functional>
#include <future>
#include <mutex>
#include <string>

#include "operations/registry.h"
#include "viewer/server/annotations.h"
#include "viewer/server/images.h"
#include "viewer/server/jobs.h"
#include "viewer/server/label_routes.h"
#include "viewer/server/message.h"
#include "viewer/server/page.h"
#include "viewer/server/volume_view.h"

namespace tesela::viewer {

struct RouteSettings {
    const operations::Registry& registry;
    // What `tesela NAME --describe` prints.
    std::function<Json(const operations::Operation&)> describe;
    Page page = {};
    std::string version = {};
    std::string device = "auto";         // of jobs that name none
    std::filesystem::path save_to = {};  // empty: nothing is saved
    bool read_only = false;
};

class Routes {
  public:
    Routes(const RouteSettings& settings, Images& images, SlideAnnotations& annotations, Jobs& jobs,
           VolumeViews& views);

    // From any thread. Whatever goes wrong is a response with a sentence.
    void answer(const Request& request, const Respond& respond);
    // Whether a file has to be read or written first.
    bool is_slow(const Request& request) const;

  private:
    Response route(const Request& request);
    Response image(const Request& request);
    Response job(const Request& request);
    void view(const Request& request, const Respond& respond);
    Response operation(const Request& request) const;
    Response save(int id, const Request& request);
    Json session();
    Json operations() const;

    const RouteSettings settings_;
    Images& images_;
    SlideAnnotations& annotations_;
    Jobs& jobs_;
    VolumeViews& views_;
    LabelRoutes labels_;
    std::shared_future<Json> devices_;  // asking drivers takes a while: done beside all else
    std::mutex saving_;
};

}  // namespace tesela::viewer
