#include "io/side_file.h"

#include <algorithm>
#include <cctype>

#include "io/format.h"
#include "io/json_file.h"

namespace tesela::io {
namespace {

// Ends the reading of a file whose rest does not matter.
struct EnoughRead {};

// The "image" of a side file, which comes before its lists; empty where it has none.
std::string named_image(const fs::path& side_file) {
    std::string name;
    bool is_next = false;
    const auto look = [&](int depth, Json::parse_event_t event, Json& parsed) {
        if (depth != 1) return true;
        if (event == Json::parse_event_t::array_start || event == Json::parse_event_t::object_start)
            throw EnoughRead{};
        if (event == Json::parse_event_t::value && is_next) {
            if (parsed.is_string()) name = parsed.get<std::string>();
            throw EnoughRead{};
        }
        is_next = event == Json::parse_event_t::key && parsed == "image";
        return true;
    };
    try {
        constexpr std::size_t longest = 4096;
        const Json whole = Json::parse(InputFile(side_file).head(longest), look);
    } catch (const EnoughRead&) {
    } catch (const Json::exception&) {
    } catch (const UnreadableInput&) {
    }
    return name;
}

// JPEG changes values, so that a label map or coefficients are never one.
bool may_have_side_file(const fs::path& image) {
    std::string suffix = image.extension().string();
    std::transform(suffix.begin(), suffix.end(), suffix.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return suffix != ".jpg" && suffix != ".jpeg";
}

std::vector<fs::path> images_of_stem(const fs::path& folder, const std::string& stem) {
    std::vector<fs::path> images;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, error))
        if (has_known_suffix(entry.path()) && may_have_side_file(entry.path()) &&
            stem_of(entry.path()) == stem)
            images.push_back(folder / entry.path().filename());
    std::sort(images.begin(), images.end());
    return images;
}

}  // namespace

std::string name_in_side_file(const fs::path& image) {
    const Json name(image.filename().string());
    // JSON is UTF-8, names of files may be anything.
    return Json::parse(name.dump(-1, ' ', false, Json::error_handler_t::replace))
        .get<std::string>();
}

fs::path other_owner(const fs::path& side_file, const fs::path& image) {
    std::error_code error;
    if (!fs::exists(side_file, error)) return {};
    const std::string named = named_image(side_file), own = name_in_side_file(image);
    if (named == own) return {};
    for (const fs::path& other : images_of_stem(image.parent_path(), stem_of(image)))
        if (other.filename() != image.filename() &&
            (name_in_side_file(other) == named || named.empty() || stem_of(named) != stem_of(own)))
            return other;
    return {};
}

bool is_side_file_of(const fs::path& side_file, const fs::path& image) {
    std::error_code error;
    if (!fs::exists(side_file, error) || !other_owner(side_file, image).empty()) return false;
    const std::string named = named_image(side_file), own = name_in_side_file(image);
    if (named == own) return true;
    // An image that is there no more was renamed, or packed.
    return may_have_side_file(image) && (named.empty() || stem_of(named) != stem_of(own) ||
                                         !fs::exists(side_file.parent_path() / named, error));
}

}  // namespace tesela::io
