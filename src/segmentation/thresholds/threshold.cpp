#include "tesela/threshold.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <string_view>

#include "kernels/thresholds/threshold.kernel.h"
#include "pixels/pixel_source.h"
#include "pixels/plane_of.h"
#include "segmentation/components/components.h"
#include "segmentation/thresholds/gray_levels.h"
#include "segmentation/thresholds/histogram_threshold.h"
#include "segmentation/thresholds/own_levels.h"
#include "segmentation/thresholds/threshold_result.h"
#include "segmentation/thresholds/threshold_surface.h"
#include "tesela/compute/primitives.h"

namespace tesela {
namespace {

using kernels::i32;
using kernels::u32;

// Progress of the whole call at the end of the upload.
constexpr double uploaded_fraction = 0.3;

using Choose = HistogramThreshold (*)(std::span<const u32>);

// One call of a threshold for the whole image.
class GlobalThreshold {
  public:
    GlobalThreshold(Choose choose, Queue& queue, const Progress& progress, ThresholdSide side)
        : choose_(choose), side_(side), queue_(queue), progress_(progress) {
        clock_.start("upload");
        progress_.report(0, "upload");
    }

  private:
    void start() {
        clock_.start("threshold");
        progress_.report(uploaded_fraction, "threshold");
    }

    template <class T>
    void apply(const DeviceImage<const T>& image, Buffer<std::uint8_t>& mask,
               ThresholdReport& report) {
        if constexpr (may_have_own_levels<T>) {
            if (takes_own_levels(queue_.device(), image.shape)) {
                start();
                found_ = choose_(count_own_levels(queue_, image));
                mask_own_levels(queue_, image, found_.level, side_, mask);
                tell(scale_of_own_levels<T>(), report);
                return;
            }
        }
        apply(gray_levels(queue_, image, LevelsOf::brightness), mask, report);
    }

    void apply(GrayLevels levels, Buffer<std::uint8_t>& mask, ThresholdReport& report) {
        start();
        auto counts = queue_.allocate<u32>(std::int64_t{levels.highest} + 1, "histogram");
        histogram(queue_, levels.planes, levels.planes.size(), counts.size(), counts);
        found_ = choose_(queue_.download(counts));
        const auto [above, below] = mask_values(side_);
        queue_.launch(kernels::threshold_mask, Range{levels.planes.size()}, levels.planes, mask,
                      found_.level, above, below);
        tell(std::move(levels), report);
    }

    void tell(GrayLevels levels, ThresholdReport& report) const {
        report.threshold = levels.value(found_.level);
        report.mean_below = levels.value(found_.mean_below);
        report.mean_above = found_.count_above > 0 ? levels.value(found_.mean_above) : 0;
        report.iterations = found_.iterations;
        report.warnings = std::move(levels.warnings);
    }

    void end(ThresholdReport& report) {
        report.stages = clock_.take();
        progress_.report(1, "done");
    }

  public:
    ThresholdResult of(const AnyImageView& image) {
        ThresholdResult result;
        result.mask = Image<std::uint8_t>::unwritten(plane_of(image.shape()), image.geometry());
        const std::span<std::uint8_t> pixels(result.mask.pixels());
        auto mask = queue_.allocate_for(pixels, "mask");
        image.visit([&]<class T>(const PixelView<T>& typed) {
            if constexpr (may_have_own_levels<T>) {
                const PixelSource<T> source(typed);
                apply<T>(source.on_device(queue_), mask, result);
            } else {
                apply(gray_levels(queue_, image, LevelsOf::brightness), mask, result);
            }
        });
        queue_.read(mask, pixels);
        result.points_above = found_.count_above;
        end(result);
        return result;
    }

    template <class T>
    DeviceThresholdResult of(const DeviceImage<const T>& image) {
        DeviceThresholdResult result;
        result.mask = {queue_.allocate<std::uint8_t>(image.shape.points(), "mask"),
                       plane_of(image.shape), image.geometry};
        apply(image, result.mask.pixels, result);
        result.points_above = found_.count_above;
        end(result);
        return result;
    }

