// Moments of the objects of a label map.
#include <algorithm>
#include <mutex>
#include <numeric>
#include <span>

#include "core/threads.h"
#include "tesela/compute/primitives.h"
#include "tesela/zernike.h"
#include "transforms/enclosing_circle.h"
#include "transforms/zernike_kernels.h"
#include "transforms/zernike_sums.h"

namespace tesela {
namespace {

using std::int64_t;

constexpr std::uint32_t most_labels = 1 << 24;

// Calls `work` with the first of some objects and the one behind the last, from many threads.
template <class Work>
void for_blocks(std::size_t objects, const Work& work) {
    constexpr std::size_t block = 64;
    detail::for_each_index(static_cast<int64_t>((objects + block - 1) / block), 0, [&](int64_t k) {
        const std::size_t first = static_cast<std::size_t>(k) * block;
        work(first, std::min(first + block, objects));
    });
}

// The pixels of all objects, object by object.
struct ObjectPixels {
    Buffer<std::uint32_t> order;
    std::vector<std::uint32_t> labels;  // that occur
    std::vector<std::uint32_t> starts;  // of each; the last is the number of all pixels
};

ObjectPixels pixels_of(const Buffer<const std::uint32_t>& labels, std::uint32_t highest,
                       Queue& queue) {
    const int64_t points = labels.size();
    auto keys = queue.allocate<std::uint32_t>(points, "keys of pixels");
    queue.launch(kernels::zernike_keys, Range{points}, labels, keys);
    ObjectPixels pixels{queue.allocate<std::uint32_t>(points, "pixels of objects"), {}, {}};
    auto starts = queue.allocate<std::uint32_t>(int64_t{highest} + 1, "starts of objects");
    bin_points(queue, keys, points, highest, pixels.order, starts);
    const std::vector<std::uint32_t> all = queue.download(starts);
    for (std::uint32_t i = 0; i < highest; ++i)
        if (all[i] < all[i + 1]) {
            pixels.labels.push_back(i + 1);
            pixels.starts.push_back(all[i]);
        }
    pixels.starts.push_back(all.back());
    return pixels;
}

// The smallest circle of each object, which the first and last pixels of its rows decide.
std::vector<EnclosingCircle> circles_of(const LabelView& image,
                                        const Buffer<const std::uint32_t>& labels,
                                        const ObjectPixels& pixels, Queue& queue) {
    const int64_t count = pixels.starts.back();
    const auto width = static_cast<std::int32_t>(image.shape().x);
    auto flags = queue.allocate<std::uint8_t>(count, "ends of rows");
    queue.launch(kernels::zernike_row_ends, Range{count}, pixels.order, labels, flags, count,
                 width);
    auto kept = queue.allocate<std::uint32_t>(count, "ends of rows");
    auto kept_count = queue.allocate<std::uint32_t>(1, "number of ends");
    compact(queue, pixels.order, flags, count, kept, kept_count);
    std::vector<std::uint32_t> ends(queue.download(kept_count)[0]);
    queue.read(kept, std::span<std::uint32_t>(ends));
    std::vector<EnclosingCircle> circles(pixels.labels.size());
    for_blocks(circles.size(), [&](std::size_t first, std::size_t last) {
        auto end = std::lower_bound(
            ends.begin(), ends.end(), pixels.labels[first],
            [&](std::uint32_t pixel, std::uint32_t label) { return image.data()[pixel] < label; });
        std::vector<PixelPlace> places;
        for (std::size_t object = first; object < last; ++object) {
            places.clear();
            for (; end != ends.end() && image.data()[*end] == pixels.labels[object]; ++end)
                places.push_back({static_cast<std::int32_t>(*end % image.shape().x),
                                  static_cast<std::int32_t>(*end / image.shape().x)});
            circles[object] = enclosing_circle(places);
            if (circles[object].radius == 0) circles[object].radius = 0.5;  // one pixel
        }
    });
    return circles;
}

template <class T>
std::vector<T> totals_of(const Buffer<const std::uint32_t>& labels,
                         const Buffer<const float>& values, bool has_values, std::int32_t width,
                         const ObjectPixels& pixels, const std::vector<EnclosingCircle>& circles,
                         int order, Queue& queue, const Progress& progress) {
    std::vector<T> by_label(3 * std::size_t{pixels.labels.back()});
    for (std::size_t i = 0; i < circles.size(); ++i) {
        const std::size_t first = 3 * std::size_t{pixels.labels[i] - 1};
        by_label[first] = static_cast<T>(circles[i].x);
        by_label[first + 1] = static_cast<T>(circles[i].y);
        by_label[first + 2] = static_cast<T>(1 / circles[i].radius);
    }
    const int64_t count = pixels.starts.back();
    auto points = queue.allocate<T>(kernels::zernike_plain * count, "points of objects");
    queue.launch(ZernikeKernels<T>::gather_objects, Range{count}, pixels.order, labels, values,
                 queue.upload(std::span<const T>(by_label), "circles"), points, count, width,
                 std::int32_t{has_values});
    ZernikeSums<T> sums(queue, order);
    auto totals = queue.allocate_filled<T>(sums.components() * static_cast<int64_t>(circles.size()),
                                           T{}, "sums of moments");
    sums.add({points, count, false}, pixels.starts, totals, progress);
    return queue.download(totals);
}

template <class T>
void set_moments(ZernikeObjects& result, const std::vector<T>& totals) {
    const std::size_t components = totals.size() / result.moments.size();
    // The first object that has none is told, however threads share the objects.
    std::mutex mutex;
    std::size_t refused = result.moments.size();
    std::string reason;
    for_blocks(result.moments.size(), [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) try {
                set_zernike_values<T>(result.moments[i], std::span<const T>(totals).subspan(
                                                             i * components, components));
            } catch (const InvalidArgument& error) {
                const std::lock_guard lock(mutex);
                if (i >= refused) continue;
                refused = i;
                reason = error.what();
            }
    });
    if (refused < result.moments.size())
        throw InvalidArgument("object " + std::to_string(result.labels[refused]) + ": " + reason);
}

void check_shapes(const LabelView& labels, const std::optional<AnyImageView>& values) {
    const Shape& shape = labels.shape();
    if (shape.z > 1 || shape.t > 1 || shape.channels > 1)
        throw UnsupportedFormat(
            "Zernike moments are of pictures: label maps of one slice, frame "
            "and channel");
    if (values && (values->shape().x != shape.x || values->shape().y != shape.y))
        throw InvalidArgument("the values have " + std::to_string(values->shape().x) + " x " +
                              std::to_string(values->shape().y) + " pixels, the label map " +
                              std::to_string(shape.x) + " x " + std::to_string(shape.y));
}

std::uint32_t checked_highest(const LabelView& labels) {
    const auto& pixels = labels.pixels();
    constexpr std::size_t block = 1 << 18;
    std::vector<std::uint32_t> highest_of((pixels.size() + block - 1) / block);
    detail::for_each_index(std::ssize(highest_of), 0, [&](int64_t k) {
        const auto first = static_cast<std::size_t>(k) * block;
        std::uint32_t highest = 0;
        for (std::size_t i = first; i < std::min(first + block, pixels.size()); ++i)
            highest = std::max(highest, pixels[i]);
        highest_of[static_cast<std::size_t>(k)] = highest;
    });
    const std::uint32_t highest = *std::max_element(highest_of.begin(), highest_of.end());
    if (highest == 0) throw InvalidArgument("the label map has no object: all pixels are 0");
    if (highest > most_labels)
        throw InvalidArgument("the label map has the label " + std::to_string(highest) +
                              ", above 16777216; number its objects from 1 on");
    return highest;
}

}  // namespace

