#include "tesela/horn_schunck.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "kernels/horn_schunck.kernel.h"
#include "kernels/horn_schunck_f64.kernel.h"
#include "motion/gray_frames.h"

namespace tesela {
namespace {

// The kernels of one precision.
template <class Real>
struct Kernels;
#define TESELA_HORN_SCHUNCK_KERNELS(type, suffix)                             \
    template <>                                                               \
    struct Kernels<type> {                                                    \
        static constexpr auto& halve = kernels::flow_halve_##suffix;          \
        static constexpr auto& twice = kernels::flow_double_##suffix;         \
        static constexpr auto& warp = kernels::flow_warp_##suffix;            \
        static constexpr auto& system = kernels::horn_schunck_system_##suffix; \
        static constexpr auto& sweep = kernels::horn_schunck_sweep_##suffix;  \
        static constexpr auto& add = kernels::flow_add_##suffix;              \
        static constexpr auto& interleave = kernels::flow_interleave_##suffix; \
    }
TESELA_HORN_SCHUNCK_KERNELS(float, f32);
TESELA_HORN_SCHUNCK_KERNELS(double, f64);
#undef TESELA_HORN_SCHUNCK_KERNELS

struct Size {
    int width, height;
    std::int64_t points() const { return std::int64_t{width} * height; }
};

// From the finest to the coarsest, whose smaller side has at least 8 pixels unless it is the finest.
std::vector<Size> pyramid_sizes(const Shape& shape, int levels) {
    constexpr int least_side = 8;
    std::vector<Size> sizes{{static_cast<int>(shape.x), static_cast<int>(shape.y)}};
    while (static_cast<int>(sizes.size()) < levels) {
        const Size next{sizes.back().width / 2, sizes.back().height / 2};
        if (std::min(next.width, next.height) < least_side) break;
        sizes.push_back(next);
    }
    return sizes;
}

template <class Real>
class HornSchunck {
  public:
    HornSchunck(Queue& queue, const HornSchunckOptions& options, std::vector<Size> sizes,
                std::int64_t frames, const Progress& progress)
        : queue_(queue),
          options_(options),
          sizes_(std::move(sizes)),
          pairs_(frames - 1),
          progress_(progress) {}

