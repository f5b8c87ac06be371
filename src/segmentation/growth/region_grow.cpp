#include "tesela/region_grow.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "core/threads.h"
#include "pixels/native_pixels.h"
#include "pixels/plane_of.h"
#include "segmentation/growth/adams_bischof.h"
#include "segmentation/growth/by_mean.h"
#include "segmentation/growth/by_step.h"
#include "segmentation/growth/confidence.h"
#include "segmentation/growth/connected.h"
#include "segmentation/growth/growth.h"
#include "tesela/overlay.h"

namespace tesela {
namespace {

// Progress of the whole call at the end of each stage.
constexpr double uploaded_fraction = 0.05, grown_fraction = 0.9;

bool by_mean(const CompeteGrowOptions& options) { return options.by == GrowthRule::mean; }

void refuse_unused_options(const CompeteGrowOptions& o) {
    const auto refuse = [&](std::string_view name, bool given, GrowthRule rule) {
        if (given && o.by != rule)
            throw InvalidArgument("--" + std::string(name) + " is for --by " +
                                  std::string(enum_name(rule)) + "; leave it out with --by " +
                                  std::string(enum_name(o.by)));
    };
    refuse("max-step", o.max_step.has_value(), GrowthRule::step);
    refuse("merge-threshold", o.merge_threshold.has_value(), GrowthRule::mean);
    refuse("min-region", o.min_region.has_value(), GrowthRule::mean);
    refuse("color-space", o.color_space != GrowthColorSpace::automatic, GrowthRule::mean);
    refuse("seed-distance", o.seed_distance.has_value(), GrowthRule::mean);
}

int color_channels(const Shape& shape, bool has_alpha) {
    const int channels = shape.channels - (has_alpha ? 1 : 0);
    if (channels == 1 || channels == 3) return channels;
    throw UnsupportedFormat("regions grow on images of 1 or 3 channels and alpha; this one has " +
                            std::to_string(channels) + " channels" +
                            (has_alpha ? " and alpha" : ""));
}

// As in ITK those that share a face; where regions are to cover the image, all that touch.
template <class Options>
Connectivity connectivity_used(const Options& options, const Shape& shape) {
    if (options.connectivity != Connectivity::automatic) return options.connectivity;
    if constexpr (std::is_same_v<Options, MeanGrowOptions>)
        return resolve(options.connectivity, shape);
    return static_cast<Connectivity>(2 * shape.dimensions());
}
template <class Options>
int axes_of_growth(const Options& options, const Shape& shape) {
    return axes_of_neighbors(connectivity_used(options, shape), shape);
}

// Whether the method finds its own seeds where none are given.
bool chooses_seeds(const MeanGrowOptions&) { return true; }
bool chooses_seeds(const LimitGrowOptions&) { return false; }
bool chooses_seeds(const ToleranceGrowOptions&) { return false; }
bool chooses_seeds(const ConfidenceGrowOptions&) { return false; }
bool chooses_seeds(const CompeteGrowOptions& options) { return by_mean(options); }

template <class Options>
SeedChoice choice_of(const Seeds& seeds, const Options& options) {
    if (std::holds_alternative<GridSeeds>(seeds)) return SeedChoice::grid;
    return std::holds_alternative<AutomaticSeeds>(seeds) && chooses_seeds(options)
               ? SeedChoice::automatic
               : SeedChoice::of_objects;
}
PlacedSeeds placed(SeedChoice choice, const Seeds& seeds, const Shape& shape,
                   const Geometry& geometry) {
    return choice == SeedChoice::automatic ? PlacedSeeds{} : place_seeds(seeds, shape, geometry);
}

void check_method(const MeanGrowOptions& options, const Shape& shape, int) {
    check_mean(options, shape);
}
void check_method(const LimitGrowOptions& options, const Shape&, int) { check_limits(options); }
void check_method(const ToleranceGrowOptions& options, const Shape&, int) { check_limits(options); }
void check_method(const ConfidenceGrowOptions&, const Shape&, int) {}
void check_method(const CompeteGrowOptions& options, const Shape& shape, int axes) {
    refuse_unused_options(options);
    if (!by_mean(options)) check_steps(shape, axes);
}

template <class Options>
void check_options(const Options& options, const Shape& shape) {
    validate_options(options);
    if (shape.points() > std::numeric_limits<std::int32_t>::max())
        throw InvalidArgument("the image has " + std::to_string(shape.points()) +
                              " points; regions grow on at most 2147483647");
    check_method(options, shape, axes_of_growth(options, shape));
}

template <class T>
Buffer<std::uint32_t> grow(GrowthJob<T>& job, const MeanGrowOptions& options) {
    return grow_by_mean(job, options);
}
template <class T>
Buffer<std::uint32_t> grow(GrowthJob<T>& job, const LimitGrowOptions& options) {
    return grow_connected(job, options);
}
template <class T>
Buffer<std::uint32_t> grow(GrowthJob<T>& job, const ToleranceGrowOptions& options) {
    return grow_connected(job, options);
}
template <class T>
Buffer<std::uint32_t> grow(GrowthJob<T>& job, const ConfidenceGrowOptions& options) {
    return grow_confidence(job, options);
}
template <class T>
Buffer<std::uint32_t> grow(GrowthJob<T>& job, const CompeteGrowOptions& options) {
    return by_mean(options) ? grow_adams_bischof(job, options)
                            : grow_by_step(job, options.max_step);
}

using Numbers = std::unordered_map<std::uint32_t, std::uint32_t>;

// Intervals of labels that have other numbers now; of those that have none they go.
void rename_intervals(const Numbers& numbers, std::vector<GrowthInterval>& intervals) {
    std::erase_if(intervals, [&](const GrowthInterval& i) { return !numbers.contains(i.label); });
    for (GrowthInterval& interval : intervals) interval.label = numbers.at(interval.label);
    std::sort(intervals.begin(), intervals.end(),
              [](const GrowthInterval& a, const GrowthInterval& b) { return a.label < b.label; });
}

// Numbers that mean nothing become 1..N, raster-first.
void number_raster_first(LabelImage& labels, std::vector<GrowthInterval>& intervals) {
    Numbers numbers{{0, 0}};
    std::uint32_t last = 0, number = 0;
    for (std::uint32_t& label : labels.pixels()) {
        if (label != last)
            number = numbers.try_emplace(label, static_cast<std::uint32_t>(numbers.size()))
                         .first->second;
        last = label;
        label = number;
    }
    rename_intervals(numbers, intervals);
}

// The labels of pixels, and how many pixels have none.
struct Counted {
    std::unordered_set<std::uint32_t> labels{0};
    std::int64_t unlabeled = 0;
};

Counted counted(std::span<const std::uint32_t> pixels) {
    // Most pieces of a picture have one label, which is seen without asking each point.
    constexpr std::size_t piece = 1024;
    Counted found;
    std::uint32_t last = 0;
    for (std::size_t first = 0; first < pixels.size(); first += piece) {
        const auto part = pixels.subspan(first, std::min(piece, pixels.size() - first));
        std::uint32_t unlabeled = 0, others = 0;
        for (const std::uint32_t label : part) {
            unlabeled += label == 0;
            others |= label ^ last;
        }
        found.unlabeled += unlabeled;
        if (others == 0) continue;
        for (const std::uint32_t label : part)
            if (label != last) found.labels.insert(last = label);
    }
    return found;
}

void count_regions(const LabelImage& labels, RegionGrowResult& report) {
    constexpr std::size_t part = std::size_t{1} << 21;  // of pixels, for a thread
    const std::span<const std::uint32_t> pixels(labels.pixels());
    Counted all;
    std::mutex mutex;
    detail::for_each_index(
        static_cast<std::int64_t>((pixels.size() + part - 1) / part), 0, [&](std::int64_t i) {
            const std::size_t first = static_cast<std::size_t>(i) * part;
            Counted own = counted(pixels.subspan(first, std::min(part, pixels.size() - first)));
            const std::lock_guard lock(mutex);
            all.labels.merge(own.labels);
            all.unlabeled += own.unlabeled;
        });
    report.unlabeled_points = all.unlabeled;
    report.count = static_cast<std::uint32_t>(all.labels.size() - 1);
}

// What a call has beside the image in a type of the device.
template <class Options>
struct Call {
    const Seeds& seeds;
    const Options& options;
    Queue& queue;
    const Progress& progress;
    bool whole_values;
    StageClock& clock;
    RegionGrowReport& report;
    std::span<std::uint32_t> host_labels = {};  // where labels go in the end
};

// Labels on the device, and whether their numbers are the user's.
struct Grown {
    Buffer<std::uint32_t> labels;
    PlacedSeeds seeds;
};

template <class T, class Options>
Grown run(const PixelSource<T>& image, const Call<Options>& call) {
    const Shape& shape = image.shape();
    call.clock.start("seeds");
    const SeedChoice choice = choice_of(call.seeds, call.options);
    PlacedSeeds seeds = placed(choice, call.seeds, shape, image.geometry);
    check_seed_values(image, seeds);
    call.clock.start("upload");
    call.progress.report(0, "upload");
    const Progress growing([&](double fraction, std::string_view stage) {
        call.progress.report(uploaded_fraction + (grown_fraction - uploaded_fraction) * fraction,
                             stage);
    });
    GrowthJob<T> job{image,
                     image.on_device(call.queue),
                     call.whole_values,
                     color_channels(shape, image.has_alpha),
                     choice,
                     seeds,
                     axes_of_growth(call.options, shape),
                     call.queue,
                     growing,
                     call.report,
                     call.host_labels};
    growing.report(0, "grow");
    call.clock.start("grow");
    Buffer<std::uint32_t> labels = grow(job, call.options);
    return {std::move(labels), std::move(seeds)};
}

template <class Options>
constexpr bool has_limits =
    std::is_same_v<Options, LimitGrowOptions> || std::is_same_v<Options, ToleranceGrowOptions>;

template <class T>
std::string value_text(const PixelView<T>& image, std::size_t point) {
    const int channels = image.shape().channels;
    std::string text;
    for (int c = 0; c < channels - (image.has_alpha ? 1 : 0); ++c)
        text += (c == 0 ? "" : ", ") +
                detail::shown(
                    static_cast<double>(image.pixels()[point * static_cast<std::size_t>(channels) +
                                                       static_cast<std::size_t>(c)]));
    return text;
}

// Of methods with limits a seed without a label stands outside of them.
template <class T>
void warn_of_seeds_outside(const PixelView<T>& image, const PlacedSeeds& seeds,
                           RegionGrowResult& result) {
    const std::vector<std::uint32_t>& labels = result.labels.pixels();
    const auto is_outside = [&](std::uint32_t point) { return labels[point] == 0; };
    const auto count = std::count_if(seeds.points.begin(), seeds.points.end(), is_outside);
    if (count == 0) return;
    const std::uint32_t first = *std::find_if(seeds.points.begin(), seeds.points.end(), is_outside);
    result.warnings.push_back(std::to_string(count) + " of " + std::to_string(seeds.size()) +
                              (seeds.size() == 1 ? " seed is" : " seeds are") +
                              " outside of the limits, and nothing grows there: the value at " +
                              seed_text(image.shape(), image.geometry, seeds.frame, first) +
                              " is " + value_text(image, first) +
                              "; change the limits, or move the seeds");
}

template <class Options>
void start_report(const Shape& shape, bool has_alpha, const Options& options,
                  RegionGrowReport& report) {
    check_options(options, shape);
    report.connectivity = connectivity_used(options, shape);
    if (has_alpha) report.warnings.push_back("alpha is not compared");
}

template <class Options>
RegionGrowResult grown(const AnyImageView& image, const Seeds& seeds, const Options& options,
                       Queue& queue, const Progress& progress) {
    RegionGrowResult result;
    start_report(image.shape(), image.has_alpha(), options, result);
    result.labels = LabelImage::unwritten(plane_of(image.shape()), image.geometry());
    StageClock clock;
    const Grown found = image.visit([&]<class T>(const PixelView<T>& typed) {
        const Call<Options> call{seeds,
                                 options,
                                 queue,
                                 progress,
                                 std::is_integral_v<T>,
                                 clock,
                                 result,
                                 std::span<std::uint32_t>(result.labels.pixels())};
        if constexpr (native<T>)
            return run<T>(typed, call);
        else
            return run<float>(to_float(typed, result.warnings), call);
    });
    progress.report(grown_fraction, "download");
    clock.start("download");
    queue.read(found.labels, std::span<std::uint32_t>(result.labels.pixels()));
    if (has_limits<Options> && !std::holds_alternative<GridSeeds>(seeds))
        image.visit([&](const auto& typed) { warn_of_seeds_outside(typed, found.seeds, result); });
    if (!found.seeds.labeled_by_user) number_raster_first(result.labels, result.intervals);
    count_regions(result.labels, result);
    result.stages = clock.take();
    return result;
}

// Labels that are mere numbers go to the host and back, to be numbered in raster order.
template <class T, class Options>
DeviceRegionGrowResult grown(const DeviceImage<const T>& image, const Seeds& seeds,
                             const Options& options, Queue& queue, const Progress& progress) {
    DeviceRegionGrowResult result;
    start_report(image.shape, image.has_alpha, options, result);
    StageClock clock;
    Grown found =
        run(PixelSource<T>(queue, image),
            Call<Options>{seeds, options, queue, progress, std::is_integral_v<T>, clock, result});
    const Shape shape = plane_of(image.shape);
    if (!found.seeds.labeled_by_user) {
        LabelImage labels(shape);
        labels.pixels() = queue.download(found.labels);
        number_raster_first(labels, result.intervals);
        found.labels = queue.upload(std::span<const std::uint32_t>(labels.pixels()), "labels");
    }
    result.labels = {std::move(found.labels), shape, image.geometry};
    result.stages = clock.take();
    return result;
}

// What the memory of a method depends on.
struct Sizes {
    const Shape& shape;
    std::int64_t image_bytes;
    int channels, axes;
    SeedChoice choice;
    const PlacedSeeds& seeds;
    bool in_groups;
};

std::int64_t method_bytes(const MeanGrowOptions& options, const Sizes& s) {
    return mean_bytes(s.shape, s.image_bytes, s.channels, s.axes, s.choice, s.seeds, options);
}
std::int64_t method_bytes(const LimitGrowOptions& options, const Sizes& s) {
    return s.image_bytes + connected_bytes(s.shape, s.seeds.size(), options, s.in_groups);
}
std::int64_t method_bytes(const ToleranceGrowOptions& options, const Sizes& s) {
    return s.image_bytes + connected_bytes(s.shape, s.seeds.size(), options, s.in_groups);
}
std::int64_t method_bytes(const ConfidenceGrowOptions&, const Sizes& s) {
    return s.image_bytes + confidence_bytes(s.shape, s.seeds.size(), s.in_groups);
}
std::int64_t method_bytes(const CompeteGrowOptions& options, const Sizes& s) {
    if (!by_mean(options))
        return step_bytes(s.shape, s.image_bytes, s.seeds.size(), s.axes, s.channels);
    return s.image_bytes +
           adams_bischof_bytes(s.shape, s.channels, s.axes, s.choice, s.seeds, options);
}

}  // namespace

RegionGrowResult region_grow(const AnyImageView& image, const Seeds& seeds,
                             const RegionGrowOptions& options, Queue& queue,
                             RegionGrowOutput output, const Progress& progress) {
    check_device(options, queue.device());
    RegionGrowResult result = std::visit(
        [&](const auto& method) { return grown(image, seeds, method, queue, progress); }, options);
    if (output == RegionGrowOutput::with_segmented)
        result.segmented = region_means(image, result.labels);
    progress.report(1, "done");
    return result;
}

template <class T>
DeviceRegionGrowResult region_grow(const DeviceImage<const T>& image, const Seeds& seeds,
                                   const RegionGrowOptions& options, Queue& queue,
                                   const Progress& progress) {
    check_device(options, queue.device());
    DeviceRegionGrowResult result = std::visit(
        [&](const auto& method) { return grown(image, seeds, method, queue, progress); }, options);
    progress.report(1, "done");
    return result;
}
#define TESELA_INSTANTIATE(T)                                                              \
    template DeviceRegionGrowResult region_grow(const DeviceImage<const T>&, const Seeds&, \
                                                const RegionGrowOptions&, Queue&, const Progress&)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::uint16_t);
