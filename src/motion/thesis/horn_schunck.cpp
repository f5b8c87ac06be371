#include "motion/thesis/horn_schunck.h"

#include <algorithm>
#include <string>

#include "kernels/horn_schunck.kernel.h"
#include "kernels/horn_schunck_f64.kernel.h"
#include "motion/fields.h"
#include "motion/jacobi.h"

namespace tesela::thesis {
namespace {

// The kernels of one precision.
template <class Real>
struct Kernels;
#define TESELA_HORN_SCHUNCK_KERNELS(type, suffix)                                        \
    template <>                                                                          \
    struct Kernels<type> {                                                               \
        static constexpr auto& halve = kernels::flow_halve_##suffix;                     \
        static constexpr auto& twice = kernels::flow_double_##suffix;                    \
        static constexpr auto& warp = kernels::flow_warp_##suffix;                       \
        static constexpr auto& system = kernels::horn_schunck_system_##suffix;           \
        static constexpr auto& warp_system = kernels::horn_schunck_warp_system_##suffix; \
        static constexpr auto& sweep = kernels::horn_schunck_sweep_##suffix;             \
        static constexpr auto& add = kernels::flow_add_##suffix;                         \
        static constexpr auto& interleave = kernels::flow_interleave_##suffix;           \
    }
TESELA_HORN_SCHUNCK_KERNELS(float, f32);
TESELA_HORN_SCHUNCK_KERNELS(double, f64);
#undef TESELA_HORN_SCHUNCK_KERNELS

struct Parameters {
    int levels, asked_levels, warps, sweeps;
    double alpha;
    bool total;
    int literal;
};
Parameters parameters_of(const HornSchunckOptions& o) {
    if (o.tolerance > 0)
        throw InvalidArgument("--tolerance is not in the thesis's method, which counts its steps");
    return {o.levels.value_or(5),
            o.levels.value_or(0),
            o.warps.value_or(1),
            o.sweeps.value_or(32),
            o.alpha.value_or(0.2),
            o.regularization.value_or(Regularization::increment) == Regularization::total,
            o.sampling == FlowSampling::literal};
}

// From the finest to the coarsest, whose smaller side has at least 8 pixels unless it is the
// finest.
std::vector<LevelSize> pyramid_sizes(const Shape& shape, int levels) {
    constexpr int least_side = 8;
    std::vector<LevelSize> sizes{{static_cast<int>(shape.x), static_cast<int>(shape.y)}};
    while (static_cast<int>(sizes.size()) < levels) {
        const LevelSize next{sizes.back().width / 2, sizes.back().height / 2};
        if (std::min(next.width, next.height) < least_side) break;
        sizes.push_back(next);
    }
    return sizes;
}

template <class Real>
class HornSchunck {
  public:
    HornSchunck(Queue& queue, const Parameters& parameters, std::vector<LevelSize> sizes,
                const Buffer<const Real>& frames, std::int64_t count, const Progress& progress)
        : queue_(queue),
          parameters_(parameters),
          sizes_(std::move(sizes)),
          finest_(frames),
          pairs_(count - 1),
          progress_(progress) {}

    // Enqueues all of it; the fields stand one behind the other.
    Buffer<float> run() {
        const std::int64_t finest = sizes_.front().points();
        auto fields = queue_.allocate<float>(2 * pairs_ * finest, "flow fields");
        queue_.sequence([&] {
            for (std::size_t level = 1; level < sizes_.size(); ++level) halve(level);
            flow_ = flow_buffer(sizes_.back(), "flow");
            queue_.fill(flow_, Real{0});
            for (std::size_t level = sizes_.size(); level-- > 0;) {
                solve(level);
                if (level > 0) enlarge(level);
            }
            queue_.launch(Kernels<Real>::interleave, Range{finest, pairs_}, flow_, fields, finest);
        });
        return fields;
    }

  private:
    const Buffer<const Real>& images(std::size_t level) const {
        return level == 0 ? finest_ : smaller_[level - 1];
    }
    Range range(const LevelSize& size) const { return {size.width, size.height, pairs_}; }
    Buffer<Real> flow_buffer(const LevelSize& size, const char* name) {
        return queue_.allocate<Real>(2 * pairs_ * size.points() + 2 * kernels::flow_margin, name);
    }

    void halve(std::size_t level) {
        const LevelSize &from = sizes_[level - 1], &to = sizes_[level];
        auto half = queue_.allocate<Real>((pairs_ + 1) * to.points(), "smaller frames");
        queue_.launch(Kernels<Real>::halve, Range{to.width, to.height, pairs_ + 1},
                      images(level - 1), half, from.width, from.height);
        smaller_.push_back(std::move(half));
    }

    void enlarge(std::size_t level) {
        const LevelSize &from = sizes_[level], &to = sizes_[level - 1];
        auto larger = flow_buffer(to, "flow");
        queue_.launch(Kernels<Real>::twice, Range{to.width, to.height, 2 * pairs_}, flow_, larger,
                      from.width, from.height, to.width, to.height, parameters_.literal);
        flow_ = std::move(larger);
    }

