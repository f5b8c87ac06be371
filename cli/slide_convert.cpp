// tesela slide convert SLIDE
#include <fmt/format.h>

#include "interrupt.h"
#include "messages.h"
#include "progress.h"
#include "slide_job.h"
#include "verbs.h"

namespace tesela::cli {
namespace {

struct ConvertOptions {
    std::filesystem::path output;
    int level = 0;
    int tile = 256;
    io::TileCompression compression = io::TileCompression::automatic;
    int quality = 90;
    bool labels = false;
    bool force = false;
};

template <class V>
void describe(V&& v, ConvertOptions& o) {
    v("output", o.output, "pyramid as OME-TIFF (.ome.tif)");
    v("level", o.level, "resolution to begin with, 0 is the finest",
      OptionRange{.lowest = 0, .highest = 64});
    v("tile", o.tile, "side of a tile, a multiple of 16",
      OptionRange{.lowest = 16, .highest = 4096, .unit = "pixels"});
    v("compression", o.compression, "compression of tiles; auto: jpeg for 8-bit RGB");
    v("quality", o.quality, "JPEG quality", OptionRange{.lowest = 1, .highest = 100});
    v("labels", o.labels, "pick one value for coarser levels, as label maps need");
    v("force", o.force, "overwrite an existing output");
}

}  // namespace

int run_slide_convert(const Arguments& arguments) {
    const CancelToken& token = handle_interrupts();
    ConvertOptions options;
    WorkOptions loop;
    SlideVerb verb;
    VerbParser parser("slide convert", "Writes a slide as an OME-TIFF with a pyramid.");
    parser.add(options, "Conversion", {{"output", "-o"}});
    parser.add(loop, "Computing");
    add_slide_options(parser, verb);
    parser.add_examples(
        {"slide convert slide.svs -o slide.ome.tif",
         "slide convert truth.tif --labels --compression deflate -o truth.ome.tif"});
    if (!parser.parse(arguments)) return exit_done;
    set_up_messages(verb.messages.quiet, verb.messages.verbose);
    const std::string name = options.output.filename().string();
    if (options.output.empty())
        throw InvalidArgument("--output (-o) is missing: name the OME-TIFF (.ome.tif)");
    if (!name.ends_with(".tif") && !name.ends_with(".tiff"))
        throw InvalidArgument(
            fmt::format("--output is {}; slides are written as .ome.tif", options.output.string()));
    OutputSet outputs(options.force);
    outputs.add("output", options.output);
    outputs.check(verb.inputs);

    const auto slide = open_slide(verb.input(), verb.slide, verb.memory);
    const TileLevel& level = level_of(*slide, options.level);
    outputs.stage("output", [&](const std::filesystem::path& path) {
        const auto writer = io::create_ome_tiff(
            path, {slide->facts().type, level.shape, level.geometry, slide->facts().has_alpha},
            {.tile = options.tile,
             .compression = options.compression,
             .quality = options.quality,
             .labels = options.labels});
        ProgressReporter progress(loop.progress, verb.messages.quiet, token);
        for_each_tile(*slide, options.level, options.tile, options.tile, loop.threads,
                      progress.part(0, 1),
                      [&](std::int64_t column, std::int64_t row, const AnyImage& tile) {
                          writer->write(column, row, tile);
                      });
        writer->finish();
    });
    const auto written = outputs.commit();
    say("{}: {} x {} pixels", options.output.string(), level.shape.x, level.shape.y);
    if (verb.messages.json)
        report_slide("slide convert", parser, {{"size", {level.shape.x, level.shape.y}}}, written);
    return exit_done;
}

}  // namespace tesela::cli
