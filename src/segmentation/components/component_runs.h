// Connected components on a processor of few threads: runs of rows are joined in slabs of whole
// rows, one item each, then across them. Everything is done to runs, of which there are far fewer
// than points, until all is known: only then are points painted, once.
#pragma once

#include <cstdint>

#include "tesela/compute/queue.h"
#include "tesela/image.h"

namespace tesela {

// The runs of the rows of LongAxes(shape), of points that are linked along their row. The label of
// run k of a row stands at point k of the row in `labels`, whose highest bit may be set.
struct LabeledRuns {
    Buffer<std::uint32_t> runs;    // two words for each 32 points of a row (components_slab_rows.h)
    Buffer<std::uint32_t> roots;   // likewise, of all points: which runs come first in a component
    Buffer<std::uint32_t> counts;  // three words, of which the first is the number of components
};

// Arguments as those of label_components. `bits` has one for each point of LongAxes(shape), in
// words of 32, each row from a word on.
LabeledRuns label_runs(Queue& queue, const Shape& shape, int channels,
                       const Buffer<std::int32_t>& features, std::int64_t limit, int axes,
                       Buffer<std::uint32_t>& labels);
LabeledRuns label_runs(Queue& queue, const Shape& shape, const Buffer<const std::uint8_t>& values,
                       int axes, Buffer<std::uint32_t>& labels);
// Which values are not 0, as such bits. T is std::uint8_t, std::uint16_t, std::int32_t or float.
template <class T>
Buffer<std::uint32_t> point_bits(Queue& queue, const Shape& shape, const Buffer<const T>& values);
LabeledRuns label_runs(Queue& queue, const Shape& shape, const Buffer<std::uint32_t>& bits,
                       int axes, Buffer<std::uint32_t>& labels);

// samples[label - 1] = the value of a component, unless its label is 0.
void sample_runs(Queue& queue, const Shape& shape, const Buffer<const std::uint8_t>& values,
                 const LabeledRuns& runs, const Buffer<std::uint32_t>& labels,
                 Buffer<std::uint32_t>& samples);
void sample_runs(Queue& queue, const Shape& shape, const Buffer<std::int32_t>& values,
                 const LabeledRuns& runs, const Buffer<std::uint32_t>& labels,
                 Buffer<std::uint32_t>& samples);
void sample_runs(Queue& queue, const Shape& shape, const Buffer<std::uint32_t>& bits,
                 const LabeledRuns& runs, const Buffer<std::uint32_t>& labels,
                 Buffer<std::uint32_t>& samples);

// A label becomes numbers[label - 1].
void renumber_runs(Queue& queue, const Shape& shape, const Buffer<std::uint32_t>& numbers,
                   const LabeledRuns& runs, Buffer<std::uint32_t>& labels);

// The labels of points from those of runs, in the same memory.
void paint_runs(Queue& queue, const Shape& shape, const LabeledRuns& runs,
                Buffer<std::uint32_t>& labels);

// Of a mask that was labeled as bits: 255 at the points of components that have one of `points`,
// which are bits of its own, otherwise 0.
void components_with(Queue& queue, const Shape& shape, const Buffer<std::uint32_t>& points,
                     const LabeledRuns& runs, const Buffer<std::uint32_t>& labels,
                     Buffer<std::uint8_t>& mask);

// Device memory in bytes: what label_runs takes at most beside its arguments, what it gives, and
// `bits`.
std::int64_t label_runs_bytes(const Shape& shape);
std::int64_t runs_bytes(const Shape& shape);
std::int64_t point_bits_bytes(const Shape& shape);

}  // namespace tesela
