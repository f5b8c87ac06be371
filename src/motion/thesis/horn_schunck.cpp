#include "motion/thesis/horn_schunck.h"

#include <algorithm>
#include <array>
#include <string>

#include "kernels/motion/horn_schunck.kernel.h"
#include "kernels/motion/horn_schunck_f64.kernel.h"
#include "motion/fields.h"
#include "motion/jacobi.h"

namespace tesela::thesis {
namespace {

// The kernels of one precision.
template <class Real>
struct Kernels;
#define TESELA_HORN_SCHUNCK_KERNELS(type, suffix)                              \
    template <>                                                                \
    struct Kernels<type> {                                                     \
        using Warp = kernels::horn_schunck_warp_##suffix;                      \
        static constexpr auto& halve = kernels::flow_halve_##suffix;           \
        static constexpr auto& halve_tile = kernels::flow_halve_tile_##suffix; \
        static constexpr auto& twice = kernels::flow_double_##suffix;          \
        static constexpr auto& warp = kernels::flow_warp_##suffix;             \
        static constexpr auto& system = kernels::horn_schunck_system_##suffix; \
        static constexpr auto& begin = kernels::horn_schunck_begin_##suffix;   \
        static constexpr auto& sweep = kernels::horn_schunck_sweep_##suffix;   \
        static constexpr auto& add = kernels::flow_add_##suffix;               \
        static constexpr auto& interleave = kernels::flow_interleave_##suffix; \
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
          progress_(progress),
          in_groups_(prefers_groups(queue.device())) {}

