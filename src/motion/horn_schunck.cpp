#include "tesela/horn_schunck.h"

#include <algorithm>
#include <bit>
#include <string>

#include "kernels/motion/gpu/flow_jacobi.kernel.h"
#include "kernels/motion/gpu/flow_relaxation.kernel.h"
#include "kernels/motion/gpu/flow_whole_level.kernel.h"
#include "motion/flow_filter.h"
#include "motion/jacobi.h"
#include "motion/pyramid.h"
#include "motion/thesis/horn_schunck.h"

namespace tesela {
namespace {

constexpr double usual_alpha = 40.0 / (255 * 255);

// The factors of the half steps of red-black over-relaxation: those of the cyclic Chebyshev method
// (R. S. Varga, "Matrix Iterative Analysis", 1962, section 5), for a spectral radius of Jacobi's
// steps that suits few of them.
std::vector<float> relaxation(int sweeps) {
    constexpr double radius2 = 0.99 * 0.99;
    std::vector<float> omega;
    double last = 1;
    for (int k = 0; k < 2 * sweeps; ++k) {
        if (k > 0) last = 1 / (1 - radius2 * last / (k == 1 ? 2 : 4));
        omega.push_back(static_cast<float>(last));
    }
    return omega;
}

// Elements of the planes of a solver's system, and of the two that it solves for.
struct SolverElements {
    SolverElements(const LevelSize& size, std::int64_t pairs, bool jacobi) {
        const auto plane = kernels::flow_solver_plane(!jacobi, size.width, size.height);
        system = 3 * pairs * plane;
        solved = 2 * pairs * plane + 2 * kernels::flow_margin;
    }
    std::int64_t system, solved;
};
bool swaps_planes(bool in_groups, FlowSolver solver) {
    return in_groups || solver == FlowSolver::jacobi;
}

class HornSchunck {
  public:
    HornSchunck(Queue& queue, const HornSchunckOptions& options, Pyramid& pyramid,
                const Progress& progress)
        : queue_(queue),
          options_(options),
          pyramid_(pyramid),
          progress_(progress),
          in_groups_(prefers_groups(queue.device())),
          jacobi_(options.solver == FlowSolver::jacobi),
          warps_(options.warps.value_or(3)),
          sweeps_(options.sweeps.value_or(8)),
          alpha_(static_cast<float>(options.alpha.value_or(usual_alpha))),
          omega_(relaxation(sweeps_)) {
        if (!jacobi_) omegas_ = queue.upload(std::span<const float>(omega_), "relaxation factors");
    }

    // Enqueues all of it.
    Buffer<float> run() {
        Buffer<float> fields;
        const auto enqueue = [&] {
            pyramid_.build();
            pyramid_.coarse_to_fine(flow_, gradients_, [&](int level) { refine(level); });
            fields = pyramid_.interleave(flow_);
        };
        if (options_.tolerance > 0)
            enqueue();  // which reads residuals in between
        else
            queue_.sequence(enqueue);
        return fields;
    }

  private:
    Range range(int level) const {
        return {pyramid_.size(level).width, pyramid_.size(level).height, pyramid_.pairs()};
    }

    void refine(int level) {
        const LevelSize& size = pyramid_.size(level);
        if (refines_at_once(size)) return refine_at_once(level);
        const SolverElements elements(size, pyramid_.pairs(), jacobi_);
        auto system = queue_.allocate<float>(elements.system, "linear system");
        auto solved = queue_.allocate<float>(elements.solved, "solver's planes");
        Buffer<float> swept;
        if (swaps_planes(in_groups_, options_.solver))
            swept = queue_.allocate<float>(elements.solved, "swept planes");
        auto filtered = pyramid_.flow_planes(level, "filtered flow");
        bool is_linearized = false;
        for (int warp = warps_; warp > 0; --warp) {
            progress_.throw_if_cancelled();
            if (!is_linearized) linearize(level, system, solved);
            solve(size, system, solved, swept);
            is_linearized = warp > 1 && begins_next_warp_at_once(size);
            if (is_linearized)
                begin_next_warp(queue_, size, pyramid_.pairs(), solved, pyramid_.images(level),
                                gradients_, alpha_, flow_, filtered, system);
            else
                take_solved_flow(queue_, size, pyramid_.pairs(), options_.medians,
                                 jacobi_ ? SolverPlanes::image : SolverPlanes::chessboard, solved,
                                 flow_, filtered);
        }
    }

