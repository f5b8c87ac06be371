// tesela synthesize slide
#include <fmt/format.h>

#include "interrupt.h"
#include "memory_plan.h"
#include "messages.h"
#include "slide_job.h"
#include "tesela/geojson_io.h"
#include "tesela/synthetic_slide.h"
#include "verbs.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;

struct SynthesizeSlideOptions {
    fs::path output, labels, annotations;
    std::int64_t width = 8192, height = 8192;
    SyntheticSlideOptions section;
    int tile = 256;
    io::TileCompression compression = io::TileCompression::automatic;
    int quality = 90;
    bool force = false;
};

template <class V>
void describe(V&& v, SynthesizeSlideOptions& o) {
    v("output", o.output, "slide as OME-TIFF (.ome.tif)");
    v("labels", o.labels, "tissue of each pixel, OME-TIFF: 1 fibers, 2 mesh");
    v("annotations", o.annotations, "outlines of the tissues, GeoJSON");
    const OptionRange side{.lowest = 64, .highest = 1 << 20, .unit = "pixels"};
    v("width", o.width, "width of the slide", side);
    v("height", o.height, "height of the slide", side);
    describe(v, o.section);
    v("tile", o.tile, "side of a tile, a multiple of 16",
      OptionRange{.lowest = 64, .highest = 4096, .unit = "pixels"});
    v("compression", o.compression, "compression of tiles; auto: jpeg");
    v("quality", o.quality, "JPEG quality", OptionRange{.lowest = 1, .highest = 100});
    v("force", o.force, "overwrite existing outputs");
}

// The tissues fill the slide, or are repeated in squares of about 4096 pixels.
std::int64_t section_side(const SynthesizeSlideOptions& options) {
    constexpr std::int64_t most = 4096;
    std::int64_t side = options.tile;
    while (side < std::max(options.width, options.height) && 2 * side <= most) side *= 2;
    return side;
}

}  // namespace

int run_synthesize_slide(const Arguments& arguments) {
    const CancelToken& token = handle_interrupts();
    SynthesizeSlideOptions options;
    MemoryOptions memory;
    MessageOptions messages;
    VerbParser parser(
        "synthesize slide",
        "Makes a stained slide with known tissues: oriented fibers, a mesh of cells, empty glass.");
    parser.add(options, "Slide", {{"output", "-o"}});
    parser.add(memory, "Computing");
    parser.add(messages, "Messages", message_aliases());
    parser.add_examples({"synthesize slide -o slide.ome.tif --annotations slide.geojson",
                         "synthesize slide --width 2048 --height 1024 --stains hdab -o "
                         "hdab.ome.tif --labels hdab-truth.ome.tif"});
    if (!parser.parse(arguments)) return exit_done;
    set_up_messages(messages.quiet, messages.verbose);
    if (options.output.empty())
        throw InvalidArgument("--output (-o) is missing: name the slide (.ome.tif)");
    OutputSet outputs(options.force);
    outputs.add("output", options.output);
    outputs.add("labels", options.labels);
    outputs.add("annotations", options.annotations);
    outputs.check({});

    const std::int64_t side = section_side(options);
    // The section in colors and labels, its tiles, and half of it.
    require_host_memory("synthesize slide", 8 * side * side, memory.max_memory.bytes);
    const SyntheticSection section = synthetic_section(side, options.section);
    const Progress progress({}, &token);
    progress.throw_if_cancelled();
    io::SlideWriteOptions writing{
        .tile = options.tile, .compression = options.compression, .quality = options.quality};
    outputs.stage("output", [&](const fs::path& path) {
        io::write_repeated_slide(section.picture, options.width, options.height, path, writing);
    });
    progress.throw_if_cancelled();
    outputs.stage("labels", [&](const fs::path& path) {
        io::write_repeated_slide(section.labels, options.width, options.height, path,
                                 {.tile = options.tile, .labels = true});
    });
    outputs.stage("annotations", [&](const fs::path& path) {
        const double mpp = options.section.mpp;
        io::write_geojson({.list = repeated_annotations(section, options.width, options.height),
                           .calibration = {{{mpp, mpp}, {0, 0}}}},
                          path);
    });
    progress.throw_if_cancelled();
    const auto written = outputs.commit();
    for (const WrittenFile& file : written) say("wrote {}", file.path.string());
    if (messages.json)
        report_slide("synthesize slide", parser, {{"size", {options.width, options.height}}},
                     written);
    return exit_done;
}

}  // namespace tesela::cli
