#include "tesela/mean_shift.h"

#include <algorithm>
#include <array>

#include "operations/all.h"
#include "operations/device_level.h"
#include "operations/kinds/image.h"
#include "operations/regions.h"
#include "operations/registry.h"

namespace tesela::operations {
namespace {

constexpr std::array preset_options{"preset",       "spatial",      "range",      "gamma",
                                    "fusion-range", "region-scale", "min-region", "label-epsilon"};

bool wants_labels(const Call& call) { return call.wants("labels") || call.wants("segmented"); }

MeanShiftOutput wanted(const Call& call) {
    if (call.wants("segmented")) return MeanShiftOutput::with_segmented;
    return call.wants("labels") ? MeanShiftOutput::filtered_and_labels
                                : MeanShiftOutput::filtered_only;
}

Figures details_of(const ThesisReport& report) {
    std::vector<Figures> rounds;
    for (const ThesisRound& round : report.rounds)
        rounds.push_back({{"queue_length", round.queue_length},
                          {"global_size", round.global_size},
                          {"milliseconds", round.milliseconds}});
    return {{"cells", std::vector<std::int64_t>(report.cells.begin(), report.cells.end())},
            {"sort", std::string(enum_name(report.sort))},
            {"sort_launches", report.sort_launches},
            {"rounds", std::move(rounds)},
            {"post_processing_kernels", std::int64_t{report.post_processing_kernels}},
            {"label_passes", std::int64_t{report.label_passes}}};
}

// The grid, the sort, and a table of the rounds.
std::string text_of(const ThesisReport& report) {
    const auto figure = [](std::int64_t value) { return static_cast<long long>(value); };
    std::string text =
        printed("grid of %lld x %lld x %lld cells, pairs sorted on the ", figure(report.cells[0]),
                figure(report.cells[1]), figure(report.cells[2]));
    text += report.sort == ThesisSort::device
                ? printed("device in %lld launches\n", figure(report.sort_launches))
                : "host, one thread\n";
    if (report.label_passes > 0) text += printed("labels in %d passes\n", report.label_passes);
    text += printed("%6s%14s%14s%12s\n", "round", "queue length", "global size", "ms");
    int number = 0;
    for (const ThesisRound& round : report.rounds)
        text += printed("%6d%14lld%14lld%12.3f\n", ++number, figure(round.queue_length),
                        figure(round.global_size), round.milliseconds);
    return text;
}

std::string summary_of(const Call& call, const MeanShiftReport& result, double iterations) {
    std::string regions;
    if (wants_labels(call))
        regions = counted(result.region_count, "region") + " of " +
                  counted(result.component_count, "component") + ", ";
    return printed(
        "mean shift in %s space: %s%.2f iterations per pixel, %s stopped at "
        "--max-iterations",
        std::string(enum_name(result.color_space)).c_str(), regions.c_str(), iterations,
        counted(result.capped_points, "pixel").c_str());
}

Figures figures_of(const Call& call, const MeanShiftReport& result, double iterations) {
    const auto of_labels = [&](std::uint32_t count) -> Figure::Value {
        if (!wants_labels(call)) return {};
        return std::int64_t{count};
    };
    return {{"region_count", of_labels(result.region_count)},
            {"component_count", of_labels(result.component_count)},
            {"fusion_rounds", std::int64_t{result.fusion_rounds}},
            {"merging_rounds", std::int64_t{result.merging_rounds}},
            {"pruning_rounds", std::int64_t{result.pruning_rounds}},
            {"points", call.shape().points()},
            {"iterations", result.iterations},
            {"iterations_per_point", iterations},
            {"capped_points", result.capped_points}};
}

// Of MeanShiftResult and DeviceMeanShiftResult; `filled_in`: its options with those of the preset.
template <class Result>
Results results_of(const Call& call, const MeanShiftOptions& filled_in, Result result) {
    const double iterations =
        static_cast<double>(result.iterations) / static_cast<double>(call.shape().points());
    Results results;
    results.summary = summary_of(call, result, iterations);
    results.figures = figures_of(call, result, iterations);
    if (result.thesis) {
        results.details = {{"thesis", details_of(*result.thesis)}};
        results.text = text_of(*result.thesis);
    }
    results.used = {{"color-space", std::string(enum_name(result.color_space))},
                    {"connectivity", std::string(enum_name(result.connectivity))}};
    const Options used = Options::of(filled_in);
    for (const char* name : preset_options)
        if (!result.thesis || name != preset_options.front())
            results.used.emplace_back(name, used.get(name));
    if (result.temporal_bandwidth > 0)
        results.used.emplace_back("temporal", result.temporal_bandwidth);
    results.stages = std::move(result.stages);
    results.warnings = std::move(result.warnings);
    results.outputs.set("filtered", std::move(result.filtered));
    if (wants_labels(call)) results.outputs.set("labels", std::move(result.labels));
    if (call.wants("segmented")) results.outputs.set("segmented", std::move(result.segmented));
    return results;
}

Results run_mean_shift(const Call& call, Queue& queue, const Progress& progress) {
    const auto& options = call.options.as<MeanShiftOptions>();
    return results_of(call, with_preset(options, call.image()),
                      mean_shift(call.image(), options, queue, wanted(call), progress));
}

// Where differences of a preset may count in gray levels of the image, its pixels are read back.
template <class T>
Results run_on_device(const DeviceImage<const T>& image, const Call& call, Queue& queue,
                      const Progress& progress) {
    MeanShiftOptions options = call.options.as<MeanShiftOptions>();
    if constexpr (std::is_same_v<T, std::uint8_t>)
        options = with_preset(options, image.shape, image.has_alpha);
    else
        options = with_preset(options, download(call.inputs.image("input"), queue).view());
    return results_of(call, options, mean_shift(image, options, queue, wanted(call), progress));
}

// Labels are made for the segmented image too.
Memory mean_shift_memory(const Call& call, const Device&) {
    constexpr std::int64_t label = 4;
    const bool unasked = wants_labels(call) && !call.wants("labels");
    return {.device = mean_shift_device_bytes(call.image(), call.options.as<MeanShiftOptions>(),
                                              wanted(call)),
            .held = unasked ? label * call.image().shape().points() : 0};
}

}  // namespace

void add_mean_shift(Registry& registry) {
    Output labels = labels_output();
    labels.always = false;
    registry.add(Operation{
        .name = "mean-shift",
        .purpose = "smooth and segment an image by mean shift",
        .sentence = "Smooths and segments an image by mean shift in the joint spatial-range "
                    "domain.",
        .task = tasks::segment,
        .examples = {"mean-shift photo.jpg -o smooth.png --labels regions.png",
                     "mean-shift brain.nii.gz --spatial 2mm --range 6 --labels regions.nii.gz"},
        .inputs = {image_input},
        .outputs = {{.name = "filtered",
                     .kind = kinds::image,
                     .help = "filtered image, in the input's type",
                     .always = true,
                     .convertible = true,
                     .keeps_values = true},
                    std::move(labels),
                    segmented_output()},
        .options = Options::of(MeanShiftOptions{})
                       .without({"variant"})
                       .suggest("spatial", {.lowest = 0.5, .highest = 32})
                       .suggest("range", {.lowest = 0.5, .highest = 32})
                       .suggest("fusion-range", {.lowest = 0, .highest = 2})
                       .suggest("region-scale", {.lowest = 0, .highest = 12000})
                       .suggest("min-region", {.lowest = 0, .highest = 400}),
        .run = run_mean_shift,
        .memory = mean_shift_memory,
        .device = {.level = device_level([](const auto& image, const Call& call, Queue& queue,
                                            const Progress& progress) {
                       return run_on_device(image, call, queue, progress);
                   })},
        .command_line = {.basic = {"preset", "spatial", "range", "fast", "min-region"}}});
}

void add_thesis_mean_shift(Registry& registry) {
    Operation operation = registry.find("mean-shift");
    operation.name = "thesis mean-shift";
    operation.purpose = "the same result step by step, with its rounds";
    operation.sentence =
        "Computes mean shift step by step as in the thesis behind it, and reports "
        "its rounds.";
    operation.examples = {"thesis mean-shift astronaut.png -o smooth.png",
                          "thesis mean-shift coins.png --labels regions.png --spatial 4 --json"};
    operation.options = Options::of(with_preset({.variant = MeanShiftVariant::thesis}, {}, false))
                            .without({"preset", "variant", "kernel", "fast", "connectivity"});
    operation.command_line.basic = {};
    operation.task = {};
    registry.add(std::move(operation));
}

}  // namespace tesela::operations
