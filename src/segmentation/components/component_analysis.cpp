// The public operation around label_components: any pixel type, background, sizes and the table.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <type_traits>

#include "core/point_text.h"
#include "core/with_type.h"
#include "kernels/components/component_selection.kernel.h"
#include "segmentation/components/component_runs.h"
#include "segmentation/components/component_statistics.h"
#include "segmentation/components/components.h"
#include "segmentation/components/most_components.h"
#include "tesela/components.h"
#include "tesela/compute/primitives.h"

namespace tesela {
namespace {

using kernels::i32;
using kernels::u32;

// The pixel types that have kernels of their own; signed ones are looked at as unsigned.
template <class T>
struct Kernels;
template <>
struct Kernels<std::uint8_t> {
    static constexpr auto& mask = kernels::component_mask_u8;
};
template <>
struct Kernels<std::uint16_t> {
    static constexpr auto& mask = kernels::component_mask_u16;
    static constexpr auto& patterns = kernels::component_patterns_u16;
};
template <>
struct Kernels<u32> {
    static constexpr auto& mask = kernels::component_mask_u32;
    static constexpr auto& patterns = kernels::component_patterns_u32;
};
template <>
struct Kernels<std::int32_t> {
    static constexpr auto& mask = kernels::component_mask_i32;
};
template <>
struct Kernels<float> {
    static constexpr auto& mask = kernels::component_mask_f32;
    static constexpr auto& patterns = kernels::component_patterns_f32;
};

// One call on the device.
class Analysis {
  public:
    Analysis(Queue& queue, const Shape& shape, const ComponentOptions& options,
             ComponentOutput output)
        : queue_(queue),
          shape_(shape),
          options_(options),
          wants_table_(output == ComponentOutput::labels_and_table),
          axes_(axes_of_neighbors(options.connectivity, shape)) {}

    // Labels are made in `labels`, of one element a point.
    template <class T>
    DeviceComponents run(const DeviceImage<const T>& image, u32 background, Buffer<u32> labels) {
        result_.labels = {std::move(labels), shape_, image.geometry};
        result_.connectivity = resolve(options_.connectivity, shape_);
        if (prefers_groups(queue_.device()))
            run_by_points(image, background);
        else
            run_by_runs(image, background);
        if (!wants_table_) result_.statistics = {};
        return std::move(result_);
    }

  private:
    bool is_binary() const { return options_.values == ComponentValues::binary; }
    bool has_background() const { return is_binary() || options_.background.has_value(); }
    bool wants_samples() const { return wants_table_ || has_background(); }
    bool wants_statistics() const { return wants_table_ || options_.min_size > 1; }

    // Calls `work` with the image as values that are compared for equality.
    template <class T, class Work>
    void with_values(const DeviceImage<const T>& image, const Work& work) {
        if constexpr (std::is_same_v<T, std::uint8_t>) {
            work(image.pixels);
        } else {
            auto patterns = queue_.allocate<i32>(shape_.points(), "values");
            if constexpr (std::is_same_v<T, i32>)
                queue_.copy(image.pixels, patterns);
            else
                queue_.launch(Kernels<T>::patterns, Range{shape_.points()}, image.pixels, patterns);
            work(patterns);
        }
    }

    // ---- Which components stay ----

    // 1 for each.
    Buffer<u32> all_stay() {
        return queue_.allocate_filled<u32>(result_.count, 1u, "components that stay");
    }
    void drop_background(u32 background, Buffer<u32>& keep) {
        queue_.launch(kernels::component_keep_foreground, Range{result_.count}, result_.samples,
                      background, keep);
    }
    void drop_small(Buffer<u32>& keep) {
        const ComponentAreas areas = component_areas(shape_, result_.count);
        queue_.launch(kernels::component_keep_large, Range{result_.count}, result_.statistics,
                      areas.first, areas.step, static_cast<u32>(options_.min_size), keep);
    }

