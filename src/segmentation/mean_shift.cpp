#include "tesela/mean_shift.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <type_traits>

#include "kernels/mean_shift.kernel.h"
#include "segmentation/components.h"
#include "segmentation/feature_space.h"
#include "segmentation/thesis/thesis.h"
#include "segmentation/window.h"
#include "tesela/compute/primitives.h"

namespace tesela {
namespace {

// The pixel types that have kernels of their own; others are worked on as float.
template <class T>
constexpr bool native = std::is_same_v<T, std::uint8_t> || std::is_same_v<T, std::uint16_t> ||
                        std::is_same_v<T, std::int16_t> || std::is_same_v<T, float>;

// Progress of the whole call at the end of each stage.
constexpr double prepared_fraction = 0.02, climbed_fraction = 0.9, labeled_fraction = 0.98;

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

struct ClimbCounts {
    std::int64_t iterations = 0;
    std::int64_t still_moving = 0;
};

// How many points one launch takes, so that a launch stays short enough to stop on request.
std::int64_t points_per_launch(const Job& job, int rounds) {
    const bool gpu = job.queue.device().properties().is_gpu;
    const double pairs = gpu ? 2e10 : 1e8;
    const double fitting = pairs / (job.window.samples * rounds);
    return static_cast<std::int64_t>(std::max(fitting, gpu ? 65536.0 : 256.0));
}

void launch_climb(Job& job, const Buffer<std::int32_t>& features, Buffer<std::int32_t>& mode,
                  Buffer<std::int32_t>& position, const Buffer<std::uint32_t>& active,
                  Buffer<std::uint8_t>& moving, Buffer<std::uint32_t>& iterations,
                  std::int64_t first, std::int64_t count, int rounds) {
    const Window& w = job.window;
    const auto launch = [&](const auto& kernel) {
        job.queue.launch(kernel, Range{count}, features, mode, position, active, moving, iterations,
                         job.shape.points(), static_cast<int>(first), static_cast<int>(job.shape.x),
                         static_cast<int>(job.shape.y), static_cast<int>(job.shape.z), w.steps[0],
                         w.steps[1], w.steps[2], w.spatial_limit2, w.range_limit2,
                         w.inverse_spatial2, w.inverse_range2, w.epsilon2, rounds);
    };
    if (job.space.channels == 3)
        launch(kernels::mean_shift_climb_3);
    else
        launch(kernels::mean_shift_climb_1);
}

// Moves every point to its mode. Points that are done leave the list every few rounds.
ClimbCounts climb(Job& job, const Buffer<std::int32_t>& features, Buffer<std::int32_t>& mode) {
    constexpr int rounds_per_launch = 8;
    Queue& queue = job.queue;
    const std::int64_t points = job.shape.points();
    auto position = queue.allocate<std::int32_t>(3 * points, "positions");
    auto active = queue.allocate<std::uint32_t>(points, "moving points");
    auto still_active = queue.allocate<std::uint32_t>(points, "points that go on moving");
    auto moving = queue.allocate<std::uint8_t>(points, "moving flags");
    auto kept = queue.allocate<std::uint32_t>(1, "number of moving points");
    std::array<std::uint32_t, 16> rounds_taken{};
    auto iterations = queue.allocate<std::uint32_t>(rounds_taken.size(), "rounds taken");
    queue.copy(features, mode);
    queue.launch(kernels::mean_shift_start, Range{points}, position, active, points,
                 static_cast<int>(job.shape.x), static_cast<int>(job.shape.y), job.window.steps[0],
                 job.window.steps[1], job.window.steps[2]);

    ClimbCounts counts{0, points};
    for (int done = 0; counts.still_moving > 0 && done < job.options.max_iterations;) {
        const int rounds = std::min(rounds_per_launch, job.options.max_iterations - done);
        const std::int64_t slice = points_per_launch(job, rounds);
        queue.fill(iterations, std::uint32_t{0});
        for (std::int64_t first = 0; first < counts.still_moving; first += slice) {
            const double climbed = static_cast<double>(points - counts.still_moving + first) /
                                   static_cast<double>(points);
            job.progress.report(
                prepared_fraction + (climbed_fraction - prepared_fraction) * climbed, "climb");
            launch_climb(job, features, mode, position, active, moving, iterations, first,
                         std::min(slice, counts.still_moving - first), rounds);
        }
        compact(queue, active, moving, counts.still_moving, still_active, kept);
        std::swap(active, still_active);
        std::array<std::uint32_t, 1> remaining{};
        queue.read(kept, std::span<std::uint32_t>(remaining));
        queue.read(iterations, std::span<std::uint32_t>(rounds_taken));
        for (const std::uint32_t taken : rounds_taken) counts.iterations += taken;
        counts.still_moving = remaining[0];
        done += rounds;
    }
    return counts;
}

std::int64_t label_limit2(const Job& job) {
    const double limit = job.space.units(job.options.label_epsilon);
    constexpr double largest = 3e9;  // beyond any feature difference; its square fits 63 bits
    return static_cast<std::int64_t>(std::floor(std::pow(std::min(limit, largest), 2)));
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

template <class T>
void filter(Job& job, const DeviceImage<const T>& image, bool wants_labels,
            Buffer<std::int32_t>& mode, DeviceMeanShiftResult<T>& result) {
    const std::int64_t points = job.shape.points();
    job.clock.start("features");
    auto features = job.queue.allocate<std::int32_t>(points * job.space.channels, "features");
    to_features(job.queue, job.space, image.pixels, points, features);
    job.clock.start("climb");
    const ClimbCounts counts = climb(job, features, mode);
    result.iterations = counts.iterations;
    result.capped_points = counts.still_moving;
    job.progress.report(climbed_fraction, "filtered image");
    job.clock.start("filtered image");
    allocate_results(job, wants_labels, result);
    from_features(job.queue, job.space, mode, FeatureLayout::planes(points), image.pixels, points,
                  result.filtered.pixels);
}

thesis::Call thesis_call(Job& job) {
    return {job.shape, job.options, job.space, job.window, job.queue, job.progress, job.clock};
}

void label(Job& job, const Buffer<std::int32_t>& mode, Buffer<std::uint32_t>& labels,
           MeanShiftReport& report) {
    job.progress.report(climbed_fraction, "labels");
    job.clock.start("labels");
    Shape flat = job.shape;
    flat.channels = 1;
    if (!labels.block()) labels = job.queue.allocate<std::uint32_t>(flat.points(), "labels");
    report.region_count =
        job.options.variant == MeanShiftVariant::thesis
            ? thesis::label(thesis_call(job), mode, label_limit2(job), labels, report)
            : label_components(job.queue, flat, job.space.channels, mode, label_limit2(job),
                               job.neighbor_axes, labels);
}

void check_shape(const Shape& shape) {
    if (shape.t > 1)
        throw UnsupportedFormat("mean shift takes 2-D and 3-D images; this one has " +
                                std::to_string(shape.t) + " time points");
    if (shape.points() > std::numeric_limits<std::int32_t>::max())
        throw InvalidArgument("the image has " + std::to_string(shape.points()) +
                              " points; mean shift takes at most 2147483647");
}

template <class T>
Image<T> image_like(const DeviceImage<T>& image) {
    Image<T> result(image.shape, image.geometry);
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
}

// The host level around the device level: image in, images out.
template <class T>
MeanShiftResult run(const Image<T>& image, const MeanShiftOptions& options, Queue& queue,
                    MeanShiftOutput output, const Progress& progress) {
    const ValueRange values = value_range(image);
    StageClock clock;
    clock.start("upload");
    progress.report(0, "upload");
    const DeviceImage<const T> uploaded{
        queue.lend(std::span<const T>(image.pixels()), "input image"), image.shape(),
        image.geometry, image.has_alpha};
    clock.finish();
    DeviceMeanShiftResult<T> found = mean_shift(uploaded, values, options, queue, output, progress);
    MeanShiftResult result{std::move(static_cast<MeanShiftReport&>(found)), {}, {}};
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
Image<float> to_float(const Image<T>& image, std::vector<std::string>& warnings) {
    Image<float> converted(image.shape(), image.geometry);
    converted.has_alpha = image.has_alpha;
    bool exact = true;
    for (std::size_t i = 0; i < image.pixels().size(); ++i) {
        converted.pixels()[i] = static_cast<float>(image.pixels()[i]);
        exact = exact && static_cast<double>(converted.pixels()[i]) ==
                             static_cast<double>(image.pixels()[i]);
    }
    if (!exact)
        warnings.push_back("values are compared in single precision, which does not hold all of " +
                           std::string(pixel_type_name(pixel_type_of<T>())));
    return converted;
}

template <class T>
Image<T> from_float(const Image<float>& image) {
    Image<T> converted(image.shape(), image.geometry);
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
                                    const MeanShiftOptions& options, Queue& queue,
                                    MeanShiftOutput output, const Progress& progress) {
    validate_options(options);
    check_shape(image.shape);
    const bool by_thesis = options.variant == MeanShiftVariant::thesis;
    const bool wants_labels = output == MeanShiftOutput::filtered_and_labels;
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
    if (image.has_alpha)
        result.warnings.push_back("alpha is not compared; it is passed through unchanged");
    Buffer<std::int32_t> mode;
    if (wants_labels || !by_thesis)
        mode = queue.allocate<std::int32_t>(image.shape.points() * space.channels, "modes");
    result.filtered = {{}, image.shape, image.geometry, image.has_alpha};
    if (by_thesis)
        result.filtered.pixels =
            thesis::filter(thesis_call(job), image.pixels, wants_labels ? &mode : nullptr,
                           prepared_fraction, climbed_fraction, result);
    else
        filter(job, image, wants_labels, mode, result);
    if (wants_labels) {
        label(job, mode, result.labels.pixels, result);
        result.labels.shape = image.shape;
        result.labels.shape.channels = 1;
        result.labels.geometry = image.geometry;
    }
    result.stages = job.clock.take();
    return result;
}

#define TESELA_INSTANTIATE(T)                                                                      \
    template DeviceMeanShiftResult<T> mean_shift(const DeviceImage<const T>&, const ValueRange&,   \
                                                 const MeanShiftOptions&, Queue&, MeanShiftOutput, \
                                                 const Progress&)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::uint16_t);
TESELA_INSTANTIATE(std::int16_t);
TESELA_INSTANTIATE(float);
#undef TESELA_INSTANTIATE

MeanShiftResult mean_shift(const AnyImage& image, const MeanShiftOptions& options, Queue& queue,
                           MeanShiftOutput output, const Progress& progress) {
    validate_options(options);
    check_shape(shape_of(image));
    return std::visit(
        [&]<class T>(const Image<T>& typed) {
            if constexpr (native<T>) {
                return run(typed, options, queue, output, progress);
            } else {
                std::vector<std::string> warnings;
                const Image<float> converted = to_float(typed, warnings);
                MeanShiftResult result = run(converted, options, queue, output, progress);
                result.filtered = from_float<T>(std::get<Image<float>>(result.filtered));
                result.warnings.insert(result.warnings.end(), warnings.begin(), warnings.end());
                return result;
            }
        },
        image);
}

namespace {

// The extent of the first channel of the features, at most.
double feature_extent(const AnyImage& image, const MeanShiftOptions& options) {
    constexpr double lightness = 100;
    const Shape& shape = shape_of(image);
    const bool color = shape.channels - (has_alpha(image) ? 1 : 0) == 3;
    const bool picture =
        shape.dimensions() == 2 && (color || pixel_type_of(image) == PixelType::u8);
    const bool by_lightness = options.color_space == ColorSpace::automatic
                                  ? picture
                                  : options.color_space != ColorSpace::intensity;
    if (by_lightness) return lightness;
    return std::visit(
        [](const auto& typed) {
            const auto [lowest, highest] =
                std::minmax_element(typed.pixels().begin(), typed.pixels().end());
            return static_cast<double>(*highest) - static_cast<double>(*lowest);
        },
        image);
}

}  // namespace

std::int64_t mean_shift_device_bytes(const AnyImage& image, const MeanShiftOptions& options,
                                     MeanShiftOutput output) {
    validate_options(options);
    const Shape& shape = shape_of(image);
    check_shape(shape);
    const std::int64_t points = shape.points();
    const std::int64_t channels = shape.channels - (has_alpha(image) ? 1 : 0);
    const std::int64_t value_bytes = std::min(pixel_type_bytes(pixel_type_of(image)), 4);
    const std::int64_t image_bytes = 2 * shape.elements() * value_bytes;
    const bool wants_labels = output == MeanShiftOutput::filtered_and_labels;
    if (options.variant == MeanShiftVariant::thesis) {
        thesis::check_options(options, shape);
        const std::int64_t modes = wants_labels ? channels * points * 4 : 0;
        const std::int64_t filtering =
            thesis::filter_bytes(shape, geometry_of(image), static_cast<int>(channels), options,
                                 feature_extent(image, options));
        const std::int64_t labeling = wants_labels ? points * 4 + thesis::label_bytes(shape) : 0;
        return image_bytes + modes + std::max(filtering, labeling);
    }
    const std::int64_t planes = 2 * channels * points * 4;
    const std::int64_t climbing = points * (3 * 4 + 2 * 4 + 1);
    const std::int64_t labeling = wants_labels ? points * 4 + label_components_bytes(shape) : 0;
    return image_bytes + planes + std::max(climbing, labeling);
}

}  // namespace tesela
