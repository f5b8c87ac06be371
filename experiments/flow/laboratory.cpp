#include "experiments/flow/laboratory.h"

#include <algorithm>
#include <chrono>

#include "tesela/brightness.h"
#include "tesela/flow_io.h"
#include "tesela/io.h"
#include "tesela/synthetic_flow.h"

namespace tesela::experiments {
namespace {

namespace fs = std::filesystem;

std::vector<Image<float>> unit_frames(const SyntheticScene& scene, int count) {
    std::vector<Image<float>> frames;
    for (int index = 0; index < count; ++index) {
        frames.push_back(synthetic_frame(scene, index));
        for (float& value : frames.back().pixels()) value /= 255;
    }
    return frames;
}

FlowSequence read_sequence(const fs::path& folder) {
    const auto frame = [&](const char* name) {
        return brightness(io::read_image(folder / name).image);
    };
    FlowSequence sequence{folder.filename().string(), folder.string(), {}, {}, false};
    sequence.frames = {frame("frame10.png"), frame("frame11.png")};
    sequence.truth = io::read_flow(folder / "flow10.flo");
    return sequence;
}

std::vector<fs::path> folders_in(const fs::path& parent) {
    if (!fs::is_directory(parent))
        throw InvalidArgument("the folder of sequences " + parent.string() +
                              " does not exist; name another with --sequences");
    std::vector<fs::path> folders;
    for (const fs::directory_entry& entry : fs::directory_iterator(parent))
        if (fs::exists(entry.path() / "flow10.flo")) folders.push_back(entry.path());
    if (folders.empty())
        throw InvalidArgument("--sequences: no folder in " + parent.string() +
                              " has a file flow10.flo");
    std::sort(folders.begin(), folders.end());
    return folders;
}

}  // namespace

std::vector<FlowSequence> flow_sequences(const FlowBenchOptions& options, bool quick) {
    std::vector<FlowSequence> sequences;
    for (SyntheticScene scene : synthetic_scenes()) {
        if (quick) scene.width = scene.height = 64;
        sequences.push_back({std::string(scene.name), "synthetic", unit_frames(scene, 2),
                             synthetic_truth(scene), true});
    }
    if (!options.sequences.empty())
        for (const fs::path& folder : folders_in(options.sequences))
            sequences.push_back(read_sequence(folder));
    return sequences;
}

std::vector<Image<float>> frames_of_size(std::int64_t width, std::int64_t height, int count) {
    SyntheticScene scene;
    scene.texture = SyntheticTexture::broadband;
    scene.width = width;
    scene.height = height;
    scene.motion = {.zoom = 0.01, .rotation = 0.01, .x = 2, .y = 1};
    return unit_frames(scene, count);
}

std::vector<FrameSize> frame_sizes(bool quick) {
    if (quick) return {{64, 64}, {96, 80}};
    return {{150, 150},   {300, 300},   {600, 600},  {800, 800},
            {1200, 1200}, {1920, 1080}, {1600, 1600}};
}

LucasKanadeOptions lucas_kanade_options(const LucasKanadeSizes& sizes, LucasKanadeVariant variant) {
    LucasKanadeOptions options;
    options.variant = variant;
    options.filter_size = sizes.filter;
    options.block_width = options.block_height = sizes.block;
    return options;
}

HornSchunckOptions horn_schunck_options(int levels, int warps, int sweeps) {
    return {.variant = HornSchunckVariant::thesis,
            .levels = levels,
            .warps = warps,
            .sweeps = sweeps,
            .alpha = 0.2};
}

FlowLaboratory::FlowLaboratory(const LaboratoryOptions& options,
                               std::vector<FlowSequence> sequences, const CancelToken& token)
    : Laboratory(options, token),
      sequences_(std::move(sequences)),
      one_thread_(Device::parse("cpu"), {.threads = 1}) {
    for (const FlowSequence& sequence : sequences_)
        say("sequence {}: {}", sequence.name, sequence.source);
    workers_.push_back({"cpu, 1 thread", &one_thread_});
    for (std::size_t d = 0; d < device_count(); ++d)
        workers_.push_back({device(d).id(), &queue(d)});
}

const FlowSequence& FlowLaboratory::sequence(std::initializer_list<std::string_view> names) const {
    for (const std::string_view name : names)
        for (const FlowSequence& sequence : sequences_)
            if (sequence.name == name) return sequence;
    return sequences_.front();
}

double FlowLaboratory::median_seconds(const std::function<void()>& call) {
    constexpr double longest = 10;
    constexpr int least = 3;
    call();
    std::vector<double> seconds;
    double sum = 0;
    for (int i = 0; i < repetitions() && (i < least || sum < longest); ++i) {
        progress().throw_if_cancelled();
        const auto started = std::chrono::steady_clock::now();
        call();
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - started;
        seconds.push_back(taken.count());
        sum += taken.count();
    }
    return median(std::move(seconds));
}

}  // namespace tesela::experiments
