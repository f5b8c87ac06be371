#include "tesela/tv_l1.h"

#include <algorithm>

#include "kernels/motion/flow_weighted_median.kernel.h"
#include "kernels/motion/tv_l1.kernel.h"
#include "motion/flow_filter.h"
#include "motion/pyramid.h"

namespace tesela {
namespace {

constexpr float omega = 1.93f;       // of the over-relaxation: for few steps of changing systems
constexpr float least_edge = 0.05f;  // smoothness that is left across the strongest edge

std::vector<LevelSize> sizes_of(const Shape& shape, const TvL1Options& options) {
    constexpr int most_levels = 20, least_side = 16;
    return level_sizes(shape, options.scale, options.levels.value_or(most_levels), least_side);
}

// Elements of so many planes of both colors of a chessboard, for each pair.
std::int64_t boards(const LevelSize& size, std::int64_t pairs, int planes) {
    return planes * pairs * kernels::flow_solver_plane(true, size.width, size.height) +
           2 * kernels::flow_margin;
}

// What a level needs beside its flow.
struct Level {
    LevelSize size;
    Buffer<float> edges, data, terms;
    Buffer<float> solved, swept;  // the solver's planes; the second where it works in tiles
    Buffer<float> filtered;       // flow
};

class TvL1 {
  public:
    // `guide` has `channels` planes for each pair.
    TvL1(Queue& queue, const TvL1Options& options, Pyramid& pyramid, Pyramid& guide, int channels,
         const Progress& progress)
        : queue_(queue),
          options_(options),
          pyramid_(pyramid),
          guide_(guide),
          channels_(channels),
          progress_(progress),
          in_groups_(prefers_groups(queue.device())) {}

    // Enqueues all of it.
    Buffer<float> run() {
        Buffer<float> fields;
        queue_.sequence([&] {
            pyramid_.build();
            if (&guide_ != &pyramid_) guide_.build();
            pyramid_.coarse_to_fine(flow_, gradients_, [&](int level) { refine(level); });
            fields = pyramid_.interleave(flow_);
        });
        return fields;
    }

  private:
    Range range(const LevelSize& size) const { return {size.width, size.height, pyramid_.pairs()}; }

    Level make_level(int level) const {
        const LevelSize& size = pyramid_.size(level);
        // 0 where there is no pixel. All of a linear system is written.
        const auto empty = [&](int planes, const char* name) {
            return queue_.allocate_filled<float>(boards(size, pyramid_.pairs(), planes), 0.0f,
                                                 name);
        };
        Level made{.size = size,
                   .edges = empty(kernels::tv_l1_edge_planes, "edges"),
                   .data = empty(kernels::tv_l1_data_planes, "data"),
                   .terms = queue_.allocate<float>(
                       boards(size, pyramid_.pairs(), kernels::tv_l1_term_planes), "linear system"),
                   .solved = empty(2, "solver's planes"),
                   .swept = {},
                   .filtered = pyramid_.flow_planes(level, "filtered flow")};
        if (in_groups_) made.swept = empty(2, "swept planes");
        queue_.launch(kernels::tv_l1_edges, range(size), guide_.images(level), made.edges,
                      size.width, size.height, channels_, options_.no_edges ? 1.0f : least_edge);
        return made;
    }

    void refine(int level) {
        Level l = make_level(level);
        const int width = l.size.width, height = l.size.height;
        for (int warp = 0; warp < options_.warps; ++warp) {
            progress_.throw_if_cancelled();
            queue_.launch(kernels::tv_l1_linearize, range(l.size), pyramid_.images(level),
                          gradients_, flow_, l.data, l.solved, width, height);
            for (int update = 0; update < options_.updates; ++update) solve(l);
            take_solved_flow(queue_, l.size, pyramid_.pairs(), options_.medians,
                             SolverPlanes::chessboard, l.solved, flow_, l.filtered);
        }
        if (!options_.no_weighted_median) filter(level, l);
    }

    // Weights of the flow so far, and steps in the linear system that they give. On a GPU, tiles
    // take several at once, with the same bits.
    void solve(Level& l) {
        const int width = l.size.width, height = l.size.height;
        const std::int64_t columns = (width + 1) / 2;
        queue_.launch(kernels::tv_l1_weigh, Range{columns, height, 2 * pyramid_.pairs()}, l.solved,
                      l.data, l.edges, l.terms, width, height, static_cast<float>(options_.alpha));
        const int steps = 2 * options_.sweeps;
        if (in_groups_) {
            constexpr int most = kernels::tv_l1_tile_halo;
            constexpr int middle_x = kernels::tv_l1_middle_width;
            constexpr int middle_y = kernels::tv_l1_middle_height;
            const Groups tiles{(width + middle_x - 1) / middle_x,
                               (height + middle_y - 1) / middle_y, pyramid_.pairs()};
            for (int k = 0; k < steps; k += most) {
                queue_.launch(kernels::tv_l1_relax_tile, tiles, l.solved, l.terms, l.swept, width,
                              height, std::min(most, steps - k), omega);
                std::swap(l.solved, l.swept);
            }
        } else {
            for (int k = 0; k < steps; ++k)
                queue_.launch(kernels::tv_l1_relax, Range{columns, height, pyramid_.pairs()},
                              l.solved, l.terms, width, height, k % 2, omega);
        }
    }

