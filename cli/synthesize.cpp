// tesela synthesize flow
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "interrupt.h"
#include "messages.h"
#include "outputs.h"
#include "report.h"
#include "tesela/flow_io.h"
#include "tesela/flow_picture.h"
#include "tesela/io.h"
#include "tesela/synthetic_flow.h"
#include "verb_parser.h"
#include "verbs.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;

struct SynthesizeOptions {
    std::string scene = "layers";
    int frames = 2;
    int width = 0, height = 0;
    fs::path output;
    bool colors = false;
    double max_motion = 0;
    bool force = false;
};

template <class V>
void describe(V&& v, SynthesizeOptions& o) {
    v("scene", o.scene,
      "diverging, translating, rotating, zooming, shifting, leaping or layers (three moving "
      "shapes)");
    v("frames", o.frames, "number of frames", OptionRange{.lowest = 2, .highest = 90});
    v("width", o.width, "of the frames; 0: the scene's",
      OptionRange{.lowest = 0, .unit = "pixels"});
    v("height", o.height, "of the frames; 0: the scene's",
      OptionRange{.lowest = 0, .unit = "pixels"});
    v("output", o.output, "folder for frame10.png, frame11.png, ..., and flow10.flo, ...");
    v("colors", o.colors, "also write color10.png, ...: flow in Middlebury colors");
    v("max-motion", o.max_motion, "motion shown at full saturation; 0: the longest",
      OptionRange{.lowest = 0, .unit = "pixels"});
    v("force", o.force, "write into a folder that is not empty");
}

SyntheticScene scene_of(const SynthesizeOptions& options) {
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

// Before anything is made, for systems give out more memory than they have.
void require_memory(const SyntheticScene& scene, bool colors, std::int64_t limit) {
    const double bytes_per_pixel = 8 + (colors ? 3 : 0);  // the motion and its picture
    const double points = static_cast<double>(scene.width) * static_cast<double>(scene.height);
    const auto needed = static_cast<std::int64_t>(std::min(points * bytes_per_pixel, 0x1p62));
    const bool physical = limit <= 0;
    if (physical) limit = std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
    if (needed <= limit) return;
    throw OutOfMemory(
        fmt::format("the motion of {} x {} pixels needs at least {} of memory, more than {} of "
                    "{}; give a smaller --width or --height",
                    scene.width, scene.height, readable_bytes(needed),
                    physical ? "this machine's memory" : "the limit", readable_bytes(limit)),
        needed, limit);
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

}  // namespace

int run_synthesize_flow(const Arguments& arguments) {
    const CancelToken& token = handle_interrupts();
    SynthesizeOptions options;
    MemoryOptions memory;
    MessageOptions messages;
    VerbParser parser("synthesize flow",
                      "Makes frames with known motion, named as in the Middlebury benchmark.");
    parser.add(options, "Sequence", {{"output", "-o"}});
    parser.add(memory, "Computing");
    parser.add(messages, "Messages", message_aliases());
    parser.add_examples({"synthesize flow -o layers",
                         "synthesize flow --scene rotating --frames 10 --colors -o rotating"});
    if (!parser.parse(arguments)) return exit_done;
    set_up_messages(messages.quiet, messages.verbose);

    const SyntheticScene scene = scene_of(options);
    if (options.output.empty())
        throw InvalidArgument("--output (-o) is missing: name the folder for frames and flow");
    require_memory(scene, options.colors, memory.max_memory.bytes);
    return_freed_memory(memory.max_memory.bytes);
    make_result_folder({"output", options.output}, options.force, {});
    Json outputs = Json::array();
    const auto path_of = [&](const char* kind, int index, const char* suffix) {
        const fs::path path = options.output / fmt::format("{}{}{}", kind, 10 + index, suffix);
        outputs.push_back(path.string());
        return path;
    };
    for (int index = 0; index < options.frames; ++index) {
        Progress({}, &token).throw_if_cancelled();
        io::write_image(picture_of(synthetic_frame(scene, index)), path_of("frame", index, ".png"));
        if (index + 1 == options.frames) break;
        const FlowField truth = synthetic_truth(scene, index);
        io::write_flow(truth, path_of("flow", index, ".flo"));
        if (options.colors)
            io::write_image(flow_colors(truth, options.max_motion).picture,
                            path_of("color", index, ".png"));
    }
    say("wrote {} files into {}", outputs.size(), options.output.string());
    if (!messages.json) return exit_done;
    Json report = begin_report("synthesize flow");
    report["parameters"] = parser.values();
    report["outputs"] = outputs;
    print(json_text(std::move(report)));
    return exit_done;
}

}  // namespace tesela::cli
