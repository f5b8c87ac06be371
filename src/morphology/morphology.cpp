#include "tesela/morphology.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/morphology/morphology_labels.kernel.h"
#include "kernels/morphology/morphology_values.kernel.h"
#include "kernels/morphology/objects.kernel.h"
#include "morphology/gray_steps.h"
#include "morphology/label_steps.h"
#include "morphology/mask_runs.h"
#include "morphology/mask_values.h"
#include "morphology/structuring_element.h"
#include "pixels/device_values.h"
#include "pixels/native_pixels.h"

namespace tesela {
namespace {

void check(const Shape& shape, const MorphologyOptions& options) {
    validate_options(options);
    if (shape.channels != 1)
        throw UnsupportedFormat("morphology is of images of one channel; this image has " +
                                std::to_string(shape.channels));
    if (shape.t > 1)
        throw UnsupportedFormat("morphology is of pictures and volumes; this image has " +
                                std::to_string(shape.t) + " frames: give them one by one");
}

MorphologyReport report_of(const StructuringElement& element) {
    MorphologyReport report{element.reach, {}};
    if (element.beyond_image)
        report.warnings.push_back("the radius is larger than the image along an axis");
    return report;
}

// ---- What each kind of image is dilated and eroded by ----

struct MaskSteps {
    Queue& queue;
    const Shape& shape;
    const StructuringElement& element;
    std::uint8_t on;

    using Pixels = Buffer<const std::uint8_t>;
    using Result = Buffer<std::uint8_t>;
    Result dilated(const Pixels& mask) const {
        return mask_step(queue, shape, element, MaskStep::dilate, mask, on);
    }
    Result eroded(const Pixels& mask) const {
        return mask_step(queue, shape, element, MaskStep::erode, mask, on);
    }
    Result closed(const Pixels& mask) const { return eroded(dilated(mask)); }
    Result difference(const Pixels& a, const Pixels& b) const {
        return tesela::difference(queue, a, b);
    }
};

template <class T>
struct GraySteps {
    Queue& queue;
    const Shape& shape;
    const StructuringElement& element;

    using Pixels = Buffer<const T>;
    using Result = Buffer<T>;
    Result dilated(const Pixels& values) const {
        return picked_values(queue, shape, element, Picked::highest, values);
    }
    Result eroded(const Pixels& values) const {
        return picked_values(queue, shape, element, Picked::lowest, values);
    }
    Result closed(const Pixels& values) const { return eroded(dilated(values)); }
    Result difference(const Pixels& a, const Pixels& b) const {
        return tesela::difference(queue, a, b);
    }
};

struct LabelSteps {
    Queue& queue;
    const Shape& shape;
    const StructuringElement& element;

