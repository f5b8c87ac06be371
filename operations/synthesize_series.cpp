// synthesize flow, sections, slide: data of several files whose truth is known.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "operations/all.h"
#include "operations/kinds/annotations.h"
#include "operations/kinds/flow.h"
#include "operations/kinds/folder.h"
#include "operations/kinds/image.h"
#include "operations/kinds/slide.h"
#include "operations/kinds/transform.h"
#include "operations/registry.h"
#include "tesela/flow_picture.h"
#include "tesela/synthetic_flow.h"
#include "tesela/synthetic_sections.h"
#include "tesela/synthetic_slide.h"

namespace tesela::operations {
namespace {

struct FlowChoice {
    std::string scene = "layers";
    int frames = 2;
    int width = 0, height = 0;
    bool colors = false;
    double max_motion = 0;
};
template <class V>
void describe(V&& v, FlowChoice& o) {
    v("scene", o.scene,
      "diverging, translating, rotating, zooming, shifting, leaping or layers (three moving "
      "shapes)");
    v("frames", o.frames, "number of frames", OptionRange{.lowest = 2, .highest = 90});
    v("width", o.width, "of the frames; 0: the scene's",
      OptionRange{.lowest = 0, .unit = "pixels"});
    v("height", o.height, "of the frames; 0: the scene's",
      OptionRange{.lowest = 0, .unit = "pixels"});
    v("colors", o.colors, "also write color10.png, ...: flow in Middlebury colors");
    v("max-motion", o.max_motion, "motion shown at full saturation; 0: the longest",
      OptionRange{.lowest = 0, .unit = "pixels"});
}

SyntheticScene scene_of(const Options& given) {
    const auto& options = given.as<FlowChoice>();
    std::string names;
    for (SyntheticScene scene : synthetic_scenes()) {
        if (scene.name == options.scene) {
            if (options.width > 0) scene.width = options.width;
            if (options.height > 0) scene.height = options.height;
            return scene;
        }
        names += (names.empty() ? "" : ", ") + std::string(scene.name);
    }
    throw InvalidArgument(
        fmt::format("--scene: there is no '{}'; give one of {}", options.scene, names));
}

// As 16 bits, so that rounding does not move anything; what the texture has beyond 0..255 is cut
// off, which moves with it.
Image<std::uint16_t> picture_of(const Image<float>& frame) {
    Image<std::uint16_t> picture(frame.shape());
    std::transform(
        frame.pixels().begin(), frame.pixels().end(), picture.pixels().begin(), [](float value) {
            return static_cast<std::uint16_t>(std::lround(257 * std::clamp(value, 0.0f, 255.0f)));
        });
    return picture;
}

Results run_flow(const Call& call, Queue&, const Progress& progress) {
    const auto& options = call.options.as<FlowChoice>();
    const SyntheticScene scene = scene_of(call.options);
    const auto& write = call.parts.get<WriteFile>("output");
    for (int index = 0; index < options.frames; ++index) {
        progress.report(static_cast<double>(index) / options.frames, "frames");
        const int number = 10 + index;
        write(fmt::format("frame{}.png", number), kinds::image,
              ImageValue(picture_of(synthetic_frame(scene, index))));
        if (index + 1 == options.frames) break;
        const FlowField truth = synthetic_truth(scene, index);
        if (options.colors)
            write(fmt::format("color{}.png", number), kinds::image,
                  ImageValue(flow_colors(truth, options.max_motion).picture));
        write(fmt::format("flow{}.flo", number), kinds::field, ImageValue(truth));
    }
    return {};
}

Operation flow() {
    return {
        .name = "synthesize flow",
        .purpose = "frames with known motion",
        .sentence = "Makes frames with known motion, named as in the Middlebury benchmark.",
        .examples = {"synthesize flow -o layers",
                     "synthesize flow --scene rotating --frames 10 --colors -o rotating"},
        .outputs = {{.name = "output",
                     .kind = kinds::folder,
                     .help = "folder for frame10.png, flow10.flo, frame11.png, ...",
                     .required = true}},
        .options = Options::of(FlowChoice{}),
        .run = run_flow,
        .memory =
            [](const Call& call, const Device&) {
                // The motion and its picture.
                const double bytes = call.options.as<FlowChoice>().colors ? 11 : 8;
                const SyntheticScene scene = scene_of(call.options);
                const double points =
                    static_cast<double>(scene.width) * static_cast<double>(scene.height);
                return Memory{.held = static_cast<std::int64_t>(std::min(points * bytes, 0x1p60))};
            },
        .check = [](const Options& options) { scene_of(options); },
        .device = {.on_host = true}};
}

// The transform of the first section is none, and all of it remains.
Results run_sections(const Call& call, Queue&, const Progress& progress) {
    const auto& options = call.options.as<SyntheticSectionsOptions>();
    const auto& write = call.parts.get<WriteFile>("output");
    for (int index = 0; index < options.count; ++index) {
        progress.report(static_cast<double>(index) / options.count, "sections");
        if (options.left_out == index) continue;
        const StackedSection section = synthetic_stack_section(options, index);
        const auto named = [&](const char* kind, const char* suffix) {
            return fmt::format("{}{:02}{}", kind, index, suffix);
        };
        write(named("section", ".png"), kinds::image, ImageValue(section.picture));
        write(named("landmarks", ".csv"), kinds::landmarks, section.landmarks);
        if (index == 0) continue;
        write(named("transform", ".json"), kinds::transform, section.transform);
        write(named("remaining", ".png"), kinds::image, ImageValue(section.remaining));
    }
    return {};
}

Operation sections() {
    return {.name = "synthesize sections",
            .purpose = "stained sections with known transforms",
            .sentence =
                "Makes stained sections of one tissue, turned, bent and damaged in known "
                "ways.",
            .examples = {"synthesize sections -o series --count 5",
                         "synthesize sections -o pair --tear 0.01 --fold 0.01 --missing 0.1",
                         "synthesize sections -o series --count 40 --tear 0.03 --damaged 12 "
                         "--left-out 25"},
            .outputs = {{.name = "output",
                         .kind = kinds::folder,
                         .help = "folder for section00.png, landmarks00.csv, ...",
                         .required = true}},
            .options = Options::of(SyntheticSectionsOptions{}),
            .run = run_sections,
            .memory =
                [](const Call& call, const Device&) {
                    // The picture, what remains, and what is written of both.
                    const auto& options = call.options.as<SyntheticSectionsOptions>();
                    return Memory{.held = 8 * options.width * options.height};
                },
            .device = {.on_host = true}};
}

struct SlideChoice {
    std::int64_t width = 8192, height = 8192;
    SyntheticSlideOptions section = {};
    int tile = 256;
    TileCompression compression = TileCompression::automatic;
    int quality = 90;
};
template <class V>
void describe(V&& v, SlideChoice& o) {
    const OptionRange side{.lowest = 64, .highest = 1 << 20, .unit = "pixels"};
    v("width", o.width, "width of the slide", side);
    v("height", o.height, "height of the slide", side);
    describe(v, o.section);
    v("tile", o.tile, "side of a tile, a multiple of 16",
      OptionRange{.lowest = 64, .highest = 4096, .unit = "pixels"});
    v("compression", o.compression, "compression of tiles; auto: jpeg");
    v("quality", o.quality, "JPEG quality", OptionRange{.lowest = 1, .highest = 100});
}

// The tissues fill the slide, or are repeated in squares of about 4096 pixels.
std::int64_t section_side(const SlideChoice& options) {
    constexpr std::int64_t most = 4096;
    std::int64_t side = options.tile;
    while (side < std::max(options.width, options.height) && 2 * side <= most) side *= 2;
    return side;
}

Results run_slide(const Call& call, Queue&, const Progress& progress) {
    const auto& options = call.options.as<SlideChoice>();
    SyntheticSection section = synthetic_section(section_side(options), options.section);
    progress.throw_if_cancelled();
    Results results;
    if (call.wants("annotations")) {
        const double mpp = options.section.mpp;
        results.outputs.set("annotations", Annotations{.list = repeated_annotations(
                                                           section, options.width, options.height),
                                                       .calibration = {{{mpp, mpp}, {0, 0}}}});
    }
    const auto repeated = [&](Image<std::uint8_t>& picture, const SlideWriteOptions& how) {
        return RepeatedSlide{std::move(picture), options.width, options.height, how};
    };
    results.outputs.set("output", repeated(section.picture, {.tile = options.tile,
                                                             .compression = options.compression,
                                                             .quality = options.quality}));
    results.outputs.set("labels", repeated(section.labels, {.tile = options.tile, .labels = true}));
    results.details = {{"size", std::vector<std::int64_t>{options.width, options.height}}};
    return results;
}

Operation slide() {
    return {
        .name = "synthesize slide",
        .purpose = "a stained slide with known tissues",
        .sentence =
            "Makes a stained slide with known tissues: oriented fibers, a mesh of cells, "
            "empty glass.",
        .examples = {"synthesize slide -o slide.ome.tif --annotations slide.geojson",
                     "synthesize slide --width 2048 --height 1024 --stains hdab -o hdab.ome.tif "
                     "--labels hdab-truth.ome.tif"},
        .outputs = {{.name = "output",
                     .kind = kinds::repeated_slide,
                     .help = "slide as OME-TIFF (.ome.tif)",
                     .required = true},
                    {.name = "labels",
                     .kind = kinds::repeated_slide,
                     .help = "tissue of each pixel, OME-TIFF: 1 fibers, 2 mesh"},
                    {.name = "annotations",
                     .kind = kinds::annotations,
                     .help = "outlines of the tissues, GeoJSON"}},
        .options = Options::of(SlideChoice{}),
        .run = run_slide,
        .memory =
            [](const Call& call, const Device&) {
                // The section in colors and labels, its tiles, and half of it.
                const std::int64_t side = section_side(call.options.as<SlideChoice>());
                return Memory{.held = 8 * side * side};
            },
        .device = {.on_host = true}};
}

}  // namespace

void add_synthesize_series(Registry& registry) {
    registry.add(flow());
    registry.add(sections());
    registry.add(slide());
}

}  // namespace tesela::operations