    // All warps in one launch.
    static_assert(int{kernels::flow_whole_level_width} >= int{kernels::flow_jacobi_whole_width} &&
                  int{kernels::flow_whole_level_height} >= int{kernels::flow_jacobi_whole_height});
    bool refines_at_once(const LevelSize& size) const {
        return jacobi_ && options_.tolerance == 0 && takes_level_at_once(queue_.device(), size) &&
               warps_ * (sweeps_ + (1 + std::int64_t{options_.medians}) * system_in_steps) <=
                   most_steps_at_once;
    }
    void refine_at_once(int level) {
        const LevelSize& size = pyramid_.size(level);
        progress_.throw_if_cancelled();
        auto refined = pyramid_.flow_planes(level, "flow");
        queue_.launch(kernels::flow_whole_level, Groups{1, 1, pyramid_.pairs()},
                      pyramid_.images(level), gradients_, flow_, refined, size.width, size.height,
                      alpha_, warps_, sweeps_, most_flow_step, options_.medians);
        flow_ = std::move(refined);
    }

    // Measured on an H200: on large levels two launches, each with tiles of its own, are faster.
    bool begins_next_warp_at_once(const LevelSize& size) const {
        return in_groups_ && jacobi_ && options_.medians == 1 &&
               pyramid_.pairs() * size.points() <= 100'000;
    }

    // The system; for over-relaxation, in `solved`, what it starts with.
    void linearize(int level, Buffer<float>& system, Buffer<float>& solved) {
        const LevelSize& size = pyramid_.size(level);
        if (jacobi_)
            queue_.launch(kernels::flow_linearize, range(level), pyramid_.images(level), gradients_,
                          flow_, system, size.width, size.height, alpha_);
        else
            queue_.launch(kernels::flow_linearize_board, range(level), pyramid_.images(level),
                          gradients_, flow_, system, solved, size.width, size.height, alpha_);
    }

    void solve(const LevelSize& size, const Buffer<float>& system, Buffer<float>& solved,
               Buffer<float>& swept) {
        constexpr int sweeps_between_looks = 8;
        const int at_once = options_.tolerance > 0 ? sweeps_between_looks : sweeps_;
        for (int first = 0; first < sweeps_; first += at_once) {
            const int count = std::min(at_once, sweeps_ - first);
            if (jacobi_)
                take_jacobi_steps(queue_, size, pyramid_.pairs(), system,
                                  first == 0 ? flow_ : solved, solved, swept, count);
            else if (in_groups_)
                relax_tiles(size, system, solved, swept, 2 * first, 2 * (first + count));
            else
                relax(size, system, solved, 2 * first, 2 * (first + count));
            if (options_.tolerance > 0 && residual(size, system, solved) <= options_.tolerance)
                return;
        }
    }

    // The largest change that one more step would make, in pixels.
    float residual(const LevelSize& size, const Buffer<float>& system,
                   const Buffer<float>& solved) {
        progress_.throw_if_cancelled();
        auto largest = queue_.allocate_filled<std::uint32_t>(1, 0, "residual");
        queue_.launch(kernels::flow_residual, Range{size.width, size.height, pyramid_.pairs()},
                      solved, system, largest, size.width, size.height, int{!jacobi_});
        return std::bit_cast<float>(queue_.download(largest).front());
    }

    // Half steps from `first` to before `end`. On a GPU, tiles take several at once, with the same
    // bits.
    void relax_tiles(const LevelSize& size, const Buffer<float>& system, Buffer<float>& solved,
                     Buffer<float>& swept, int first, int end) {
        constexpr int middle = kernels::flow_tile_middle, most = kernels::flow_tile_halo;
        const Groups tiles{(size.width + middle - 1) / middle, (size.height + middle - 1) / middle,
                           pyramid_.pairs()};
        for (int k = first; k < end; k += most) {
            queue_.launch(kernels::flow_relax_tile, tiles, solved, system, omegas_, swept,
                          size.width, size.height, k, std::min(most, end - k));
            std::swap(solved, swept);
        }
    }

