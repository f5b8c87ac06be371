// What a viewer is told when it is started, and what it tells when it has ended.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "operations/registry.h"
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

// Labels with edits that nobody saved.
struct RescuedLabels {
    std::string name;            // of the labels
    std::filesystem::path path;  // empty: they could not be written
    std::string error = {};
};

}  // namespace tesela::viewer
