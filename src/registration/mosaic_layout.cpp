#include "registration/mosaic_layout.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string_view>

#include "registration/overlap_matcher.h"
#include "tesela/error.h"

namespace tesela {
namespace {

using Places = std::vector<std::optional<PlanePlace>>;
using TilePairs = std::vector<std::pair<std::size_t, std::size_t>>;

struct GridSize {
    std::int64_t columns = 0, rows = 0;

    std::int64_t tiles() const { return columns * rows; }
};

GridSize grid_size(const std::string& text) {
    constexpr std::int64_t most = 100000;
    GridSize size;
    const char *at = text.data(), *const end = at + text.size();
    const auto columns = std::from_chars(at, end, size.columns);
    if (columns.ec == std::errc{} && columns.ptr != end && *columns.ptr == 'x') {
        const auto rows = std::from_chars(columns.ptr + 1, end, size.rows);
        if (rows.ec == std::errc{} && rows.ptr == end && std::min(size.columns, size.rows) > 0 &&
            std::max(size.columns, size.rows) <= most)
            return size;
    }
    throw InvalidArgument("--grid: '" + text + "' is not columns x rows, as 5x4");
}

// Pixels from the first pixel of a tile to that of the next one, along an axis.
double step_of(const std::string& overlap, std::int64_t length, double um) {
    const std::string what = "--overlap: '" + overlap + "'";
    double pixels = 0;
    if (overlap.ends_with('%')) {
        const Length share = Length::parse(overlap.substr(0, overlap.size() - 1));
        pixels = share.value / 100 * static_cast<double>(length);
    } else {
        const Length given = Length::parse(overlap);
        if (given.physical() && !(um > 0))
            throw InvalidArgument(what +
                                  " is a length, and the tiles have no pixel size: give "
                                  "--mpp");
        pixels = given.physical() ? given.millimeters() * 1000 / um : given.value;
    }
    if (!(pixels >= 0 && pixels < static_cast<double>(length)))
        throw InvalidArgument(what + " must be at least 0 and less than a tile, " +
                              std::to_string(length) + " pixels");
    return static_cast<double>(length) - pixels;
}

// Column and row of the tile that comes at this place.
std::array<std::int64_t, 2> cell_of(std::int64_t index, const GridSize& size,
                                    const MosaicOptions& options) {
    const bool by_rows = options.order == TileOrder::row || options.order == TileOrder::snake;
    const bool turns =
        options.order == TileOrder::snake || options.order == TileOrder::column_snake;
    const std::int64_t length = by_rows ? size.columns : size.rows;
    const std::int64_t line = index / length, within = index % length;
    const std::int64_t along = turns && line % 2 == 1 ? length - 1 - within : within;
    std::int64_t column = by_rows ? along : line, row = by_rows ? line : along;
    if (options.corner == GridCorner::top_right || options.corner == GridCorner::bottom_right)
        column = size.columns - 1 - column;
    if (options.corner == GridCorner::bottom_left || options.corner == GridCorner::bottom_right)
        row = size.rows - 1 - row;
    return {column, row};
}

// The places of tiles in the order of the grid: one after the other, or by their numbers where some
// are missing.
std::vector<std::int64_t> grid_indices(const MosaicTiles& tiles, const GridSize& size,
                                       const MosaicOptions& options) {
    std::vector<std::int64_t> indices(tiles.size());
    const auto count = static_cast<std::int64_t>(tiles.size());
    const std::string what = "--grid " + options.grid + " has " + std::to_string(size.tiles()) +
                             " tiles and there are " + std::to_string(count);
    if (count > size.tiles()) throw InvalidArgument(what);
    if (count == size.tiles() && !options.first) {
        std::iota(indices.begin(), indices.end(), std::int64_t{0});
        return indices;
    }
    std::int64_t least = std::numeric_limits<std::int64_t>::max(), most = 0;
    for (const MosaicTile& tile : tiles) {
        if (!tile.number)
            throw InvalidArgument(what +
                                  ": the names have no numbers that tell which are missing; "
                                  "give --positions");
        least = std::min(least, *tile.number);
        most = std::max(most, *tile.number);
    }
    const bool from_0 = least == 0, from_1 = most == size.tiles();
    if (!options.first && from_0 == from_1)
        throw InvalidArgument(what + ", with numbers from " + std::to_string(least) + " to " +
                              std::to_string(most) +
                              ": give --first, the number of the first tile of the grid");
    const std::int64_t first = options.first.value_or(from_0 ? 0 : 1);
    for (std::size_t i = 0; i < tiles.size(); ++i) {
        indices[i] = *tiles[i].number - first;
        if (indices[i] < 0 || indices[i] >= size.tiles())
            throw InvalidArgument("tile '" + tiles[i].name + "' has the number " +
                                  std::to_string(*tiles[i].number) + ", beyond --grid " +
                                  options.grid + " from --first " + std::to_string(first));
    }
    return indices;
}

Places grid_places(const MosaicTiles& tiles, const TileGeometry& geometry,
                   const MosaicOptions& options, std::vector<std::string>& warnings) {
    const GridSize size = grid_size(options.grid);
    const std::array<double, 2> step{step_of(options.overlap, geometry.shape.x, geometry.um[0]),
                                     step_of(options.overlap, geometry.shape.y, geometry.um[1])};
    const std::vector<std::int64_t> indices = grid_indices(tiles, size, options);
    Places places;
    for (const std::int64_t index : indices) {
        const auto [column, row] = cell_of(index, size, options);
        places.push_back(
            PlanePlace{static_cast<double>(column) * step[0], static_cast<double>(row) * step[1]});
    }
    if (const std::int64_t missing = size.tiles() - std::ssize(indices); missing > 0)
        warnings.push_back("the grid lacks " + std::to_string(missing) +
                           (missing == 1 ? " tile" : " tiles"));
    return places;
}

Places listed_places(const MosaicTiles& tiles, const TileGeometry& geometry,
                     const TilePositions& positions, std::vector<std::string>& warnings) {
    if (positions.in_micrometers && !(geometry.um[0] > 0))
        throw InvalidArgument(
            "the positions are in micrometers, and the tiles have no pixel size: give --mpp");
    std::map<std::string, PlanePlace> of;
    std::map<std::string, std::vector<std::string>> in_folders;
    for (const TilePositions::Place& place : positions.places) {
        of[place.name] = positions.in_micrometers
                             ? PlanePlace{place.x / geometry.um[0], place.y / geometry.um[1]}
                             : PlanePlace{place.x, place.y};
        in_folders[std::filesystem::path(place.name).filename().string()].push_back(place.name);
    }
    const auto row_of = [&](const std::string& tile) {
        const auto found = of.find(tile);
        const auto rows = in_folders.find(tile);
        if (found != of.end() || rows == in_folders.end() || rows->second.size() > 1) return found;
        return of.find(rows->second.front());
    };
    Places places(tiles.size());
    std::vector<std::string> without, missing;
    for (std::size_t i = 0; i < tiles.size(); ++i) {
        const auto found = row_of(tiles[i].name);
        if (found == of.end()) {
            without.push_back(tiles[i].name);
            continue;
        }
        places[i] = found->second;
        of.erase(found);
    }
    for (const auto& [name, place] : of) missing.push_back(name);
    if (without.size() == tiles.size())
        throw InvalidArgument("the positions name none of the tiles, such as '" +
                              tiles.front().name + "': they name " + listed(missing));
    if (!without.empty())
        warnings.push_back("left out, for they have no position: " + listed(without));
    if (!missing.empty())
        warnings.push_back("tiles that have a position are missing: " + listed(missing));
    return places;
}

std::optional<Places> stage_places(const MosaicTiles& tiles, const TileGeometry& geometry,
                                   const MosaicOptions& options) {
    const MosaicTile *with = nullptr, *without = nullptr;
    for (std::size_t i = 0; i < tiles.size(); ++i)
        if (geometry.is_read[i]) (tiles[i].stage ? with : without) = &tiles[i];
    if (!with) return {};
    if (without)
        throw InvalidArgument("tile '" + with->name + "' has a position of the stage and '" +
                              without->name + "' has none: give --positions or --grid");
    if (!(geometry.um[0] > 0))
        throw InvalidArgument(
            "the tiles have positions of the stage and no pixel size: give --mpp, --positions or "
            "--grid");
    Places places;
    for (const MosaicTile& tile : tiles) {
        places.emplace_back();
        if (tile.stage)
            places.back() = {(options.flip_x ? -1 : 1) * (*tile.stage)[0] / geometry.um[0],
                             (options.flip_y ? -1 : 1) * (*tile.stage)[1] / geometry.um[1]};
    }
    return places;
}

bool are_neighbors(const PlanePlace& a, const Shape& shape, const PlanePlace& b,
                   const Shape& other) {
    constexpr double narrowest = 8, edge = 1.0 / 3, area = 0.05;
    const double x =
        common_length(static_cast<double>(shape.x), static_cast<double>(other.x), b[0] - a[0]);
    const double y =
        common_length(static_cast<double>(shape.y), static_cast<double>(other.y), b[1] - a[1]);
    if (!(std::min(x, y) >= narrowest)) return false;
    const auto shorter_x = static_cast<double>(std::min(shape.x, other.x)),
               shorter_y = static_cast<double>(std::min(shape.y, other.y));
    return x >= edge * shorter_x || y >= edge * shorter_y || x * y >= area * shorter_x * shorter_y;
}

std::size_t root_of(std::vector<std::size_t>& group, std::size_t i) {
    while (group[i] != i) i = group[i] = group[group[i]];
    return i;
}

}  // namespace

std::optional<Places> tile_layout(const MosaicTiles& tiles, const TileGeometry& geometry,
                                  const MosaicOptions& options, const TilePositions* positions,
                                  std::vector<std::string>& warnings) {
    if (positions && !options.grid.empty())
        throw InvalidArgument("--positions and --grid both say where the tiles lie: give one");
    if (positions) return listed_places(tiles, geometry, *positions, warnings);
    if (!options.grid.empty()) return grid_places(tiles, geometry, options, warnings);
    return stage_places(tiles, geometry, options);
}

// Tiles are sorted along x, so that only those are compared that may be near.
TilePairs neighbors_of(const Places& places, const std::vector<Shape>& shapes) {
    std::vector<std::size_t> order;
    std::int64_t widest = 0;
    for (std::size_t i = 0; i < places.size(); ++i)
        if (places[i]) {
            order.push_back(i);
            widest = std::max(widest, shapes[i].x);
        }
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return std::pair((*places[a])[0], a) < std::pair((*places[b])[0], b);
    });
    TilePairs pairs;
    for (std::size_t first = 0; first < order.size(); ++first)
        for (std::size_t next = first + 1; next < order.size(); ++next) {
            const std::size_t i = std::min(order[first], order[next]),
                              j = std::max(order[first], order[next]);
            if ((*places[order[next]])[0] - (*places[order[first]])[0] >
                static_cast<double>(widest))
                break;
            if (are_neighbors(*places[i], shapes[i], *places[j], shapes[j]))
                pairs.emplace_back(i, j);
        }
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

