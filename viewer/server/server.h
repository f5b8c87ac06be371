// The viewer: what it shows, and the server that shows it to a page.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tesela/progress.h"
#include "viewer/server/settings.h"

namespace tesela::viewer {

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

    // As Site's. To be called behind `run`.
    std::vector<RescuedLabels> rescue_labels(const std::filesystem::path& folder) const;

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace tesela::viewer
