// tesela slide tiles SLIDE
#include <fmt/format.h>

#include <atomic>

#include "interrupt.h"
#include "messages.h"
#include "progress.h"
#include "slide_job.h"
#include "verbs.h"

namespace tesela::cli {
namespace {

struct TilesOptions {
    std::filesystem::path output;
    int tile = 1024;
    int level = 0;
    std::string format = "png";
    bool force = false;
};

template <class V>
void describe(V&& v, TilesOptions& o) {
    v("output", o.output, "folder for tile_COLUMN_ROW.png, ...");
    v("tile", o.tile, "side of a tile",
      OptionRange{.lowest = 1, .highest = 32768, .unit = "pixels"});
    v("level", o.level, "resolution, 0 is the finest", OptionRange{.lowest = 0, .highest = 64});
    v("format", o.format, "suffix of the files: png, jpg, tif, bmp");
    v("force", o.force, "write into a folder that is not empty");
}

}  // namespace

int run_slide_tiles(const Arguments& arguments) {
    const CancelToken& token = handle_interrupts();
    TilesOptions options;
    WorkOptions loop;
    SlideVerb verb;
    VerbParser parser("slide tiles", "Cuts a slide into pictures that do not overlap.");
    parser.add(options, "Tiles", {{"output", "-o"}});
    parser.add(loop, "Computing");
    add_slide_options(parser, verb);
    parser.add_examples(
        {"slide tiles slide.svs -o tiles",
         "slide tiles slide.svs --tile 512 --level 1 --format jpg -o tiles-level-1"});
    if (!parser.parse(arguments)) return exit_done;
    set_up_messages(verb.messages.quiet, verb.messages.verbose);
    if (options.output.empty())
        throw InvalidArgument("--output (-o) is missing: name the folder for the tiles");
    if (options.format != "png" && options.format != "jpg" && options.format != "tif" &&
        options.format != "bmp")
        throw InvalidArgument(
            fmt::format("--format: '{}' is not one of png, jpg, tif, bmp", options.format));

    const auto slide = open_slide(verb.input(), verb.slide, verb.memory);
    level_of(*slide, options.level);
    make_result_folder({"output", options.output}, options.force, verb.inputs);
    std::atomic<std::int64_t> count{0};
    {
        ProgressReporter progress(loop.progress, verb.messages.quiet, token);
        for_each_tile(
            *slide, options.level, options.tile, options.tile, loop.threads, progress.part(0, 1),
            [&](std::int64_t column, std::int64_t row, const AnyImage& tile) {
                io::write_image(tile, options.output / fmt::format("tile_{}_{}.{}", column, row,
                                                                   options.format));
                ++count;
            });
    }
    say("wrote {} into {}", counted(count, "tile"), options.output.string());
    if (verb.messages.json) report_slide("slide tiles", parser, {{"tiles", count.load()}}, {});
    return exit_done;
}

}  // namespace tesela::cli
