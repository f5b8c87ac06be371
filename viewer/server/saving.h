// Images, labels and what is made of them, into the folder that the user named.
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
    bool replace_labels = false;  // also a label map that is shown; images never are
};

// Where it is saved; `side_file`: one of labels comes beside it. Throws Refused: 400 for a name
// that is no plain name of a file, 403 for one of the files that are shown, 409 for one that is
// there.
std::filesystem::path path_to_save(const SaveRequest& request, bool side_file,
                                   const Images& images);

// Gives sentences about what the format does not hold. Throws as path_to_save, Refused (422) for
// what the format cannot hold, and as writing does.
std::vector<std::string> save_image(const Image& image, const SaveRequest& request,
                                    const Images& images);

// Labels that nobody saved, into a folder that is made where it is not there: under their name and
// the time, never over a file. Gives the path. Throws as writing does.
std::filesystem::path rescue(const Image& labels, const std::filesystem::path& folder);

}  // namespace tesela::viewer
