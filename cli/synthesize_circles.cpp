// tesela synthesize circles
#include <fmt/format.h>

#include "circle_file.h"
#include "interrupt.h"
#include "messages.h"
#include "outputs.h"
#include "report.h"
#include "tesela/io.h"
#include "tesela/synthetic_circles.h"
#include "verb_parser.h"
#include "verbs.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;

struct SynthesizeCirclesOptions {
    std::string scene;
    fs::path output, truth;
    bool force = false;
};
template <class V>
void describe(V&& v, SynthesizeCirclesOptions& o) {
    v("scene", o.scene, "c20r20, c100r50, ...: number and radius");
    v("output", o.output, "image of 8 bits");
    v("truth", o.truth, "CSV file of centers and radii");
    v("force", o.force, "overwrite existing outputs");
}

// A scene's, with the seed, blur, noise, gaps and salt that were asked for.
SyntheticCirclesOptions circles_of(const std::string& name,
                                   const SyntheticCirclesOptions& options) {
    if (name.empty()) return options;
    std::optional<SyntheticCirclesOptions> scene = circles_scene(name);
    if (!scene)
        throw InvalidArgument("--scene: there is no '" + name +
                              "'; give c20, c100 or c500 with r20, r50 or r100, such as c20r50");
    scene->seed = options.seed;
    scene->blur = options.blur;
    scene->noise = options.noise;
    scene->gap = options.gap;
    scene->salt = options.salt;
    return *scene;
}

// The image, and its values before they are rounded, also turned.
constexpr std::int64_t bytes_per_pixel = 1 + 4 + 4;

}  // namespace

int run_synthesize_circles(const Arguments& arguments) {
    const CancelToken& token = handle_interrupts();
    SynthesizeCirclesOptions files;
    SyntheticCirclesOptions options;
    MemoryOptions memory;
    MessageOptions messages;
    VerbParser parser("synthesize circles", "Makes an image with known circles.");
    parser.add(files, "Files", {{"output", "-o"}});
    parser.add(options, "Circles");
    parser.add(memory, "Computing");
    parser.add(messages, "Messages", message_aliases());
    parser.add_examples({"synthesize circles --scene c500r50 -o c500r50.png --truth truth.csv",
                         "synthesize circles --drawing disks --count 50 --min-radius 8 "
                         "--max-radius 40 --blur 1 --noise 0.2 -o disks.png --truth truth.csv"});
    if (!parser.parse(arguments)) return exit_done;
    set_up_messages(messages.quiet, messages.verbose);

    if (files.output.empty()) throw InvalidArgument("--output (-o) is missing: name the image");
    const SyntheticCirclesOptions wanted = circles_of(files.scene, options);
    validate_options(wanted);
    OutputSet outputs(files.force);
    outputs.add("output", files.output);
    outputs.add("truth", files.truth);
    outputs.check({});
    require_host_memory("synthesize circles", bytes_per_pixel * wanted.width * wanted.height,
                        memory.max_memory.bytes);
    return_freed_memory(memory.max_memory.bytes);
    {
        const DisposableWork work;
        const SyntheticCircles made = synthetic_circles(wanted);
        Progress({}, &token).throw_if_cancelled();
        outputs.stage("output", [&](const fs::path& path) { io::write_image(made.image, path); });
        outputs.stage("truth", [&](const fs::path& path) { write_circles(made.truth, path); });
    }
    const std::vector<WrittenFile> written = outputs.commit();
    for (const WrittenFile& file : written) say("wrote {}", file.path.string());
    if (!messages.json) return exit_done;
    Json report = begin_report("synthesize circles");
    report["parameters"] = parser.values();
    report["outputs"] = json_of(written);
    print(json_text(std::move(report)));
    return exit_done;
}

}  // namespace tesela::cli
