#include "viewer/server/site.h"

#include <unistd.h>

#include <exception>
#include <optional>
#include <system_error>
#include <utility>

#include "core/threads.h"
#include "tesela/error.h"
#include "viewer/server/labels.h"
#include "viewer/server/saving.h"

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

Site::Site(const ViewerSettings& settings)
    : guard_{.token = new_token(),
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
              images_, annotations_, jobs_, views_) {
    require_folder(settings.save_to);
    add_files(settings.files);
    if (!settings.labels.empty())
        images_.add_file(settings.labels, Role::labels,
                         settings.files.empty() ? std::nullopt : std::optional(1));
}

// Annotations are those of the image before them.
void Site::add_files(const std::vector<std::filesystem::path>& files) {
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

HttpHandlers Site::handlers() {
    return {.refuse = [this](const Request& head) { return refusal(head, guard_); },
            .is_slow = [this](const Request& request) { return routes_.is_slow(request); },
            .answer = [this](const Request& request,
                             const Respond& respond) { routes_.answer(request, respond); },
            .events = [this](const Request&) { return jobs_.listen(); }};
}

void Site::read_first() {
    const std::vector<int> ids = images_.ids();
    if (!ids.empty()) try {
            images_.describe(ids.front());
        } catch (const std::exception&) {  // the page will be told
        }
}

void Site::close() {
    views_.close();
    events_.close();
}

std::vector<RescuedLabels> Site::rescue_labels(const std::filesystem::path& folder) const {
    std::vector<RescuedLabels> all;
    for (const int id : images_.ids()) {
        const auto labels = images_.find_labels(id);
        if (!labels || !labels->is_unsaved()) continue;
        RescuedLabels rescued{labels->name(), {}};
        try {
            rescued.path = rescue(*labels->image(), folder);
        } catch (const std::exception& error) {
            rescued.error = error.what();
        }
        all.push_back(std::move(rescued));
    }
    return all;
}

}  // namespace tesela::viewer
