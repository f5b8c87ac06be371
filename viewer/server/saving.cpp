#include "viewer/server/saving.h"

#include <algorithm>
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

}  // namespace

std::vector<std::string> save_image(const Image& image, const SaveRequest& request,
                                    const Images& images) {
    if (!is_plain_name(request.name))
        throw Refused(400, "'" + request.name + "' is no plain name of a file", "name");
    const fs::path path = request.folder / request.name;
    std::vector<fs::path> written = io::files_written(path);
    const bool as_labels =
        image.role == Role::labels && image.pixels.pixel_type() == PixelType::u32;
    if (as_labels) written.push_back(io::labels_side_file(path));
    for (const fs::path& file : written) {
        std::error_code error;
        if (images.is_shown(file))
            throw Refused(403,
                          "'" + file.filename().string() + "' is shown: save under another name",
                          "name");
        if (!request.overwrite && fs::exists(fs::symlink_status(file, error)))
            throw Refused(409, "'" + file.filename().string() + "' is there already", "name");
    }
    try {
        const AnyImage pixels = copy_of(image.pixels.view());
        if (!as_labels) return io::write_image(pixels, path);
        const SharedLabelTable& table = image.pixels.label_table();
        return io::write_labels(std::get<LabelImage>(pixels), path, {},
                                table ? *table : LabelTable{});
    } catch (const UnsupportedFormat& error) {
        throw Refused(422, error.what(), "name");
    } catch (const TooNarrow& error) {
        throw Refused(422, error.what(), "name");
    }
}

}  // namespace tesela::viewer
