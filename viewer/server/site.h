// What a viewer serves: images, jobs and views, and who may ask for them. It knows no socket.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "viewer/server/annotations.h"
#include "viewer/server/events.h"
#include "viewer/server/http.h"
#include "viewer/server/images.h"
#include "viewer/server/jobs.h"
#include "viewer/server/routes.h"
#include "viewer/server/security.h"
#include "viewer/server/settings.h"
#include "viewer/server/volume_view.h"

namespace tesela::viewer {

class Site {
  public:
    // Throws UnwritableOutput for a folder `save_to` that is not there, and as choosing the device
    // does.
    explicit Site(const ViewerSettings& settings);
    Site(const Site&) = delete;
    Site& operator=(const Site&) = delete;

    const std::string& token() const { return guard_.token; }
    // What answers requests. The site outlives it.
    HttpHandlers handlers();
    // Reads the first image, for which a page will ask first.
    void read_first();
    // Nothing is answered any more but by what is on its way.
    void close();
    // Each is written into a file of its own in a folder that is made for it.
    std::vector<RescuedLabels> rescue_labels(const std::filesystem::path& folder) const;

  private:
    void add_files(const std::vector<std::filesystem::path>& files);

    // In the order in which they are needed.
    const Guard guard_;
    Events events_;
    Images images_;
    SlideAnnotations annotations_;
    Jobs jobs_;
    VolumeViews views_;
    Routes routes_;
};

}  // namespace tesela::viewer
