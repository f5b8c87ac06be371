#include <algorithm>

#include "io/file.h"
#include "tesela/tissue_io.h"

namespace tesela {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> sorted_entries(const fs::path& folder) {
    std::error_code error;
    std::vector<fs::path> entries;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
        if (!it->path().filename().string().starts_with(".")) entries.push_back(it->path());
    if (error) throw io::unreadable(folder, error.message());
    std::sort(entries.begin(), entries.end());
    return entries;
}

}  // namespace

TilePictures open_tile_folder(const fs::path& folder, const io::ReadOptions& reading) {
    TilePictures pictures;
    std::vector<fs::path> files;
    for (const fs::path& of_class : sorted_entries(folder)) {
        if (!fs::is_directory(of_class)) continue;
        const std::string name = of_class.filename().string();
        const std::size_t before = files.size();
        const auto add = [&](const fs::path& file, const std::string& slide) {
            pictures.tiles.push_back({static_cast<int>(pictures.classes.size()),
                                      fs::relative(file, folder).string(), slide,
                                      io::quoted(file)});
            files.push_back(file);
        };
        for (const fs::path& entry : sorted_entries(of_class)) {
            const std::string own = entry.filename().string();
            if (!fs::is_directory(entry)) {
                add(entry, name + "/" + own);
                continue;
            }
            for (const fs::path& inner : sorted_entries(entry))
                if (!fs::is_directory(inner)) add(inner, own);
        }
        if (files.size() == before)
            throw InvalidArgument("the folder " + io::quoted(of_class) +
                                  " of a class has no pictures: remove it or add some");
        pictures.classes.push_back(name);
    }
    if (files.empty())
        throw InvalidArgument("the folder " + io::quoted(folder) +
                              " has no folders of pictures: give one that has a folder for each "
                              "class");
    pictures.read = [files = std::move(files), reading](std::size_t i) {
        io::ReadResult read = io::read_image(files[i], reading);
        io::require_limits(read, files[i], {.axes = 2});
        return std::move(read.image);
    };
    return pictures;
}

}  // namespace tesela