    void solve(std::size_t level) {
        const LevelSize& size = sizes_[level];
        auto system = queue_.allocate<Real>(3 * pairs_ * size.points(), "linear system");
        auto swept = flow_buffer(size, "swept flow");
        const bool total = parameters_.total;
        Buffer<Real> step;
        if (!total) step = flow_buffer(size, "step of the flow");
        for (int warp = 0; warp < parameters_.warps; ++warp) {
            progress_.throw_if_cancelled();
            linearize(level, system, total ? swept : step);
            if (total) {
                sweep(size, system, flow_, swept);
            } else {
                sweep(size, system, step, swept);
                queue_.launch(Kernels<Real>::add, Range{2 * pairs_ * size.points()}, step, flow_);
            }
        }
    }

    // The system, and zeros as the `step` that is to be solved for, unless it is the whole flow.
    void linearize(std::size_t level, Buffer<Real>& system, Buffer<Real>& step) {
        const LevelSize& size = sizes_[level];
        const auto alpha = static_cast<Real>(parameters_.alpha);
        const int total = parameters_.total;
        if (queue_.device().properties().is_gpu) {
            constexpr int columns = 32, rows = 8;  // of a group
            queue_.launch(Kernels<Real>::warp_system,
                          Groups{(size.width + columns - 1) / columns,
                                 (size.height + rows - 1) / rows, pairs_},
                          images(level), flow_, system, step, size.width, size.height, alpha, total,
                          parameters_.literal);
            return;
        }
        auto warped = queue_.allocate<Real>(pairs_ * size.points(), "warped frames");
        queue_.launch(Kernels<Real>::warp, range(size), images(level), flow_, warped, size.width,
                      size.height, parameters_.literal);
        queue_.launch(Kernels<Real>::system, range(size), images(level), warped, flow_, system,
                      size.width, size.height, alpha, total);
        if (!total) queue_.fill(step, Real{0});
    }

    void sweep(const LevelSize& size, const Buffer<Real>& system, Buffer<Real>& flow,
               Buffer<Real>& swept) {
        if constexpr (std::is_same_v<Real, float>)
            return take_jacobi_steps(queue_, size, pairs_, system, flow, flow, swept,
                                     parameters_.sweeps);
        for (int k = 0; k < parameters_.sweeps; ++k) {
            queue_.launch(Kernels<Real>::sweep, range(size), flow, system, swept, size.width,
                          size.height);
            std::swap(flow, swept);
        }
    }

    Queue& queue_;
    const Parameters& parameters_;
    const std::vector<LevelSize> sizes_;
    const Buffer<const Real>& finest_;
    const std::int64_t pairs_;
    const Progress& progress_;
    std::vector<Buffer<const Real>>
        smaller_;        // of each level from the second on, one plane a frame
    Buffer<Real> flow_;  // of the level at hand
};

template <class Real>
FlowResult run(std::span<const Image<float>> frames, const Parameters& parameters, Queue& queue,
               const Progress& progress) {
    FieldsJob job(frames, queue, progress);
    const Buffer<const Real> uploaded = job.upload<Real>();
    const std::vector<LevelSize> sizes = pyramid_sizes(job.shape(), parameters.levels);
    job.tell_levels(static_cast<int>(sizes.size()), parameters.asked_levels);
    job.start_computing();
    return job.finish(HornSchunck<Real>(queue, parameters, sizes, uploaded,
                                        static_cast<std::int64_t>(frames.size()), progress)
                          .run());
}

}  // namespace

FlowResult horn_schunck(std::span<const Image<float>> frames, const HornSchunckOptions& options,
                        Queue& queue, const Progress& progress) {
    const Parameters parameters = parameters_of(options);
    return options.precision == Precision::double_
               ? run<double>(frames, parameters, queue, progress)
               : run<float>(frames, parameters, queue, progress);
}

Buffer<float> horn_schunck(const DeviceImage<const float>& frames,
                           const HornSchunckOptions& options, Queue& queue,
                           const Progress& progress) {
    const Parameters parameters = parameters_of(options);
    return HornSchunck<float>(queue, parameters, pyramid_sizes(frames.shape, parameters.levels),
                              frames.pixels, frames.shape.t, progress)
        .run();
}

std::int64_t horn_schunck_bytes(const Shape& frames, const HornSchunckOptions& options) {
    const Parameters parameters = parameters_of(options);
    const std::int64_t pairs = frames.t - 1, points = frames.x * frames.y;
    std::int64_t pyramid = 0;
    for (const LevelSize& size : pyramid_sizes(frames, parameters.levels))
        pyramid += frames.t * size.points();
    const std::int64_t flow = 2 * pairs * points + 2 * kernels::flow_margin;
    const std::int64_t flows = (parameters.total ? 2 : 3) * flow;  // swept; step
    const std::int64_t system = 4 * pairs * points;                // and warped frames
    const bool is_double = options.precision == Precision::double_;
    return static_cast<std::int64_t>(is_double ? sizeof(double) : sizeof(float)) *
               (pyramid + flows + system) +
           static_cast<std::int64_t>(sizeof(float)) * 2 * pairs * points;  // fields
}

}  // namespace tesela::thesis
