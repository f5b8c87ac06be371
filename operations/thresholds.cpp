// threshold otsu, iterative, li, triangle, multi-otsu, range, hysteresis, adaptive
#include "operations/all.h"
#include "operations/coverage.h"
#include "operations/device_level.h"
#include "operations/kinds/image.h"
#include "operations/registry.h"
#include "tesela/threshold.h"

namespace tesela::operations {
namespace {

double share(std::int64_t points, const Call& call) {
    return static_cast<double>(points) / static_cast<double>(call.shape().points());
}

// What all of them report, on either level.
Results results_of(const Call& call, ThresholdReport& report) {
    Results results;
    results.figures = {{"points", call.shape().points()}};
    results.stages = std::move(report.stages);
    results.warnings = std::move(report.warnings);
    return results;
}
Results results_of(const Call& call, DeviceThresholdResult& result) {
    Results results = results_of(call, static_cast<ThresholdReport&>(result));
    if (result.points_above) results.figures.push_back({"points_above", *result.points_above});
    return results;
}
Results results_of(const Call& call, ThresholdResult& result) {
    Results results = results_of(call, static_cast<ThresholdReport&>(result));
    results.figures.push_back({"points_above", result.points_above});
    warn_of_coverage(call, "the mask", result.mask, results);
    return results;
}

// Of a threshold of the whole image, above which so many pixels are.
void add_threshold(const Call& call, const ThresholdReport& report, std::int64_t points_above,
                   Results& results) {
    results.summary = printed(
        "threshold %.6g: %.2f %% of the pixels are above it; means %.6g and %.6g", report.threshold,
        100 * share(points_above, call), report.mean_below, report.mean_above);
    results.figures.push_back({"threshold", report.threshold});
    results.figures.push_back({"mean_below", report.mean_below});
    results.figures.push_back({"mean_above", report.mean_above});
    results.figures.push_back({"iterations", std::int64_t{report.iterations}});
}

Output mask_output() {
    return {.name = "mask",
            .kind = kinds::mask,
            .help = "255 above the threshold, 0 below",
            .pixels = mask_pixels,
            .always = true};
}

struct GlobalChoice {
    bool below = false;
};
template <class V>
void describe(V&& v, GlobalChoice& o) {
    v("below", o.below, "take the pixels at most as bright as the threshold, not those above it");
}
ThresholdSide side_of(const Call& call) {
    return call.options.as<GlobalChoice>().below ? ThresholdSide::below : ThresholdSide::above;
}

using GlobalThreshold = ThresholdResult (*)(const AnyImageView&, Queue&, const Progress&,
                                            ThresholdSide);

Operation global(const std::string& name, std::string purpose, std::string sentence,
                 GlobalThreshold threshold, DeviceLevel level) {
    return {.name = "threshold " + name,
            .purpose = std::move(purpose),
            .sentence = std::move(sentence),
            .examples = {"threshold " + name + " coins.png -o mask.png",
                         "threshold " + name + " brain.nii.gz -o mask.nii.gz"},
            .inputs = {image_input},
            .outputs = {mask_output()},
            .options = Options::of(GlobalChoice{}),
            .run =
                [threshold](const Call& call, Queue& queue, const Progress& progress) {
                    ThresholdResult result =
                        threshold(call.image(), queue, progress, side_of(call));
                    Results results = results_of(call, result);
                    add_threshold(call, result, result.points_above, results);
                    results.outputs.set("mask", AnyImage(std::move(result.mask)));
                    return results;
                },
            .memory =
                [](const Call& call, const Device& device) {
                    return Memory{.device = threshold_device_bytes(call.image(), device)};
                },
            .device = {.level = std::move(level)}};
}

// `threshold` gives a DeviceThresholdResult, with the number of pixels above.
template <class Threshold>
DeviceLevel global_level(Threshold threshold) {
    return device_level(
        [threshold](const auto& image, const Call& call, Queue& queue, const Progress& progress) {
            DeviceThresholdResult result = threshold(image, queue, progress, side_of(call));
            Results results = results_of(call, result);
            add_threshold(call, result, result.points_above.value(), results);
            results.outputs.set("mask", std::move(result.mask));
            return results;
        });
}

// Of a MultiOtsuResult or a DeviceMultiOtsuResult.
template <class Result>
Results classes_of(const Call& call, Result result) {
    Results results;
    results.summary = "thresholds";
    for (const double threshold : result.thresholds) results.summary += printed(" %.6g", threshold);
    results.figures = {{"points", call.shape().points()}, {"thresholds", result.thresholds}};
    results.stages = std::move(result.stages);
    results.warnings = std::move(result.warnings);
    results.outputs.set("labels", std::move(result.classes));
    return results;
}

Operation multi_otsu_classes() {
    return {.name = "threshold multi-otsu",
            .purpose = "three or more classes, by Otsu's method",
            .sentence = "Divides the values of an image into classes with Otsu's method.",
            .examples = {"threshold multi-otsu coins.png -o classes.png",
                         "threshold multi-otsu brain.nii.gz --classes 4 -o classes.nii.gz"},
            .inputs = {image_input},
            .outputs = {{.name = "labels",
                         .kind = kinds::labels,
                         .help = "classes: 0 for the darkest, 1, 2, ...",
                         .always = true}},
            .options = Options::of(MultiOtsuOptions{}),
            .run =
                [](const Call& call, Queue& queue, const Progress& progress) {
                    return classes_of(
                        call, multi_otsu(call.image(), call.options.as<MultiOtsuOptions>(), queue,
                                         progress));
                },
            .memory =
                [](const Call& call, const Device&) {
                    return Memory{.device = multi_otsu_device_bytes(call.image())};
                },
            .device = {.level = device_level([](const auto& image, const Call& call, Queue& queue,
                                                const Progress& progress) {
                           return classes_of(
                               call, multi_otsu(image, call.options.as<MultiOtsuOptions>(), queue,
                                                progress));
                       })}};
}

Results run_range(const Call& call, Queue& queue, const Progress& progress) {
    ThresholdResult result =
        range_threshold(call.image(), call.options.as<RangeThresholdOptions>(), queue, progress);
    Results results = results_of(call, result);
    results.summary =
        printed("%.2f %% of the pixels are in the range", 100 * share(result.points_above, call));
    results.outputs.set("mask", AnyImage(std::move(result.mask)));
    return results;
}

Operation range() {
    Output mask = mask_output();
    mask.help = "255 within the range, 0 outside";
    return {
        .name = "threshold range",
        .purpose = "the pixels between two values",
        .sentence = "Makes a mask of the pixels from one value to another, both included.",
        .examples = {"threshold range 60 200 coins.png -o mask.png",
                     "threshold range 100 255 ch2.nii.gz -o head.nii.gz"},
        .inputs = {image_input},
        .outputs = {std::move(mask)},
        .options = Options::of(RangeThresholdOptions{}),
        .run = run_range,
        .memory =
            [](const Call& call, const Device&) {
                return Memory{.device = range_threshold_device_bytes(call.image())};
            },
        .check = [](const Options& options) { check_options(options.as<RangeThresholdOptions>()); },
        .device = {.level = device_level([](const auto& image, const Call& call, Queue& queue,
                                            const Progress& progress) {
                       DeviceThresholdResult result = range_threshold(
                           image, call.options.as<RangeThresholdOptions>(), queue, progress);
                       Results results = results_of(call, result);
                       results.outputs.set("mask", std::move(result.mask));
                       return results;
                   })},
        .slides = {.halo = [](const Options&,
                              const AnyImageView& sample) -> std::optional<std::int64_t> {
            if (!keeps_gray_levels(sample)) return {};
            return 0;
        }},
        .command_line = {.positional = {"low", "high"}}};
}

template <class Result>
Results hysteresis_results(const Call& call, Result result) {
    Results results = results_of(call, result);
    results.summary = "above the lower threshold, connected with pixels above the higher one";
    results.outputs.set("mask", std::move(result.mask));
    return results;
}

Operation hysteresis() {
    Output mask = mask_output();
    mask.help = "255 in the objects that are kept, 0 outside";
    return {
        .name = "threshold hysteresis",
        .purpose = "pixels above a threshold, connected with brighter ones",
        .sentence =
            "Keeps pixels above one threshold that are connected with one above a higher "
            "threshold.",
        .examples = {"threshold hysteresis 100 180 coins.png -o mask.png",
                     "threshold hysteresis 40 90 vessels.nii.gz -o vessels-mask.nii.gz"},
        .inputs = {volume_input},
        .outputs = {std::move(mask)},
        .options = Options::of(HysteresisThresholdOptions{}),
        .run =
            [](const Call& call, Queue& queue, const Progress& progress) {
                return hysteresis_results(
                    call, hysteresis_threshold(call.image(),
                                               call.options.as<HysteresisThresholdOptions>(), queue,
                                               progress));
            },
        .memory =
            [](const Call& call, const Device&) {
                return Memory{.device = hysteresis_threshold_device_bytes(
                                  call.image(), call.options.as<HysteresisThresholdOptions>()),
                              .computing = 2 * call.shape().points()};
            },
        .check =
            [](const Options& options) { check_options(options.as<HysteresisThresholdOptions>()); },
        .device = {.level = device_level([](const auto& image, const Call& call, Queue& queue,
                                            const Progress& progress) {
                       return hysteresis_results(
                           call, hysteresis_threshold(image,
                                                      call.options.as<HysteresisThresholdOptions>(),
                                                      queue, progress));
                   })},
        .command_line = {.positional = {"low", "high"}}};
}

Results run_adaptive(const Call& call, Queue& queue, const Progress& progress) {
    ThresholdResult result = adaptive_threshold(
        call.image(), call.options.as<AdaptiveThresholdOptions>(), queue, progress);
    Results results = results_of(call, result);
    results.summary = printed("adaptive threshold: %.2f %% of the pixels are above it",
                              100 * share(result.points_above, call));
    results.figures.push_back({"iterations", std::int64_t{result.iterations}});
    results.outputs.set("mask", AnyImage(std::move(result.mask)));
    results.outputs.set("surface", AnyImage(std::move(result.surface)));
    return results;
}

std::optional<std::int64_t> halo_of_windows(const Options& options, const AnyImageView& sample) {
    const auto& adaptive = options.as<AdaptiveThresholdOptions>();
    if (adaptive.method != AdaptiveMethod::mean || !keeps_gray_levels(sample)) return {};
    return adaptive.radius.value_or(15);
}

Operation adaptive() {
    return {
        .name = "threshold adaptive",
        .purpose = "a threshold for each pixel, for uneven light",
        .sentence =
            "Thresholds an image locally, from values at edges (Yanowitz and Bruckstein) or from "
            "window means.",
        .examples = {"threshold adaptive coins.png -o mask.png --surface surface.tif",
                     "threshold adaptive page.png -o ink.png --method mean --radius 20"},
        .inputs = {image_input},
        .outputs = {mask_output(),
                    {.name = "surface",
                     .kind = kinds::image,
                     .help = "threshold of each pixel, floating-point",
                     .pixels = [](const AnyImageView&) { return PixelFormat{PixelType::f32}; },
                     .always = true}},
        .options = Options::of(AdaptiveThresholdOptions{}),
        .run = run_adaptive,
        .memory =
            [](const Call& call, const Device&) {
                return Memory{.device = threshold_device_bytes(
                                  call.image(), call.options.as<AdaptiveThresholdOptions>())};
            },
        .check =
            [](const Options& options) { check_options(options.as<AdaptiveThresholdOptions>()); },
        .device = {.level = device_level([](const auto& image, const Call& call, Queue& queue,
                                            const Progress& progress) {
                       DeviceThresholdResult result = adaptive_threshold(
                           image, call.options.as<AdaptiveThresholdOptions>(), queue, progress);
                       Results results = results_of(call, result);
                       results.figures.push_back({"iterations", std::int64_t{result.iterations}});
                       results.outputs.set("mask", std::move(result.mask));
                       results.outputs.set("surface", std::move(result.surface));
                       return results;
                   })},
        .slides = {.halo = halo_of_windows}};
}

}  // namespace

void add_thresholds(Registry& registry) {
    registry.add(Family{.name = "threshold",
                        .purpose = "make a mask of the pixels above a threshold or in a range",
                        .sentence = "Makes a mask of the pixels above a threshold or in a range.",
                        .task = tasks::segment,
                        .default_operation = "threshold otsu"});
    registry.add(global("otsu", "two classes, by Otsu's method",
                        "Thresholds an image into two classes with Otsu's method.", otsu_threshold,
                        global_level([](const auto& image, Queue& queue, const Progress& progress,
                                        ThresholdSide side) {
                            return otsu_threshold(image, queue, progress, side);
                        })));
    registry.add(
        global("iterative", "two classes, by Ridler and Calvard's method",
               "Thresholds an image at the midpoint of its class means (Ridler and Calvard).",
               iterative_threshold,
               global_level([](const auto& image, Queue& queue, const Progress& progress,
                               ThresholdSide side) {
                   return iterative_threshold(image, queue, progress, side);
               })));
    registry.add(global(
        "li", "small or dim objects, by Li's method",
        "Thresholds an image at the least cross entropy (Li and Tam), for small or dim objects.",
        li_threshold,
        global_level(
            [](const auto& image, Queue& queue, const Progress& progress, ThresholdSide side) {
                return li_threshold(image, queue, progress, side);
            })));
    registry.add(global("triangle", "few objects on much background, by the triangle method",
                        "Thresholds an image by the corner of its histogram (Zack, Rogers and "
                        "Latt), for few objects on much background.",
                        triangle_threshold,
                        global_level([](const auto& image, Queue& queue, const Progress& progress,
                                        ThresholdSide side) {
                            return triangle_threshold(image, queue, progress, side);
                        })));
    registry.add(multi_otsu_classes());
    registry.add(range());
    registry.add(hysteresis());
    registry.add(adaptive());
}

}  // namespace tesela::operations