    // Numbers the components that stay anew: those of labels by `apply`, and the table's.
    template <class Apply>
    void renumber(Buffer<u32> keep, const Apply& apply) {
        const std::int64_t count = result_.count;
        auto total = queue_.allocate<u32>(1, "component count");
        reduce(queue_, ReduceOperation::sum, keep, count, total);
        auto before = queue_.allocate<u32>(count + 1, "numbers of components");
        exclusive_scan(queue_, keep, count, before);
        queue_.launch(kernels::component_numbers, Range{count}, before, keep);
        apply(keep);
        result_.count = queue_.download(total)[0];
        if (wants_table_ && result_.statistics.block()) move_table(keep, count);
    }
    void move_table(const Buffer<u32>& numbers, std::int64_t count) {
        const ComponentAreas areas = component_areas(shape_, count);
        auto samples = queue_.allocate<u32>(result_.count, "values of components");
        auto records = queue_.allocate<u32>(
            std::int64_t{result_.count} * component_record_words(shape_), "component statistics");
        const ComponentAreas kept_areas = component_areas(shape_, result_.count);
        const int words = component_record_words(shape_) - (areas.step > 1 ? 0 : 1);
        queue_.launch(kernels::component_move, Range{count}, numbers, result_.samples,
                      result_.statistics, i32{words}, areas.first, areas.step, kept_areas.first,
                      samples, records);
        result_.samples = std::move(samples);
        result_.statistics = std::move(records);
    }

    // ---- On a GPU: all is done to points ----

    template <class Values>
    void label_points(const Values& values) {
        Buffer<u32>& labels = result_.labels.pixels;
        if (wants_statistics()) {
            MeasuredComponents found = measure_components(queue_, shape_, values, axes_, labels);
            result_.count = found.count;
            result_.statistics = std::move(found.statistics);
        } else {
            result_.count = queue_.download(count_of(values))[0];
        }
        if (!wants_samples()) return;
        result_.samples = queue_.allocate<u32>(result_.count, "values of components");
        sample_points(values);
    }
    Buffer<u32> count_of(const Buffer<const std::uint8_t>& values) {
        return label_components(queue_, shape_, values, axes_, result_.labels.pixels);
    }
    Buffer<u32> count_of(const Buffer<i32>& values) {
        return label_components(queue_, shape_, 1, values, 0, axes_, result_.labels.pixels);
    }
    void sample_points(const Buffer<const std::uint8_t>& values) {
        queue_.launch(kernels::component_samples_u8, Range{shape_.points()}, result_.labels.pixels,
                      values, result_.samples);
    }
    void sample_points(const Buffer<i32>& values) {
        queue_.launch(kernels::component_samples_i32, Range{shape_.points()}, result_.labels.pixels,
                      values, result_.samples);
    }
    template <class T>
    void run_by_points(const DeviceImage<const T>& image, u32 background) {
        if (is_binary()) {
            auto mask = queue_.allocate<std::uint8_t>(shape_.points(), "mask");
            queue_.launch(Kernels<T>::mask, Range{shape_.points()}, image.pixels, mask);
            label_points(Buffer<const std::uint8_t>(std::move(mask)));
        } else {
            with_values(image, [&](const auto& values) { label_points(values); });
        }
        if (!has_background() && options_.min_size <= 1) return;
        auto keep = all_stay();
        if (has_background()) drop_background(background, keep);
        auto foreground = queue_.allocate<u32>(1, "component count");
        if (options_.min_size > 1) {
            reduce(queue_, ReduceOperation::sum, keep, result_.count, foreground);
            drop_small(keep);
        }
        renumber(std::move(keep), [&](const Buffer<u32>& numbers) {
            queue_.launch(kernels::component_renumber, Range{shape_.points()}, numbers,
                          result_.labels.pixels);
        });
        if (options_.min_size > 1)
            result_.dropped_count = queue_.download(foreground)[0] - result_.count;
    }

    // ---- On a processor: all is done to runs, and points are painted at the end ----

