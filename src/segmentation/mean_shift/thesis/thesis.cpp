#include "segmentation/mean_shift/thesis/thesis.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "segmentation/mean_shift/thesis/grid.h"
#include "segmentation/mean_shift/thesis/labels.h"
#include "segmentation/mean_shift/thesis/mode_seeking.h"

namespace tesela::thesis {
namespace {

[[noreturn]] void refuse(const std::string& option) {
    throw InvalidArgument("the thesis's variant does not have " + option +
                          "; leave it out, or use another variant");
}

// The work of one phase ends with it, so that the times of the phases add up to the whole.
void next_phase(const Call& call, const char* name) {
    call.queue.finish();
    call.clock.start(name);
}

}  // namespace

void check_options(const MeanShiftOptions& options, const Shape& shape) {
    if (options.kernel != MeanShiftKernel::flat)
        refuse("--kernel " + std::string(enum_name(options.kernel)));
    if (options.fast) refuse("--fast");
    if (options.connectivity != Connectivity::automatic &&
        options.connectivity != resolve(Connectivity::automatic, shape))
        refuse("--connectivity " + std::string(enum_name(options.connectivity)));
}

template <class T>
Buffer<T> filter(const Call& call, const Buffer<const T>& pixels, Buffer<std::int32_t>* modes,
                 double begin, double end, MeanShiftReport& report) {
    Queue& queue = call.queue;
    const std::int64_t points = call.shape.points();
    ThesisReport& told = report.thesis.emplace();
    next_phase(call, "pre-processing");
    Samples samples;
    {
        auto features = queue.allocate<std::int32_t>(points * call.space.channels, "features");
        to_features(queue, call.space, pixels, points, features);
        samples = make_samples(queue, call.shape, call.space.channels, call.window, features);
    }
    next_phase(call, "grid");
    const Grid grid = make_grid(queue, samples, call.window, points, told);
    next_phase(call, "mean-shift loop");
    const ModeSeekingCounts counts =
        seek_modes(queue, samples, grid, call.window, points, call.options.max_iterations,
                   call.progress, begin, end, told);
    report.iterations = counts.iterations;
    report.capped_points = counts.still_moving;
    next_phase(call, "post-processing");
    auto filtered = queue.allocate<T>(call.shape.elements(), "filtered image");
    const VectorLayout& layout = samples.layout;
    if (modes) {
        mode_colors(queue, samples, points, *modes);
        from_features(queue, call.space, *modes, FeatureLayout::planes(points), pixels, points,
                      filtered);
    } else {
        from_features(queue, call.space, samples.positions, {layout.spatial, layout.dimension(), 1},
                      pixels, points, filtered);
    }
    told.post_processing_kernels = modes ? 2 : 1;
    queue.finish();
    call.clock.finish();
    return filtered;
}

Buffer<std::uint32_t> label(const Call& call, const Buffer<std::int32_t>& modes,
                            std::int64_t limit2, Buffer<std::uint32_t>& labels,
                            MeanShiftReport& report) {
    report.thesis->label_passes =
        equivalence_labels(call.queue, call.shape, call.space.channels, modes, limit2, labels);
    Buffer<std::uint32_t> count = number_labels(call.queue, call.shape.points(), labels);
    call.queue.finish();  // phases have times of their own
    return count;
}

std::int64_t filter_bytes(const Shape& shape, const Geometry& geometry, int channels,
                          const MeanShiftOptions& options, double values) {
    const VectorLayout layout = layout_of(shape, channels);
    const Length& bandwidth = *options.spatial_bandwidth;
    const auto along = [&](std::int64_t count, int axis) {
        const double pitch = bandwidth.physical() ? geometry.spacing_mm()[axis] : 1;
        const double edge = bandwidth.physical() ? bandwidth.millimeters() : bandwidth.value;
        return std::floor(static_cast<double>(count) * pitch / edge) + 1;
    };
    double cells = along(shape.x, 0) * along(shape.y, 1);
    cells *=
        layout.spatial == 2 ? std::floor(values / *options.range_bandwidth) + 1 : along(shape.z, 2);
    constexpr double most = 2147483647;  // more cells are refused
    const std::int64_t vectors = 2 * 4 * layout.dimension();
    constexpr std::int64_t pairs = 2 * 4, queues = 2 * 4 + 1;
    return shape.points() * (vectors + pairs + queues) +
           2 * 4 * static_cast<std::int64_t>(std::min(cells, most));
}

std::int64_t label_bytes(const Shape& shape) { return shape.points() * (4 + 4 + 4); }

#define TESELA_INSTANTIATE(T)                                                                     \
    template Buffer<T> filter(const Call&, const Buffer<const T>&, Buffer<std::int32_t>*, double, \
                              double, MeanShiftReport&)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::uint16_t);
TESELA_INSTANTIATE(std::int16_t);
TESELA_INSTANTIATE(float);
#undef TESELA_INSTANTIATE

}  // namespace tesela::thesis
