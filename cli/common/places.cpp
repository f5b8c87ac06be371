#include "places.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include "tesela/error.h"
#include "tesela/io.h"

namespace tesela::cli {

namespace fs = std::filesystem;

fs::path folder_of(const fs::path& path) {
    const fs::path named = path.has_filename() ? path : path.parent_path();  // "o/" is "o"
    return named.has_parent_path() ? named.parent_path() : fs::path(".");
}

Place place_of(const fs::path& path) {
    struct stat facts {};
    if (stat(path.c_str(), &facts) == 0) return {facts.st_dev, facts.st_ino, ""};
    const fs::path named = path.has_filename() ? path : path.parent_path();
    if (stat(folder_of(path).c_str(), &facts) == 0)
        return {facts.st_dev, facts.st_ino, named.filename().string()};
    return {0, 0, path.string()};
}

namespace {
fs::path& config_file() {
    static fs::path file;
    return file;
}
}  // namespace

void count_as_input(const fs::path& config) { config_file() = config; }

InputPlaces::InputPlaces(const std::vector<fs::path>& inputs) {
    std::error_code error;
    for (const fs::path& input : inputs) {
        if (fs::is_directory(input, error)) folders_.insert(place_of(input));
        for (const fs::path& file : io::files_read(input)) add_file(file);
    }
    add_file(config_file());
}

void InputPlaces::add_file(const fs::path& file) {
    std::error_code error;
    if (!fs::exists(file, error)) return;  // reading will say so
    files_.insert(place_of(file));
    folders_.insert(place_of(folder_of(file)));
    const fs::path linked = fs::canonical(file, error);
    if (error) return;
    folders_.insert(place_of(folder_of(linked)));
    for (fs::path above = linked.parent_path(); above.has_relative_path();
         above = above.parent_path())
        above_.insert(place_of(above));
}

bool InputPlaces::has_file(const fs::path& path) const { return files_.contains(place_of(path)); }
bool InputPlaces::has_folder(const fs::path& path) const {
    return folders_.contains(place_of(path));
}
bool InputPlaces::has_below(const fs::path& path) const { return above_.contains(place_of(path)); }

fs::file_status status_of_output(const fs::path& path) {
    const auto status = [&](const fs::path& name) {
        std::error_code error;
        const fs::file_status found = fs::status(name, error);
        if (found.type() == fs::file_type::none)
            throw UnwritableOutput(
                fmt::format("cannot write '{}': {}", path.string(), error.message()));
        return found;
    };
    // Files are written in a hidden folder, by writers that have one of their own in it.
    constexpr const char* hidden = ".tesela-XXXXXX";
    status(folder_of(path) / hidden / hidden / path.filename());
    const fs::file_status found = status(path);
    std::error_code ignored;
    if (!fs::exists(found) && fs::is_symlink(path, ignored))
        throw UnwritableOutput(fmt::format(
            "cannot write '{}': it is a symbolic link that leads nowhere", path.string()));
    return found;
}

}  // namespace tesela::cli
