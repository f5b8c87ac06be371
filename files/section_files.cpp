#include "files/section_files.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <optional>
#include <set>

#include "io/file.h"
#include "io/format.h"
#include "io/json_file.h"
#include "io/text_file.h"
#include "tesela/slide_io.h"
#include "tesela/transform_io.h"
#include "tesela/warnings.h"

namespace tesela::files {
namespace {

namespace fs = std::filesystem;
using io::Json;

std::vector<std::int64_t> numbers_in(const std::string& name) {
    std::vector<std::int64_t> numbers;
    const char *at = name.data(), *const end = at + name.size();
    while (at < end) {
        std::int64_t number = 0;
        const auto [next, error] = std::from_chars(at, end, number);
        if (error == std::errc{} && *at != '-') numbers.push_back(number);
        at = next == at || *at == '-' ? at + 1 : next;
    }
    return numbers;
}

// Slides are read at most this long, from the level that suits: pairs are compared at 2,048 pixels.
constexpr std::int64_t longest_section = 4096;

// Formats of scanners, which are read as slides alone.
bool is_scan_name(const fs::path& path) {
    constexpr std::array suffixes{".svs", ".ndpi", ".scn", ".bif", ".vms", ".svslide", ".mrxs"};
    return std::find(suffixes.begin(), suffixes.end(), path.extension()) != suffixes.end();
}
bool is_picture_name(const fs::path& path) {
    return io::has_known_suffix(path) || is_scan_name(path);
}

// Nothing where it is no slide that is larger than what is compared.
std::optional<AnyImage> reduced_slide(const fs::path& path, const io::ReadOptions& options) {
    if (io::slide_format(path).empty()) return {};
    const auto slide = io::open_slide(path, {.max_bytes = options.max_bytes});
    const TileSourceFacts& facts = slide->facts();
    const Shape& full = facts.levels.front().shape;
    const std::int64_t longer = std::max(full.x, full.y);
    if (facts.planes > 1 || (longer <= longest_section && !is_scan_name(path))) return {};
    return thumbnail(*slide, std::min(longer, longest_section));
}

SeriesSection section_of(const fs::path& path, const io::ReadOptions& options) {
    return {path.filename().string(), 0, [path, options] {
                if (auto reduced = reduced_slide(path, options)) return std::move(*reduced);
                io::ReadResult read = io::read_image(path, options);
                io::require_limits(read, path, {.axes = 2});
                return std::move(read.image);
            }};
}

std::vector<fs::path> pictures_in(const fs::path& folder) {
    std::vector<fs::path> pictures;
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.is_regular_file() && !entry.path().filename().string().starts_with('.') &&
            is_picture_name(entry.path()))
            pictures.push_back(entry.path());
    std::sort(pictures.begin(), pictures.end());
    if (pictures.empty())
        throw UnreadableInput("the folder '" + folder.string() + "' holds no pictures");
    return pictures;
}

// Names are relative to the folder of the list.
std::vector<fs::path> pictures_of(const fs::path& list) {
    constexpr std::size_t most = 100000;
    std::vector<fs::path> pictures;
    io::TextLines lines(list);
    for (std::string_view line; lines.next(line);) {
        while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
        if (line.empty()) continue;
        pictures.push_back(list.parent_path() / std::string(line));
        if (!fs::is_regular_file(pictures.back()))
            lines.refuse("there is no file '" + pictures.back().string() + "'");
        if (pictures.size() > most) lines.refuse("a series has at most 100000 pictures");
    }
    return pictures;
}

// All names of a folder have numbers, or none has: another picture would take a plane.
void require_one_series(const fs::path& folder, const std::vector<fs::path>& pictures) {
    const auto name_of = [](const auto found) { return "'" + found->filename().string() + "'"; };
    const auto has_number = [](const fs::path& picture) {
        return !numbers_in(picture.stem().string()).empty();
    };
    const auto other = std::find_if_not(pictures.begin(), pictures.end(), has_number),
               numbered = std::find_if(pictures.begin(), pictures.end(), has_number);
    const std::string shown = "'" + folder.string() + "'";
    if (numbered == pictures.end())
        detail::warn_once("the pictures of the folder " + shown +
                          " have no numbers in their names: they are taken in the order of the "
                          "alphabet, from " +
                          name_of(pictures.begin()));
    else if (other != pictures.end())
        throw InvalidArgument("of the pictures of the folder " + shown + ", " + name_of(other) +
                              " has no number in its name and " + name_of(numbered) +
                              " has one: give a list of the files of one series");
}

}  // namespace

