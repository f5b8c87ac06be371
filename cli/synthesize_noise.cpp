// tesela synthesize noise INPUT
#include <fmt/format.h>

#include "interrupt.h"
#include "messages.h"
#include "outputs.h"
#include "report.h"
#include "tesela/io.h"
#include "tesela/synthetic_noise.h"
#include "verb_parser.h"
#include "verbs.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;

struct SynthesizeNoiseOptions {
    NoiseKind kind = NoiseKind::gaussian;
    double sigma = 10;
    std::uint64_t seed = 1;
    fs::path noisy;
    bool force = false;
};
template <class V>
void describe(V&& v, SynthesizeNoiseOptions& o) {
    v("kind", o.kind, "noise model");
    v("sigma", o.sigma, "standard deviation of the noise", OptionRange{.lowest = 0});
    v("seed", o.seed, "seed of the random numbers");
    v("noisy", o.noisy, "noisy image, in the input's type");
    v("force", o.force, "overwrite existing outputs");
}

}  // namespace

int run_synthesize_noise(const Arguments& arguments) {
    const CancelToken& token = handle_interrupts();
    std::vector<fs::path> inputs;
    SynthesizeNoiseOptions options;
    MemoryOptions memory;
    MessageOptions messages;
    VerbParser parser("synthesize noise", "Adds noise to an image.");
    parser.add_inputs(inputs, "INPUT", 1, 1, "picture, volume, or folder of one DICOM series");
    parser.add(options, "Noise", {{"noisy", "-o,--output"}});
    parser.add(memory, "Computing");
    parser.add(messages, "Messages", message_aliases());
    if (!parser.parse(arguments)) return exit_done;
    set_up_messages(messages.quiet, messages.verbose);

    if (options.noisy.empty())
        throw InvalidArgument("--noisy (-o) is missing: name the image with noise");
    OutputSet outputs(options.force);
    outputs.add("noisy", options.noisy);
    outputs.check(inputs);
    return_freed_memory(memory.max_memory.bytes);
    std::vector<WrittenFile> written;
    {
        const DisposableWork work;
        const AnyImage image = io::read_image(inputs.front(), read_options(memory)).image;
        if (memory.max_memory.bytes > 0)
            require_host_memory("synthesize noise", 2 * bytes_of(image), memory.max_memory.bytes);
        const AnyImage noisy = add_noise(image, options.kind, options.sigma, options.seed);
        Progress({}, &token).throw_if_cancelled();
        outputs.stage("noisy", [&](const fs::path& path) { io::write_image(noisy, path); });
    }
    written = outputs.commit();
    for (const WrittenFile& file : written) say("wrote {}", file.path.string());
    if (!messages.json) return exit_done;
    Json report = begin_report("synthesize noise");
    report["parameters"] = parser.values();
    report["outputs"] = json_of(written);
    print(json_text(std::move(report)));
    return exit_done;
}

}  // namespace tesela::cli