    // Enqueues all of it; the fields stand one behind the other.
    Buffer<float> run() {
        const std::int64_t finest = sizes_.front().points();
        auto fields = queue_.allocate<float>(2 * pairs_ * finest, "flow fields");
        queue_.sequence([&] {
            if (in_groups_)
                halve_tiles();
            else
                halve();
            flow_ = queue_.allocate<Real>(1, "no flow");
            step_ = queue_.allocate<Real>(1, "no step");
            for (std::size_t level = sizes_.size(); level-- > 0;) solve(level);
            queue_.launch(Kernels<Real>::interleave, Range{finest, pairs_}, flow_, step_, fields,
                          finest, int{in_groups_ && !parameters_.total});
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
    // One element where the whole flow is solved for.
    Buffer<Real> step_buffer(const LevelSize& size) {
        return parameters_.total ? queue_.allocate<Real>(1, "no step")
                                 : flow_buffer(size, "step of the flow");
    }

    void halve() {
        for (std::size_t level = 1; level < sizes_.size(); ++level) {
            const LevelSize &from = sizes_[level - 1], &to = sizes_[level];
            auto half = queue_.allocate<Real>((pairs_ + 1) * to.points(), "smaller frames");
            queue_.launch(Kernels<Real>::halve, Range{to.width, to.height, pairs_ + 1},
                          images(level - 1), half, from.width, from.height);
            smaller_.push_back(std::move(half));
        }
    }

    // Some levels a launch.
    void halve_tiles() {
        constexpr std::size_t most = 4;
        constexpr int columns = 64, rows = 32;  // of a group
        for (std::size_t level = 0; level + 1 < sizes_.size(); level += most) {
            const std::size_t count = std::min(sizes_.size() - 1 - level, most);
            std::array<Buffer<Real>, most> halves;
            for (std::size_t k = 0; k < most; ++k)  // those beyond the last level take no memory
                halves[k] = queue_.allocate<Real>(
                    k < count ? (pairs_ + 1) * sizes_[level + 1 + k].points() : 1,
                    "smaller frames");
            const LevelSize& from = sizes_[level];
            queue_.launch(Kernels<Real>::halve_tile,
                          Groups{(from.width + columns - 1) / columns,
                                 (from.height + rows - 1) / rows, pairs_ + 1},
                          images(level), halves[0], halves[1], halves[2], halves[3], from.width,
                          from.height, static_cast<int>(count));
            for (std::size_t k = 0; k < count; ++k) smaller_.push_back(std::move(halves[k]));
        }
    }

    void solve(std::size_t level) {
        const LevelSize& size = sizes_[level];
        auto system = queue_.allocate<Real>(3 * pairs_ * size.points(), "linear system");
        for (int warp = 0; warp < parameters_.warps; ++warp) {
            progress_.throw_if_cancelled();
            if (in_groups_) {
                begin(level, system);
            } else {
                if (warp == 0) enlarge(level);
                linearize(level, system);
            }
            auto swept = flow_buffer(size, "swept flow");
            sweep(size, system, parameters_.total ? flow_ : step_, swept);
            if (!in_groups_ && !parameters_.total)
                queue_.launch(Kernels<Real>::add, Range{2 * pairs_ * size.points()}, step_, flow_);
        }
    }

    // The flow that a level begins with.
    void enlarge(std::size_t level) {
        const LevelSize& to = sizes_[level];
        auto larger = flow_buffer(to, "flow");
        if (level + 1 == sizes_.size()) {
            queue_.fill(larger, Real{0});
        } else {
            const LevelSize& from = sizes_[level + 1];
            queue_.launch(Kernels<Real>::twice, Range{to.width, to.height, 2 * pairs_}, flow_,
                          larger, from.width, from.height, to.width, to.height,
                          parameters_.literal);
        }
        flow_ = std::move(larger);
        step_ = step_buffer(to);
    }

    // The system, and zeros as the step that is to be solved for, unless it is the whole flow.
    void linearize(std::size_t level, Buffer<Real>& system) {
        const LevelSize& size = sizes_[level];
        auto warped = queue_.allocate<Real>(pairs_ * size.points(), "warped frames");
        queue_.launch(Kernels<Real>::warp, range(size), images(level), flow_, warped, size.width,
                      size.height, parameters_.literal);
        queue_.launch(Kernels<Real>::system, range(size), images(level), warped, flow_, system,
                      size.width, size.height, static_cast<Real>(parameters_.alpha),
                      int{parameters_.total});
        if (!parameters_.total) queue_.fill(step_, Real{0});
    }

    // On a GPU all that comes before the sweeps of a warp is one launch, which also takes the step
    // that the last warp has found.
    void begin(std::size_t level, Buffer<Real>& system) {
        constexpr int columns = 32, rows = 8;  // of a group
        const LevelSize& size = sizes_[level];
        auto flow = flow_buffer(size, "flow"), step = step_buffer(size);
        queue_.launch(
            Kernels<Real>::begin,
            Groups{(size.width + columns - 1) / columns, (size.height + rows - 1) / rows, pairs_},
            images(level), flow_, step_, flow, step, system,
            typename Kernels<Real>::Warp{static_cast<Real>(parameters_.alpha), size.width,
                                         size.height, begun_.width, begun_.height,
                                         int{parameters_.total}, parameters_.literal});
        flow_ = std::move(flow);
        step_ = std::move(step);
        begun_ = size;
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
    const bool in_groups_;
    std::vector<Buffer<const Real>>
        smaller_;            // of each level from the second on, one plane a frame
    LevelSize begun_{0, 0};  // of the flow and the step so far
    // Of the level at hand, but on a GPU of the one before until a warp begins. A step where such
    // is solved for, which on a GPU the flow lacks until then.
    Buffer<Real> flow_, step_;
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

std::int64_t horn_schunck_bytes(const Shape& frames, const HornSchunckOptions& options,
                                const Device& device) {
    const Parameters parameters = parameters_of(options);
    const std::int64_t pairs = frames.t - 1, points = frames.x * frames.y;
    std::int64_t pyramid = 0;
    for (const LevelSize& size : pyramid_sizes(frames, parameters.levels))
        pyramid += frames.t * size.points();
    const std::int64_t flow = 2 * pairs * points + 2 * kernels::flow_margin;
    // The flow, and what is swept; beside them the step, or, where a warp begins with one launch,
    // flow and step of the warp before.
    const bool keeps_both = prefers_groups(device) && parameters.warps > 1;
    const std::int64_t flows = (parameters.total ? 2 : keeps_both ? 4 : 3) * flow;
    const std::int64_t system = 4 * pairs * points;  // and warped frames
    const bool is_double = options.precision == Precision::double_;
    return static_cast<std::int64_t>(is_double ? sizeof(double) : sizeof(float)) *
               (pyramid + flows + system) +
           static_cast<std::int64_t>(sizeof(float)) * 2 * pairs * points;  // fields
}

}  // namespace tesela::thesis