    void relax(const LevelSize& size, const Buffer<float>& system, Buffer<float>& solved, int first,
               int end) {
        for (int k = first; k < end; ++k)
            queue_.launch(kernels::flow_relax,
                          Range{(size.width + 1) / 2, size.height, pyramid_.pairs()}, solved,
                          system, size.width, size.height, k % 2,
                          omega_[static_cast<std::size_t>(k)]);
    }

    Queue& queue_;
    const HornSchunckOptions& options_;
    Pyramid& pyramid_;
    const Progress& progress_;
    const bool in_groups_, jacobi_;
    const int warps_, sweeps_;
    const float alpha_;
    const std::vector<float> omega_;
    Buffer<float> omegas_;            // for over-relaxation
    Buffer<float> flow_, gradients_;  // of the level at hand
};

std::vector<LevelSize> sizes_of(const Shape& shape, const HornSchunckOptions& options) {
    constexpr int most_levels = 20, least_side = 16;
    return level_sizes(shape, options.scale, options.levels.value_or(most_levels), least_side);
}

void check_default_variant(const HornSchunckOptions& options) {
    const auto refuse = [](const std::string& what) {
        throw InvalidArgument(
            what + " belongs to the thesis's variant: leave it out, or use that variant");
    };
    if (options.precision == Precision::double_) refuse("--precision double");
    if (options.regularization == Regularization::increment) refuse("--regularization increment");
    if (options.sampling == FlowSampling::literal) refuse("--sampling literal");
}

}  // namespace

FlowResult horn_schunck(std::span<const Image<float>> frames, const HornSchunckOptions& options,
                        Queue& queue, const Progress& progress) {
    validate_options(options);
    if (options.variant == HornSchunckVariant::thesis)
        return thesis::horn_schunck(frames, options, queue, progress);
    FieldsJob job(frames, queue, progress);
    const DeviceImage<const float> uploaded = job.device_frames();
    job.tell_levels(static_cast<int>(sizes_of(job.shape(), options).size()),
                    options.levels.value_or(0));
    job.start_computing();
    return job.finish(horn_schunck(uploaded, options, queue, progress).pixels);
}

DeviceImage<float> horn_schunck(const DeviceImage<const float>& frames,
                                const HornSchunckOptions& options, Queue& queue,
                                const Progress& progress) {
    validate_options(options);
    check_sequence(frames.shape);
    if (options.variant == HornSchunckVariant::thesis && options.precision == Precision::single_)
        return device_fields(thesis::horn_schunck(frames, options, queue, progress), frames);
    check_default_variant(options);
    Pyramid pyramid(queue, sizes_of(frames.shape, options), options.scale, options.presmoothing,
                    frames);
    return device_fields(HornSchunck(queue, options, pyramid, progress).run(), frames);
}

std::int64_t horn_schunck_device_bytes(const Shape& frames, const HornSchunckOptions& options,
                                       const Device& device) {
    validate_options(options);
    check_sequence(frames);
    if (options.variant == HornSchunckVariant::thesis)
        return thesis::horn_schunck_bytes(frames, options, device);
    check_default_variant(options);
    const std::vector<LevelSize> sizes = sizes_of(frames, options);
    const LevelSize& finest = sizes.front();
    const std::int64_t pairs = frames.t - 1;
    const SolverElements solver(finest, pairs, options.solver == FlowSolver::jacobi);
    const bool swaps = swaps_planes(prefers_groups(device), options.solver);
    const std::int64_t flows = 2 * Pyramid::flow_elements(finest, pairs);  // and filtered
    const std::int64_t gradients = 2 * frames.points();
    return static_cast<std::int64_t>(sizeof(float)) *
           (frames.points() + Pyramid::elements(sizes, options.presmoothing, frames.t) + flows +
            gradients + solver.system + (swaps ? 2 : 1) * solver.solved);
}

}  // namespace tesela