    LabeledRuns runs_of(const Buffer<const std::uint8_t>& values) {
        return label_runs(queue_, shape_, values, axes_, result_.labels.pixels);
    }
    LabeledRuns runs_of(const Buffer<i32>& values) {
        return label_runs(queue_, shape_, 1, values, 0, axes_, result_.labels.pixels);
    }
    template <class Values>
    void label_by_runs(const LabeledRuns& runs, const Values& values, u32 background) {
        Buffer<u32>& labels = result_.labels.pixels;
        const auto sample = [&] {
            result_.samples = {};  // those of all components, before some were dropped
            result_.samples = queue_.allocate<u32>(result_.count, "values of components");
            sample_runs(queue_, shape_, values, runs, labels, result_.samples);
        };
        const auto by_numbers = [&](const Buffer<u32>& numbers) {
            renumber_runs(queue_, shape_, numbers, runs, labels);
        };
        result_.count = queue_.download(runs.counts)[0];
        if (has_background()) {
            sample();
            auto keep = all_stay();
            drop_background(background, keep);
            renumber(std::move(keep), by_numbers);
        }
        if (wants_statistics())
            result_.statistics = run_statistics(queue_, shape_, runs.runs, labels, result_.count);
        if (wants_samples()) sample();
        if (options_.min_size > 1) {
            const u32 foreground = result_.count;
            auto keep = all_stay();
            drop_small(keep);
            renumber(std::move(keep), by_numbers);
            result_.dropped_count = foreground - result_.count;
        }
        paint_runs(queue_, shape_, runs, labels);
    }
    template <class T>
    void run_by_runs(const DeviceImage<const T>& image, u32 background) {
        if (is_binary()) {
            const auto bits = point_bits(queue_, shape_, image.pixels);
            label_by_runs(label_runs(queue_, shape_, bits, axes_, result_.labels.pixels), bits,
                          background);
            return;
        }
        with_values(
            image, [&](const auto& values) { label_by_runs(runs_of(values), values, background); });
    }

