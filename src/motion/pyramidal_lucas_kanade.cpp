#include "motion/pyramidal_lucas_kanade.h"

#include <algorithm>
#include <optional>

#include "filters/median.h"
#include "kernels/motion/flow_levels.kernel.h"
#include "kernels/motion/lucas_kanade.kernel.h"
#include "kernels/motion/pyramidal_lucas_kanade.kernel.h"
#include "motion/pyramid.h"

namespace tesela {
namespace {

constexpr int usual_block = 7;
constexpr double usual_scale = 0.5;
constexpr double gray_levels = 255;                            // of brightness from 0 to 1
constexpr double damping = 0.3 / (gray_levels * gray_levels);  // of the mean over a window
constexpr double doubtful = 15 / gray_levels;  // difference of brightness that counts a quarter
constexpr float most_step = 2;                 // pixels that a warp changes a component by, at most
constexpr double usual_presmoothing = 0.5;

// Windows that reach further than the image hold nothing more.
struct Reach {
    Reach(const LucasKanadeOptions& options, const LevelSize& size)
        : x(std::min(options.block_width.value_or(usual_block) / 2, size.width - 1)),
          y(std::min(options.block_height.value_or(usual_block) / 2, size.height - 1)) {}
    // Whether windows fit in the tiles that a GPU takes.
    bool in_tiles() const {
        constexpr int most = kernels::lucas_kanade_window_reach;
        return x <= most && y <= most;
    }
    int x, y;
};

class LucasKanade {
  public:
    LucasKanade(Queue& queue, const LucasKanadeOptions& options, Pyramid& pyramid,
                const Progress& progress)
        : queue_(queue),
          options_(options),
          pyramid_(pyramid),
          progress_(progress),
          in_groups_(prefers_groups(queue.device())) {}

    // Enqueues all of it. The planes of confidence are empty unless they are wanted.
    struct Planes {
        Buffer<float> fields, confidence;
    };
    Planes run(bool wants_confidence) {
        const auto least = static_cast<float>(options_.min_confidence.value_or(0));
        Planes result;
        queue_.sequence([&] {
            pyramid_.build();
            pyramid_.coarse_to_fine(flow_, gradients_, [&](int level) { refine(level); });
            result.fields = pyramid_.interleave(flow_);
            if (wants_confidence || least > 0) result.confidence = confidence();
            if (least > 0)
                queue_.launch(kernels::lucas_kanade_mark, Range{result.confidence.size()},
                              result.confidence, result.fields, least, unknown_flow);
        });
        return result;
    }

  private:
    // What a pixel says of the flow, with zeros beside each row, and sums along rows of products.
    struct Window {
        Reach reach;
        Buffer<float> p, q, r, xx, yy, xy, xr, yr;
    };

    Range range(int level) const {
        return {pyramid_.size(level).width, pyramid_.size(level).height, pyramid_.pairs()};
    }
    Reach reach(int level) const { return {options_, pyramid_.size(level)}; }
    // Of sums over windows.
    float pixels() const {
        return static_cast<float>(options_.block_width.value_or(usual_block)) *
               static_cast<float>(options_.block_height.value_or(usual_block));
    }
    float damping_of_sums() const { return static_cast<float>(damping) * pixels(); }
    static float doubt() { return static_cast<float>(1 / (doubtful * doubtful)); }

    void refine(int level) {
        const LevelSize& size = pyramid_.size(level);
        const bool in_tiles = in_groups_ && reach(level).in_tiles();
        std::optional<Window> window;
        if (!in_tiles) window = window_of(level);
        auto next = pyramid_.flow_planes(level, "next flow");
        for (int warp = 0; warp < options_.warps.value_or(3); ++warp) {
            progress_.throw_if_cancelled();
            if (in_tiles) {
                step_in_tiles(level, next);
                std::swap(flow_, next);
            } else {
                step(level, *window);
            }
            take_medians(queue_, size.width, size.height, 2 * pyramid_.pairs(),
                         kernels::flow_margin, options_.medians.value_or(2), flow_, next);
        }
    }

    // On a GPU, with the same bits as row by row.
    void step_in_tiles(int level, Buffer<float>& next) {
        constexpr int columns = kernels::lucas_kanade_window_tile;
        constexpr int rows = kernels::lucas_kanade_window_tile_y;
        const LevelSize& size = pyramid_.size(level);
        const Groups tiles{(size.width + columns - 1) / columns, (size.height + rows - 1) / rows,
                           pyramid_.pairs()};
        queue_.launch(kernels::lucas_kanade_window, tiles, pyramid_.images(level), gradients_,
                      flow_, next, size.width, size.height, reach(level).x, reach(level).y, doubt(),
                      damping_of_sums(), most_step);
    }

