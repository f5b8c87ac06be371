// The viewer: images, jobs and the server that shows them to a page.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "operations/registry.h"
#include "tesela/progress.h"
#include "viewer/server/http.h"
#include "viewer/server/page.h"

namespace tesela::viewer {

struct ViewerSettings {
    std::vector<std::filesystem::path> files;
    std::filesystem::path labels = {};  // of the first file; empty: none
    std::filesystem::path save_to = {};
    std::vector<std::string> hosts = {}, origins = {};  // beside those of loopback
    bool read_only = false;
    std::string device = "auto";
    int threads = 0;              // of the CPU, for jobs; 0: all
    std::int64_t max_memory = 0;  // bytes of images, and of each device; 0: half of the machine's
    std::string version = {};
    // What `tesela NAME --describe` prints.
    std::function<nlohmann::ordered_json(const operations::Operation&)> describe;
    const operations::Registry& registry = operations::Registry::all();
    Page page = built_page();
    HttpSettings http = {};
    std::chrono::milliseconds gone{10'000};  // pages, until their jobs stop
};

class Viewer {
  public:
    // Listens from now on. Throws as HttpServer, UnwritableOutput for a folder `save_to` that is
    // not there, and as choosing the device does.
    explicit Viewer(const ViewerSettings& settings);
    ~Viewer();
    Viewer(const Viewer&) = delete;
    Viewer& operator=(const Viewer&) = delete;

    std::uint16_t port() const;
    const std::string& token() const;
    // "http://127.0.0.1:8080/#token=...": whoever has it can do what the user can.
    std::string address() const;
    // Until the token is cancelled. Jobs are cancelled then.
    void run(const CancelToken& token);

    // Labels with edits that nobody saved, each written into a file of its own in a folder that is
    // made for it. To be called behind `run`.
    struct Rescued {
        std::string name;            // of the labels
        std::filesystem::path path;  // empty: it could not be written
        std::string error = {};
    };
    std::vector<Rescued> rescue_labels(const std::filesystem::path& folder) const;

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace tesela::viewer