    Queue& queue_;
    const Shape& shape_;
    const ComponentOptions& options_;
    bool wants_table_;
    int axes_;
    DeviceComponents result_;
};

// Bits of pixels: integers of less than 32 as unsigned ones, the two zeros of float alike.
template <class T>
u32 bits_of(T value) {
    if constexpr (std::is_same_v<T, float>)
        return std::bit_cast<u32>(value + 0.0f);
    else
        return static_cast<std::make_unsigned_t<T>>(value);
}
double value_of(PixelType type, u32 bits) {
    switch (type) {
        case PixelType::i8:
            return static_cast<std::int8_t>(bits);
        case PixelType::i16:
            return static_cast<std::int16_t>(bits);
        case PixelType::i32:
            return static_cast<std::int32_t>(bits);
        case PixelType::f32:
            return std::bit_cast<float>(bits);
        default:
            return bits;
    }
}

template <class T>
void refuse_nan(const PixelView<T>& image) {
    const Shape& shape = image.shape();
    for (std::int64_t i = 0; i < shape.elements(); ++i)
        if (std::isnan(image.pixels()[static_cast<std::size_t>(i)])) refuse_nan_at(i, shape);
}

// Values of 64 bits as float; of a mask, which of them are not 0.
Image<float> to_float(const PixelView<double>& image, const ComponentOptions& options) {
    refuse_nan(image);
    auto converted = Image<float>::unwritten(image.shape(), image.geometry);
    for (std::size_t i = 0; i < image.pixels().size(); ++i) {
        const double value = image.pixels()[i];
        if (options.values == ComponentValues::binary) {
            converted.pixels()[i] = value != 0 ? 1.0f : 0.0f;
            continue;
        }
        converted.pixels()[i] = static_cast<float>(value);
        if (static_cast<double>(converted.pixels()[i]) != value)
            throw InvalidArgument(
                "--values equal compares in single precision, which does not hold " +
                detail::shown(value) + "; convert the image to float32 first");
    }
    return converted;
}

// The pixels of T on the device, as U, which has as many bits.
template <class U, class T>
DeviceImage<const U> lend(Queue& queue, const PixelView<T>& image) {
    static_assert(sizeof(U) == sizeof(T));
    const std::span<const U> pixels(reinterpret_cast<const U*>(image.data()),
                                    image.pixels().size());
    return {queue.lend(pixels, "input image"), image.shape(), image.geometry};
}

template <class T>
ComponentResult run(const PixelView<T>& image, const ComponentOptions& options, Queue& queue,
                    ComponentOutput output, const Progress& progress) {
    // Same bits, other sign.
    using U = std::conditional_t<
        sizeof(T) == 1, std::uint8_t,
        std::conditional_t<sizeof(T) == 2, std::uint16_t,
                           std::conditional_t<std::is_integral_v<T>, std::int32_t, float>>>;
    if constexpr (std::is_floating_point_v<T>) refuse_nan(image);
    const bool binary = options.values == ComponentValues::binary;
    const u32 background = component_background<T>(options);
    StageClock clock;
    clock.start("upload");
    progress.report(0, "upload");
    const DeviceImage<const U> lent = lend<U>(queue, image);
    clock.start("components");
    progress.report(0.2, "components");
    // On the CPU labels are made where they stay.
    auto labels = LabelImage::unwritten(image.shape(), image.geometry);
    const std::span<u32> points(labels.pixels());
    DeviceComponents found = Analysis(queue, image.shape(), options, output)
                                 .run(lent, background, queue.allocate_for(points, "labels"));
    clock.start("download");
    progress.report(0.7, "download");
    ComponentResult result{static_cast<const ComponentReport&>(found), std::move(labels), {}};
    queue.read(found.labels.pixels, points);
    if (output == ComponentOutput::labels_and_table)
        result.table =
            component_table(found, binary ? PixelType::u8 : pixel_type_of<T>(), queue, progress);
    result.stages = clock.take();
    progress.report(1, "done");
    return result;
}

}  // namespace

template <class T>
std::uint32_t component_background(const ComponentOptions& options) {
    if (!options.background) return 0;
    const double value = *options.background;
    const bool fits = std::is_same_v<T, float> ||
                      (value == std::floor(value) &&
                       value >= static_cast<double>(std::numeric_limits<T>::lowest()) &&
                       value <= static_cast<double>(std::numeric_limits<T>::max()));
    if (!fits)
        throw InvalidArgument("--background " + detail::shown(value) + " is no value of " +
                              std::string(pixel_type_name(pixel_type_of<T>())) +
                              ", the type of the image");
    return bits_of(static_cast<T>(value));
}

void check_components(const ComponentOptions& options, const Shape& shape, bool alpha) {
    validate_options(options);
    if (shape.channels != 1)
        throw UnsupportedFormat("components are made of images of one channel, and this one has " +
                                std::to_string(shape.channels) +
                                (alpha ? ", alpha among them" : "") +
                                "; give a mask or a label map");
    if (options.background && options.values == ComponentValues::binary)
        throw InvalidArgument(
            "--background goes with --values equal; with binary values the background is 0");
    axes_of_neighbors(options.connectivity, shape);
}

void check_component_points(const Shape& shape) {
    if (shape.points() > std::numeric_limits<std::int32_t>::max())
        throw InvalidArgument("the image has " + std::to_string(shape.points()) +
                              " points; components are made of at most 2147483647");
}

std::optional<double> background_of(const ComponentOptions& options, PixelType type) {
    if (!options.background) return {};
    return detail::with_type(type, [&]<class T>(T) {
        using Compared = std::conditional_t<std::is_same_v<T, double>, float, T>;
        return value_of(pixel_type_of<Compared>(), component_background<Compared>(options));
    });
}

void refuse_nan_at(std::int64_t point, const Shape& shape) {
    throw InvalidArgument("the pixel at " + point_text(shape, point) +
                          " is not a number (NaN); replace it first");
}

std::vector<Component> component_table(const DeviceComponents& found, PixelType type, Queue& queue,
                                       const Progress& progress) {
    const Shape& shape = found.labels.shape;
    std::vector<u32> records(found.count * static_cast<std::size_t>(component_record_words(shape)));
    queue.read(found.statistics, std::span<u32>(records));
    const std::vector<u32> samples = queue.download(found.samples);
    const ComponentRecords components(shape, records);
    std::vector<Component> table(found.count);
    constexpr std::size_t rows_between_reports = 1 << 14;
    for (std::size_t c = 0; c < table.size(); ++c) {
        if (c % rows_between_reports == 0)
            progress.report(0.9 + 0.1 * static_cast<double>(c) / static_cast<double>(table.size()),
                            "table");
        Component& component = table[c];
        component.area = components.area(c);
        component.value = value_of(type, samples[c]);
        for (std::size_t axis = 0; axis < static_cast<std::size_t>(shape.dimensions()); ++axis) {
            const ComponentAxis along = components.axis(c, axis);
            component.first[axis] = static_cast<std::int32_t>(along.first);
            component.last[axis] = static_cast<std::int32_t>(along.last);
            component.centroid[axis] =
                static_cast<double>(along.sum) / static_cast<double>(component.area);
        }
    }
    return table;
}

template <class T>
DeviceComponents components(const DeviceImage<const T>& image, std::uint32_t background,
                            const ComponentOptions& options, Queue& queue, ComponentOutput output) {
    check_components(options, image.shape, image.has_alpha);
    check_component_points(image.shape);
    return Analysis(queue, image.shape, options, output)
        .run(image, background, queue.allocate<u32>(image.shape.points(), "labels"));
}

#define TESELA_INSTANTIATE(T)                                                        \
    template std::uint32_t component_background<T>(const ComponentOptions&);         \
    template DeviceComponents components(const DeviceImage<const T>&, std::uint32_t, \
                                         const ComponentOptions&, Queue&, ComponentOutput)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::uint16_t);
