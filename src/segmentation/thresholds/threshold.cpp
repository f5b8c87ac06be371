#include "tesela/threshold.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <string_view>

#include "kernels/thresholds/threshold.kernel.h"
#include "segmentation/components/components.h"
#include "segmentation/plane_of.h"
#include "segmentation/thresholds/gray_levels.h"
#include "segmentation/thresholds/histogram_threshold.h"
#include "segmentation/thresholds/threshold_surface.h"
#include "tesela/compute/primitives.h"

namespace tesela {
namespace {

using kernels::i32;
using kernels::u32;

void read_mask(Queue& queue, const AnyImage& image, const Buffer<std::uint8_t>& mask,
               ThresholdResult& result) {
    result.mask = Image<std::uint8_t>(plane_of(shape_of(image)), geometry_of(image));
    queue.read(mask, std::span<std::uint8_t>(result.mask.pixels()));
    result.points_above =
        result.mask.shape().points() -
        std::count(result.mask.pixels().begin(), result.mask.pixels().end(), std::uint8_t{0});
}

ThresholdResult global_threshold(const AnyImage& image, Queue& queue, const Progress& progress,
                                 HistogramThreshold (*choose)(std::span<const u32>)) {
    StageClock clock;
    clock.start("upload");
    progress.report(0, "upload");
    GrayLevels levels = gray_levels(queue, image, LevelsOf::brightness);
    clock.start("threshold");
    progress.report(0.3, "threshold");
    const std::int64_t points = shape_of(image).points();
    auto counts = queue.allocate<u32>(std::int64_t{levels.highest} + 1, "histogram");
    histogram(queue, levels.planes, points, counts.size(), counts);
    const HistogramThreshold found = choose(queue.download(counts));
    auto mask = queue.allocate<std::uint8_t>(points, "mask");
    queue.launch(kernels::threshold_mask, Range{points}, levels.planes, mask, found.level);
    ThresholdResult result;
    result.threshold = levels.value(found.level);
    result.mean_below = levels.value(found.mean_below);
    result.mean_above = found.count_above > 0 ? levels.value(found.mean_above) : 0;
    result.iterations = found.iterations;
    result.warnings = std::move(levels.warnings);
    read_mask(queue, image, mask, result);
    result.stages = clock.take();
    progress.report(1, "done");
    return result;
}

}  // namespace

ThresholdResult otsu_threshold(const AnyImage& image, Queue& queue, const Progress& progress) {
    return global_threshold(image, queue, progress, otsu);
}

ThresholdResult iterative_threshold(const AnyImage& image, Queue& queue, const Progress& progress) {
    return global_threshold(image, queue, progress, ridler_calvard);
}

void check_options(const AdaptiveThresholdOptions& options) {
    validate_options(options);
    struct Use {
        std::string_view name;
        bool given;
        AdaptiveMethod by;
    };
    using enum AdaptiveMethod;
    for (const auto& [name, given, by] :
         {Use{"radius", options.radius.has_value(), mean},
          Use{"offset", options.offset.has_value(), mean},
          Use{"smoothing", options.smoothing.has_value(), yanowitz},
          Use{"edge-threshold", options.edge_threshold.has_value(), yanowitz},
          Use{"ghosts", options.ghosts.has_value(), yanowitz}})
        if (given && by != options.method)
            throw InvalidArgument("--" + std::string(name) + " is of --method " +
                                  std::string(enum_name(by)) + ": leave it out with --method " +
                                  std::string(enum_name(options.method)));
}

ThresholdResult adaptive_threshold(const AnyImage& image, const AdaptiveThresholdOptions& options,
                                   Queue& queue, const Progress& progress) {
    check_options(options);
    StageClock clock;
    clock.start("upload");
    progress.report(0, "upload");
    GrayLevels levels = gray_levels(queue, image, LevelsOf::brightness);
    clock.start("surface");
    progress.report(0.1, "surface");
    const Shape shape = plane_of(shape_of(image));
    ThresholdResult result;
    AdaptiveMask found = options.method == AdaptiveMethod::mean
                             ? above_window_mean(queue, shape, levels, options)
                             : above_edge_surface(queue, shape, levels, options, progress);
    result.iterations = found.sweeps;
    result.warnings = std::move(levels.warnings);
    read_mask(queue, image, found.mask, result);
    result.surface = Image<float>(shape, geometry_of(image));
    queue.read(found.surface, std::span<float>(result.surface.pixels()));
    result.stages = clock.take();
    progress.report(1, "done");
    return result;
}

std::int64_t threshold_device_bytes(const AnyImage& image) {
    constexpr std::int64_t histogram = 65536 * 4;
    return gray_levels_bytes(image, LevelsOf::brightness) + shape_of(image).points() + histogram;
}

std::int64_t threshold_device_bytes(const AnyImage& image,
                                    const AdaptiveThresholdOptions& options) {
    check_options(options);
    const Shape shape = plane_of(shape_of(image));
    // Sums of rows and means of windows, the mask and the surface.
    if (options.method == AdaptiveMethod::mean)
        return gray_levels_bytes(image, LevelsOf::brightness) + shape.points() * (3 * 4 + 1);
    // Of Yanowitz's: levels of all grids, one of them by colors, gradient, magnitude, mask, and
    // what is labeled for ghosts.
    const std::int64_t grids = shape.points() * ((4 + 1) * 3 / 2 + 2 * 4);
    const std::int64_t planes = shape.points() * (5 * 4 + 2);
    return gray_levels_bytes(image, LevelsOf::brightness) + grids + planes + ghosts_bytes(shape) +
           65536 * 4;
}

}  // namespace tesela