  private:
    Choose choose_;
    ThresholdSide side_;
    Queue& queue_;
    const Progress& progress_;
    StageClock clock_;
    HistogramThreshold found_;
};

// Of an image of the host or of the device.
template <class AnySource>
GrayLevels brightness(Queue& queue, const AnySource& image, StageClock& clock,
                      const Progress& progress) {
    clock.start("upload");
    progress.report(0, "upload");
    return gray_levels(queue, image, LevelsOf::brightness);
}

DeviceThresholdResult adaptive(GrayLevels levels, const Shape& shape, const Geometry& geometry,
                               const AdaptiveThresholdOptions& options, Queue& queue,
                               StageClock& clock, const Progress& progress) {
    clock.start("surface");
    progress.report(0.1, "surface");
    const Shape plane = plane_of(shape);
    AdaptiveMask found = options.method == AdaptiveMethod::mean
                             ? above_window_mean(queue, plane, levels, options)
                             : above_edge_surface(queue, plane, levels, options, progress);
    DeviceThresholdResult result;
    result.mask = {std::move(found.mask), plane, geometry};
    result.surface = {std::move(found.surface), plane, geometry};
    result.iterations = found.sweeps;
    result.warnings = std::move(levels.warnings);
    return result;
}

}  // namespace

ThresholdResult downloaded(DeviceThresholdResult found, Queue& queue, StageClock& clock,
                           const Progress& progress) {
    ThresholdResult result{std::move(static_cast<ThresholdReport&>(found)), {}, 0, {}};
    result.mask = Image<std::uint8_t>::unwritten(found.mask.shape, found.mask.geometry);
    auto& mask = result.mask.pixels();
    queue.read(found.mask.pixels, std::span<std::uint8_t>(mask));
    result.points_above =
        found.mask.shape.points() - std::count(mask.begin(), mask.end(), std::uint8_t{0});
    if (found.surface.pixels.block()) {
        result.surface = Image<float>::unwritten(found.surface.shape, found.surface.geometry);
        queue.read(found.surface.pixels, std::span<float>(result.surface.pixels()));
    }
    result.stages = clock.take();
    progress.report(1, "done");
    return result;
}

#define TESELA_GLOBAL_THRESHOLD(name, choose)                                               \
    ThresholdResult name(const AnyImageView& image, Queue& queue, const Progress& progress, \
                         ThresholdSide side) {                                              \
        return GlobalThreshold(choose, queue, progress, side).of(image);                    \
    }                                                                                       \
    template <class T>                                                                      \
    DeviceThresholdResult name(const DeviceImage<const T>& image, Queue& queue,             \
                               const Progress& progress, ThresholdSide side) {              \
        return GlobalThreshold(choose, queue, progress, side).of(image);                    \
    }
TESELA_GLOBAL_THRESHOLD(otsu_threshold, otsu)
TESELA_GLOBAL_THRESHOLD(iterative_threshold, ridler_calvard)
TESELA_GLOBAL_THRESHOLD(li_threshold, li)
TESELA_GLOBAL_THRESHOLD(triangle_threshold, triangle)
#undef TESELA_GLOBAL_THRESHOLD

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

ThresholdResult adaptive_threshold(const AnyImageView& image,
                                   const AdaptiveThresholdOptions& options, Queue& queue,
                                   const Progress& progress) {
    check_options(options);
    StageClock clock;
    GrayLevels levels = brightness(queue, image, clock, progress);
    return downloaded(adaptive(std::move(levels), image.shape(), image.geometry(), options, queue,
                               clock, progress),
                      queue, clock, progress);
}
template <class T>
DeviceThresholdResult adaptive_threshold(const DeviceImage<const T>& image,
                                         const AdaptiveThresholdOptions& options, Queue& queue,
                                         const Progress& progress) {
    check_options(options);
    StageClock clock;
    GrayLevels levels = brightness(queue, image, clock, progress);
    DeviceThresholdResult result =
        adaptive(std::move(levels), image.shape, image.geometry, options, queue, clock, progress);
    result.stages = clock.take();
    progress.report(1, "done");
    return result;
}

#define TESELA_INSTANTIATE_GLOBAL(name, T)                                                    \
    template DeviceThresholdResult name(const DeviceImage<const T>&, Queue&, const Progress&, \
                                        ThresholdSide)
#define TESELA_INSTANTIATE(T)                          \
    TESELA_INSTANTIATE_GLOBAL(otsu_threshold, T);      \
    TESELA_INSTANTIATE_GLOBAL(iterative_threshold, T); \
    TESELA_INSTANTIATE_GLOBAL(li_threshold, T);        \
    TESELA_INSTANTIATE_GLOBAL(triangle_threshold, T);  \
    template DeviceThresholdResult adaptive_threshold( \
        const DeviceImage<const T>&, const AdaptiveThresholdOptions&, Queue&, const Progress&)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::uint16_t);
TESELA_INSTANTIATE(std::int16_t);
TESELA_INSTANTIATE(float);
#undef TESELA_INSTANTIATE
#undef TESELA_INSTANTIATE_GLOBAL

std::int64_t threshold_device_bytes(const AnyImageView& image, const Device& device) {
    const bool has_own_levels =
        image.visit([]<class T>(const PixelView<T>&) { return may_have_own_levels<T>; });
    if (has_own_levels && takes_own_levels(device, image.shape()))
        return own_levels_bytes(image.shape(), pixel_type_bytes(image.pixel_type()));
    constexpr std::int64_t histogram = 65536 * 4;
    return gray_levels_bytes(image, LevelsOf::brightness) + image.shape().points() + histogram;
}

std::int64_t threshold_device_bytes(const AnyImageView& image,
                                    const AdaptiveThresholdOptions& options) {
    check_options(options);
    const Shape shape = plane_of(image.shape());
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
