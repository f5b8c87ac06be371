// Photographs that people have segmented: NAME.jpg with label pictures NAME.humanK.png, one a
// person.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tesela/error.h"
#include "tesela/io.h"

namespace tesela::bench {

struct Photograph {
    std::string name;
    Image<std::uint8_t> image;
    std::vector<LabelImage> people;
};

// In the order of their names. Throws UnreadableInput where the folder has none.
inline std::vector<Photograph> read_photographs(const std::filesystem::path& folder) {
    namespace fs = std::filesystem;
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.path().extension() == ".jpg") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::vector<Photograph> photographs;
    for (const fs::path& file : files) {
        Photograph one{
            file.stem().string(), std::get<Image<std::uint8_t>>(io::read_image(file).image), {}};
        for (int k = 0;; ++k) {
            fs::path labels = file;
            labels.replace_extension(".human" + std::to_string(k) + ".png");
            if (!fs::exists(labels)) break;
            one.people.push_back(io::read_labels(labels));
        }
        if (!one.people.empty()) photographs.push_back(std::move(one));
    }
    if (photographs.empty())
        throw UnreadableInput("'" + folder.string() + "' has no NAME.jpg with a NAME.human0.png");
    return photographs;
}

}  // namespace tesela::bench