// Along the shortest ways between groups (R. C. Prim, 1957).
TilePairs bridges_of(const Places& places, const TilePairs& neighbors) {
    std::vector<std::size_t> group(places.size());
    std::iota(group.begin(), group.end(), std::size_t{0});
    for (const auto& [i, j] : neighbors) group[root_of(group, j)] = root_of(group, i);
    std::vector<std::size_t> placed;
    for (std::size_t i = 0; i < places.size(); ++i)
        if (places[i]) placed.push_back(i);
    TilePairs bridges;
    if (placed.empty()) return bridges;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    std::vector<double> distance(places.size(), infinity);
    std::vector<std::size_t> nearest(places.size());
    std::vector<bool> is_reached(places.size());
    const auto reach = [&](std::size_t root) {
        for (const std::size_t i : placed) {
            if (root_of(group, i) != root) continue;
            is_reached[i] = true;
            for (const std::size_t j : placed) {
                const double far = std::hypot((*places[i])[0] - (*places[j])[0],
                                              (*places[i])[1] - (*places[j])[1]);
                if (far >= distance[j]) continue;
                distance[j] = far;
                nearest[j] = i;
            }
        }
    };
    reach(root_of(group, placed.front()));
    for (;;) {
        std::optional<std::size_t> next;
        for (const std::size_t i : placed)
            if (!is_reached[i] && (!next || distance[i] < distance[*next])) next = i;
        if (!next) return bridges;
        bridges.emplace_back(std::min(*next, nearest[*next]), std::max(*next, nearest[*next]));
        reach(root_of(group, *next));
    }
}

std::string listed(const std::vector<std::string>& names) {
    constexpr std::size_t most = 10;
    std::string text;
    for (std::size_t i = 0; i < std::min(most, names.size()); ++i)
        text += (i == 0 ? "'" : ", '") + names[i] + "'";
    if (names.size() > most) text += " and " + std::to_string(names.size() - most) + " others";
    return text;
}

}  // namespace tesela