    void filter(int level, Level& l) {
        const int width = l.size.width, height = l.size.height;
        auto reliability =
            queue_.allocate<float>(pyramid_.pairs() * l.size.points(), "reliability");
        queue_.launch(kernels::flow_reliability, range(l.size), pyramid_.images(level), flow_,
                      reliability, width, height);
        const auto launch = [&](const auto& kernel, const Range& items) {
            queue_.launch(kernel, items, flow_, guide_.images(level), reliability, l.filtered,
                          width, height, channels_);
        };
        constexpr int segment = kernels::flow_median_segment;
        if (in_groups_)
            launch(kernels::flow_weighted_median, range(l.size));
        else
            launch(kernels::flow_weighted_median_row,
                   Range{(width + segment - 1) / segment, height, pyramid_.pairs()});
        std::swap(flow_, l.filtered);
    }

    Queue& queue_;
    const TvL1Options& options_;
    Pyramid &pyramid_, &guide_;
    const int channels_;
    const Progress& progress_;
    const bool in_groups_;
    Buffer<float> flow_, gradients_;  // of the level at hand
};

DeviceImage<float> of_brightness(const DeviceImage<const float>& frames, const TvL1Options& options,
                                 Queue& queue, const Progress& progress) {
    Pyramid pyramid(queue, sizes_of(frames.shape, options), options.scale, options.presmoothing,
                    frames);
    return device_fields(TvL1(queue, options, pyramid, pyramid, 1, progress).run(), frames);
}

DeviceImage<float> of_colors(const DeviceImage<const float>& frames, const TvL1Options& options,
                             Queue& queue, const Progress& progress) {
    const std::int64_t points = frames.shape.x * frames.shape.y, count = frames.shape.t;
    auto luma = queue.allocate<float>(count * points, "luma");
    auto colors = queue.allocate<float>(3 * (count - 1) * points, "colors");
    queue.launch(kernels::tv_l1_split, Range{points, count}, frames.pixels, luma, colors, points,
                 static_cast<int>(count - 1));
    const auto planes = [&](Buffer<float> pixels, std::int64_t number) {
        return DeviceImage<const float>{
            std::move(pixels), {frames.shape.x, frames.shape.y, 1, number}, {}};
    };
    const auto gray = planes(std::move(luma), count);
    const auto shown = planes(std::move(colors), 3 * (count - 1));
    const std::vector<LevelSize> sizes = sizes_of(frames.shape, options);
    Pyramid pyramid(queue, sizes, options.scale, options.presmoothing, gray);
    Pyramid guide(queue, sizes, options.scale, options.presmoothing, shown);
    return device_fields(TvL1(queue, options, pyramid, guide, 3, progress).run(), frames);
}

}  // namespace

FlowResult tv_l1(std::span<const Image<float>> frames, const TvL1Options& options, Queue& queue,
                 const Progress& progress) {
    validate_options(options);
    FieldsJob job(frames, queue, progress, FrameColors::allowed);
    const DeviceImage<const float> uploaded = job.device_frames();
    job.tell_levels(static_cast<int>(sizes_of(job.shape(), options).size()),
                    options.levels.value_or(0));
    job.start_computing();
    return job.finish(tv_l1(uploaded, options, queue, progress).pixels);
}

DeviceImage<float> tv_l1(const DeviceImage<const float>& frames, const TvL1Options& options,
                         Queue& queue, const Progress& progress) {
    validate_options(options);
    check_sequence(frames.shape, FrameColors::allowed);
    if (frames.shape.channels == 1) return of_brightness(frames, options, queue, progress);
    return of_colors(frames, options, queue, progress);
}

std::int64_t tv_l1_device_bytes(const Shape& frames, const TvL1Options& options,
                                const Device& device) {
    validate_options(options);
    check_sequence(frames, FrameColors::allowed);
    const std::vector<LevelSize> sizes = sizes_of(frames, options);
    const LevelSize& finest = sizes.front();
    const std::int64_t pairs = frames.t - 1, points = finest.points();
    const auto pyramid = [&](std::int64_t planes) {
        return planes * points + Pyramid::elements(sizes, options.presmoothing, planes);
    };
    std::int64_t elements = pyramid(frames.t);
    if (frames.channels == 3) elements += frames.elements() + pyramid(3 * pairs);
    elements += 2 * Pyramid::flow_elements(finest, pairs);  // and filtered
    elements += 2 * frames.points();                        // gradients
    for (const int planes : {int{kernels::tv_l1_edge_planes}, int{kernels::tv_l1_data_planes},
                             int{kernels::tv_l1_term_planes}, 2, prefers_groups(device) ? 2 : 0})
        elements += boards(finest, pairs, planes);
    if (!options.no_weighted_median) elements += pairs * points;  // reliability
    return static_cast<std::int64_t>(sizeof(float)) * elements;
}

}  // namespace tesela