TESELA_INSTANTIATE(std::uint32_t);
TESELA_INSTANTIATE(std::int32_t);
TESELA_INSTANTIATE(float);
#undef TESELA_INSTANTIATE

ComponentResult components(const AnyImageView& image, const ComponentOptions& options, Queue& queue,
                           ComponentOutput output, const Progress& progress) {
    check_components(options, image.shape(), image.has_alpha());
    check_component_points(image.shape());
    return image.visit([&]<class T>(const PixelView<T>& typed) {
        if constexpr (std::is_same_v<T, double>) {
            const Image<float> converted = to_float(typed, options);
            return run(PixelView<float>(converted), options, queue, output, progress);
        } else {
            return run(typed, options, queue, output, progress);
        }
    });
}

namespace {

std::int64_t device_bytes(const AnyImageView& image, const MostComponents& most,
                          const ComponentOptions& options, const Device& device,
                          ComponentOutput output) {
    const Shape& shape = image.shape();
    constexpr std::int64_t word = 4;
    const bool binary = options.values == ComponentValues::binary;
    const bool wants_table = output == ComponentOutput::labels_and_table;
    const bool has_background = binary || options.background;
    const bool drops = has_background || options.min_size > 1;
    const bool measures = wants_table || options.min_size > 1;

    const std::int64_t pixels = shape.points() * std::min(pixel_type_bytes(image.pixel_type()), 4);
    const std::int64_t labels = word * shape.points();
    const bool by_points = prefers_groups(device);
    const std::int64_t mask = by_points ? shape.points() : point_bits_bytes(shape);
    const std::int64_t values = binary                                      ? mask
                                : pixel_type_bytes(image.pixel_type()) == 1 ? 0
                                                                            : labels;
    const bool sampled = wants_table || binary || options.background;
    const std::int64_t samples = sampled ? word * most.found : 0;
    const std::int64_t record = word * component_record_words(shape);
    // What stays, its numbers, and the table of it.
    const std::int64_t kept =
        wants_table ? word * (component_record_words(shape) + 1) * most.kept : 0;
    const std::int64_t selection = drops ? 2 * word * most.found + kept : 0;
    if (by_points) {
        const std::int64_t labeling =
            values + (measures ? measure_components_bytes(shape, most.found)
                               : std::max(label_components_bytes(shape), samples));
        const std::int64_t records = measures ? record * measured_records(shape, most.found) : 0;
        return pixels + labels +
               std::max(labeling, samples + records + std::max(values, selection));
    }
    const std::int64_t measuring =
        measures ? component_statistics_bytes(shape, most.foreground) : 0;
    const std::int64_t removing = options.min_size > 1 ? 2 * word * most.foreground + kept : 0;
    return pixels + labels + values +
           std::max(label_runs_bytes(shape),
                    runs_bytes(shape) + samples +
                        std::max(has_background ? 2 * word * most.found : 0, measuring + removing));
}

}  // namespace

ComponentBytes components_bytes(const AnyImageView& image, const ComponentOptions& options,
                                const Device& device, ComponentOutput output) {
    check_components(options, image.shape(), image.has_alpha());
    check_component_points(image.shape());
    const MostComponents most = most_components(image, options);
    ComponentBytes bytes{.device = device_bytes(image, most, options, device, output)};
    if (output == ComponentOutput::labels_and_table) {
        bytes.table = static_cast<std::int64_t>(sizeof(Component)) * most.kept;
        bytes.making = 4 * (component_record_words(image.shape()) + 1) * most.kept;
    }
    return bytes;
}

}  // namespace tesela
