// Images into the folder that the user named.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "viewer/server/images.h"

namespace tesela::viewer {

struct SaveRequest {
    std::filesystem::path folder;
    std::string name;  // with a suffix that says the format
    bool overwrite = false;
};

// Gives sentences about what the format does not hold. Throws Refused: 400 for a name that is no
// plain name of a file, 403 for one of the files that are shown, 409 for one that is there; and as
// writing does.
std::vector<std::string> save_image(const Image& image, const SaveRequest& request,
                                    const Images& images);

}  // namespace tesela::viewer
