// tesela slide thumbnail SLIDE
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "interrupt.h"
#include "messages.h"
#include "slide_job.h"
#include "verbs.h"

namespace tesela::cli {
namespace {

struct ThumbnailOptions {
    std::filesystem::path output;
    int size = 1024;
    bool scale_bar = false;
    bool force = false;
};

template <class V>
void describe(V&& v, ThumbnailOptions& o) {
    v("output", o.output, "picture of the whole slide");
    v("size", o.size, "longer side of the picture",
      OptionRange{.lowest = 1, .highest = 32768, .unit = "pixels"});
    v("scale-bar", o.scale_bar, "draw a bar of a round length");
    v("force", o.force, "overwrite an existing output");
}

// The largest of 1, 2, 5, 10, ... um that is at most a quarter of the width.
double bar_length(double width) {
    const double most = width / 4;
    const double power = std::pow(10.0, std::floor(std::log10(most)));
    for (const double step : {5.0, 2.0})
        if (step * power <= most) return step * power;
    return power;
}

// Black on a white border, in the lower left corner. Gives the length in um.
double draw_bar(AnyImage& image) {
    auto* picture = std::get_if<Image<std::uint8_t>>(&image);
    if (!picture || !picture->geometry.known())
        throw InvalidArgument(picture ? "--scale-bar: the slide does not say the size of its "
                                        "pixels; give it by --mpp"
                                      : "--scale-bar needs a slide of 8 bits");
    const Shape& shape = picture->shape();
    const double pixel = picture->geometry.spacing_mm()[0] * 1000;
    const double length = bar_length(pixel * static_cast<double>(shape.x));
    const auto bar = std::max<std::int64_t>(1, std::llround(length / pixel));
    const std::int64_t thick = std::max<std::int64_t>(2, shape.y / 100), border = 2;
    const std::int64_t left = std::max(border, shape.x / 40);
    const std::int64_t top = std::max<std::int64_t>(border, shape.y - shape.y / 40 - thick);
    for (std::int64_t y = top - border; y < std::min(shape.y, top + thick + border); ++y)
        for (std::int64_t x = left - border; x < std::min(shape.x, left + bar + border); ++x)
            for (int c = 0; c < shape.channels; ++c) {
                const bool inside = x >= left && x < left + bar && y >= top && y < top + thick;
                (*picture)(x, y, 0, 0, c) = inside ? 0 : 255;
            }
    return length;
}

}  // namespace

int run_slide_thumbnail(const Arguments& arguments) {
    const CancelToken& token = handle_interrupts();
    ThumbnailOptions options;
    SlideVerb verb;
    VerbParser parser("slide thumbnail", "Makes a small picture of a whole slide.");
    parser.add(options, "Thumbnail", {{"output", "-o"}});
    add_slide_options(parser, verb);
    parser.add_examples({"slide thumbnail slide.svs -o thumbnail.png",
                         "slide thumbnail slide.svs --size 2048 --scale-bar -o thumbnail.png"});
    if (!parser.parse(arguments)) return exit_done;
    set_up_messages(verb.messages.quiet, verb.messages.verbose);
    if (options.output.empty()) throw InvalidArgument("--output (-o) is missing: name the picture");
    OutputSet outputs(options.force);
    outputs.add("output", options.output);
    outputs.check(verb.inputs);

    const auto slide = open_slide(verb.input(), verb.slide, verb.memory);
    require_slide_memory("slide thumbnail", verb.memory, thumbnail_bytes(*slide, options.size));
    AnyImage picture;
    {
        const DisposableWork work;
        picture = thumbnail(*slide, options.size);
    }
    double bar = 0;
    if (options.scale_bar) bar = draw_bar(picture);
    Progress({}, &token).throw_if_cancelled();
    outputs.stage("output", [&](const auto& path) { io::write_image(picture, path); });
    const auto written = outputs.commit();
    const Shape& shape = shape_of(picture);
    say("{}: {} x {} pixels{}", options.output.string(), shape.x, shape.y,
        options.scale_bar ? fmt::format(", the bar is {:g} um", bar) : "");
    if (verb.messages.json)
        report_slide("slide thumbnail", parser,
                     {{"size", {shape.x, shape.y}},
                      {"scale_bar_um", options.scale_bar ? Json(bar) : Json()}},
                     written);
    return exit_done;
}

}  // namespace tesela::cli