    void step(int level, Window& window) {
        sum_rows(level, window);
        const LevelSize& size = pyramid_.size(level);
        queue_.launch(kernels::lucas_kanade_update, range(level), window.xx, window.yy, window.xy,
                      window.xr, window.yr, flow_, size.width, size.height, window.reach.y,
                      damping_of_sums(), most_step);
    }

    Window window_of(int level) {
        const LevelSize& size = pyramid_.size(level);
        const std::int64_t rows = pyramid_.pairs() * size.height;
        const auto terms = [&] {
            auto planes = queue_.allocate<float>(rows * (size.width + 2 * reach(level).x), "terms");
            queue_.fill(planes, 0.0f);
            return planes;
        };
        const auto sums = [&] {
            return queue_.allocate<float>(rows * size.width, "sums along rows");
        };
        return {reach(level), terms(), terms(), terms(), sums(), sums(), sums(), sums(), sums()};
    }

    void sum_rows(int level, Window& window) {
        const LevelSize& size = pyramid_.size(level);
        queue_.launch(kernels::lucas_kanade_linearize, range(level), pyramid_.images(level),
                      gradients_, flow_, window.p, window.q, window.r, size.width, size.height,
                      window.reach.x, doubt());
        queue_.launch(kernels::lucas_kanade_row_sums_f32, range(level), window.p, window.q,
                      window.r, window.xx, window.yy, window.xy, window.xr, window.yr, size.height,
                      window.reach.x, size.width + 2 * window.reach.x, size.width);
    }

    // Of the flow of the finest level as it is.
    Buffer<float> confidence() {
        const LevelSize& size = pyramid_.size(0);
        Window window = window_of(0);
        sum_rows(0, window);
        auto found = queue_.allocate<float>(pyramid_.pairs() * size.points(), "confidence");
        queue_.launch(kernels::lucas_kanade_confidence, range(0), window.xx, window.yy, window.xy,
                      window.xr, window.yr, found, size.width, size.height, window.reach.y,
                      static_cast<float>(gray_levels * gray_levels) / pixels());
        return found;
    }

    Queue& queue_;
    const LucasKanadeOptions& options_;
    Pyramid& pyramid_;
    const Progress& progress_;
    const bool in_groups_;
    Buffer<float> flow_, gradients_;  // of the level at hand
};

}  // namespace

std::vector<LevelSize> lucas_kanade_levels(const Shape& shape, const LucasKanadeOptions& options) {
    constexpr int most_levels = 20, least_side = 16;
    return level_sizes(shape, options.scale.value_or(usual_scale),
                       options.levels.value_or(most_levels), least_side);
}

ConfidentFlow pyramidal_lucas_kanade(const DeviceImage<const float>& frames,
                                     const LucasKanadeOptions& options, bool wants_confidence,
                                     Queue& queue, const Progress& progress) {
    Pyramid pyramid(queue, lucas_kanade_levels(frames.shape, options),
                    options.scale.value_or(usual_scale),
                    options.presmoothing.value_or(usual_presmoothing), frames);
    auto found = LucasKanade(queue, options, pyramid, progress).run(wants_confidence);
    DeviceImage<float> fields = device_fields(std::move(found.fields), frames);
    Shape shape = fields.shape;
    shape.channels = 1;
    return {std::move(fields), {std::move(found.confidence), shape, frames.geometry}};
}

std::int64_t pyramidal_lucas_kanade_bytes(const Shape& frames, const LucasKanadeOptions& options,
                                          const Device& device) {
    const std::vector<LevelSize> sizes = lucas_kanade_levels(frames, options);
    const LevelSize& finest = sizes.front();
    const Reach reach(options, finest);
    const std::int64_t pairs = frames.t - 1, points = pairs * finest.points();
    const std::int64_t window = 8 * points + 3 * pairs * finest.height * 2 * reach.x;
    const bool in_tiles = prefers_groups(device) && reach.in_tiles();
    const std::int64_t flow = Pyramid::flow_elements(finest, pairs),
                       gradients = 2 * frames.points();
    const std::int64_t refining = flow + (in_tiles ? std::int64_t{0} : window);
    // Fields, and what tells their confidence.
    const bool is_confident = options.confidence || options.min_confidence.value_or(0) > 0;
    const std::int64_t giving = 2 * points + (is_confident ? window + points : std::int64_t{0});
    const double presmoothing = options.presmoothing.value_or(usual_presmoothing);
    return static_cast<std::int64_t>(sizeof(float)) *
           (frames.points() + Pyramid::elements(sizes, presmoothing, frames.t) + flow + gradients +
            std::max(refining, giving));
}

}  // namespace tesela
