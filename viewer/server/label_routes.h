// The addresses of labels that are edited (viewer/README.md).
#pragma once

#include <filesystem>

#include "operations/registry.h"
#include "viewer/server/images.h"
#include "viewer/server/message.h"

namespace tesela::viewer {

struct LabelRouteSettings {
    const operations::Registry& registry;
    std::filesystem::path save_to = {};  // empty: nothing is saved
};

class LabelRoutes {
  public:
    LabelRoutes(const LabelRouteSettings& settings, Images& images)
        : settings_(settings), images_(images) {}

    // Of a request to api/labels. Throws Refused, and as what it asks for does.
    Response answer(const Request& request);

  private:
    Response begin(const Json& request);
    Response edit(int id, const Json& request);
    // Of a table or a picture of labels.
    Response save(int id, std::string_view what, const Json& request);

    const LabelRouteSettings settings_;
    Images& images_;
};

}  // namespace tesela::viewer
