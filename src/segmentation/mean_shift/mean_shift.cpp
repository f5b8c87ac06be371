#include "tesela/mean_shift.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>

#include "pixels/native_pixels.h"
#include "pixels/plane_of.h"
#include "segmentation/components/components.h"
#include "segmentation/mean_shift/feature_space.h"
#include "segmentation/mean_shift/mode_seeking.h"
#include "segmentation/mean_shift/mode_seeking_fast.h"
#include "segmentation/mean_shift/mode_seeking_gaussian.h"
#include "segmentation/mean_shift/region_fusion.h"
#include "segmentation/mean_shift/thesis/thesis.h"
#include "segmentation/mean_shift/window.h"
#include "tesela/compute/primitives.h"

namespace tesela {
namespace {

// Progress of the whole call at the end of each stage.
constexpr double prepared_fraction = 0.02, modes_fraction = 0.9, labeled_fraction = 0.98;

// What one call works with.
struct Job {
    const Shape& shape;
    const MeanShiftOptions& options;
    FeatureSpace space;
    Window window;
    int neighbor_axes;
    Queue& queue;
    const Progress& progress;
    StageClock clock;
};

// Of a range distance, in feature units.
std::int64_t squared_limit(const Job& job, double distance) {
    constexpr double largest = 3e9;  // beyond any feature difference; its square fits 63 bits
    return static_cast<std::int64_t>(
        std::floor(std::pow(std::min(job.space.units(distance), largest), 2)));
}

// Two results are neighbors in memory, so that they leave the device in one transfer.
template <class T>
void allocate_results(Job& job, bool wants_labels, DeviceMeanShiftResult<T>& result) {
    if (wants_labels)
        std::tie(result.filtered.pixels, result.labels.pixels) =
            job.queue.allocate_together<T, std::uint32_t>(
                {job.shape.elements(), job.shape.points()}, "filtered image and labels");
    else
        result.filtered.pixels = job.queue.allocate<T>(job.shape.elements(), "filtered image");
}

// `then` is called when the modes are enqueued.
template <class T>
void filter(Job& job, const DeviceImage<const T>& image, bool wants_labels,
            Buffer<std::int32_t>& mode, DeviceMeanShiftResult<T>& result,
            const std::function<void()>& then) {
    const std::int64_t points = job.shape.points();
    job.clock.start("features");
    to_features(job.queue, job.space, image.pixels, points, mode);
    job.clock.start("modes");
    const auto report = [&](double fraction) {
        job.progress.report(prepared_fraction + (modes_fraction - prepared_fraction) * fraction,
                            "modes");
    };
    const auto& loop = job.options.fast                                  ? seek_modes_fast
                       : job.options.kernel == MeanShiftKernel::gaussian ? seek_modes_gaussian
                                                                         : seek_modes;
    const auto to_pixels = [&] {
        allocate_results(job, wants_labels, result);
        from_features(job.queue, job.space, mode, FeatureLayout::planes(points), image.pixels,
                      points, result.filtered.pixels);
        then();
    };
    const ModeSeekingCounts counts = loop(job.queue, job.shape, job.space.channels, job.window,
                                          job.options.max_iterations, mode, report, to_pixels);
    result.iterations = counts.iterations;
    result.capped_points = counts.still_moving;
}

thesis::Call thesis_call(Job& job) {
    return {job.shape, job.options, job.space, job.window, job.queue, job.progress, job.clock};
}

// The segmented image, of the means of regions in `mode`.
template <class T>
void paint(Job& job, const DeviceImage<const T>& image, const Buffer<std::int32_t>& mode,
           DeviceMeanShiftResult<T>& result) {
    result.segmented = {job.queue.allocate<T>(job.shape.elements(), "segmented image"), image.shape,
                        image.geometry, image.has_alpha};
    from_features(job.queue, job.space, mode, FeatureLayout::planes(job.shape.points()),
                  image.pixels, job.shape.points(), result.segmented.pixels);
}

RegionRules region_rules(const Job& job) {
    const MeanShiftOptions& o = job.options;
    RegionRules rules;
    if (*o.fusion_range > 0)
        rules.fusion_limit2 = squared_limit(job, *o.fusion_range * *o.range_bandwidth);
    rules.most_cost = *o.region_scale * std::pow(job.space.units(*o.range_bandwidth), 2);
    rules.smallest = std::min<std::int64_t>(*o.min_region, job.shape.points());
    rules.wide_edges = true;
    return rules;
}

// The labels of the modes: components, and regions merged of them. They are enqueued when this is
// made and done when `finish` returns; `mode` is given up or gets the means of regions.
class Labeling {
  public:
    Labeling(Job& job, MergedFeatures after, Buffer<std::int32_t>& mode,
             Buffer<std::uint32_t>& labels, MeanShiftReport& report)
        : queue_(job.queue) {
        const Shape flat = plane_of(job.shape);
        if (!labels.block()) labels = queue_.allocate<std::uint32_t>(flat.points(), "labels");
        const std::int64_t limit2 = squared_limit(job, *job.options.label_epsilon);
        const RegionRules rules = region_rules(job);
        const bool merges_nothing = rules.merge_nothing() && after == MergedFeatures::dropped;
        const auto merge = [&] {
            if (merges_nothing) return;
            merge_.emplace(queue_, flat, job.space.channels, rules, job.neighbor_axes,
                           std::move(components_), after, mode, labels);
        };
        const auto label_and_merge = [&] {
            components_ = label_components(queue_, flat, job.space.channels, mode, limit2,
                                           job.neighbor_axes, labels);
            merge();
        };
        if (job.options.variant == MeanShiftVariant::thesis) {
            components_ = thesis::label(thesis_call(job), mode, limit2, labels, report);
            if (!merges_nothing) job.clock.start("regions");
            merge();
        } else if (prefers_groups(queue_.device())) {
            queue_.sequence(label_and_merge);
        } else {
            label_and_merge();
        }
    }
    Labeling(const Labeling&) = delete;
    Labeling& operator=(const Labeling&) = delete;

