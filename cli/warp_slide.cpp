#include "warp_slide.h"

#include <algorithm>

#include "memory_plan.h"
#include "messages.h"
#include "operation_job.h"
#include "operations/warp.h"
#include "slide_job.h"
#include "tesela/transform_io.h"
#include "tesela/warp.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;
namespace kinds = operations::kinds;

constexpr std::int64_t stored = 256, side = 1024;

void warp_slide(const TileSource& slide, const Transform& transform, const ImageGrid& target,
                const WarpOptions& options, bool labels, Queue& queue, const Progress& progress,
                const fs::path& path) {
    if (options.inverse) require_invertible(transform);
    Shape shape{target.shape.x, target.shape.y};
    shape.channels = slide.facts().levels.front().shape.channels;
    const auto writer = io::create_ome_tiff(
        path, {slide.facts().type, shape, target.geometry, slide.facts().has_alpha},
        {.tile = stored, .labels = labels});
    for (std::int64_t y = 0; y < shape.y; y += side)
        for (std::int64_t x = 0; x < shape.x; x += side) {
            progress.report(static_cast<double>(y) / static_cast<double>(shape.y), "warp");
            const TileBox box{x, y, std::min(side, shape.x - x), std::min(side, shape.y - y)};
            const AnyImage pixels = warp_box(slide, transform, target, box, options, labels, queue);
            for (std::int64_t v = 0; v < box.height; v += stored)
                for (std::int64_t u = 0; u < box.width; u += stored)
                    writer->write((x + u) / stored, (y + v) / stored,
                                  part_of(pixels, {u, v, std::min(stored, box.width - u),
                                                   std::min(stored, box.height - v)}));
        }
    writer->finish();
}

// The transform, and the grid of the slide that the output shall be like.
operations::Values named_inputs(const OperationSettings& settings) {
    operations::Values inputs;
    for (const NamedInput& input : settings.named.all) {
        if (input.text.empty()) continue;
        if (input.kind == kinds::transform) {
            inputs.set(input.name, io::read_transform(input.text, read_options(settings.memory)));
        } else {
            const auto like = open_slide(input.text, {}, settings.memory);
            const TileLevel& level = like->facts().levels.front();
            inputs.set(input.name, ImageGrid{level.shape, level.geometry});
        }
    }
    return inputs;
}

}  // namespace

bool is_ome_tiff(const fs::path& path) {
    const std::string name = path.filename().string();
    return name.ends_with(".ome.tif") || name.ends_with(".ome.tiff");
}

bool is_slide_warp(const operations::Operation& operation, const OperationSettings& settings) {
    return !operation.outputs.empty() && operation.outputs.front().kind == kinds::warpable &&
           is_ome_tiff(settings.files.files.front().path);
}

int run_slide_warp(const operations::Operation& operation, const OperationSettings& settings,
                   Json parameters, const CancelToken& token) {
    OutputSet outputs(settings.job.force);
    outputs.add("output", settings.files.files.front().path);
    std::vector<fs::path> files = settings.inputs;
    files.insert(files.end(), settings.named_inputs.begin(), settings.named_inputs.end());
    outputs.check(files);
    const Device::Choice choice = device_for(operation, settings);
    const operations::Values inputs = named_inputs(settings);
    const auto slide = open_slide(settings.input(), {}, settings.memory);
    const auto& options = settings.options.as<operations::WarpChoice>();
    const bool labels = options.labels || fs::exists(io::labels_side_file(settings.input()));
    const ImageGrid target = operations::warp_target(inputs, options);

    const MemoryPlan plan(choice.device,
                          {.held = TileCache::global().capacity(), .device = 32 * side * side},
                          settings.memory.max_memory.bytes);
    Json report = begin_report(operation.name);
    report["device"] = json_of(choice);
    report["parameters"] = std::move(parameters);
    if (settings.job.dry_run)
        return report_plan(plan, outputs.outputs(), std::move(report), settings.messages.json);
    plan.require();
    ProgressReporter progress(settings.job.progress, settings.messages.quiet, token);
    Queue queue(choice.device, queue_options(settings.job, plan.for_queue()));
    outputs.stage("output", [&](const fs::path& path) {
        warp_slide(*slide, inputs.get<Transform>("transform"), target,
                   {options.inverse, options.outside}, labels, queue, progress.part(0, 1), path);
    });
    progress.part(0, 1).throw_if_cancelled();
    const std::vector<WrittenFile> written = outputs.commit();
    progress.finish();
    for (const WrittenFile& file : written)
        say("wrote {} ({})", file.path.string(), readable_bytes(file.bytes));
    if (!settings.messages.json) return exit_done;
    report["outputs"] = json_of(written);
    print_report(std::move(report));
    return exit_done;
}

}  // namespace tesela::cli
