#include "viewer/server/server.h"

#include <future>

#include "viewer/server/site.h"

namespace tesela::viewer {

class Viewer::Implementation {
  public:
    explicit Implementation(const ViewerSettings& settings)
        : base_path_(settings.http.base_path),
          site_(settings),
          http_(settings.http, site_.handlers()) {}

    void run(const CancelToken& token) {
        // The page will ask for it first: it is read while the page loads.
        const std::future<void> reading =
            std::async(std::launch::async, [this] { site_.read_first(); });
        http_.run(token);
        site_.close();
    }

    std::string address() const {
        return "http://127.0.0.1:" + std::to_string(http_.port()) + base_path_ +
               "/#token=" + site_.token();
    }

    // In the order in which they are needed: the server ends first.
    const std::string base_path_;
    Site site_;
    HttpServer http_;
};

Viewer::Viewer(const ViewerSettings& settings)
    : implementation_(std::make_unique<Implementation>(settings)) {}
Viewer::~Viewer() = default;

std::uint16_t Viewer::port() const { return implementation_->http_.port(); }
const std::string& Viewer::token() const { return implementation_->site_.token(); }
std::string Viewer::address() const { return implementation_->address(); }
void Viewer::run(const CancelToken& token) { implementation_->run(token); }
std::vector<RescuedLabels> Viewer::rescue_labels(const std::filesystem::path& folder) const {
    return implementation_->site_.rescue_labels(folder);
}

}  // namespace tesela::viewer