    void finish(MeanShiftReport& report) {
        if (!merge_) {
            report.component_count = queue_.download(components_)[0];
            report.region_count = report.component_count;
            return;
        }
        const MergedRegions merged = merge_->finish();
        report.component_count = merged.components;
        report.region_count = merged.count;
        report.fusion_rounds = merged.fusion_rounds;
        report.merging_rounds = merged.merging_rounds;
        report.pruning_rounds = merged.pruning_rounds;
    }

  private:
    Queue& queue_;
    Buffer<std::uint32_t> components_;  // their number, until it is given to the merge
    std::optional<RegionMerge> merge_;
};

void check_options(const MeanShiftOptions& options, const Shape& shape) {
    validate_options(options);
    if (options.temporal_bandwidth > 0 && shape.t == 1)
        throw InvalidArgument("--temporal is " + detail::shown(options.temporal_bandwidth) +
                              ", but the image has no time axis: leave it out");
    if (options.fast && options.kernel != MeanShiftKernel::flat)
        throw InvalidArgument("--fast uses the flat kernel: leave out either --fast or " +
                              std::string("--kernel ") + std::string(enum_name(options.kernel)));
    if (shape.points() > std::numeric_limits<std::int32_t>::max())
        throw InvalidArgument("the image has " + std::to_string(shape.points()) +
                              " points; mean shift takes at most 2147483647");
    // What is not asked for is not refused: an image smaller than the default is one region.
    constexpr int one_region = 20;  // nor what is no more than a usual value
    if (options.min_region.value_or(0) > std::max<std::int64_t>(shape.points(), one_region))
        throw InvalidArgument("--min-region is " + std::to_string(*options.min_region) +
                              ", and the image has only " + std::to_string(shape.points()) +
                              " pixels: no region can be that large");
}

template <class T>
Image<T> image_like(const DeviceImage<T>& image) {
    auto result = Image<T>::unwritten(image.shape, image.geometry);
    result.has_alpha = image.has_alpha;
    return result;
}

template <class T>
void download(Queue& queue, const DeviceMeanShiftResult<T>& found, MeanShiftResult& result) {
    Image<T> filtered = image_like(found.filtered);
    const std::span<T> pixels(filtered.pixels());
    if (found.labels.pixels.block()) {
        result.labels = image_like(found.labels);
        queue.read(found.filtered.pixels, pixels, found.labels.pixels,
                   std::span<std::uint32_t>(result.labels.pixels()));
    } else {
        queue.read(found.filtered.pixels, pixels);
    }
    result.filtered = std::move(filtered);
    if (!found.segmented.pixels.block()) return;
    Image<T> segmented = image_like(found.segmented);
    queue.read(found.segmented.pixels, std::span<T>(segmented.pixels()));
    result.segmented = std::move(segmented);
}

// The host level around the device level: image in, images out.
template <class T>
MeanShiftResult run(const PixelView<T>& image, const MeanShiftOptions& options, Queue& queue,
                    MeanShiftOutput output, const Progress& progress) {
    const ValueRange values = value_range(PixelSource<T>(image));
    StageClock clock;
    clock.start("upload");
    progress.report(0, "upload");
    const DeviceImage<const T> uploaded{queue.lend(image.pixels(), "input image"), image.shape(),
                                        image.geometry, image.has_alpha};
    clock.finish();
    DeviceMeanShiftResult<T> found = mean_shift(uploaded, values, options, queue, output, progress);
    MeanShiftResult result{std::move(static_cast<MeanShiftReport&>(found)), {}, {}, {}};
    clock.start("download");
    progress.report(labeled_fraction, "download");
    download(queue, found, result);
    std::vector<StageTime> stages = clock.take();
    result.stages.insert(result.stages.begin(), stages.front());
    result.stages.insert(result.stages.end(), stages.begin() + 1, stages.end());
    progress.report(1, "done");
    return result;
}

template <class T>
Image<T> from_float(const Image<float>& image) {
    auto converted = Image<T>::unwritten(image.shape(), image.geometry);
    converted.has_alpha = image.has_alpha;
    for (std::size_t i = 0; i < image.pixels().size(); ++i) {
        const double value = static_cast<double>(image.pixels()[i]);
        if constexpr (std::is_integral_v<T>)
            converted.pixels()[i] = static_cast<T>(
                std::clamp(std::round(value), static_cast<double>(std::numeric_limits<T>::lowest()),
                           static_cast<double>(std::numeric_limits<T>::max())));
        else
            converted.pixels()[i] = value;
    }
    return converted;
}

}  // namespace

template <class T>
DeviceMeanShiftResult<T> mean_shift(const DeviceImage<const T>& image, const ValueRange& values,
                                    const MeanShiftOptions& given, Queue& queue,
                                    MeanShiftOutput output, const Progress& progress) {
    check_options(given, image.shape);
    const MeanShiftOptions options = with_preset(given, image.shape, image.has_alpha);
    const bool by_thesis = options.variant == MeanShiftVariant::thesis;
    const bool wants_labels = output != MeanShiftOutput::filtered_only;
    if (by_thesis) thesis::check_options(options, image.shape);
    const FeatureSpace space = make_feature_space<T>(image.shape, image.has_alpha, values, options);
    Job job{image.shape,
            options,
            space,
            make_window(image.shape, image.geometry, space, options),
            axes_of_neighbors(options.connectivity, image.shape),
            queue,
            progress,
            {}};
    DeviceMeanShiftResult<T> result;
    result.color_space = space.color_space;
    result.connectivity = resolve(options.connectivity, image.shape);
    result.temporal_bandwidth = job.window.temporal_bandwidth;
    if (image.has_alpha)
        result.warnings.push_back("alpha is not compared; it is passed through unchanged");
    Buffer<std::int32_t> mode;
    if (wants_labels || !by_thesis)
        mode = queue.allocate<std::int32_t>(image.shape.points() * space.channels, "modes");
    result.filtered = {{}, image.shape, image.geometry, image.has_alpha};
    const bool wants_segmented = output == MeanShiftOutput::with_segmented;
    std::optional<Labeling> labeling;
    const auto start_labels = [&] {
        labeling.emplace(job, wants_segmented ? MergedFeatures::painted : MergedFeatures::dropped,
                         mode, result.labels.pixels, result);
    };
    // A GPU gets them while it still seeks modes.
    const bool labels_ahead = wants_labels && !by_thesis && prefers_groups(queue.device());
    if (by_thesis)
        result.filtered.pixels =
            thesis::filter(thesis_call(job), image.pixels, wants_labels ? &mode : nullptr,
                           prepared_fraction, modes_fraction, result);
    else
        filter(job, image, wants_labels, mode, result, [&] {
            if (labels_ahead) start_labels();
        });
    job.progress.report(modes_fraction, wants_labels ? "labels" : "filtered image");
    if (wants_labels) {
        job.clock.start("labels");
        if (!labels_ahead) start_labels();
        labeling->finish(result);
        result.labels.shape = plane_of(image.shape);
        result.labels.geometry = image.geometry;
        if (wants_segmented) paint(job, image, mode, result);
    }
    result.stages = job.clock.take();
    return result;
}

template <class T>
DeviceMeanShiftResult<T> mean_shift(const DeviceImage<const T>& image,
                                    const MeanShiftOptions& options, Queue& queue,
                                    MeanShiftOutput output, const Progress& progress) {
    return mean_shift(image, value_range(PixelSource<T>(queue, image)), options, queue, output,
                      progress);
}

#define TESELA_INSTANTIATE(T)                                                                      \
    template DeviceMeanShiftResult<T> mean_shift(const DeviceImage<const T>&, const ValueRange&,   \
                                                 const MeanShiftOptions&, Queue&, MeanShiftOutput, \
                                                 const Progress&);                                 \
    template DeviceMeanShiftResult<T> mean_shift(const DeviceImage<const T>&,                      \
                                                 const MeanShiftOptions&, Queue&, MeanShiftOutput, \
                                                 const Progress&)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::uint16_t);