std::vector<std::int64_t> section_numbers(const std::vector<std::string>& names) {
    std::vector<std::vector<std::int64_t>> all;
    std::size_t least = names.empty() ? 0 : std::string::npos;
    for (const std::string& name : names) {
        all.push_back(numbers_in(name));
        least = std::min(least, all.back().size());
    }
    for (std::size_t place = 0; place < least; ++place) {
        std::vector<std::int64_t> numbers;
        for (const auto& found : all) numbers.push_back(found[place]);
        const std::set<std::int64_t> distinct(numbers.begin(), numbers.end());
        if (distinct.size() == numbers.size()) return numbers;
    }
    return {};
}

std::vector<fs::path> series_pictures(const fs::path& path) {
    if (fs::is_directory(path)) return pictures_in(path);
    if (is_picture_name(path))
        throw InvalidArgument("'" + path.string() +
                              "' is a picture: give the folder of a series, or a list of files");
    return pictures_of(path);
}

SectionSeries read_sections(const fs::path& path, const io::ReadOptions& options) {
    const bool is_folder = fs::is_directory(path);
    const std::vector<fs::path> pictures = series_pictures(path);
    if (is_folder) require_one_series(path, pictures);
    SectionSeries series;
    std::vector<std::string> names;
    for (const fs::path& picture : pictures) {
        series.push_back(section_of(picture, options));
        names.push_back(picture.stem().string());
    }
    std::vector<std::int64_t> numbers = section_numbers(names);
    if (is_folder && numbers.empty() && !numbers_in(names.front()).empty())
        throw InvalidArgument("the pictures of the folder '" + path.string() +
                              "' have no numbers of their own, such as '" + series.front().name +
                              "' and '" + series.back().name +
                              "': give a list of the files of one series");
    if (numbers.empty() || (!is_folder && !std::is_sorted(numbers.begin(), numbers.end()))) {
        numbers.resize(series.size());
        std::iota(numbers.begin(), numbers.end(), std::int64_t{0});
    }
    for (std::size_t i = 0; i < series.size(); ++i) series[i].number = numbers[i];
    std::sort(series.begin(), series.end(),
              [](const auto& a, const auto& b) { return a.number < b.number; });
    return series;
}

void write_section_pair(const RegisteredPair& pair, const fs::path& path) {
    Json json = Json::parse(io::transform_json(pair.transform));
    json["pair"] = {{"key", pair.key},
                    {"match", pair.is_match},
                    {"parts", pair.agreement.parts},
                    {"agreeing", pair.agreement.agreeing},
                    {"similarity", pair.similarity},
                    {"margin", pair.margin},
                    {"overlap", pair.overlap},
                    {"estimated_error", pair.estimated_error}};
    io::write_text(json.dump(1) + "\n", path, true);
}

RegisteredPair read_section_pair(const fs::path& path, const io::ReadOptions& options) {
    RegisteredPair pair;
    pair.transform = io::read_transform(path, options);
    return io::from_json(path, io::read_json(path, options.max_bytes), [&](const Json& json) {
        const Json& about = json.at("pair");
        pair.key = about.at("key").get<std::string>();
        pair.is_match = about.at("match").get<bool>();
        pair.agreement.parts = io::whole_number<int>(about.at("parts"), "parts");
        pair.agreement.agreeing = io::whole_number<int>(about.at("agreeing"), "agreeing");
        pair.similarity = about.at("similarity").get<double>();
        pair.margin = about.at("margin").get<double>();
        pair.overlap = about.at("overlap").get<double>();
        pair.estimated_error = about.at("estimated_error").get<double>();
        return pair;
    });
}

}  // namespace tesela::files
