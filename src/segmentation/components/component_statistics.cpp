#include "segmentation/components/component_statistics.h"

#include <algorithm>

#include "kernels/components/component_statistics.kernel.h"
#include "segmentation/components/long_axes.h"

namespace tesela {
namespace {

using kernels::i32;
using kernels::u32;

constexpr std::int64_t slab_points = 1 << 17;  // short enough for the cache of a core
constexpr std::int64_t kept_words = kernels::statistics_kept * kernels::statistics_entry_words;

std::int64_t parts_along(std::int64_t length, std::int64_t part) {
    return (length + part - 1) / part;
}

std::int64_t rows_of(const Shape& shape) { return shape.y * shape.z * shape.t; }

std::int64_t slab_rows_of(const Shape& shape) {
    return std::max<std::int64_t>(1, slab_points / shape.x);
}

// For which there is room in a record, without its area.
int record_axes(const Shape& shape) { return LongAxes(shape).count <= 2 ? 2 : 4; }

// `run_words`: of a row, or 0 where labels are of points.
Buffer<u32> statistics_of(Queue& queue, const Shape& image, const Buffer<u32>& runs,
                          std::int64_t run_words, const Buffer<u32>& labels, u32 count) {
    const Shape shape = LongAxes(image).shape;
    auto records = queue.allocate<u32>(std::int64_t{count} * component_record_words(shape),
                                       "component statistics");
    const ComponentAreas areas = component_areas(shape, count);
    const kernels::statistics_job job{.areas = areas.first,
                                      .area_step = areas.step,
                                      .run_words = run_words,
                                      .axes = record_axes(shape),
                                      .nx = static_cast<i32>(shape.x),
                                      .ny = static_cast<i32>(shape.y),
                                      .nz = static_cast<i32>(shape.z),
                                      .nt = static_cast<i32>(shape.t),
                                      .slab_rows = static_cast<i32>(slab_rows_of(shape))};
    const Groups slabs{parts_along(rows_of(shape), job.slab_rows)};
    auto highest = queue.allocate<u32>(slabs.x, "highest labels of slabs");
    auto last_skipped = queue.allocate<u32>(slabs.x, "last skipped rows of slabs");
    auto kept = queue.allocate<u32>(slabs.x * kept_words, "components of earlier slabs");
    queue.launch(kernels::component_statistics_highest, slabs, labels, runs, job, highest);
    queue.launch(kernels::component_statistics_own, slabs, labels, runs, highest, job, records,
                 kept, last_skipped);
    queue.launch(kernels::component_statistics_shared, slabs, labels, runs, highest, last_skipped,
                 job, kept, records);
    return records;
}

}  // namespace

int component_record_words(const Shape& shape) {
    return 4 * record_axes(shape) + (LongAxes(shape).count == 4 ? 1 : 0);
}

ComponentAreas component_areas(const Shape& shape, std::int64_t count) {
    const std::int64_t words = 4 * record_axes(shape);
    if (LongAxes(shape).count == 4) return {words * count, 1};
    return {words == 8 ? 7 : 14, words};
}

Buffer<std::uint32_t> component_statistics(Queue& queue, const Shape& image,
                                           const Buffer<std::uint32_t>& labels,
                                           std::uint32_t count) {
    return statistics_of(queue, image, labels, 0, labels, count);
}

Buffer<std::uint32_t> run_statistics(Queue& queue, const Shape& image,
                                     const Buffer<std::uint32_t>& runs,
                                     const Buffer<std::uint32_t>& labels, std::uint32_t count) {
    const std::int64_t run_words = runs.size() / (2 * rows_of(LongAxes(image).shape));
    return statistics_of(queue, image, runs, run_words, labels, count);
}

std::int64_t component_statistics_bytes(const Shape& image, std::int64_t count) {
    const Shape shape = LongAxes(image).shape;
    const std::int64_t slabs = parts_along(rows_of(shape), slab_rows_of(shape));
    return (count * component_record_words(shape) + slabs * (kept_words + 2)) *
           static_cast<std::int64_t>(sizeof(u32));
}

ComponentRecords::ComponentRecords(const Shape& shape, std::span<const std::uint32_t> words)
    : lengths_{shape.x, shape.y, shape.z, shape.t},
      record_words_(static_cast<std::size_t>(4 * record_axes(shape))),
      words_(words),
      count_(words.size() / static_cast<std::size_t>(component_record_words(shape))),
      areas_(component_areas(shape, static_cast<std::int64_t>(count_))) {
    const LongAxes axes(shape);
    for (std::size_t place = 0; place < axes.count; ++place) place_[axes.of_image[place]] = place;
    high_bits_ = kernels::component_high_bits(static_cast<i32>(axes.shape.x),
                                              static_cast<i32>(axes.shape.y));
}

std::uint32_t ComponentRecords::area(std::size_t component) const {
    return words_[static_cast<std::size_t>(areas_.first) +
                  component * static_cast<std::size_t>(areas_.step)];
}

ComponentAxis ComponentRecords::axis(std::size_t component, std::size_t axis) const {
    if (lengths_[axis] == 1) return {};
    const auto record = words_.subspan(component * record_words_, record_words_);
    const auto box = record.subspan(2 * place_[axis], 2);
    const auto sums = record.subspan(record_words_ / 2);
    const auto place = kernels::component_sum_of(static_cast<i32>(record_words_ / 4),
                                                 static_cast<i32>(place_[axis]), high_bits_);
    std::uint64_t high = sums[static_cast<std::size_t>(place.high)] >> place.shift;
    if (record_words_ == 8 && place_[axis] == 0) high &= (std::uint64_t{1} << high_bits_) - 1;
    return {lengths_[axis] - 1 - box[0], std::int64_t{box[1]},
            high << 32 | sums[static_cast<std::size_t>(place.low)]};
}

}  // namespace tesela