TESELA_INSTANTIATE(std::int16_t);
TESELA_INSTANTIATE(float);
#undef TESELA_INSTANTIATE

MeanShiftResult mean_shift(const AnyImageView& image, const MeanShiftOptions& given, Queue& queue,
                           MeanShiftOutput output, const Progress& progress) {
    check_options(given, image.shape());
    // The device level fills in the rest, which is checked against the image only where it is
    // given.
    const MeanShiftOptions used = with_preset(given, image);
    MeanShiftOptions options = given;
    options.preset = used.preset;
    options.range_bandwidth = used.range_bandwidth;
    options.label_epsilon = used.label_epsilon;
    return image.visit([&]<class T>(const PixelView<T>& typed) {
        if constexpr (native<T>) {
            return run(typed, options, queue, output, progress);
        } else {
            std::vector<std::string> warnings;
            const Image<float> converted = to_float(typed, warnings);
            MeanShiftResult result =
                run(PixelView<float>(converted), options, queue, output, progress);
            result.filtered = from_float<T>(std::get<Image<float>>(result.filtered));
            if (output == MeanShiftOutput::with_segmented)
                result.segmented = from_float<T>(std::get<Image<float>>(result.segmented));
            result.warnings.insert(result.warnings.end(), warnings.begin(), warnings.end());
            return result;
        }
    });
}