    using Pixels = Buffer<const std::uint32_t>;
    using Result = Buffer<std::uint32_t>;
    Result dilated(const Pixels& labels) const {
        return dilated_labels(queue, shape, element, labels);
    }
    Result eroded(const Pixels& labels) const {
        return eroded_labels(queue, shape, element, LabelBorder::any, labels);
    }
    // Where two dilated labels meet, nothing is taken away.
    Result closed(const Pixels& labels) const {
        return eroded_labels(queue, shape, element, LabelBorder::background, dilated(labels));
    }
    Result difference(const Pixels& a, const Pixels& b) const {
        return labels_without(queue, a, b);
    }
};

template <class Steps>
typename Steps::Result applied(MorphologyOperator operation, const Steps& steps,
                               const typename Steps::Pixels& image) {
    switch (operation) {
        case MorphologyOperator::erode:
            return steps.eroded(image);
        case MorphologyOperator::dilate:
            return steps.dilated(image);
        case MorphologyOperator::open:
            return steps.dilated(steps.eroded(image));
        case MorphologyOperator::close:
            return steps.closed(image);
        case MorphologyOperator::gradient:
            return steps.difference(steps.dilated(image), steps.eroded(image));
        case MorphologyOperator::top_hat:
            return steps.difference(image, steps.dilated(steps.eroded(image)));
        case MorphologyOperator::bottom_hat:
            return steps.difference(steps.closed(image), image);
    }
    throw InvalidArgument("there is no such operator of morphology");
}

// ---- Images of the host ----

template <class T>
Image<T> like(const PixelView<T>& image) {
    auto result = Image<T>::unwritten(image.shape(), image.geometry);
    return result;
}

template <class T>
Image<T> filtered_mask(const PixelView<T>& image, T value, MorphologyOperator operation,
                       const StructuringElement& element, Queue& queue) {
    Image<T> result = like(image);
    const auto filter = [&](std::span<const std::uint8_t> mask, std::uint8_t on) {
        const MaskSteps steps{queue, image.shape(), element, on};
        return applied(operation, steps, queue.lend(mask, "mask"));
    };
    if constexpr (std::is_same_v<T, std::uint8_t>) {
        queue.read(filter(image.pixels(), value), std::span<T>(result.pixels()));
    } else {
        std::vector<std::uint8_t> mask = bytes_of_mask(image.pixels());
        const auto found = filter(mask, 1);
        queue.read(found, std::span<std::uint8_t>(mask));
        std::transform(mask.begin(), mask.end(), result.pixels().begin(),
                       [value](std::uint8_t on) { return on != 0 ? value : T{}; });
    }
    return result;
}

template <class T>
Image<T> filtered_gray(const PixelView<T>& image, MorphologyOperator operation,
                       const StructuringElement& element, Queue& queue,
                       std::vector<std::string>& warnings) {
    if constexpr (native<T>) {
        if constexpr (std::is_same_v<T, float>)
            require_values(image.pixels(), image.shape(), std::numeric_limits<float>::max());
        Image<T> result = like(image);
        const GraySteps<T> steps{queue, image.shape(), element};
        const auto found = applied(operation, steps, queue.lend(image.pixels(), "image"));
        queue.read(found, std::span<T>(result.pixels()));
        return result;
    } else {
        const Image<float> narrow = to_float(image, warnings);
        const Image<float> found =
            filtered_gray(PixelView<float>(narrow), operation, element, queue, warnings);
        Image<T> result = like(image);
        // Rounding may have led beyond the highest value.
        constexpr auto lowest = static_cast<double>(std::numeric_limits<T>::lowest());
        constexpr auto highest = static_cast<double>(std::numeric_limits<T>::max());
        std::transform(
            found.pixels().begin(), found.pixels().end(), result.pixels().begin(), [=](float v) {
                return static_cast<T>(std::clamp(static_cast<double>(v), lowest, highest));
            });
        return result;
    }
}

template <class T>
Image<T> filtered_labels(const PixelView<T>& image, MorphologyOperator operation,
                         const StructuringElement& element, Queue& queue) {
    Image<T> result = like(image);
    const LabelSteps steps{queue, image.shape(), element};
    if constexpr (std::is_same_v<T, std::uint32_t>) {
        const auto found = applied(operation, steps, queue.lend(image.pixels(), "labels"));
        queue.read(found, std::span<T>(result.pixels()));
    } else {
        std::vector<std::uint32_t> labels = labels_of(image);
        const auto found =
            applied(operation, steps, queue.lend(std::span<const std::uint32_t>(labels), "labels"));
        queue.read(found, std::span<std::uint32_t>(labels));
        std::transform(labels.begin(), labels.end(), result.pixels().begin(),
                       [](std::uint32_t label) { return static_cast<T>(label); });
    }
    return result;
}

// ---- Images on a device ----

// The one value besides 0, as value_of_mask.
std::optional<std::uint8_t> value_of_mask(Queue& queue, const Buffer<const std::uint8_t>& pixels) {
    auto range = queue.upload(std::span<const std::uint32_t>(std::vector<std::uint32_t>{255, 0}),
                              "range of values");
    const std::int64_t items = (pixels.size() + kernels::morphology_values_of_item - 1) /
                               kernels::morphology_values_of_item;
    queue.launch(kernels::morphology_values, Range{items}, pixels, range, items, pixels.size());
    const std::vector<std::uint32_t> found = queue.download(range);
    if (found[1] == 0) return std::uint8_t{1};
    if (found[0] != found[1]) return {};
    return static_cast<std::uint8_t>(found[0]);
}

template <class T>
Buffer<T> filtered_labels(const DeviceImage<const T>& image, MorphologyOperator operation,
                          const StructuringElement& element, Queue& queue) {
    const LabelSteps steps{queue, image.shape, element};
    if constexpr (std::is_same_v<T, std::uint32_t>) {
        return applied(operation, steps, image.pixels);
    } else if constexpr (std::is_same_v<T, std::uint8_t> || std::is_same_v<T, std::uint16_t>) {
        const Range points{image.shape.points()};
        auto wide = queue.allocate<std::uint32_t>(points.x, "labels");
        auto narrow = queue.allocate<T>(points.x, "labels");
        constexpr bool is_byte = std::is_same_v<T, std::uint8_t>;
        if constexpr (is_byte)
            queue.launch(kernels::objects_widen, points, image.pixels, wide);
        else
            queue.launch(kernels::morphology_labels_u16, points, image.pixels, wide);
        const auto found = applied(operation, steps, Buffer<const std::uint32_t>(std::move(wide)));
        if constexpr (is_byte)
            queue.launch(kernels::morphology_narrow_u8, points, found, narrow);
        else
            queue.launch(kernels::morphology_narrow_u16, points, found, narrow);
        return narrow;
    } else {
        throw InvalidArgument("--labels is for images of unsigned integers");
    }
}

template <class T>
Buffer<T> filtered(const DeviceImage<const T>& image, MorphologyOperator operation,
                   const MorphologyOptions& options, const StructuringElement& element,
                   Queue& queue) {
    if (options.labels) return filtered_labels(image, operation, element, queue);
    if constexpr (std::is_same_v<T, std::uint8_t>)
        if (const auto on = value_of_mask(queue, image.pixels))
            return applied(operation, MaskSteps{queue, image.shape, element, *on}, image.pixels);
    if constexpr (native<T>) {
        if constexpr (std::is_same_v<T, float>)
            require_values(queue, image, std::numeric_limits<float>::max());
        return applied(operation, GraySteps<T>{queue, image.shape, element}, image.pixels);
    } else {
        return filtered_labels(image, operation, element, queue);
    }
}

// All that is of 32-bit labels is a label map.
template <class T>
MorphologyOptions resolved(MorphologyOptions options) {
    options.labels |= std::is_same_v<T, std::uint32_t>;
    return options;
}

}  // namespace

MorphologyResult morphology(const AnyImageView& image, MorphologyOperator operation,
                            const MorphologyOptions& options, Queue& queue,
                            const Progress& progress) {
    check(image.shape(), options);
    progress.report(0, "morphology");
    MorphologyResult result = image.visit([&]<class T>(const PixelView<T>& typed) {
        const MorphologyOptions chosen = resolved<T>(options);
        const auto element = structuring_element(chosen, typed.shape(), typed.geometry);
        MorphologyResult found{report_of(element), {}};
        if (chosen.labels)
            found.image = filtered_labels(typed, operation, element, queue);
        else if (const auto value = value_of_mask(typed.pixels()); value && *value > T{})
            found.image = filtered_mask(typed, *value, operation, element, queue);
        else
            found.image = filtered_gray(typed, operation, element, queue, found.warnings);
        return found;
    });
    progress.report(1, "done");
    return result;
}

template <class T>
DeviceMorphologyResult<T> morphology(const DeviceImage<const T>& image,
                                     MorphologyOperator operation, const MorphologyOptions& options,
                                     Queue& queue, const Progress& progress) {
    check(image.shape, options);
    progress.report(0, "morphology");
    const MorphologyOptions chosen = resolved<T>(options);
    const auto element = structuring_element(chosen, image.shape, image.geometry);
    return {report_of(element),
            {filtered(image, operation, chosen, element, queue), image.shape, image.geometry}};
}

#define TESELA_INSTANTIATE(T)                                                                      \
    template DeviceMorphologyResult<T> morphology(const DeviceImage<const T>&, MorphologyOperator, \
                                                  const MorphologyOptions&, Queue&,                \
                                                  const Progress&)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::uint16_t);
TESELA_INSTANTIATE(std::int16_t);
TESELA_INSTANTIATE(float);
TESELA_INSTANTIATE(std::uint32_t);
#undef TESELA_INSTANTIATE

std::int64_t morphology_device_bytes(const AnyImageView& image, const MorphologyOptions& options,
                                     const Device& device) {
    const Shape& shape = image.shape();
    const auto element = structuring_element(options, shape, image.geometry());
    // Of two steps, beside what they read: the first one's result, the second one's work, and the
    // result.
    if (options.labels || image.pixel_type() == PixelType::u32)
        return 3 * 4 * shape.points() + label_step_bytes(shape);
    const std::int64_t bytes = native_bytes(image);
    return 2 * bytes * shape.points() +
           std::max(mask_step_bytes(shape, device), picked_values_bytes(shape, bytes, element));
}

}  // namespace tesela
