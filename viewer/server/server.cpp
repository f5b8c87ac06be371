#include "viewer/server/server.h"

#include <unistd.h>

#include <future>
#include <optional>

#include "core/threads.h"
#include "tesela/compute/device.h"
#include "tesela/error.h"
#include "viewer/server/labels.h"
#include "viewer/server/routes.h"
#include "viewer/server/saving.h"
#include "viewer/server/security.h"

namespace tesela::viewer {
namespace {

std::int64_t memory_limit(std::int64_t given) {
    if (given > 0) return given;
    return static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) / 2 * sysconf(_SC_PAGESIZE);
}

void require_folder(const std::filesystem::path& folder) {
    std::error_code error;
    if (!folder.empty() && !std::filesystem::is_directory(folder, error))
        throw UnwritableOutput("--save-to: there is no folder '" + folder.string() + "'");
}

}  // namespace

class Viewer::Implementation {
  public:
    explicit Implementation(const ViewerSettings& settings)
        : base_path_(settings.http.base_path),
          guard_{.token = new_token(),
                 .hosts = settings.hosts,
                 .origins = settings.origins,
                 .read_only = settings.read_only},
          images_(memory_limit(settings.max_memory), settings.threads, events_),
          annotations_(memory_limit(settings.max_memory)),
          jobs_({.registry = settings.registry,
                 .device = settings.device,
                 .queue = {.threads = threads_of_jobs(settings.threads, detail::hardware_threads()),
                           .max_memory = settings.max_memory},
                 .save_to = settings.save_to,
                 .gone = settings.gone},
                images_, events_),
          views_({.registry = settings.registry,
                  .device = settings.device,
                  .queue = {.threads = settings.threads, .max_memory = settings.max_memory}},
                 images_),
          routes_({.registry = settings.registry,
                   .describe = settings.describe,
                   .page = settings.page,
                   .version = settings.version,
                   .device = settings.device,
                   .save_to = settings.save_to,
                   .read_only = settings.read_only},
                  images_, annotations_, jobs_, views_),
          http_(settings.http,
                {.refuse = [this](const Request& head) { return refusal(head, guard_); },
                 .is_slow = [this](const Request& request) { return routes_.is_slow(request); },
                 .answer = [this](const Request& request,
                                  const Respond& respond) { routes_.answer(request, respond); },
                 .events = [this](const Request&) { return jobs_.listen(); }}) {
        require_folder(settings.save_to);
        add_files(settings.files);
        if (!settings.labels.empty())
            images_.add_file(settings.labels, Role::labels,
                             settings.files.empty() ? std::nullopt : std::optional(1));
    }

    // Annotations are those of the image before them.
    void add_files(const std::vector<std::filesystem::path>& files) {
        int last = 0;
        for (const auto& file : files) {
            if (!is_annotations_name(file))
                last = images_.add_file(file);
            else if (last > 0)
                annotations_.add(file, last);
            else
                throw InvalidArgument("'" + file.string() +
                                      "' has annotations: name the slide before it");
        }
    }

    void run(const CancelToken& token) {
        // The page will ask for it first: it is read while the page loads.
        const std::future<void> reading =
            std::async(std::launch::async, [this] { read(images_.ids()); });
        http_.run(token);
        views_.close();
        events_.close();
    }
    void read(const std::vector<int>& ids) {
        if (!ids.empty()) try {
                images_.describe(ids.front());
            } catch (const std::exception&) {  // the page will be told
            }
    }

    std::vector<Rescued> rescue_labels(const std::filesystem::path& folder) const {
        std::vector<Rescued> all;
        for (const int id : images_.ids()) {
            const auto labels = images_.find_labels(id);
            if (!labels || !labels->is_unsaved()) continue;
            Rescued rescued{labels->name(), {}};
            try {
                rescued.path = rescue(*labels->image(), folder);
            } catch (const std::exception& error) {
                rescued.error = error.what();
            }
            all.push_back(std::move(rescued));
        }
        return all;
    }

    std::string address() const {
        return "http://127.0.0.1:" + std::to_string(http_.port()) + base_path_ +
               "/#token=" + guard_.token;
    }

    // In the order in which they are needed: the server ends first.
    const std::string base_path_;
    const Guard guard_;
    Events events_;
    Images images_;
    SlideAnnotations annotations_;
    Jobs jobs_;
    VolumeViews views_;
    Routes routes_;
    HttpServer http_;
};

Viewer::Viewer(const ViewerSettings& settings)
    : implementation_(std::make_unique<Implementation>(settings)) {}
Viewer::~Viewer() = default;

std::uint16_t Viewer::port() const { return implementation_->http_.port(); }
const std::string& Viewer::token() const { return implementation_->guard_.token; }
std::string Viewer::address() const { return implementation_->address(); }
void Viewer::run(const CancelToken& token) { implementation_->run(token); }
std::vector<Viewer::Rescued> Viewer::rescue_labels(const std::filesystem::path& folder) const {
    return implementation_->rescue_labels(folder);
}

}  // namespace tesela::viewer
