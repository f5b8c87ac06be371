// tesela synthesize volume
#include <fmt/format.h>

#include <charconv>

#include "interrupt.h"
#include "messages.h"
#include "outputs.h"
#include "report.h"
#include "tesela/io.h"
#include "tesela/synthetic_volume.h"
#include "verb_parser.h"
#include "verbs.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;

struct SynthesizeVolumeOptions {
    VolumeScene scene = VolumeScene::head;
    std::string size = "128,128,128";
    Spacing spacing;
    std::string noise = "0%", bias = "0%";
    std::uint64_t seed = 1;
    fs::path output, truth;
    bool force = false;
};
template <class V>
void describe(V&& v, SynthesizeVolumeOptions& o) {
    v("scene", o.scene, "objects in the volume");
    v("size", o.size, "voxels along x, y and z");
    v("spacing", o.spacing, "distance of neighboring voxels in mm, X,Y,Z");
    v("noise", o.noise, "standard deviation, as a share of the brightest tissue");
    v("bias", o.bias, "variation of brightness through the volume, as a share");
    v("seed", o.seed, "seed of the random numbers");
    v("output", o.output, "volume of 8 bits");
    v("truth", o.truth, "label map of the objects");
    v("force", o.force, "overwrite existing outputs");
}

// "20%" or "0.2".
double share_of(std::string_view name, std::string_view text) {
    const bool percent = text.ends_with('%');
    if (percent) text.remove_suffix(1);
    return parse_number(name, text) / (percent ? 100 : 1);
}

Shape shape_of_text(const std::string& text) {
    std::array<std::int64_t, 3> lengths{};
    const char* at = text.data();
    const char* end = at + text.size();
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto [next, error] = std::from_chars(at, end, lengths[axis]);
        const bool last = axis == 2;
        if (error != std::errc{} || lengths[axis] < 1 ||
            (last ? next != end : next == end || *next != ','))
            throw InvalidArgument("--size: '" + text + "' is not three lengths X,Y,Z from 1 on");
        at = next + 1;
    }
    return {lengths[0], lengths[1], lengths[2]};
}

SyntheticVolumeOptions volume_of(const SynthesizeVolumeOptions& options) {
    SyntheticVolumeOptions volume{.scene = options.scene,
                                  .shape = shape_of_text(options.size),
                                  .noise = share_of("noise", options.noise),
                                  .bias = share_of("bias", options.bias),
                                  .seed = options.seed};
    if (options.spacing.given()) volume.spacing = options.spacing.millimeters;
    return volume;
}

// The volume, its truth, and the values before they are rounded.
constexpr std::int64_t bytes_per_voxel = 1 + 4 + 4;

}  // namespace

int run_synthesize_volume(const Arguments& arguments) {
    const CancelToken& token = handle_interrupts();
    SynthesizeVolumeOptions options;
    MemoryOptions memory;
    MessageOptions messages;
    VerbParser parser("synthesize volume",
                      "Makes a volume with known objects, noise and uneven brightness.");
    parser.add(options, "Volume", {{"output", "-o"}});
    parser.add(memory, "Computing");
    parser.add(messages, "Messages", message_aliases());
    parser.add_examples(
        {"synthesize volume --scene head --noise 5% --bias 20% -o head.nii.gz --truth truth.nii.gz",
         "synthesize volume --scene sphere --size 64,64,22 --spacing 1,1,3 -o sphere.nii.gz"});
    if (!parser.parse(arguments)) return exit_done;
    set_up_messages(messages.quiet, messages.verbose);

    if (options.output.empty()) throw InvalidArgument("--output (-o) is missing: name the volume");
    const SyntheticVolumeOptions volume = volume_of(options);
    validate(volume.shape);
    OutputSet outputs(options.force);
    outputs.add("output", options.output);
    if (!options.truth.empty())
        outputs.add("truth", options.truth, {io::labels_side_file(options.truth)});
    outputs.check({});
    require_host_memory("synthesize volume", bytes_per_voxel * volume.shape.points(),
                        memory.max_memory.bytes);
    return_freed_memory(memory.max_memory.bytes);
    {
        const DisposableWork work;
        const SyntheticVolume made = synthetic_volume(volume);
        Progress({}, &token).throw_if_cancelled();
        outputs.stage("output", [&](const fs::path& path) { io::write_image(made.image, path); });
        outputs.stage("truth", [&](const fs::path& path) { io::write_labels(made.truth, path); });
    }
    const std::vector<WrittenFile> written = outputs.commit();
    for (const WrittenFile& file : written) say("wrote {}", file.path.string());
    if (!messages.json) return exit_done;
    Json report = begin_report("synthesize volume");
    report["parameters"] = parser.values();
    report["outputs"] = json_of(written);
    print(json_text(std::move(report)));
    return exit_done;
}

}  // namespace tesela::cli
