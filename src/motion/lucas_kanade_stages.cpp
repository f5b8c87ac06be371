#include "motion/lucas_kanade_stages.h"

#include <algorithm>
#include <array>

#include "kernels/motion/lucas_kanade.kernel.h"
#include "kernels/motion/lucas_kanade_f64.kernel.h"
#include "motion/lucas_kanade_filter.h"

namespace tesela {
namespace {

// The kernels of one precision.
template <class Real>
struct Kernels;
#define TESELA_LUCAS_KANADE_KERNELS(type, suffix)                                                \
    template <>                                                                                  \
    struct Kernels<type> {                                                                       \
        static constexpr auto& place = kernels::lucas_kanade_place_##suffix;                     \
        static constexpr auto& gradients = kernels::lucas_kanade_gradients_##suffix;             \
        static constexpr auto& row_sums = kernels::lucas_kanade_row_sums_##suffix;               \
        static constexpr auto& flow = kernels::lucas_kanade_flow_##suffix;                       \
        static constexpr auto& derivative = kernels::lucas_kanade_derivative_##suffix;           \
        static constexpr auto& tile_derivative = kernels::lucas_kanade_tile_derivative_##suffix; \
        static constexpr auto& difference = kernels::lucas_kanade_difference_##suffix;           \
        static constexpr auto& product = kernels::lucas_kanade_product_##suffix;                 \
        static constexpr auto& window_sum = kernels::lucas_kanade_window_sum_##suffix;           \
        static constexpr auto& tile_sum = kernels::lucas_kanade_tile_sum_##suffix;               \
        static constexpr auto& solve = kernels::lucas_kanade_solve_##suffix;                     \
    }
TESELA_LUCAS_KANADE_KERNELS(float, f32);
TESELA_LUCAS_KANADE_KERNELS(double, f64);
#undef TESELA_LUCAS_KANADE_KERNELS

// Pixels from one row to the next: whole groups of the last kernel, whole cache lines.
int pitch_of(std::int64_t pixels) {
    constexpr std::int64_t step = 32;
    return static_cast<int>((pixels + step - 1) / step * step);
}

// How planes lie in memory. Windows that reach further than the image hold nothing more.
struct Layout {
    Layout(const Shape& sequence, const LucasKanadeOptions& options)
        : width(static_cast<int>(sequence.x)),
          height(static_cast<int>(sequence.y)),
          frames(sequence.t),
          pairs(sequence.t - 1),
          radius(options.filter_size.value_or(thesis_filter_size) / 2),
          reach_x(std::min(options.block_width.value_or(thesis_block) / 2, width - 1)),
          reach_y(std::min(options.block_height.value_or(thesis_block) / 2, height - 1)),
          frame_pitch(width) {
        if (options.variant != LucasKanadeVariant::thesis) return;
        // Derivatives have margins as wide as the block reaches, and frames as wide as the longest
        // filter reaches from there.
        constexpr int longest_radius = longest_derivative_filter / 2;
        sum_pitch = pitch_of(width);
        pitch = pitch_of(sum_pitch + 2 * std::int64_t{reach_x});
        frame_margin = reach_x + longest_radius;
        frame_pitch = pitch_of(pitch + 2 * longest_radius);
    }

    int width, height;
    std::int64_t frames, pairs;
    int radius;            // of the filter
    int reach_x, reach_y;  // of the block
    int frame_pitch, frame_margin = 0;
    int pitch = 0;      // of derivatives with margins
    int sum_pitch = 0;  // of row sums
    Range range() const { return {width, height, pairs}; }
    std::int64_t pixels() const { return pairs * height * width; }
};

template <class Real>
class Stages {
  public:
    Stages(Queue& queue, const Layout& layout, int filter_size, const Progress& progress)
        : queue_(queue),
          l_(layout),
          progress_(progress),
          frames_(queue.allocate<Real>(l_.frames * l_.height * l_.frame_pitch, "frames")),
          filter_(queue.allocate<Real>(longest_derivative_filter, "derivative filter")) {
        const auto taps = derivative_filter(filter_size);
        std::array<Real, longest_derivative_filter> filter{};
        std::transform(taps.begin(), taps.end(), filter.begin(),
                       [](double tap) { return static_cast<Real>(tap); });
        queue.write(filter_, std::span<const Real>(filter));
    }

    void take(const Buffer<const float>& pixels, int first, int count) {
        queue_.launch(K::place, Range{l_.frame_pitch, l_.height, count}, pixels, frames_, first,
                      l_.width, l_.height, l_.frame_margin, l_.frame_pitch);
    }

    // Three launches: products are made where they are summed, first along rows.
    Buffer<float> fast() {
        Sums sums = row_sums();
        progress_.throw_if_cancelled();
        Buffer<float> flow = queue_.allocate<float>(2 * l_.pixels(), "flow");
        queue_.launch(K::flow, groups(K::flow), sums.xx, sums.yy, sums.xy, sums.xt, sums.yt, flow,
                      l_.width, l_.height, l_.reach_y, l_.sum_pitch);
        return flow;
    }

    // The 14 launches of the thesis, `by_tiles` in local memory.
    Buffer<float> step_by_step(bool by_tiles) {
        Buffer<Real> ix = derivative(by_tiles, 0);
        Buffer<Real> iy = derivative(by_tiles, 1);
        Buffer<Real> it = plane("derivative t");
        queue_.launch(K::difference, l_.range(), frames_, it, l_.width, l_.height);
        const Sums sums{product_sum(by_tiles, ix, ix), product_sum(by_tiles, iy, iy),
                        product_sum(by_tiles, ix, iy), product_sum(by_tiles, ix, it),
                        product_sum(by_tiles, iy, it)};
        Buffer<float> flow = queue_.allocate<float>(2 * l_.pixels(), "flow");
        queue_.launch(K::solve, l_.range(), sums.xx, sums.yy, sums.xy, sums.xt, sums.yt, flow,
                      l_.width, l_.height);
        return flow;
    }

