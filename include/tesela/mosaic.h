// Overlapping tiles of a microscope joined to one picture.
//
// Neighbors are registered by the normalized cross-correlation of what they have in common
// (J. P. Lewis, "Fast normalized cross-correlation", Vision Interface, 1995), and all tiles are
// placed by these pairs together, as sections of a series are (tesela/section_graph.h). The stages:
// docs/registration.md.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tesela/compute/queue.h"
#include "tesela/image.h"
#include "tesela/options.h"
#include "tesela/progress.h"
#include "tesela/register_slides.h"
#include "tesela/section_graph.h"
#include "tesela/tile_cache.h"
#include "tesela/tile_source.h"

namespace tesela {

// A tile that is read when it is needed, more than once, from any thread.
struct MosaicTile {
    std::string name;
    std::function<AnyImage()> read;
    std::optional<std::int64_t> number = {};          // as its name counts it
    std::optional<std::array<double, 2>> stage = {};  // of the microscope, in micrometers
};
using MosaicTiles = std::vector<MosaicTile>;

// Where the first pixels of tiles lie, by the names of the tiles, or where none is named so, by the
// names of their files without folders.
struct TilePositions {
    struct Place {
        std::string name;
        double x = 0, y = 0;
    };
    std::vector<Place> places;
    bool in_micrometers = false;  // or in pixels
};

enum class TileOrder { row, snake, column, column_snake };
constexpr auto enum_names(TileOrder) {
    return std::array{EnumNames<TileOrder>{TileOrder::row, "row"},
                      EnumNames<TileOrder>{TileOrder::snake, "snake"},
                      EnumNames<TileOrder>{TileOrder::column, "column"},
                      EnumNames<TileOrder>{TileOrder::column_snake, "column-snake"}};
}
constexpr auto enum_help(TileOrder) {
    return std::array<std::string_view, 4>{"row by row", "row by row, every other one backward",
                                           "column by column",
                                           "column by column, every other one backward"};
}

enum class GridCorner { top_left, top_right, bottom_left, bottom_right };
constexpr auto enum_names(GridCorner) {
    return std::array{EnumNames<GridCorner>{GridCorner::top_left, "top-left"},
                      EnumNames<GridCorner>{GridCorner::top_right, "top-right"},
                      EnumNames<GridCorner>{GridCorner::bottom_left, "bottom-left"},
                      EnumNames<GridCorner>{GridCorner::bottom_right, "bottom-right"}};
}

enum class MosaicBlend { linear, none };
constexpr auto enum_names(MosaicBlend) {
    return std::array{EnumNames<MosaicBlend>{MosaicBlend::linear, "linear"},
                      EnumNames<MosaicBlend>{MosaicBlend::none, "none"}};
}
constexpr auto enum_help(MosaicBlend) {
    return std::array<std::string_view, 2>{"means weighted by the distance from the tile's border",
                                           "the tile whose border is farthest"};
}

struct MosaicOptions {
    std::string grid = {};
    std::string overlap = "10%";
    TileOrder order = TileOrder::row;
    GridCorner corner = GridCorner::top_left;
    std::optional<std::int64_t> first = {};
    bool flip_x = false, flip_y = false;
    bool as_given = false;
    std::optional<Length> search = {};
    double score = 0.3;
    std::optional<int> channel = {};
    std::optional<double> mpp = {};
    MosaicBlend blend = MosaicBlend::linear;
    bool whole_pixels = false;
    double max_canvas = 4;
};

template <class V>
void describe(V&& v, MosaicOptions& o) {
    v("grid", o.grid, "columns and rows of tiles, as 5x4");
    v("overlap", o.overlap, "overlap of neighbors in the grid, as 10% or 100px");
    v("order", o.order, "order of the tiles in the grid");
    v("corner", o.corner, "corner of the grid with the first tile");
    v("first", o.first, "number of the first tile in the file names",
      OptionRange{.lowest = 0, .automatic = "0 or 1"});
    v("flip-x", o.flip_x, "stage positions increase to the left");
    v("flip-y", o.flip_y, "stage positions increase upward");
    v("as-given", o.as_given, "keep the given positions, without registration");
    v("search", o.search, "largest distance from the given positions",
      OptionRange{.lowest = 0,
                  .excludes_lowest = true,
                  .unit = "px, or um with the suffix",
                  .automatic = "5 % of a tile, at least 16 pixels"});
    v("score", o.score, "least correlation of neighbors", OptionRange{.lowest = 0, .highest = 1});
    v("compare", o.channel, "channel that is compared, from 0",
      OptionRange{.lowest = 0, .automatic = "brightness, or the mean of all"});
    v("mpp", o.mpp, "pixel size in um, instead of the files'",
      OptionRange{.lowest = 0.001, .highest = 1000, .unit = "um"});
    v("blend", o.blend, "what overlaps show");
    v("whole-pixels", o.whole_pixels, "place tiles at whole pixels, without interpolation");
    v("max-canvas", o.max_canvas, "largest picture, in sizes of all tiles together",
      OptionRange{.lowest = 1, .highest = 1e6});
}

enum class TileState { registered, nominal, blank, unplaced, unreadable };
constexpr auto enum_names(TileState) {
    return std::array{EnumNames<TileState>{TileState::registered, "registered"},
                      EnumNames<TileState>{TileState::nominal, "nominal"},
                      EnumNames<TileState>{TileState::blank, "blank"},
                      EnumNames<TileState>{TileState::unplaced, "unplaced"},
                      EnumNames<TileState>{TileState::unreadable, "unreadable"}};
}
constexpr auto enum_help(TileState) {
    return std::array<std::string_view, 5>{"placed by its neighbors",
                                           "matches no neighbor: at its given position",
                                           "all pixels have one value: at its given position",
                                           "without a position and a neighbor", "left out"};
}

struct TileOfMosaic {
    std::string name;
    TileState state = TileState::unplaced;
    std::string reason = {};  // why it is unreadable
    Shape shape = {};
    std::optional<std::array<double, 2>> nominal = {};  // as given, in pixels
    std::array<double, 2> place{};  // of its first pixel in the picture, in pixels
    double residual = 0;            // root mean square of its pairs, in pixels
    int neighbors = 0;              // that it matches

