// slide region, thumbnail, tiles, convert
#include "operations/slides.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <utility>

#include "operations/all.h"
#include "operations/kinds/folder.h"
#include "operations/kinds/image.h"
#include "operations/kinds/slide.h"
#include "operations/registry.h"
#include "tesela/picture_text.h"
#include "tesela/slide_region.h"
#include "tesela/tissue_slides.h"

namespace tesela::operations {

namespace {

const OptionRange level_range{.lowest = 0, .highest = 64};
const Input slide_input{.name = "slide",
                        .kind = kinds::slide,
                        .help = "whole slide, tiled TIFF or picture",
                        .any_channels = true};

const TileSource& slide_of(const Call& call) { return *call.inputs.get<Slide>("slide"); }

Figure size_of(const Shape& shape) { return {"size", std::vector<std::int64_t>{shape.x, shape.y}}; }

TileBox box_of(const Call& call) {
    return region_box(slide_of(call), call.options.as<SlideRegionOptions>());
}

Results run_region(const Call& call, Queue&, const Progress&) {
    const int level = call.options.as<SlideRegionOptions>().level;
    const TileBox box = box_of(call);
    Results results;
    results.outputs.set("output", slide_of(call).read(level, box));
    results.summary =
        fmt::format("region: {} x {} pixels of level {}", box.width, box.height, level);
    results.details = {{"box", std::vector<std::int64_t>{box.x, box.y, box.width, box.height}},
                       {"level", std::int64_t{level}}};
    return results;
}

Operation region() {
    return {.name = "slide region",
            .purpose = "read a rectangle of a slide",
            .sentence = "Reads a rectangle of a slide at one of its resolutions.",
            .examples = {"slide region slide.svs --x 2000 --y 1000 -o region.png",
                         "slide region slide.svs --x 1mm --y 0.5mm --width 500um --height 500um "
                         "-o region.png"},
            .inputs = {slide_input},
            .outputs = {{.name = "output",
                         .kind = kinds::image,
                         .help = "picture of the region",
                         .required = true}},
            .options = Options::of(SlideRegionOptions{}),
            .run = run_region,
            .memory =
                [](const Call& call, const Device&) {
                    const TileBox box = box_of(call);
                    const TileSourceFacts& facts = slide_of(call).facts();
                    const std::int64_t row = box.width * facts.levels.front().shape.channels *
                                             pixel_type_bytes(facts.type);
                    // A PNG is written by this row, the last one, and what filters make of them.
                    constexpr std::int64_t rows = 6;
                    return Memory{.held = box.height * row, .finishing = rows * row};
                },
            .device = {.on_host = true}};
}

struct ThumbnailOptions {
    int size = 1024;
    bool scale_bar = false;
};
template <class V>
void describe(V&& v, ThumbnailOptions& o) {
    v("size", o.size, "longer side of the picture",
      OptionRange{.lowest = 1, .highest = 32768, .unit = "pixels"});
    v("scale-bar", o.scale_bar, "draw a bar of a round length");
}

// Gives the length of the bar in um.
double draw_bar(AnyImage& image) {
    auto* picture = std::get_if<Image<std::uint8_t>>(&image);
    if (!picture || !picture->geometry.known())
        throw InvalidArgument(picture ? "--scale-bar: the slide does not say the size of its "
                                        "pixels; give it by --mpp"
                                      : "--scale-bar needs a slide of 8 bits");
    return draw_scale_bar(*picture);
}

Results run_thumbnail(const Call& call, Queue&, const Progress&) {
    const auto& options = call.options.as<ThumbnailOptions>();
    AnyImage picture = thumbnail(slide_of(call), options.size);
    const Shape shape = shape_of(picture);
    Results results;
    results.summary = fmt::format("thumbnail: {} x {} pixels", shape.x, shape.y);
    results.details = {size_of(shape), {"scale_bar_um", {}}};
    if (options.scale_bar) {
        const double bar = draw_bar(picture);
        results.summary += fmt::format(", the bar is {:g} um", bar);
        results.details.back().value = bar;
    }
    results.outputs.set("output", std::move(picture));
    return results;
}

Operation thumbnails() {
    return {.name = "slide thumbnail",
            .purpose = "make a small picture of a slide",
            .sentence = "Makes a small picture of a whole slide.",
            .examples = {"slide thumbnail slide.svs -o thumbnail.png",
                         "slide thumbnail slide.svs --size 2048 --scale-bar -o thumbnail.png"},
            .inputs = {slide_input},
            .outputs = {{.name = "output",
                         .kind = kinds::image,
                         .help = "picture of the whole slide",
                         .required = true}},
            .options = Options::of(ThumbnailOptions{}),
            .run = run_thumbnail,
            .memory =
                [](const Call& call, const Device&) {
                    return Memory{.held = thumbnail_bytes(
                                      slide_of(call), call.options.as<ThumbnailOptions>().size)};
                },
            .device = {.on_host = true}};
}

enum class TileFormat { png, jpg, tif, bmp };
constexpr auto enum_names(TileFormat) {
    return std::array{EnumNames<TileFormat>{TileFormat::png, "png"},
                      EnumNames<TileFormat>{TileFormat::jpg, "jpg"},
                      EnumNames<TileFormat>{TileFormat::tif, "tif"},
                      EnumNames<TileFormat>{TileFormat::bmp, "bmp"}};
}

struct TilesOptions {
    int tile = 1024;
    int level = 0;
    TileFormat format = TileFormat::png;
    bool keep_empty = false;
};
template <class V>
void describe(V&& v, TilesOptions& o) {
    v("tile", o.tile, "side of a tile",
      OptionRange{.lowest = 1, .highest = 32768, .unit = "pixels"});
    v("level", o.level, "resolution, 0 is the finest", level_range);
    v("format", o.format, "format of the files");
    v("keep-empty", o.keep_empty, "write tiles of empty glass too");
}

// By its upper left corner in pixels of level 0, as 'slide region' takes it.
std::string tile_name(const TilesOptions& options, const TileLevel& level, std::int64_t column,
                      std::int64_t row) {
    const auto place = [&](std::int64_t tile, std::size_t axis) {
        return std::llround(static_cast<double>(tile * options.tile) * level.downsample[axis]);
    };
    return fmt::format("tile_x{}_y{}.{}", place(column, 0), place(row, 1),
                       enum_name(options.format));
}

Results run_tiles(const Call& call, Queue&, const Progress& progress) {
    const auto& options = call.options.as<TilesOptions>();
    const TileSource& slide = slide_of(call);
    const TileLevel& level = level_of(slide, options.level);
    const auto& write = call.parts.get<WriteFile>("output");
    std::optional<EmptyTiles> glass;
    if (!options.keep_empty) glass.emplace(slide, options.level, options.tile);
    std::atomic<std::int64_t> count{0}, empty{0};
    for_each_tile(slide, options.level, options.tile, options.tile, call.threads, progress,
                  [&](std::int64_t column, std::int64_t row, const AnyImage& tile) {
                      if (glass && glass->is_empty(column, row)) {
                          ++empty;
                          return;
                      }
                      write(tile_name(options, level, column, row), kinds::image, ImageValue(tile));
                      ++count;
                  });
    Results results;
    results.summary = counted(count, "tile");
    if (empty > 0)
        results.summary +=
            fmt::format(", {} of empty glass left out (--keep-empty writes them)", empty.load());
    if (count == 0) results.warnings.emplace_back("no tissue was found: no tile was written");
    results.details = {{"tiles", count.load()}, {"empty_tiles", empty.load()}};
    return results;
}

Operation tiles() {
    return {.name = "slide tiles",
            .purpose = "cut a slide into pictures",
            .sentence = "Cuts a slide into pictures that do not overlap.",
            .examples = {"slide tiles slide.svs -o tiles",
                         "slide tiles slide.svs --tile 512 --level 1 --format jpg -o "
                         "tiles-level-1"},
            .inputs = {slide_input},
            .outputs = {{.name = "output",
                         .kind = kinds::folder,
                         .help = "folder for tile_xX_yY.png, pixels of level 0",
                         .required = true}},
            .options = Options::of(TilesOptions{}),
            .run = run_tiles,
            .memory = [](const Call&, const Device&) { return Memory{}; },
            .device = {.on_host = true, .threaded = true}};
}

struct ConvertOptions {
    int level = 0;
    int tile = 256;
    TileCompression compression = TileCompression::automatic;
    int quality = 90;
    bool labels = false;
    PyramidForm pyramid = PyramidForm::ome;
    ZarrVersion zarr = ZarrVersion::v0_4;
};
template <class V>
void describe(V&& v, ConvertOptions& o) {
    v("level", o.level, "resolution to begin with, 0 is the finest", level_range);
    v("tile", o.tile, "side of a tile, a multiple of 16",
      OptionRange{.lowest = 16, .highest = 4096, .unit = "pixels"});
    v("compression", o.compression, "compression of tiles; auto: jpeg for 8-bit RGB");
    v("quality", o.quality, "JPEG quality", OptionRange{.lowest = 1, .highest = 100});
    v("labels", o.labels, "pick one value for coarser levels, as label maps need");
    v("pyramid", o.pyramid, "where the coarser levels lie");
    v("zarr", o.zarr, "version of OME-Zarr");
}

Results run_convert(const Call& call, Queue&, const Progress& progress) {
    const auto& options = call.options.as<ConvertOptions>();
    const TileSource& slide = slide_of(call);
    const TileLevel& level = level_of(slide, options.level);
    const auto writer = call.parts.get<OpenTiles>("output")(
        {slide.facts().type, level.shape, level.geometry, slide.facts().has_alpha},
        {.tile = options.tile,
         .compression = options.compression,
         .quality = options.quality,
         .labels = options.labels,
         .pyramid = options.pyramid,
         .zarr = options.zarr,
         .strip = strip_columns});
    for_each_tile(slide, options.level, options.tile, options.tile, call.threads, progress,
                  [&](std::int64_t column, std::int64_t row, const AnyImage& tile) {
                      writer->write(column, row, tile);
                  });
    writer->finish();
    Results results;
    results.summary = fmt::format("slide: {} x {} pixels", level.shape.x, level.shape.y);
    results.details = {size_of(level.shape)};
    return results;
}

Operation convert() {
    return {.name = "slide convert",
            .purpose = "write a slide as OME-TIFF or OME-Zarr with a pyramid",
            .sentence = "Writes a slide as OME-TIFF, another TIFF or OME-Zarr with a pyramid.",
            .examples = {"slide convert slide.svs -o slide.ome.tif",
                         "slide convert slide.ome.tif --pyramid generic -o slide.tif",
                         "slide convert truth.tif --labels --compression deflate -o "
                         "truth.ome.tif"},
            .inputs = {slide_input},
            .outputs = {{.name = "output",
                         .kind = kinds::tiles,
                         .help = "pyramid (.ome.tif, .tif or .ome.zarr)",
                         .required = true}},
            .options = Options::of(ConvertOptions{}),
            .run = run_convert,
            .memory = [](const Call&, const Device&) { return Memory{}; },
            .device = {.on_host = true, .threaded = true}};
}

}  // namespace

void add_slides(Registry& registry) {
    registry.add(Family{.name = "slide",
                        .purpose = "crop, tile and convert whole slides",
                        .sentence = "Reads whole slides and other tiled images.",
                        .task = tasks::files});
    registry.add(region());
    registry.add(thumbnails());
    registry.add(tiles());
    registry.add(convert());
}

}  // namespace tesela::operations