namespace {

// The extent of the first channel of the features, at most.
double feature_extent(const AnyImageView& image, const MeanShiftOptions& options) {
    constexpr double lightness = 100;
    const Shape& shape = image.shape();
    const bool color = shape.channels - (image.has_alpha() ? 1 : 0) == 3;
    const bool picture = shape.dimensions() == 2 && (color || image.pixel_type() == PixelType::u8);
    const bool by_lightness = options.color_space == ColorSpace::automatic
                                  ? picture
                                  : options.color_space != ColorSpace::intensity;
    if (by_lightness) return lightness;
    return image.visit([](const auto& typed) {
        const auto pixels = typed.pixels();
        const auto [lowest, highest] = std::minmax_element(pixels.begin(), pixels.end());
        return static_cast<double>(*highest) - static_cast<double>(*lowest);
    });
}

// Beside the modes; `components` is what labeling the components takes.
std::int64_t labeling_bytes(const Shape& shape, std::int64_t channels, MeanShiftOutput output,
                            std::int64_t components) {
    if (output == MeanShiftOutput::filtered_only) return 0;
    const MergedFeatures after = output == MeanShiftOutput::with_segmented
                                     ? MergedFeatures::painted
                                     : MergedFeatures::dropped;
    return shape.points() * 4 +
           std::max(components, merge_regions_bytes(shape, static_cast<int>(channels),
                                                    shape.points(), after, true));
}

}  // namespace

std::int64_t mean_shift_device_bytes(const AnyImageView& image, const MeanShiftOptions& given,
                                     MeanShiftOutput output) {
    const Shape& shape = image.shape();
    check_options(given, shape);
    const MeanShiftOptions options = with_preset(given, shape, image.has_alpha());
    const std::int64_t points = shape.points();
    const std::int64_t channels = shape.channels - (image.has_alpha() ? 1 : 0);
    const std::int64_t value_bytes = std::min(pixel_type_bytes(image.pixel_type()), 4);
    const std::int64_t image_bytes = 2 * shape.elements() * value_bytes;
    const bool wants_labels = output != MeanShiftOutput::filtered_only;
    if (options.variant == MeanShiftVariant::thesis) {
        thesis::check_options(options, shape);
        const std::int64_t modes = wants_labels ? channels * points * 4 : 0;
        const std::int64_t filtering =
            thesis::filter_bytes(shape, image.geometry(), static_cast<int>(channels), options,
                                 feature_extent(image, options));
        const std::int64_t labeling =
            labeling_bytes(shape, channels, output, thesis::label_bytes(shape));
        return image_bytes + modes + std::max(filtering, labeling);
    }
    const std::int64_t modes = channels * points * 4;
    const auto& loop_bytes = options.fast ? mode_seeking_fast_bytes
                             : options.kernel == MeanShiftKernel::gaussian
                                 ? mode_seeking_gaussian_bytes
                                 : mode_seeking_bytes;
    const std::int64_t seeking = loop_bytes(shape, static_cast<int>(channels));
    const std::int64_t labeling =
        labeling_bytes(shape, channels, output, label_components_bytes(shape));
    const std::int64_t segmented = output == MeanShiftOutput::with_segmented ? image_bytes / 2 : 0;
    return image_bytes + modes + std::max(seeking, labeling + segmented);
}

}  // namespace tesela