    bool is_placed() const {
        return state != TileState::unplaced && state != TileState::unreadable;
    }
};

// In pixels, from the first pixel of the first tile to that of the second.
struct PairOfMosaic {
    std::size_t fixed = 0, moving = 0;  // in the list of tiles
    std::array<double, 2> expected{}, found{};
    double score = 0, second = 0;  // correlation, and that of the next best place
    MatchState state = MatchState::accepted;
    SectionPairFit fit;
};

struct Mosaic {
    std::vector<TileOfMosaic> tiles;
    std::vector<PairOfMosaic> pairs;
    SlideForm form;            // of the picture
    double residual = 0;       // pixels: the median of the accepted pairs
    std::uint64_t source = 0;  // of its tiles in the cache
    std::vector<std::string> warnings;
};

// Places the tiles: at their positions, where these are given, in the grid of the options, by the
// stage of the microscope where all tiles have such a position, or else each by any other. Tiles
// that match no neighbor keep their position, shifted as their neighbors are. `cache` keeps tiles
// that are read. `require` gets the least picture that may come, before any pair is registered.
// Throws InvalidArgument for fewer than two tiles, tiles of different types, channels or pixel
// sizes, duplicate names, positions that do not fit and a picture beyond `max_canvas`; NoMatch
// where no two tiles match; OutOfMemory, Cancelled.
Mosaic join_tiles(const MosaicTiles& tiles, const MosaicOptions& options, Queue& queue,
                  TileCache& cache, const TilePositions* positions = nullptr, int threads = 0,
                  const Progress& progress = {},
                  const std::function<void(const SlideForm& least)>& require = {});

// The picture that the tiles make, box by box. What it is made of outlives it; the cache is that of
// join_tiles.
class MosaicPicture {
  public:
    MosaicPicture(const MosaicTiles& tiles, const Mosaic& mosaic, const MosaicOptions& options,
                  TileCache& cache);
    ~MosaicPicture();

    const SlideForm& form() const;
    // What no tile covers is 0. May be called from several threads at once. Throws InvalidArgument
    // for a box that is not within the picture, and what reading a tile throws.
    AnyImage read(const TileBox& box) const;

  private:
    struct State;
    std::unique_ptr<const State> state_;
};

}  // namespace tesela
