#include "tesela/split_merge.h"

#include "operations/all.h"
#include "operations/device_level.h"
#include "operations/kinds/image.h"
#include "operations/regions.h"
#include "operations/registry.h"

namespace tesela::operations {
namespace {

// Of SplitMergeResult and DeviceSplitMergeResult.
template <class Result>
Results results_of(const Call& call, Result result) {
    Results results;
    results.summary =
        printed("split and merge: %s of %s of blocks", counted(result.count, "region").c_str(),
                counted(result.group_count, "group").c_str());
    results.figures = {{"region_count", std::int64_t{result.count}},
                       {"group_count", std::int64_t{result.group_count}},
                       {"points", call.shape().points()}};
    results.used = {{"connectivity", std::string(enum_name(result.connectivity))}};
    results.stages = std::move(result.stages);
    results.warnings = std::move(result.warnings);
    results.outputs.set("labels", std::move(result.labels));
    return results;
}

Results run_split_merge(const Call& call, Queue& queue, const Progress& progress) {
    return results_of(
        call, split_merge(call.image(), call.options.as<SplitMergeOptions>(), queue, progress));
}

}  // namespace

void add_split_merge(Registry& registry) {
    registry.add(Operation{
        .name = "split-merge",
        .purpose = "segment an image into squares of a quadtree",
        .sentence = "Segments an image by splitting it into uniform squares and merging them "
                    "(Horowitz and Pavlidis); a baseline.",
        .task = tasks::segment,
        .examples = {"split-merge coins.png -o regions.png",
                     "split-merge photo.jpg --segmented flat.png --homogeneity 60"},
        .inputs = {image_input},
        .outputs = {labels_output(), segmented_output()},
        .options = Options::of(SplitMergeOptions{}),
        .run = run_split_merge,
        .memory =
            [](const Call& call, const Device&) {
                return Memory{.device = split_merge_device_bytes(call.image()),
                              .finishing = segmented_bytes(call)};
            },
        .finish = add_segmented,
        .device = {.level = device_level([](const auto& image, const Call& call, Queue& queue,
                                            const Progress& progress) {
                       return results_of(
                           call, split_merge(image, call.options.as<SplitMergeOptions>(), queue,
                                             progress));
                   })}});
}

}  // namespace tesela::operations
