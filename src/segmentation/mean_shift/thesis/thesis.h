// Mean shift as the thesis's program does it (Martin Gaspar 2011, sections 4.2 and 4.3;
// docs/mean-shift.md), on the features, the window and the units of the standard variant: the
// results are the same bits.
#pragma once

#include <cstdint>

#include "segmentation/mean_shift/feature_space.h"
#include "segmentation/mean_shift/window.h"
#include "tesela/compute/queue.h"
#include "tesela/mean_shift.h"
#include "tesela/stage_times.h"

namespace tesela::thesis {

// What one call works with.
struct Call {
    const Shape& shape;
    const MeanShiftOptions& options;
    const FeatureSpace& space;
    const Window& window;
    Queue& queue;
    const Progress& progress;
    StageClock& clock;  // of the phases
};

// Throws InvalidArgument for an option that the thesis does not have.
void check_options(const MeanShiftOptions& options, const Shape& shape);

// Phases 1 to 4. Gives the filtered image and tells the report of the phases. The modes, one plane
// a channel, are made only where `modes` is given: without it one kernel goes from the positions to
// the pixels. Progress goes from the fraction `begin` to `end`.
template <class T>
Buffer<T> filter(const Call& call, const Buffer<const T>& pixels, Buffer<std::int32_t>* modes,
                 double begin, double end, MeanShiftReport& report);

// Regions 1..N, raster-first, of the modes. Gives N, on the device.
Buffer<std::uint32_t> label(const Call& call, const Buffer<std::int32_t>& modes,
                            std::int64_t limit2, Buffer<std::uint32_t>& labels,
                            MeanShiftReport& report);

// Device memory of phases 1 to 4, and of the labels, beside the images and the modes; in bytes.
// `values` is the extent of the first channel of the features.
std::int64_t filter_bytes(const Shape& shape, const Geometry& geometry, int channels,
                          const MeanShiftOptions& options, double values);
std::int64_t label_bytes(const Shape& shape);

}  // namespace tesela::thesis