  private:
    using K = Kernels<Real>;
    struct Sums {
        Buffer<Real> xx, yy, xy, xt, yt;
    };

    Buffer<Real> plane(const char* name) { return queue_.allocate<Real>(l_.pixels(), name); }

    Sums row_sums() {
        const std::int64_t elements = l_.pairs * l_.height * l_.pitch;
        Buffer<Real> ix = queue_.allocate<Real>(elements, "derivative x");
        Buffer<Real> iy = queue_.allocate<Real>(elements, "derivative y");
        Buffer<Real> it = queue_.allocate<Real>(elements, "derivative t");
        queue_.launch(K::gradients, Range{l_.pitch, l_.height, l_.pairs}, frames_, filter_, ix, iy,
                      it, l_.frame_pitch, l_.width, l_.height, l_.reach_x, l_.pitch);
        progress_.throw_if_cancelled();
        const auto plane = [&] {
            return queue_.allocate<Real>(l_.pairs * l_.height * l_.sum_pitch, "sums along rows");
        };
        Sums sums{plane(), plane(), plane(), plane(), plane()};
        queue_.launch(K::row_sums, Range{l_.sum_pitch, l_.height, l_.pairs}, ix, iy, it, sums.xx,
                      sums.yy, sums.xy, sums.xt, sums.yt, l_.height, l_.reach_x, l_.pitch,
                      l_.sum_pitch);
        return sums;
    }

    Buffer<Real> derivative(bool by_tiles, int along_y) {
        Buffer<Real> result = plane(along_y ? "derivative y" : "derivative x");
        if (by_tiles)
            queue_.launch(K::tile_derivative, groups(K::tile_derivative), frames_, filter_, result,
                          l_.width, l_.height, l_.radius, along_y);
        else
            queue_.launch(K::derivative, l_.range(), frames_, filter_, result, l_.width, l_.height,
                          l_.radius, along_y);
        return result;
    }

    // The window sums of the product of two derivatives.
    Buffer<Real> product_sum(bool by_tiles, const Buffer<Real>& a, const Buffer<Real>& b) {
        progress_.throw_if_cancelled();
        Buffer<Real> product = plane("product of derivatives");
        queue_.launch(K::product, l_.range(), a, b, product, l_.width, l_.height);
        Buffer<Real> sums = plane("sums of a product");
        if (by_tiles)
            queue_.launch(K::tile_sum, groups(K::tile_sum), product, sums, l_.width, l_.height,
                          l_.reach_x, l_.reach_y);
        else
            queue_.launch(K::window_sum, l_.range(), product, sums, l_.width, l_.height, l_.reach_x,
                          l_.reach_y);
        return sums;
    }

    template <class Kernel>
    Groups groups(const Kernel& kernel) const {
        const auto& side = kernel.code->group;
        return {(l_.width + side[0] - 1) / side[0], (l_.height + side[1] - 1) / side[1], l_.pairs};
    }

    Queue& queue_;
    const Layout l_;
    const Progress& progress_;
    Buffer<Real> frames_;
    Buffer<Real> filter_;
};

template <class Real>
Buffer<float> run(Queue& queue, const Shape& sequence, const LucasKanadeOptions& options,
                  const std::function<void(const TakeFrames&)>& give, const Progress& progress) {
    Stages<Real> stages(queue, Layout(sequence, options),
                        options.filter_size.value_or(thesis_filter_size), progress);
    give([&](const Buffer<const float>& pixels, int first, int count) {
        stages.take(pixels, first, count);
    });
    progress.throw_if_cancelled();
    if (options.variant == LucasKanadeVariant::thesis) return stages.fast();
    return stages.step_by_step(options.variant == LucasKanadeVariant::thesis_local);
}

}  // namespace

static_assert(longest_tiled_block == 2 * kernels::lucas_kanade_tile_reach_f32 + 1);
static_assert(longest_derivative_filter == 2 * kernels::lucas_kanade_taps_f32 + 1);

Buffer<float> lucas_kanade_stages(Queue& queue, const Shape& sequence,
                                  const LucasKanadeOptions& options,
                                  const std::function<void(const TakeFrames&)>& give,
                                  const Progress& progress) {
    if (options.precision == Precision::double_)
        return run<double>(queue, sequence, options, give, progress);
    return run<float>(queue, sequence, options, give, progress);
}

std::int64_t lucas_kanade_stages_bytes(const Shape& sequence, const LucasKanadeOptions& options) {
    const Layout l(sequence, options);
    const std::int64_t rows = l.pairs * l.height;
    const std::int64_t fields = 2 * static_cast<std::int64_t>(sizeof(float)) * l.pixels();
    const std::int64_t real =
        options.precision == Precision::double_ ? sizeof(double) : sizeof(float);
    const std::int64_t frames = l.frames * l.height * l.frame_pitch;
    // Three derivatives, and five sums: at once, or with the product that the last is made of.
    if (options.variant == LucasKanadeVariant::thesis)
        return real * (frames + 5 * rows * l.sum_pitch) +
               std::max(real * 3 * rows * l.pitch, fields);
    return real * (frames + 8 * l.pixels()) + std::max(real * l.pixels(), fields);
}

}  // namespace tesela