TESELA_INSTANTIATE(std::int16_t);
TESELA_INSTANTIATE(float);
#undef TESELA_INSTANTIATE

void check_device(const RegionGrowOptions& options, const Device& device) {
    const auto* compete = std::get_if<CompeteGrowOptions>(&options);
    if (compete && by_mean(*compete) && device.back_end() != BackEnd::cpu)
        throw InvalidArgument(
            "--by mean takes one pixel after another, so it runs on the CPU "
            "alone, not on " +
            device.id() + ": use --device cpu");
}

std::int64_t region_grow_device_bytes(const AnyImageView& image, const Seeds& seeds,
                                      const RegionGrowOptions& options, const Device& device) {
    const Shape& shape = image.shape();
    const std::int64_t image_bytes =
        shape.elements() * std::min(pixel_type_bytes(image.pixel_type()), 4);
    return std::visit(
        [&](const auto& method) {
            check_options(method, shape);
            const SeedChoice choice = choice_of(seeds, method);
            const PlacedSeeds given = placed(choice, seeds, shape, image.geometry());
            return method_bytes(
                method, {shape, image_bytes, color_channels(shape, image.has_alpha()),
                         axes_of_growth(method, shape), choice, given, prefers_groups(device)});
        },
        options);
}

}  // namespace tesela
