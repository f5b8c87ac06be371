#include "viewer/server/saving.h"

#include <algorithm>
#include <cctype>
#include <ctime>
#include <variant>

#include "tesela/error.h"
#include "viewer/server/message.h"

namespace tesela::viewer {
namespace {

namespace fs = std::filesystem;

bool is_plain_name(const std::string& name) {
    const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
    return !name.empty() && name.size() <= 200 && name.front() != '.' &&
           name.find_first_of("/\\") == std::string::npos &&
           std::none_of(name.begin(), name.end(), is_control);
}

AnyImage copy_of(const AnyImageView& view) {
    return view.visit([](const auto& pixels) -> AnyImage {
        using T = typename std::decay_t<decltype(pixels)>::value_type;
        tesela::Image<T> image(pixels.shape(), pixels.geometry);
        image.has_alpha = pixels.has_alpha;
        std::copy(pixels.pixels().begin(), pixels.pixels().end(), image.data());
        return image;
    });
}

std::vector<std::string> write(const Image& image, bool as_labels, const fs::path& path) {
    const AnyImage pixels = copy_of(image.pixels.view());
    if (!as_labels) return io::write_image(pixels, path);
    const SharedLabelTable& table = image.pixels.label_table();
    return io::write_labels(std::get<LabelImage>(pixels), path, {}, table ? *table : LabelTable{});
}

// "regions-20261129-121500" of "regions.nii.gz"
std::string rescued_name(const std::string& name, std::time_t now) {
    std::string stem = name.substr(0, name.find('.'));
    const auto is_other = [](unsigned char c) { return !std::isalnum(c) && c != '-' && c != '_'; };
    std::replace_if(stem.begin(), stem.end(), is_other, '-');
    char time[32];
    std::tm local{};
    std::strftime(time, sizeof time, "%Y%m%d-%H%M%S", localtime_r(&now, &local));
    return (stem.empty() ? "labels" : stem.substr(0, 100)) + "-" + time;
}

}  // namespace

fs::path path_to_save(const SaveRequest& request, bool side_file, const Images& images) {
    if (!is_plain_name(request.name))
        throw Refused(400, "'" + request.name + "' is no plain name of a file", "name");
    const fs::path path = request.folder / request.name;
    std::vector<fs::path> written = io::files_written(path);
    if (side_file) written.push_back(io::labels_side_file(path));
    for (const fs::path& file : written) {
        std::error_code error;
        const auto role = images.shown_role(file);
        if (role && !(request.replace_labels && *role == Role::labels))
            throw Refused(403,
                          "'" + file.filename().string() + "' is shown: save under another name",
                          "name");
        if (!role && !request.overwrite && fs::exists(fs::symlink_status(file, error)))
            throw Refused(409, "'" + file.filename().string() + "' is there already", "name");
    }
    return path;
}

std::vector<std::string> save_image(const Image& image, const SaveRequest& request,
                                    const Images& images) {
    const bool as_labels =
        image.role == Role::labels && image.pixels.pixel_type() == PixelType::u32;
    const fs::path path = path_to_save(request, as_labels, images);
    try {
        return write(image, as_labels, path);
    } catch (const UnsupportedFormat& error) {
        throw Refused(422, error.what(), "name");
    } catch (const TooNarrow& error) {
        throw Refused(422, error.what(), "name");
    }
}

fs::path rescue(const Image& labels, const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    const std::string name = rescued_name(labels.name, std::time(nullptr));
    for (int i = 1;; ++i) {
        const fs::path path = folder / (name + (i > 1 ? "-" + std::to_string(i) : "") + ".nii.gz");
        if (fs::exists(fs::symlink_status(path, error))) continue;
        write(labels, true, path);
        return path;
    }
}

}  // namespace tesela::viewer
