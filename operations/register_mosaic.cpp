#include "operations/register_mosaic.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "operations/kinds/mosaic.h"
#include "operations/kinds/parts.h"
#include "operations/kinds/table.h"
#include "operations/registry.h"

namespace tesela::operations {
namespace {

struct MosaicChoice {
    MosaicOptions mosaic = {};
    std::optional<TileCompression> compression = {};
};
template <class V>
void describe(V&& v, MosaicChoice& o) {
    describe(v, o.mosaic);
    v("compression", o.compression, "compression of .ome.tif and .ome.zarr, otherwise deflate");
}

Figures figures_of(const TileOfMosaic& tile) {
    Figures figures{{"name", tile.name}, {"state", std::string(enum_name(tile.state))}};
    if (!tile.reason.empty()) figures.push_back({"reason", tile.reason});
    if (!tile.is_placed()) return figures;
    figures.push_back({"place", std::vector<double>{tile.place[0], tile.place[1]}});
    figures.push_back({"neighbors", std::int64_t{tile.neighbors}});
    figures.push_back({"residual", tile.residual});
    return figures;
}
Figures figures_of(const Mosaic& mosaic, const PairOfMosaic& pair) {
    return {{"fixed", mosaic.tiles[pair.fixed].name},
            {"moving", mosaic.tiles[pair.moving].name},
            {"state", std::string(enum_name(pair.state))},
            {"expected", std::vector<double>{pair.expected[0], pair.expected[1]}},
            {"found", std::vector<double>{pair.found[0], pair.found[1]}},
            {"score", pair.score},
            {"second", pair.second},
            {"residual", pair.fit.residual},
            {"weight", pair.fit.weight}};
}

std::int64_t count_of(const Mosaic& mosaic, TileState state) {
    return std::count_if(mosaic.tiles.begin(), mosaic.tiles.end(),
                         [&](const TileOfMosaic& tile) { return tile.state == state; });
}

void report(const Mosaic& mosaic, bool as_given, Results& results) {
    const std::int64_t accepted =
        std::count_if(mosaic.pairs.begin(), mosaic.pairs.end(),
                      [](const PairOfMosaic& pair) { return pair.state == MatchState::accepted; });
    const std::int64_t registered = count_of(mosaic, TileState::registered);
    const Shape& shape = mosaic.form.shape;
    results.summary = fmt::format(
        "registered {} of {}, {} of {} accepted, median residual {:.2f} px, a picture "
        "of {} x {} pixels",
        registered, counted(std::ssize(mosaic.tiles), "tile"), accepted,
        counted(std::ssize(mosaic.pairs), "pair"), mosaic.residual, shape.x, shape.y);
    if (as_given)
        results.summary = fmt::format(
            "placed {} as given, a picture of {} x {} pixels",
            counted(count_of(mosaic, TileState::nominal) + count_of(mosaic, TileState::blank),
                    "tile"),
            shape.x, shape.y);
    results.figures = {{"tiles", std::int64_t{std::ssize(mosaic.tiles)}},
                       {"registered", registered},
                       {"pairs", std::int64_t{std::ssize(mosaic.pairs)}},
                       {"accepted", accepted},
                       {"median_residual", mosaic.residual},
                       {"size", std::vector<std::int64_t>{shape.x, shape.y}}};
    std::vector<Figures> tiles, pairs;
    for (const TileOfMosaic& tile : mosaic.tiles) tiles.push_back(figures_of(tile));
    for (const PairOfMosaic& pair : mosaic.pairs) pairs.push_back(figures_of(mosaic, pair));
    results.details = {{"tiles_of_mosaic", std::move(tiles)}, {"pairs_of_tiles", std::move(pairs)}};
    results.warnings = mosaic.warnings;
}

// The tiles that are part of the picture, which --positions reads again.
Table positions_of(const Mosaic& mosaic) {
    auto placed = std::make_shared<std::vector<TileOfMosaic>>();
    for (const TileOfMosaic& tile : mosaic.tiles)
        if (tile.is_placed()) placed->push_back(tile);
    const auto cell = [placed](std::int64_t row, std::size_t column) -> Table::Cell {
        const TileOfMosaic& tile = (*placed)[static_cast<std::size_t>(row)];
        const std::size_t axis = column % 2 == 1 ? 0 : 1;
        switch (column) {
            case 0:
                return tile.name;
            case 1:
            case 2:
                return tile.place[axis];
            case 3:
            case 4:
                return tile.nominal ? Table::Cell((*tile.nominal)[axis]) : std::string();
            case 5:
                return std::string(enum_name(tile.state));
            case 6:
                return std::int64_t{tile.neighbors};
            default:
                return tile.residual;
        }
    };
    return {{"file", "x", "y", "given_x", "given_y", "state", "neighbors", "residual"},
            std::ssize(*placed),
            cell};
}

// Tiles that are kept, so that they are not read again.
std::int64_t cache_bytes(const Call& call) {
    constexpr std::int64_t enough = std::int64_t{1} << 30;
    const std::int64_t room = room_of(call.parts);
    return room > 0 ? std::min(room / 2, enough) : enough;
}

Results run_mosaic(const Call& call, Queue& queue, const Progress& progress) {
    const auto& tiles = call.inputs.get<MosaicTiles>("tiles");
    const auto& options = call.options.as<MosaicChoice>();
    const auto* file = call.parts.find<WritePictureAs>("picture");
    if (options.compression && !(file && file->compresses))
        throw InvalidArgument(
            "--compression is for pictures that are written tile by tile: leave it out, or name a "
            ".ome.tif or .ome.zarr");
    TileCache cache(cache_bytes(call));
    StageClock clock;
    clock.start("register");
    constexpr double registered = 0.6;
    const Mosaic mosaic = join_tiles(tiles, options.mosaic, queue, cache,
                                     call.inputs.find<TilePositions>("positions"), call.threads,
                                     progress.part(0, registered), file ? file->require : nullptr);
    if (file) {
        clock.start("picture");
        const MosaicPicture picture(tiles, mosaic, options.mosaic, cache);
        file->write({picture.form(), [&](const TileBox& box) { return picture.read(box); }},
                    options.compression.value_or(TileCompression::deflate), call.threads,
                    progress.part(registered, 1));
    }
    clock.finish();
    Results results;
    report(mosaic, options.mosaic.as_given, results);
    results.outputs.set("positions-out", positions_of(mosaic));
    results.stages = clock.take();
    return results;
}

Operation mosaic() {
    return {
        .name = "register mosaic",
        .purpose = "join the tiles of a microscope to one picture",
        .sentence = "Registers overlapping tiles of a microscope and joins them to one picture.",
        .examples = {"register mosaic tiles -o mosaic.ome.tif --grid 5x4 --overlap 10% --order "
                     "snake",
                     "register mosaic tiles -o mosaic.png --positions stage.csv --positions-out "
                     "places.csv"},
        .inputs = {{.name = "tiles",
                    .kind = kinds::mosaic_tiles,
                    .help = "folder of pictures, or a list of files (.txt)"}},
        .named = {{"positions", kinds::tile_positions,
                   "table of file, x and y, or Fiji's TileConfiguration.txt", false}},
        .outputs = {{.name = "picture",
                     .kind = kinds::any_picture_file,
                     .help = "picture (.ome.tif, .ome.zarr, .tif, .png and others)"},
                    {.name = "positions-out",
                     .kind = kinds::table,
                     .help = "CSV or JSON: place and residual of each tile"}},
        .options = Options::of(MosaicChoice{}),
        .run = run_mosaic,
        .memory =
            [](const Call&, const Device&) {
                return Memory{};  // sizes are known when a tile is read, within what is left
            },
        .progress = {.stages = {"read", "match", "place", "write"}},
        .command_line = {.basic = {"grid", "overlap", "order", "search", "blend", "as-given"}}};
}

}  // namespace

void add_register_mosaic(Registry& registry) { registry.add(mosaic()); }

}  // namespace tesela::operations
