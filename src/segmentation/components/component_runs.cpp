#include "segmentation/components/component_runs.h"

#include <type_traits>

#include "kernels/components/component_selection.kernel.h"
#include "kernels/components/components.kernel.h"
#include "segmentation/components/component_roots.h"
#include "segmentation/components/long_axes.h"

namespace tesela {
namespace {

using kernels::i32;
using kernels::u32;

using Bytes = Buffer<const std::uint8_t>;
using Words = Buffer<std::int32_t>;
using Bits = Buffer<u32>;

template <class T>
constexpr auto& bits_kernel() {
    if constexpr (std::is_same_v<T, std::uint8_t>)
        return kernels::component_bits_u8;
    else if constexpr (std::is_same_v<T, std::uint16_t>)
        return kernels::component_bits_u16;
    else if constexpr (std::is_same_v<T, std::int32_t>)
        return kernels::component_bits_i32;
    else if constexpr (std::is_same_v<T, std::uint32_t>)
        return kernels::component_bits_u32;
    else
        return kernels::component_bits_f32;
}

// The kernels of one kind of values.
struct EqualBytes {
    static constexpr auto& slabs = kernels::components_slabs_u8;
    static constexpr auto& seams = kernels::components_slab_seams_u8;
};
struct EqualBits {
    static constexpr auto& slabs = kernels::components_slabs_bits;
    static constexpr auto& seams = kernels::components_slab_seams_bits;
};
struct NearInOneChannel {
    static constexpr auto& slabs = kernels::components_slabs_1;
    static constexpr auto& seams = kernels::components_slab_seams_1;
};
struct NearInThreeChannels {
    static constexpr auto& slabs = kernels::components_slabs_3;
    static constexpr auto& seams = kernels::components_slab_seams_3;
};

i32 length_of_row(const Shape& shape) { return static_cast<i32>(LongAxes(shape).shape.x); }
Range rows_of(const Shape& shape) { return {shape.points() / length_of_row(shape)}; }

std::int64_t parts_along(std::int64_t length, int shift) { return ((length - 1) >> shift) + 1; }

// An image in slabs of 2^shift_y x 2^shift_z rows, short enough for the cache of a core, but in a
// volume with few links to the next.
kernels::components_job job_of(const Shape& shape, std::int64_t limit, int axes) {
    constexpr std::int64_t slab_points = 1 << 17;
    constexpr int beyond = 30;  // log2 of a slab that is as long as its axis
    const bool volume = shape.z > 1;
    const std::int64_t step = volume ? shape.x * shape.y : shape.x;
    int shift = volume ? 3 : 0;
    while (step << shift < slab_points) ++shift;
    return {.plane = shape.points(),
            .limit = static_cast<kernels::u64>(limit),
            .nx = static_cast<i32>(shape.x),
            .ny = static_cast<i32>(shape.y),
            .nz = static_cast<i32>(shape.z),
            .shift_y = volume ? beyond : shift,
            .shift_z = volume ? shift : beyond,
            // Of the 13 rows before a row, those of another slice and of another volume come first.
            .first_neighbor = shape.t > 1 ? 0
                              : volume    ? 9
                                          : 12,
            .axes = axes,
            .outputs = kernels::components_numbered};
}

// Joins each row to those before it in other slabs: `block` of every `step` rows may have such.
template <class Kernels, class Values>
void join_rows_of_slabs(Queue& queue, const Shape& shape, const kernels::components_job& job,
                        const Values& values, const Buffer<u32>& runs, Buffer<u32>& labels,
                        Buffer<u32>& roots) {
    const std::int64_t rows = shape.y * shape.z * shape.t;
    std::int64_t first = 0, block = rows, step = rows;
    if (shape.t == 1) {
        block = shape.z == 1 ? 1 : shape.y;
        step = block << (shape.z == 1 ? job.shift_y : job.shift_z);
        first = step;
    }
    if (first >= rows) return;
    const std::int64_t count = (rows - 1 - first) / step * block + block;
    queue.launch(Kernels::seams, Range{count}, values, job, static_cast<i32>(first),
                 static_cast<i32>(block), static_cast<i32>(step), runs, labels, roots);
}

template <class Kernels, class Values>
LabeledRuns label(Queue& queue, const Shape& image, const Values& values, std::int64_t limit,
                  int axes, Buffer<u32>& labels) {
    const Shape shape = LongAxes(image).shape;
    const std::int64_t words = words_of_row(shape.points());
    const kernels::components_job job = job_of(shape, limit, axes);
    LabeledRuns found;
    found.runs = queue.allocate<u32>(2 * words_of_rows(shape), "component runs");
    found.roots = queue.allocate_filled<u32>(2 * words, u32{0}, "component roots");
    const Groups slabs{parts_along(shape.y, job.shift_y) * parts_along(shape.z, job.shift_z) *
                       shape.t};
    queue.launch(Kernels::slabs, slabs, values, job, found.runs, labels, found.roots);
    join_rows_of_slabs<Kernels>(queue, shape, job, values, found.runs, labels, found.roots);
    found.counts = number_roots(queue, words, 0, found.runs, 0, found.roots);
    queue.launch(kernels::components_number_runs, rows_of(shape), found.roots, found.runs, job.nx,
                 labels);
    return found;
}

}  // namespace

LabeledRuns label_runs(Queue& queue, const Shape& shape, int channels, const Words& features,
                       std::int64_t limit, int axes, Buffer<u32>& labels) {
    return channels == 1 ? label<NearInOneChannel>(queue, shape, features, limit, axes, labels)
                         : label<NearInThreeChannels>(queue, shape, features, limit, axes, labels);
}
LabeledRuns label_runs(Queue& queue, const Shape& shape, const Bytes& values, int axes,
                       Buffer<u32>& labels) {
    return label<EqualBytes>(queue, shape, values, 0, axes, labels);
}
LabeledRuns label_runs(Queue& queue, const Shape& shape, const Bits& bits, int axes,
                       Buffer<u32>& labels) {
    return label<EqualBits>(queue, shape, bits, 0, axes, labels);
}

template <class T>
Bits point_bits(Queue& queue, const Shape& shape, const Buffer<const T>& values) {
    const i32 nx = length_of_row(shape);
    auto bits = queue.allocate<u32>(words_of_rows(LongAxes(shape).shape), "mask");
    queue.launch(bits_kernel<T>(),
                 Range{(nx - 1) / kernels::components_chunk + 1, shape.points() / nx}, values, nx,
                 bits);
    return bits;
}
template Bits point_bits(Queue&, const Shape&, const Buffer<const std::uint8_t>&);
template Bits point_bits(Queue&, const Shape&, const Buffer<const std::uint16_t>&);
template Bits point_bits(Queue&, const Shape&, const Buffer<const std::uint32_t>&);
template Bits point_bits(Queue&, const Shape&, const Buffer<const std::int32_t>&);
template Bits point_bits(Queue&, const Shape&, const Buffer<const float>&);

void sample_runs(Queue& queue, const Shape& shape, const Bytes& values, const LabeledRuns& runs,
                 const Buffer<u32>& labels, Buffer<u32>& samples) {
    queue.launch(kernels::components_root_samples_u8, rows_of(shape), values, runs.roots, runs.runs,
                 labels, length_of_row(shape), samples);
}
void sample_runs(Queue& queue, const Shape& shape, const Words& values, const LabeledRuns& runs,
                 const Buffer<u32>& labels, Buffer<u32>& samples) {
    queue.launch(kernels::components_root_samples_1, rows_of(shape), values, runs.roots, runs.runs,
                 labels, length_of_row(shape), samples);
}
void sample_runs(Queue& queue, const Shape& shape, const Bits& bits, const LabeledRuns& runs,
                 const Buffer<u32>& labels, Buffer<u32>& samples) {
    queue.launch(kernels::components_root_samples_bits, rows_of(shape), bits, runs.roots, runs.runs,
                 labels, length_of_row(shape), samples);
}

void renumber_runs(Queue& queue, const Shape& shape, const Buffer<u32>& numbers,
                   const LabeledRuns& runs, Buffer<u32>& labels) {
    queue.launch(kernels::components_renumber_runs, rows_of(shape), numbers, runs.runs,
                 length_of_row(shape), labels);
}

void paint_runs(Queue& queue, const Shape& shape, const LabeledRuns& runs, Buffer<u32>& labels) {
    queue.launch(kernels::components_paint_runs, rows_of(shape), runs.runs, length_of_row(shape),
                 labels);
}

void components_with(Queue& queue, const Shape& shape, const Bits& points, const LabeledRuns& runs,
                     const Buffer<u32>& labels, Buffer<std::uint8_t>& mask) {
    auto marks =
        queue.allocate_filled<u32>(queue.download(runs.counts)[0], 0u, "marked components");
    queue.launch(kernels::components_mark_runs, rows_of(shape), points, runs.runs, labels,
                 length_of_row(shape), marks);
    queue.launch(kernels::components_paint_marked, rows_of(shape), runs.runs, labels, marks,
                 length_of_row(shape), mask);
}

std::int64_t label_runs_bytes(const Shape& shape) {
    return runs_bytes(shape) + number_roots_bytes(words_of_row(shape.points()), 0);
}

std::int64_t runs_bytes(const Shape& shape) {
    return 2 * (point_bits_bytes(shape) +
                words_of_row(shape.points()) * static_cast<std::int64_t>(sizeof(u32)));
}

std::int64_t point_bits_bytes(const Shape& shape) {
    return words_of_rows(LongAxes(shape).shape) * static_cast<std::int64_t>(sizeof(u32));
}

}  // namespace tesela
