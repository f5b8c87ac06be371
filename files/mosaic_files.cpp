#include "files/mosaic_files.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "files/section_files.h"
#include "io/text_table.h"
#include "io/tiff_pages.h"

namespace tesela::files {
namespace {

namespace fs = std::filesystem;

// None of a file that cannot be read, which is told when its pixels are.
std::optional<std::array<double, 2>> stage_of(const fs::path& path) {
    try {
        return io::ome_stage_position(path);
    } catch (const UnreadableInput&) {
        return {};
    }
}

MosaicTile tile_of(const fs::path& path, const io::ReadOptions& options) {
    const auto read = [path, options] {
        io::ReadResult found = io::read_image(path, options);
        io::require_limits(found, path, {.axes = 2, .any_channels = true});
        return std::move(found.image);
    };
    return {path.filename().string(), read, {}, stage_of(path)};
}

class Positions {
  public:
    explicit Positions(const fs::path& path) : path_(path) {}

    void add(const std::string& file, double x, double y, const io::TextLines& lines) {
        constexpr std::size_t most = 100000;
        std::string name = fs::path(file).generic_string();
        if (!(std::max(std::abs(x), std::abs(y)) <= farthest_coordinate))
            lines.refuse("the position of '" + io::printable(name) + "' is no position");
        if (name.empty() || !names_.insert(name).second)
            lines.refuse(name.empty() ? "the name of the file is missing"
                                      : "'" + io::printable(name) + "' has two positions");
        made_.places.push_back({std::move(name), x, y});
        if (names_.size() > most) lines.refuse("a mosaic has at most 100000 tiles");
    }
    TilePositions taken(bool in_micrometers) {
        if (made_.places.empty()) throw io::unreadable(path_, "it has no positions");
        made_.in_micrometers = in_micrometers;
        return std::move(made_);
    }

  private:
    const fs::path& path_;
    std::set<std::string> names_;
    TilePositions made_;
};

TilePositions table_positions(const fs::path& path) {
    io::TextTable table(path);
    const auto column = [&](std::initializer_list<std::string_view> names) {
        for (const std::string_view name : names)
            if (const std::size_t found = table.column(name); found != io::TextTable::npos)
                return found;
        return io::TextTable::npos;
    };
    const std::size_t file = column({"file", "filename", "name", "tile"});
    const bool in_micrometers = column({"x_um"}) != io::TextTable::npos;
    const std::size_t x = column({in_micrometers ? "x_um" : "x"}),
                      y = column({in_micrometers ? "y_um" : "y"});
    if (std::max({file, x, y}) == io::TextTable::npos)
        throw io::unsupported(path,
                              "its first row does not name the columns file, x and y, or x_um and "
                              "y_um");
    Positions positions(path);
    while (table.next())
        positions.add(table.at(file), table.number(x), table.number(y), table.lines());
    return positions.taken(in_micrometers);
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
        text.remove_suffix(1);
    return text;
}

// The two numbers of "name; ; (x, y)".
std::array<double, 2> fiji_place(std::string_view line, const io::TextLines& lines) {
    const auto open = line.find('('), comma = line.find(',', open), close = line.find(')', comma);
    if (open == line.npos || comma == line.npos || close == line.npos)
        lines.refuse("it is not 'name; ; (x, y)'");
    std::array<double, 2> place{
        io::finite_number(trimmed(line.substr(open + 1, comma - open - 1))),
        io::finite_number(trimmed(line.substr(comma + 1, close - comma - 1)))};
    if (!std::isfinite(place[0]) || !std::isfinite(place[1]))
        lines.refuse("it is not 'name; ; (x, y)'");
    return place;
}

// "dim = 2", but no tile whose name begins so.
bool is_size_of_fiji(std::string_view line) {
    return line.starts_with("dim") && trimmed(line.substr(3)).starts_with('=');
}

TilePositions fiji_positions(const fs::path& path) {
    io::TextLines lines(path);
    Positions positions(path);
    for (std::string_view line; lines.next(line);) {
        line = trimmed(line);
        if (line.empty() || line.front() == '#' || is_size_of_fiji(line)) continue;
        const auto place = fiji_place(line, lines);
        positions.add(std::string(trimmed(line.substr(0, line.find(';')))), place[0], place[1],
                      lines);
    }
    return positions.taken(false);
}

bool is_fiji(const fs::path& path) {
    io::TextLines lines(path);
    std::string_view line;
    while (lines.next(line) && (trimmed(line).empty() || trimmed(line).front() == '#')) {
    }
    line = trimmed(line);
    return is_size_of_fiji(line) || (line.find(';') != line.npos && line.ends_with(')'));
}

// Files of one name in several folders are called by their folders too.
void name_by_folders(MosaicTiles& tiles, const std::vector<fs::path>& pictures) {
    std::map<std::string, int> count;
    for (const MosaicTile& tile : tiles) ++count[tile.name];
    for (std::size_t i = 0; i < tiles.size(); ++i)
        if (count[tiles[i].name] > 1)
            tiles[i].name = pictures[i].lexically_normal().generic_string();
}

}  // namespace

MosaicTiles read_mosaic_tiles(const fs::path& path, const io::ReadOptions& options) {
    const std::vector<fs::path> pictures = series_pictures(path);
    MosaicTiles tiles;
    std::vector<std::string> names;
    for (const fs::path& picture : pictures) {
        tiles.push_back(tile_of(picture, options));
        names.push_back(picture.stem().string());
    }
    name_by_folders(tiles, pictures);
    const std::vector<std::int64_t> numbers = section_numbers(names);
    for (std::size_t i = 0; i < numbers.size(); ++i) tiles[i].number = numbers[i];
    if (fs::is_directory(path))
        std::stable_sort(tiles.begin(), tiles.end(),
                         [](const auto& a, const auto& b) { return a.number < b.number; });
    return tiles;
}

TilePositions read_tile_positions(const fs::path& path, const io::ReadOptions&) {
    return is_fiji(path) ? fiji_positions(path) : table_positions(path);
}

}  // namespace tesela::files
