#include "tesela/measure.h"

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>

#include "core/point_text.h"
#include "measuring/label_checks.h"
#include "measuring/object_measures.h"
#include "pixels/native_pixels.h"

namespace tesela {

using measuring::ObjectMap;

namespace measuring {

void check_map(const Shape& shape, std::int64_t most_points) {
    if (shape.channels != 1)
        throw UnsupportedFormat("a label map has one channel, and this one has " +
                                std::to_string(shape.channels));
    if (shape.t != 1)
        throw UnsupportedFormat("objects are measured in pictures and volumes; this map has " +
                                std::to_string(shape.t) + " time points: measure each by itself");
    constexpr std::int64_t longest_axis = 1 << 21;
    if (shape.points() > most_points)
        throw InvalidArgument("the label map has " + std::to_string(shape.points()) +
                              " points; objects are measured in at most " +
                              std::to_string(most_points));
    if (std::max({shape.x, shape.y, shape.z}) > longest_axis)
        throw InvalidArgument("an axis of the label map has more than 2097152 points: " +
                              size_text(shape));
}

void check_image(const Shape& map, const Shape& image) {
    if (image.x != map.x || image.y != map.y || image.z != map.z || image.t != map.t)
        throw InvalidArgument("the image is " + size_text(image) + ", and the label map is " +
                              size_text(map) + ": resample one onto the other");
}

void refuse_label_type(PixelType type) {
    throw UnsupportedFormat("a label map has whole numbers, and this image has " +
                            std::string(pixel_type_name(type)) +
                            " pixels; give the labels, and the image as one to measure");
}

void refuse_negative_label(std::int64_t label, const Shape& shape, std::int64_t point) {
    throw InvalidArgument("the label at " + point_text(shape, point) +
                          " is negative: " + std::to_string(label));
}

}  // namespace measuring

namespace {

constexpr std::int64_t points_of_image = std::numeric_limits<std::int32_t>::max();

int color_channels(const AnyDeviceView& image) {
    return std::visit(
        [](const auto& typed) { return typed.shape.channels - (typed.has_alpha ? 1 : 0); }, image);
}

void add_intensities(const ObjectMap& objects, std::span<const AnyDeviceView* const> images,
                     Queue& queue, const Progress& progress, Measurements& result) {
    for (std::size_t i = 0; i < images.size(); ++i) {
        for (int channel = 0; channel < color_channels(*images[i]); ++channel) {
            progress.throw_if_cancelled();
            result.intensities.push_back(measuring::intensities_of(
                objects, result.objects, *images[i], channel, result.options.percentiles, queue));
        }
        progress.report(0.6 + 0.4 * static_cast<double>(i + 1) / static_cast<double>(images.size()),
                        "intensities");
    }
}

// On the device. Values in double precision become `converted` first.
AnyDeviceView lent(const AnyImageView& image, Queue& queue, Image<float>& converted,
                   std::vector<std::string>& warnings) {
    return image.visit([&]<class T>(const PixelView<T>& typed) -> AnyDeviceView {
        const auto lend = [&]<class U>(const PixelView<U>& pixels) {
            return DeviceImage<const U>{queue.lend(pixels.pixels(), "image to measure"),
                                        pixels.shape(), pixels.geometry, pixels.has_alpha};
        };
        if constexpr (std::is_same_v<T, double>) {
            converted = to_float(typed, warnings);
            return lend(PixelView<float>(converted));
        } else {
            return lend(typed);
        }
    });
}

}  // namespace

Measurements measure(const DeviceImage<const std::uint32_t>& labels,
                     std::span<const AnyDeviceView* const> images, const MeasureOptions& options,
                     Queue& queue, const Progress& progress) {
    measuring::check_map(labels.shape, points_of_image);
    for (const AnyDeviceView* image : images)
        std::visit([&](const auto& typed) { measuring::check_image(labels.shape, typed.shape); },
                   *image);
    Measurements result{.shape = labels.shape, .geometry = labels.geometry, .options = options};
    StageClock clock;
    clock.start("objects");
    progress.report(0, "objects");
    const ObjectMap objects = measuring::map_objects(labels, queue);
    result.objects = measuring::sizes_of(objects, labels.shape, queue);
    progress.throw_if_cancelled();
    clock.start("boundaries");
    progress.report(0.2, "boundaries");
    if (options.boundaries)
        measuring::add_boundaries(objects, labels.geometry, queue, result.objects);
    progress.throw_if_cancelled();
    clock.start("hulls");
    progress.report(0.4, "hulls");
    result.options.hulls = options.hulls && labels.shape.z == 1;
    if (result.options.hulls) measuring::add_hulls(objects, labels.geometry, queue, result.objects);
    clock.start("intensities");
    progress.report(0.6, "intensities");
    add_intensities(objects, images, queue, progress, result);
    result.stages = clock.take();
    progress.report(1, "done");
    return result;
}

LabelImage label_map_of(const AnyImageView& image) {
    return image.visit([]<class T>(const PixelView<T>& typed) -> LabelImage {
        if constexpr (std::is_floating_point_v<T>) {
            measuring::refuse_label_type(pixel_type_of<T>());
        } else {
            LabelImage labels(typed.shape(), typed.geometry);
            for (std::size_t i = 0; i < typed.pixels().size(); ++i) {
                const T label = typed.pixels()[i];
                if (std::is_signed_v<T> && label < 0)
                    measuring::refuse_negative_label(label, typed.shape(),
                                                     static_cast<std::int64_t>(i));
                labels.pixels()[i] = static_cast<std::uint32_t>(label);
            }
            return labels;
        }
    });
}

Measurements measure(const AnyImageView& labels, std::span<const AnyImageView> images,
                     const MeasureOptions& options, Queue& queue, const Progress& progress) {
    measuring::check_map(labels.shape(), points_of_image);
    for (const AnyImageView& image : images) measuring::check_image(labels.shape(), image.shape());
    LabelImage converted_labels;
    const LabelView* map = labels.get_if<std::uint32_t>();
    if (!map) converted_labels = label_map_of(labels);
    const LabelView points = map ? *map : LabelView(converted_labels);
    std::vector<Image<float>> converted(images.size());
    std::vector<AnyDeviceView> on_device;
    std::vector<std::string> warnings;
    for (std::size_t i = 0; i < images.size(); ++i)
        on_device.push_back(lent(images[i], queue, converted[i], warnings));
    std::vector<const AnyDeviceView*> views;
    for (const AnyDeviceView& view : on_device) views.push_back(&view);
    Measurements result =
        measure(DeviceImage<const std::uint32_t>{queue.lend(points.pixels(), "label map"),
                                                 points.shape(), points.geometry},
                views, options, queue, progress);
    result.warnings = std::move(warnings);
    return result;
}

std::int64_t measure_device_bytes(const Shape& shape, std::int64_t objects, std::int64_t highest,
                                  bool has_images, const MeasureOptions& options) {
    std::int64_t most = measuring::sizes_bytes(shape, objects);
    if (options.boundaries) most = std::max(most, measuring::boundaries_bytes(shape, objects));
    if (options.hulls && shape.z == 1)
        most = std::max(most, measuring::hulls_bytes(shape, objects));
    if (has_images)
        most = std::max(most, measuring::intensities_bytes(shape, objects, options.percentiles));
    return measuring::object_map_bytes(highest) + 4 * objects + most;
}

}  // namespace tesela