ZernikeObjects zernike_objects(const LabelView& labels, const std::optional<AnyImageView>& values,
                               const ZernikeOptions& options, Queue& queue,
                               const Progress& progress) {
    validate_options(options);
    check_shapes(labels, values);
    ZernikeObjects result;
    const bool in_double = takes_double(options, queue.device(), result.warnings);
    StageClock clock;
    progress.report(0, "circles");
    clock.start("circles");
    Image<float> plane({1});
    if (values) plane = zernike_plane(*values, result.warnings);
    const auto lent = queue.lend(std::span<const std::uint32_t>(labels.pixels()), "labels");
    const ObjectPixels pixels = pixels_of(lent, checked_highest(labels), queue);
    const std::vector<EnclosingCircle> circles = circles_of(labels, lent, pixels, queue);
    clock.start("moments");
    progress.report(0.5, "moments");
    result.labels = pixels.labels;
    for (std::size_t i = 0; i < circles.size(); ++i)
        result.moments.push_back({options.order,
                                  options.normalization,
                                  circles[i].x,
                                  circles[i].y,
                                  circles[i].radius,
                                  int64_t{pixels.starts[i + 1]} - pixels.starts[i],
                                  0,
                                  {}});
    const auto gray = queue.lend(std::span<const float>(plane.pixels()), "gray values");
    const auto width = static_cast<std::int32_t>(labels.shape().x);
    if (in_double)
        set_moments(result, totals_of<double>(lent, gray, values.has_value(), width, pixels,
                                              circles, options.order, queue, progress));
    else
        set_moments(result, totals_of<float>(lent, gray, values.has_value(), width, pixels, circles,
                                             options.order, queue, progress));
    result.stages = clock.take();
    progress.report(1, "done");
    return result;
}

int64_t zernike_objects_device_bytes(const Shape& labels, const ZernikeOptions& options) {
    const int64_t points = labels.points(), components = zernike_components(options.order);
    const int64_t chunks = points / kernels::zernike_chunk + 1;
    const int64_t partials =
        std::max(components, std::min(chunks * components, most_zernike_partials));
    constexpr int64_t number = sizeof(double);
    // Labels, values, keys, their order, flags, ends of rows, the sort's own.
    return 32 * points + number * (kernels::zernike_plain * points + partials) * 9 / 8 + (1 << 20);
}

}  // namespace tesela
