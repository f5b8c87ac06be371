// thesis level-set
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "operations/all.h"
#include "operations/kinds/image.h"
#include "operations/kinds/table.h"
#include "operations/level_sets.h"
#include "operations/registry.h"
#include "tesela/level_set_thesis.h"

namespace tesela::operations {
namespace {

Table table_of(std::vector<ThesisFrontUpdate> updates) {
    const auto list = std::make_shared<const std::vector<ThesisFrontUpdate>>(std::move(updates));
    return {{"round", "stage", "regions", "voxels"},
            std::ssize(*list),
            [list](std::int64_t row, std::size_t column) -> Table::Cell {
                const ThesisFrontUpdate& update = (*list)[static_cast<std::size_t>(row)];
                if (column == 0) return update.round;
                if (column == 1) return update.stage;
                if (column == 2) return update.regions;
                return update.voxels;
            }};
}

Results run_level_set(const Call& call, Queue& queue, const Progress& progress) {
    if (!call.inputs.has("seeds"))
        throw InvalidArgument("--seeds is missing: say where the object begins");
    const auto& options = call.options.as<ThesisLevelSetOptions>();
    ThesisLevelSetResult found =
        level_set_thesis(call.image(), seeds_of(call), options, queue, progress);
    std::int64_t labeled = 0;
    for (const std::uint32_t label : found.labels.pixels()) labeled += label;
    Results results;
    results.summary =
        printed("level set of the thesis: %s in %s", counted(labeled, "voxel").c_str(),
                counted(found.rounds, "round").c_str());
    results.figures = {{"points", call.shape().points()},
                       {"labeled_points", labeled},
                       {"rounds", found.rounds},
                       {"updates", std::ssize(found.updates)}};
    if (options.method == ThesisLevelSetMethod::ftc) {
        results.figures.push_back({"stable", std::int64_t{found.is_stable}});
        results.figures.push_back({"repaired_points", found.repaired});
    }
    results.warnings = std::move(found.warnings);
    results.stages = std::move(found.stages);
    results.outputs.set("labels", std::move(found.labels));
    if (call.wants("surface")) results.outputs.set("surface", AnyImage(std::move(found.surface)));
    if (call.wants("updates")) results.outputs.set("updates", table_of(std::move(found.updates)));
    return results;
}

}  // namespace

void add_thesis_level_set(Registry& registry) {
    registry.add(Operation{
        .name = "thesis level-set",
        .purpose = "one object by regions (J. Lamas Rodriguez, 2014)",
        .sentence = "Segments one object of a volume by active regions, as in "
                    "J. Lamas Rodriguez's thesis of 2014.",
        .examples = {"thesis level-set head.nii.gz --seeds 'ball:90,110,80,8' --lower 60 "
                     "--upper 140 -o brain.nii.gz --updates regions.csv",
                     "thesis level-set cube.nii.gz --seeds 'ball:32,32,32,30' --method aos "
                     "--direction contract -o cube-labels.nii.gz"},
        .inputs = {volume_input, object_seeds},
        .outputs = {labels_output(),
                    {.name = "surface",
                     .kind = kinds::image,
                     .help = "aos: the surface's function; ftc: -3, -1, 1 and 3",
                     .pixels = [](const AnyImageView&) { return PixelFormat{PixelType::f32}; }},
                    {.name = "updates",
                     .kind = kinds::table,
                     .help = "CSV or JSON: each list of active regions"}},
        .options = Options::of(ThesisLevelSetOptions{}),
        .run = run_level_set,
        .memory =
            [](const Call& call, const Device&) {
                const Shape& shape = call.image().shape();
                return Memory{.device = level_set_thesis_bytes(
                                  shape, call.options.as<ThesisLevelSetOptions>()),
                              .computing = seed_bytes(call) + 16 * shape.points()};
            },
        .command_line = {.basic = {"method", "way", "lower", "upper", "direction", "iterations"}}});
}

}  // namespace tesela::operations
