// tesela slide region SLIDE
#include <fmt/format.h>

#include <cmath>

#include "interrupt.h"
#include "messages.h"
#include "slide_job.h"
#include "verbs.h"

namespace tesela::cli {
namespace {

struct RegionOptions {
    std::filesystem::path output;
    Length x, y;
    Length width{1024}, height{1024};
    int level = 0;
    bool force = false;
};

template <class V>
void describe(V&& v, RegionOptions& o) {
    v("output", o.output, "picture of the region");
    v("x", o.x, "left edge, in pixels of level 0 or in um");
    v("y", o.y, "upper edge, in pixels of level 0 or in um");
    v("width", o.width, "width, in pixels of the level or in um", OptionRange{.lowest = 0});
    v("height", o.height, "height, in pixels of the level or in um", OptionRange{.lowest = 0});
    v("level", o.level, "resolution, 0 is the finest", OptionRange{.lowest = 0, .highest = 64});
    v("force", o.force, "overwrite an existing output");
}

TileBox box_of(const RegionOptions& options, const TileSource& slide) {
    const TileLevel& first = level_of(slide, 0);
    const TileLevel& level = level_of(slide, options.level);
    const auto edge = [&](const char* name, const Length& length, int axis) {
        const double pixels =
            pixels_of(name, length, first, axis) / level.downsample[static_cast<std::size_t>(axis)];
        if (!(std::abs(pixels) < 0x1p40))
            throw InvalidArgument(
                fmt::format("--{} is {}, far from the slide", name, length.to_string()));
        return static_cast<std::int64_t>(std::floor(pixels));
    };
    const auto side = [&](const char* name, const Length& length, int axis) {
        const double pixels = std::round(pixels_of(name, length, level, axis));
        if (!(pixels >= 1 && pixels < 0x1p31))
            throw InvalidArgument(
                fmt::format("--{} is {}, which is {:g} pixels of level {}; 1 or more are needed",
                            name, length.to_string(), pixels, options.level));
        return static_cast<std::int64_t>(pixels);
    };
    const TileBox box{edge("x", options.x, 0), edge("y", options.y, 1),
                      side("width", options.width, 0), side("height", options.height, 1)};
    if (box.x >= level.shape.x || box.y >= level.shape.y || box.x + box.width <= 0 ||
        box.y + box.height <= 0)
        throw InvalidArgument(
            fmt::format("the region lies outside the slide, whose level {} has {} x {} pixels",
                        options.level, level.shape.x, level.shape.y));
    return box;
}

}  // namespace

int run_slide_region(const Arguments& arguments) {
    const CancelToken& token = handle_interrupts();
    RegionOptions options;
    SlideVerb verb;
    VerbParser parser("slide region", "Reads a rectangle of a slide at one of its resolutions.");
    parser.add(options, "Region", {{"output", "-o"}});
    add_slide_options(parser, verb);
    parser.add_examples(
        {"slide region slide.svs --x 2000 --y 1000 -o region.png",
         "slide region slide.svs --x 1mm --y 0.5mm --width 500um --height 500um -o region.png"});
    if (!parser.parse(arguments)) return exit_done;
    set_up_messages(verb.messages.quiet, verb.messages.verbose);
    if (options.output.empty())
        throw InvalidArgument("--output (-o) is missing: name the picture of the region");
    OutputSet outputs(options.force);
    outputs.add("output", options.output);
    outputs.check(verb.inputs);

    const auto slide = open_slide(verb.input(), verb.slide, verb.memory);
    const TileBox box = box_of(options, *slide);
    require_slide_memory("slide region", verb.memory,
                         box.width * box.height * slide->facts().levels.front().shape.channels *
                             pixel_type_bytes(slide->facts().type));
    AnyImage region;
    {
        const DisposableWork work;
        region = slide->read(options.level, box);
    }
    Progress({}, &token).throw_if_cancelled();
    outputs.stage("output", [&](const auto& path) { io::write_image(region, path); });
    const auto written = outputs.commit();
    say("{}: {} x {} pixels of level {}", options.output.string(), box.width, box.height,
        options.level);
    if (verb.messages.json)
        report_slide("slide region", parser,
                     {{"box", {box.x, box.y, box.width, box.height}}, {"level", options.level}},
                     written);
    return exit_done;
}

}  // namespace tesela::cli