    // Enqueues all of it; the fields stand one behind the other.
    Buffer<float> run(Buffer<Real> frames) {
        const std::int64_t finest = sizes_.front().points();
        auto fields = queue_.allocate<float>(2 * pairs_ * finest, "flow fields");
        queue_.sequence([&] {
            images_.push_back(std::move(frames));
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
    Range range(const Size& size) const { return {size.width, size.height, pairs_}; }
    Buffer<Real> flow_buffer(const Size& size, const char* name) {
        return queue_.allocate<Real>(2 * pairs_ * size.points() + 2 * kernels::flow_margin, name);
    }
    int literal() const { return options_.sampling == FlowSampling::literal; }

    void halve(std::size_t level) {
        const Size &from = sizes_[level - 1], &to = sizes_[level];
        images_.push_back(queue_.allocate<Real>((pairs_ + 1) * to.points(), "smaller frames"));
        queue_.launch(Kernels<Real>::halve, Range{to.width, to.height, pairs_ + 1},
                      images_[level - 1], images_[level], from.width, from.height);
    }

    void enlarge(std::size_t level) {
        const Size &from = sizes_[level], &to = sizes_[level - 1];
        auto larger = flow_buffer(to, "flow");
        queue_.launch(Kernels<Real>::twice, Range{to.width, to.height, 2 * pairs_}, flow_, larger,
                      from.width, from.height, to.width, to.height, literal());
        flow_ = std::move(larger);
    }

    void solve(std::size_t level) {
        const Size& size = sizes_[level];
        auto warped = queue_.allocate<Real>(pairs_ * size.points(), "warped frames");
        auto system = queue_.allocate<Real>(3 * pairs_ * size.points(), "linear system");
        auto swept = flow_buffer(size, "swept flow");
        const bool total = options_.regularization == Regularization::total;
        Buffer<Real> step;
        if (!total) step = flow_buffer(size, "step of the flow");
        for (int warp = 0; warp < options_.warps; ++warp) {
            progress_.throw_if_cancelled();
            queue_.launch(Kernels<Real>::warp, range(size), images_[level], flow_, warped,
                          size.width, size.height, literal());
            queue_.launch(Kernels<Real>::system, range(size), images_[level], warped, flow_, system,
                          size.width, size.height, static_cast<Real>(options_.alpha), int{total});
            if (total) {
                sweep(size, system, flow_, swept);
            } else {
                queue_.fill(step, Real{0});
                sweep(size, system, step, swept);
                queue_.launch(Kernels<Real>::add, Range{2 * pairs_ * size.points()}, step, flow_);
            }
        }
    }

    void sweep(const Size& size, const Buffer<Real>& system, Buffer<Real>& flow,
               Buffer<Real>& swept) {
        for (int k = 0; k < options_.sweeps; ++k) {
            queue_.launch(Kernels<Real>::sweep, range(size), flow, system, swept, size.width,
                          size.height);
            std::swap(flow, swept);
        }
    }

    Queue& queue_;
    const HornSchunckOptions& options_;
    const std::vector<Size> sizes_;
    const std::int64_t pairs_;
    const Progress& progress_;
    std::vector<Buffer<Real>> images_;  // of each level, one plane a frame
    Buffer<Real> flow_;                 // of the level at hand
};

template <class Real>
Buffer<Real> upload(Queue& queue, std::span<const Image<float>> frames) {
    std::vector<Real> planes;
    planes.reserve(frames.size() * frames.front().pixels().size());
    for (const Image<float>& frame : frames)
        planes.insert(planes.end(), frame.pixels().begin(), frame.pixels().end());
    return queue.upload(std::span<const Real>(planes), "frames");
}

template <class Real>
FlowResult run(std::span<const Image<float>> frames, const HornSchunckOptions& options,
               Queue& queue, const Progress& progress) {
    const Shape shape = shape_of_gray_frames(frames);
    FlowResult result;
    StageClock clock;
    clock.start("upload");
    progress.report(0, "upload");
    Buffer<Real> uploaded = upload<Real>(queue, frames);
    const std::vector<Size> sizes = pyramid_sizes(shape, options.levels);
    result.levels = static_cast<int>(sizes.size());
    if (result.levels < options.levels)
        result.warnings.push_back("the pyramid has " + std::to_string(result.levels) +
                                  " levels and not " + std::to_string(options.levels) +
                                  ": smaller ones would have a side of less than 8 pixels");
    clock.start("flow");
    progress.report(0.05, "flow");
    const Buffer<float> fields =
        HornSchunck<Real>(queue, options, sizes, static_cast<std::int64_t>(frames.size()), progress)
            .run(std::move(uploaded));
    Shape field_shape = shape;
    field_shape.channels = 2;
    queue.finish();
    clock.start("download");
    progress.report(0.95, "download");
    const std::vector<float> all = queue.download(fields);
    for (std::size_t i = 0; i + 1 < frames.size(); ++i) {
        FlowField& field = result.fields.emplace_back(field_shape, frames[i].geometry);
        const auto elements = static_cast<std::ptrdiff_t>(field_shape.elements());
        const auto begin = all.begin() + static_cast<std::ptrdiff_t>(i) * elements;
        std::copy(begin, begin + elements, field.pixels().begin());
    }
    progress.report(1, "done");
    result.stages = clock.take();
    return result;
}

}  // namespace

FlowResult horn_schunck(std::span<const Image<float>> frames, const HornSchunckOptions& options,
                        Queue& queue, const Progress& progress) {
    validate_options(options);
    return options.precision == Precision::double_ ? run<double>(frames, options, queue, progress)
                                                   : run<float>(frames, options, queue, progress);
}

}  // namespace tesela
