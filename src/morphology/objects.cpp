// Which objects of masks and label maps stay, and their holes.
#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/morphology/objects.kernel.h"
#include "morphology/mask_values.h"
#include "tesela/components.h"
#include "tesela/mask.h"

namespace tesela {
namespace {

using kernels::i32;
using kernels::u32;
using kernels::u8;

constexpr u32 most_objects = (1U << 26) - 1;

template <class T>
constexpr bool is_byte = std::is_same_v<T, u8>;

void check(const Shape& shape) {
    if (shape.channels != 1)
        throw UnsupportedFormat("masks and label maps have one channel; this image has " +
                                std::to_string(shape.channels));
    if (shape.t > 1)
        throw UnsupportedFormat("objects are of pictures and volumes; this image has " +
                                std::to_string(shape.t) + " frames: give them one by one");
}
void check(const Shape& shape, const ObjectSelection& selection) {
    check(shape);
    if (selection.min_size < 0 || selection.margin < 0 || selection.largest < 0)
        throw InvalidArgument("sizes, margins and numbers of objects are at least 0");
}

// A number for each point, from 1 on; 0: none.
struct Objects {
    Buffer<const u32> numbers;
    u32 top = 0;  // the highest number
};

template <class T>
Objects numbered_labels(const DeviceImage<const T>& image, Buffer<u32> wide, Queue& queue) {
    const Range points{image.shape.points()};
    if constexpr (is_byte<T>)
        queue.launch(kernels::objects_widen, points, image.pixels, wide);
    else
        queue.copy(image.pixels, wide);
    auto top = queue.allocate_filled<u32>(1, 0u, "highest label");
    queue.launch(kernels::objects_top, points, wide, top);
    const u32 highest = queue.download(top).front();
    if (highest > most_objects)
        throw InvalidArgument("labels go up to " + std::to_string(highest) +
                              ", and tables of objects to " + std::to_string(most_objects) +
                              ": number them anew with 'tesela components --values equal'");
    return {std::move(wide), highest};
}

template <class T>
Objects objects_of(const DeviceImage<const T>& image, const ObjectSelection& selection,
                   Queue& queue) {
    if (selection.labels || !is_byte<T>)
        return numbered_labels(image, queue.allocate<u32>(image.shape.points(), "labels"), queue);
    if constexpr (is_byte<T>) {
        DeviceComponents found = components(image, 0, {.connectivity = selection.connectivity},
                                            queue, ComponentOutput::labels_only);
        return {std::move(found.labels.pixels), found.count};
    }
    return {};
}

std::vector<u32> areas_of(const Objects& objects, const Shape& shape, Queue& queue) {
    auto areas = queue.allocate_filled<u32>(std::int64_t{objects.top} + 1, 0u, "areas of objects");
    const std::int64_t segments =
        (shape.x + kernels::objects_segment - 1) / kernels::objects_segment;
    queue.launch(kernels::objects_areas, Range{segments, shape.y * shape.z}, objects.numbers, areas,
                 static_cast<i32>(shape.x));
    return queue.download(areas);
}

// Keeps the `count` largest of those that are kept.
void keep_largest(const std::vector<u32>& areas, std::int64_t count, std::vector<u32>& keep) {
    std::vector<u32> order;
    for (u32 object = 1; object < keep.size(); ++object)
        if (keep[object] != 0) order.push_back(object);
    std::stable_sort(order.begin(), order.end(), [&](u32 a, u32 b) { return areas[a] > areas[b]; });
    for (auto k = static_cast<std::size_t>(count); k < order.size(); ++k) keep[order[k]] = 0;
}

// 1 for each object that stays, with a word for 0.
std::vector<u32> kept_of(const Objects& objects, const Shape& shape,
                         const ObjectSelection& selection, Queue& queue, SelectionReport& report) {
    const std::vector<u32> areas = areas_of(objects, shape, queue);
    std::vector<u32> keep(areas.size(), 0);
    for (std::size_t object = 1; object < keep.size(); ++object) {
        keep[object] = areas[object] > 0 && areas[object] >= selection.min_size;
        report.objects += areas[object] > 0;
    }
    if (selection.margin > 0) {
        auto touches =
            queue.allocate_filled<u32>(std::int64_t{objects.top} + 1, 0u, "objects at the border");
        queue.launch(kernels::objects_at_border, Range{shape.x, shape.y, shape.z}, objects.numbers,
                     touches, selection.margin, static_cast<i32>(shape.x),
                     static_cast<i32>(shape.y), static_cast<i32>(shape.z));
        const std::vector<u32> at_border = queue.download(touches);
        for (std::size_t object = 1; object < keep.size(); ++object)
            keep[object] &= at_border[object] ^ 1U;
    }
    if (selection.largest > 0) keep_largest(areas, selection.largest, keep);
    report.kept = std::count(keep.begin(), keep.end(), 1U);
    return keep;
}

// 1 where an object stays.
template <class T>
Buffer<u8> kept_points(const DeviceImage<const T>& image, const ObjectSelection& selection,
                       Queue& queue, SelectionReport& report) {
    const Objects objects = objects_of(image, selection, queue);
    const std::vector<u32> keep = kept_of(objects, image.shape, selection, queue, report);
    const auto table = queue.upload(std::span<const u32>(keep), "objects that stay");
    auto kept = queue.allocate<u8>(image.shape.points(), "points that stay");
    queue.launch(kernels::objects_kept, Range{image.shape.points()}, objects.numbers, table, kept);
    return kept;
}

// The image on a device: bytes of a mask, or labels. `work` takes it as a DeviceImage.
template <class T, class Work>
auto with_objects(const PixelView<T>& image, bool labels, Queue& queue, const Work& work) {
    const auto lent = [&]<class Value>(std::span<const Value> pixels) {
        return DeviceImage<const Value>{queue.lend(pixels, "image"), image.shape(), image.geometry};
    };
    if constexpr (std::is_same_v<T, u8> || std::is_same_v<T, u32>) {
        return work(lent(image.pixels()));
    } else if (labels) {
        const std::vector<u32> wide = labels_of(image);
        return work(lent(std::span<const u32>(wide)));
    } else {
        const std::vector<u8> mask = bytes_of_mask(image.pixels());
        return work(lent(std::span<const u8>(mask)));
    }
}

template <class T>
Image<T> applied(const PixelView<T>& image, const std::vector<u8>& kept) {
    Image<T> result(image.shape(), image.geometry);
    std::transform(image.pixels().begin(), image.pixels().end(), kept.begin(),
                   result.pixels().begin(), [](T v, u8 stays) { return stays != 0 ? v : T{}; });
    return result;
}

// ---- Holes ----

template <class T>
struct HoleKernels;
template <>
struct HoleKernels<u8> {
    static constexpr auto& invert = kernels::objects_invert_u8;
    static constexpr auto& around = kernels::objects_around_u8;
    static constexpr auto& fill = kernels::objects_fill_u8;
};
template <>
struct HoleKernels<u32> {
    static constexpr auto& invert = kernels::objects_invert_u32;
    static constexpr auto& around = kernels::objects_around_u32;
    static constexpr auto& fill = kernels::objects_fill_u32;
};

template <class T>
Buffer<u8> inverted(const DeviceImage<const T>& image, Queue& queue) {
    auto inverse = queue.allocate<u8>(image.shape.points(), "inverse mask");
    queue.launch(HoleKernels<T>::invert, Range{image.shape.points()}, image.pixels, inverse);
    return inverse;
}

Connectivity of_holes(Connectivity connectivity, const Shape& shape) {
    if (connectivity != Connectivity::automatic) return connectivity;
    return shape.z > 1 ? Connectivity::six : Connectivity::four;
}

// The value that each hole gets, 0 where it stays.
std::vector<u32> values_of_holes(const std::vector<u32>& inner, const std::vector<u32>& lowest,
                                 const std::vector<u32>& highest) {
    std::vector<u32> fill(inner.size(), 0);
    for (std::size_t hole = 1; hole < fill.size(); ++hole)
        if (inner[hole] != 0 && lowest[hole] == highest[hole]) fill[hole] = lowest[hole];
    return fill;
}

template <class T>
DeviceHoleResult<T> holes_filled(const DeviceImage<const T>& image, const HoleOptions& options,
                                 Queue& queue) {
    const Shape& shape = image.shape;
    const DeviceImage<const u8> inverse{Buffer<const u8>(inverted(image, queue)), shape,
                                        image.geometry};
    const ObjectSelection inner{.connectivity = of_holes(options.connectivity, shape), .margin = 1};
    const Objects holes = objects_of(inverse, inner, queue);
    SelectionReport seen;
    std::vector<u32> is_inner = kept_of(holes, shape, inner, queue, seen);
    DeviceHoleResult<T> result;
    result.holes = seen.kept;
    if (options.max_size > 0) {
        const std::vector<u32> areas = areas_of(holes, shape, queue);
        for (std::size_t hole = 1; hole < areas.size(); ++hole)
            if (areas[hole] > options.max_size) is_inner[hole] = 0;
    }
    const std::int64_t count = std::int64_t{holes.top} + 1;
    auto lowest = queue.allocate_filled<u32>(count, ~0U, "values around holes");
    auto highest = queue.allocate_filled<u32>(count, 0U, "values around holes");
    queue.launch(HoleKernels<T>::around, Range{shape.x, shape.y, shape.z}, holes.numbers,
                 image.pixels, lowest, highest, static_cast<i32>(shape.x),
                 static_cast<i32>(shape.y), static_cast<i32>(shape.z));
    const std::vector<u32> values =
        values_of_holes(is_inner, queue.download(lowest), queue.download(highest));
    result.filled = std::count_if(values.begin(), values.end(), [](u32 v) { return v != 0; });
    const auto fill = queue.upload(std::span<const u32>(values), "values of holes");
    result.image = {queue.allocate<T>(shape.points(), "filled image"), shape, image.geometry};
    queue.launch(HoleKernels<T>::fill, Range{shape.points()}, image.pixels, holes.numbers, fill,
                 result.image.pixels);
    return result;
}

// The values of the image itself, so that a hole gets the one around it.
template <class T>
HoleResult filled_image(const PixelView<T>& image, const HoleOptions& options, Queue& queue) {
    HoleResult result;
    Image<T> filled(image.shape(), image.geometry);
    const auto fill = [&]<class Value>(std::span<const Value> pixels, const auto& back) {
        const DeviceImage<const Value> lent{queue.lend(pixels, "image"), image.shape(),
                                            image.geometry};
        const DeviceHoleResult<Value> found = holes_filled(lent, options, queue);
        static_cast<HoleReport&>(result) = found;
        const std::vector<Value> values = queue.download(found.image.pixels);
        std::transform(values.begin(), values.end(), filled.pixels().begin(), back);
    };
    if constexpr (std::is_same_v<T, u8> || std::is_same_v<T, u32>) {
        fill(image.pixels(), [](T v) { return v; });
    } else if (const auto value = value_of_mask(image.pixels())) {
        const std::vector<u8> mask = bytes_of_mask(image.pixels());
        fill(std::span<const u8>(mask), [&](u8 v) { return v != 0 ? *value : T{}; });
    } else {
        const std::vector<u32> labels = labels_of(image);
        fill(std::span<const u32>(labels), [](u32 v) { return static_cast<T>(v); });
    }
    result.image = std::move(filled);
    return result;
}

}  // namespace

SelectionResult select_objects(const AnyImageView& image, const ObjectSelection& selection,
                               Queue& queue, const Progress& progress) {
    check(image.shape(), selection);
    progress.report(0, "objects");
    SelectionResult result;
    image.visit([&](const auto& typed) {
        const std::vector<u8> kept =
            with_objects(typed, selection.labels, queue, [&](const auto& objects) {
                return queue.download(kept_points(objects, selection, queue, result));
            });
        result.image = applied(typed, kept);
    });
    progress.report(1, "done");
    return result;
}
template <class T>
DeviceSelectionResult<T> select_objects(const DeviceImage<const T>& image,
                                        const ObjectSelection& selection, Queue& queue,
                                        const Progress& progress) {
    check(image.shape, selection);
    progress.report(0, "objects");
    DeviceSelectionResult<T> result;
    const Buffer<u8> kept = kept_points(image, selection, queue, result);
    result.image = {queue.allocate<T>(image.shape.points(), "objects"), image.shape,
                    image.geometry};
    const Range points{image.shape.points()};
    if constexpr (is_byte<T>)
        queue.launch(kernels::objects_apply_u8, points, image.pixels, kept, result.image.pixels);
    else
        queue.launch(kernels::objects_apply_u32, points, image.pixels, kept, result.image.pixels);
    return result;
}

HoleResult fill_holes(const AnyImageView& image, const HoleOptions& options, Queue& queue,
                      const Progress& progress) {
    check(image.shape());
    progress.report(0, "holes");
    HoleResult result =
        image.visit([&](const auto& typed) { return filled_image(typed, options, queue); });
    progress.report(1, "done");
    return result;
}
template <class T>
DeviceHoleResult<T> fill_holes(const DeviceImage<const T>& image, const HoleOptions& options,
                               Queue& queue, const Progress& progress) {
    check(image.shape);
    progress.report(0, "holes");
    return holes_filled(image, options, queue);
}

#define TESELA_INSTANTIATE(T)                                                                \
    template DeviceSelectionResult<T> select_objects(                                        \
        const DeviceImage<const T>&, const ObjectSelection&, Queue&, const Progress&);       \
    template DeviceHoleResult<T> fill_holes(const DeviceImage<const T>&, const HoleOptions&, \
                                            Queue&, const Progress&)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::uint32_t);
#undef TESELA_INSTANTIATE

std::int64_t select_objects_device_bytes(const Shape& shape) {
    // Labels, tables of as many objects as can be, and the images.
    return (4 + 3 * 4 + 4 + 2) * shape.points() + 4 * shape.points();
}

}  // namespace tesela
