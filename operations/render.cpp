#include "tesela/render.h"

#include "operations/all.h"
#include "operations/device_level.h"
#include "operations/kinds/image.h"
#include "operations/kinds/parts.h"
#include "operations/kinds/render.h"
#include "operations/kinds/volume_file.h"
#include "operations/registry.h"
#include "operations/rendering.h"
#include "tesela/error.h"

namespace tesela::operations {

std::optional<TransferFunction> transfer_of(const Call& call, const Renderer& renderer) {
    if (call.inputs.has("transfer")) return call.inputs.get<TransferFunction>("transfer");
    if (!renderer.in_colors() && call.options.as<RenderOptions>().mode == RenderMode::composite)
        return default_transfer(renderer);
    if (call.wants("transfer-function"))
        throw InvalidArgument(
            "--transfer-function has nothing to write: projections, isosurfaces and color "
            "volumes use a transfer function only where --transfer names one");
    return {};
}

Camera camera_of(const Call& call, const Renderer& renderer) {
    const auto* choice = call.inputs.find<CameraChoice>("camera");
    return tesela::camera_of(renderer, choice ? *choice : CameraView::anterior,
                             call.options.as<RenderOptions>());
}

namespace {

// The volume, on the host or on the device, with its labels.
template <class Volume>
Renderer renderer_of(const Volume& volume, const Call& call, Queue& queue) {
    Renderer renderer(volume, queue, level_of(call.options.as<RenderOptions>()));
    if (call.inputs.has("labels")) {
        const auto& labels = call.inputs.get<ColoredLabels>("labels");
        std::vector<LabelColor> colors = labels.colors;
        set_opacities(colors, call.options.as<RenderOptions>().label_opacity);
        const ImageValue there =
            labels.labels.is_resident() ? download(labels.labels, queue) : labels.labels;
        renderer.set_labels(there.pixels<std::uint32_t>(), colors);
    }
    return renderer;
}

double seen_share(const Image<float>& depth) {
    std::int64_t seen = 0;
    for (const float value : depth.pixels()) seen += value >= 0;
    return static_cast<double>(seen) / static_cast<double>(depth.shape().points());
}

// `clock` measures what was done for the renderer.
Results pictures(Renderer& renderer, const Call& call, StageClock& clock,
                 const Progress& progress) {
    const auto& options = call.options.as<RenderOptions>();
    const RenderSettings settings = settings_of(options);
    const std::optional<TransferFunction> transfer = transfer_of(call, renderer);
    if (transfer) renderer.set_transfer(*transfer);
    const Camera camera = camera_of(call, renderer);
    clock.start("render");
    RenderedView view = options.turntable > 0 ? render_turntable(renderer, camera, settings,
                                                                 options.turntable, progress)
                                              : renderer.render(camera, settings, progress);
    if (options.turntable > 0) view.picture.geometry.time_step = 1 / options.fps;
    Results results;
    const double share = seen_share(view.depth);
    const std::int64_t frames = view.picture.shape().t;
    results.summary = printed(
        "render: %s of %lld x %lld pixels, %.1f %% of %s covered", counted(frames, "frame").c_str(),
        static_cast<long long>(settings.width), static_cast<long long>(settings.height),
        100 * share, frames > 1 ? "the first one" : "them");
    if (transfer && !call.inputs.has("transfer"))
        results.summary += ", with the preset " + transfer->name;
    results.figures = {{"frames", frames}, {"covered", share}};
    if (share == 0)
        results.warnings.push_back(
            "the picture is empty: no pixel reaches 50 % opacity; check --transfer, --iso and the "
            "camera");
    results.figures.push_back({"level", renderer.level()});
    const auto range = renderer.value_range();
    results.details = {{"percentile_1", range[0]}, {"percentile_99", range[1]}};
    results.outputs.set("view", AnyImage(std::move(view.picture)));
    results.outputs.set("depth", AnyImage(std::move(view.depth)));
    if (transfer) results.outputs.set("transfer-function", *transfer);
    results.stages = clock.take();
    return results;
}

template <class Volume>
Results rendered(const Volume& volume, const Call& call, Queue& queue, const Progress& progress) {
    StageClock clock;
    clock.start("upload");
    Renderer renderer = renderer_of(volume, call, queue);
    Results results = pictures(renderer, call, clock, progress);
    if (renderer.level() > level_of(call.options.as<RenderOptions>()))
        results.warnings.push_back(printed("the volume does not fit on %s: it is shown at level %d",
                                           queue.device().id().c_str(), renderer.level()));
    return results;
}

Results run_render(const Call& call, Queue& queue, const Progress& progress) {
    return rendered(call.image(), call, queue, progress);
}

Memory memory_of(const Call& call, const Device&) {
    const auto& options = call.options.as<RenderOptions>();
    const RenderSettings settings = settings_of(options);
    const std::int64_t pixels = settings.width * settings.height;
    const std::int64_t labels = call.inputs.has("labels") ? call.image().shape().points() : 0;
    return {.device = render_device_bytes(call.image(), labels > 0, pixels, level_of(options)),
            .held = pixels * (4 * std::max(options.turntable, 1) + 4),
            .computing = (8 << 20) + 6 * labels + 8 * pixels};
}

// ---- Volumes in bricks ----

// Of the last frame.
void report_bricks(const BrickCounts& counts, std::int64_t frames, Results& results) {
    results.details.push_back(
        {"bricks", Figure::Record{{"tiles", counts.tiles},
                                  {"filled", counts.pages},
                                  {"decoded", counts.decoded},
                                  {"blocks", counts.blocks},
                                  {"skipped_blocks", counts.skipped_blocks}}});
    for (StageTime& stage : results.stages)
        if (stage.name == "render" && frames == 1)
            stage.milliseconds -= counts.read_ms + counts.decode_ms + counts.copy_ms;
    results.stages.push_back({"read bricks", counts.read_ms});
    results.stages.push_back({"decode bricks", counts.decode_ms});
    results.stages.push_back({"copy bricks", counts.copy_ms});
    if (counts.damaged.empty()) return;
    const auto others = static_cast<std::int64_t>(counts.damaged.size()) - 1;
    results.failure = counts.damaged.front();
    if (others > 0) results.failure += " (and " + counted(others, "other brick") + ")";
    results.failure += "; the picture was made with the lowest value in its place";
}

Results run_in_bricks(const Call& call, Queue& queue, const Progress& progress) {
    const bool is_host = queue.device().id() == "cpu";
    StageClock clock;
    clock.start("look at bricks");
    // A quarter of what a host has left is for chunks and bricks on their way to the queue.
    Renderer renderer(call.inputs.get<CompressedVolume>("input"), queue,
                      {.level = fixed_level_of(call.options.as<RenderOptions>()),
                       .max_bytes = is_host ? room_of(call.parts) / 4 * 3 : 0});
    Results results = pictures(renderer, call, clock, progress);
    report_bricks(renderer.counts(), std::max(call.options.as<RenderOptions>().turntable, 1),
                  results);
    return results;
}

Memory memory_in_bricks(const Call& call, const Device&) {
    const auto& options = call.options.as<RenderOptions>();
    const RenderSettings settings = settings_of(options);
    const std::int64_t pixels = settings.width * settings.height;
    const auto& volume = *call.inputs.get<CompressedVolume>("input");
    return {.device = render_bricks_bytes(volume, pixels, fixed_level_of(options)),
            .held = pixels * (4 * std::max(options.turntable, 1) + 4),
            .computing = (16 << 20) + 8 * pixels};
}

std::shared_ptr<const Operation> in_bricks(const Operation& whole) {
    Operation bricks = whole;
    bricks.inputs.front().kind = kinds::compressed_volume;
    bricks.run = run_in_bricks;
    bricks.memory = memory_in_bricks;
    bricks.device = {};
    return std::make_shared<const Operation>(std::move(bricks));
}

std::string presets() {
    std::string text;
    for (const TransferPreset& preset : transfer_presets())
        text += printed("%-10s  %s\n", std::string(preset.name).c_str(),
                        std::string(preset.purpose).c_str());
    return text;
}

Operation render() {
    return {
        .name = "render",
        .purpose = "pictures and turntable videos of volumes",
        .sentence = "Renders a volume by casting rays through it.",
        .task = tasks::picture,
        .examples = {"render head.nii.gz --transfer ct-bone -o head.png --azimuth 30",
                     "render head.nii.gz --mode isosurface --iso 300 --labels organs.nii.gz "
                     "--turntable 72 -o head.mp4"},
        .inputs = {volume_input},
        .named = {{"transfer", kinds::transfer, "preset, file of colors and opacities, or its JSON",
                   false},
                  {"camera", kinds::camera,
                   "anterior, posterior, left, right, superior, inferior, file or its JSON", false},
                  {"labels", kinds::colored_labels, "label map, as tint or as surfaces", false}},
        .outputs = {{.name = "view",
                     .kind = kinds::view,
                     .help = "picture; with --turntable a folder, .y4m or video"},
                    {.name = "depth",
                     .kind = kinds::view,
                     .help = "distance along the rays in mm, TIFF of float"},
                    {.name = "transfer-function",
                     .kind = kinds::transfer,
                     .help = "the transfer function used, .json or .vp"}},
        .options = Options::of(RenderOptions{}),
        .run = run_render,
        .memory = memory_of,
        .check =
            [](const Options& options) {
                settings_of(options.as<RenderOptions>());
                level_of(options.as<RenderOptions>());
            },
        // Of volumes; pictures come to the host.
        .device = {.level = device_level([](const auto& volume, const Call& call, Queue& queue,
                                            const Progress& progress) {
                       return rendered(volume, call, queue, progress);
                   })},
        .command_line = {
            .basic = {"mode", "iso", "size", "azimuth", "elevation", "zoom", "background",
                      "turntable"},
            .list = List{"list-presets", "print the transfer functions by name", presets}}};
}

}  // namespace

void add_render(Registry& registry) {
    Operation operation = render();
    operation.slides.in_tiles = in_bricks(operation);
    registry.add(std::move(operation));
}

}  // namespace tesela::operations
