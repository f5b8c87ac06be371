// image smooth gaussian, median
#include <algorithm>

#include "operations/all.h"
#include "operations/device_level.h"
#include "operations/kinds/image.h"
#include "operations/registry.h"
#include "tesela/smooth.h"

namespace tesela::operations {
namespace {

// Of SmoothResult and DeviceSmoothResult.
template <class Result>
Results results_of(const Call& call, Result result) {
    const auto& [x, y, z] = result.radius;
    Results results;
    results.summary = printed("neighborhoods of %d x %d%s pixels", 2 * x + 1, 2 * y + 1,
                              call.shape().z > 1 ? printed(" x %d", 2 * z + 1).c_str() : "");
    results.figures = {{"points", call.shape().points()},
                       {"reach", std::vector<std::int64_t>{x, y, z}}};
    results.warnings = std::move(result.warnings);
    results.outputs.set("image", std::move(result.image));
    return results;
}

// `smooth(image, options, queue, progress)` is of images on the host and on a device.
template <class SmoothOptions, class Smooth>
Operation smoothing(std::string name, Smooth smooth) {
    const auto run = [smooth](const auto& image, const Call& call, Queue& queue,
                              const Progress& progress) {
        return results_of(call, smooth(image, call.options.as<SmoothOptions>(), queue, progress));
    };
    return {
        .name = "image smooth " + std::move(name),
        .inputs = {channels_input},
        .outputs = {{.name = "image",
                     .kind = kinds::image,
                     .help = "smoothed image, of the input's pixel type",
                     .always = true,
                     .convertible = true,
                     .keeps_values = true}},
        .options = Options::of(SmoothOptions{}),
        .run = [run](const Call& call, Queue& queue,
                     const Progress& progress) { return run(call.image(), call, queue, progress); },
        .memory =
            [](const Call& call, const Device&) {
                return Memory{.device = smooth_device_bytes(call.image()),
                              .computing = 8 * call.shape().elements()};
            },
        .device = {.level = device_level(run)},
        .slides = {.halo = [](const Options& options,
                              const AnyImageView& sample) -> std::optional<std::int64_t> {
            const auto reach =
                smooth_reach(options.as<SmoothOptions>(), sample.shape(), sample.geometry());
            return *std::max_element(reach.begin(), reach.end());
        }}};
}

Operation gaussian() {
    Operation operation = smoothing<SmoothGaussianOptions>(
        "gaussian", [](auto&... arguments) { return smooth_gaussian(arguments...); });
    operation.purpose = "weighted means: less noise, softer edges";
    operation.sentence = "Smooths an image by a Gaussian filter.";
    operation.examples = {"image smooth gaussian cells.tif -o soft.tif --sigma 2",
                          "image smooth gaussian head.nii.gz -o soft.nii.gz --sigma 1.5mm"};
    return operation;
}

Operation median() {
    Operation operation = smoothing<SmoothMedianOptions>(
        "median", [](auto&... arguments) { return smooth_median(arguments...); });
    operation.purpose = "medians: no specks, sharp edges";
    operation.sentence = "Smooths an image by a median filter.";
    operation.outputs.front().keeps_labels = true;
    operation.examples = {"image smooth median scan.png -o clean.png --radius 2",
                          "image smooth median ct.nii.gz -o clean.nii.gz --radius 1mm"};
    return operation;
}

}  // namespace

void add_image_smooth(Registry& registry) {
    registry.add(Family{.name = "image smooth",
                        .purpose = "smooth by a Gaussian or median filter",
                        .sentence = "Smooths images by a Gaussian or median filter, in pixels or "
                                    "mm."});
    registry.add(gaussian());
    registry.add(median());
}

}  // namespace tesela::operations
