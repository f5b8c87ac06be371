#include "tesela/level_set.h"

#include <algorithm>
#include <span>
#include <string>

#include "levelset/findings.h"
#include "levelset/found_limits.h"
#include "levelset/fronts.h"
#include "levelset/seeded_image.h"
#include "levelset/speeds.h"
#include "pixels/plane_of.h"

namespace tesela {
namespace {

// Grows the objects to their end.
LevelSetReport grown(LevelSetSession& session, const Seeds& seeds, const LevelSetOptions& options,
                     const LevelSetStart& start, const LevelSetObserver& observer,
                     std::int64_t observe_every, const Progress& progress) {
    if (start.from) session.start_from(*start.from);
    if (start.erase) session.erase(*start.erase);
    if (start.background) session.add_background(*start.background);
    if (!start.from || !std::holds_alternative<AutomaticSeeds>(seeds)) session.add_seeds(seeds);
    LevelSetReport result;
    std::int64_t left = options.max_iterations, done = 0;
    std::vector<std::string> warnings;
    while (result.end == LevelSetEnd::none) {
        const std::int64_t part =
            observer && observe_every > 0 ? std::min(observe_every, left) : left;
        result = session.advance(part, progress);
        warnings.insert(warnings.end(), result.warnings.begin(), result.warnings.end());
        done += result.iterations;
        left -= result.iterations;
        if (result.end == LevelSetEnd::none && left <= 0) result.end = LevelSetEnd::max_iterations;
        result.iterations = done;
        if (observer && !observer(result, session) && result.end == LevelSetEnd::none)
            result.end = LevelSetEnd::stopped;
    }
    result.warnings = std::move(warnings);
    return result;
}

// Of AnyImageView and DeviceImage. `finish` makes the labels and adds what is found in them.
template <class Result, class AnyPixels, class Finish>
Result run(const AnyPixels& image, const Seeds& seeds, const LevelSetOptions& options, Queue& queue,
           const LevelSetStart& start, const LevelSetObserver& observer, std::int64_t observe_every,
           const Progress& progress, const Finish& finish) {
    Result result;
    StageClock clock;
    clock.start("upload");
    progress.report(0, "upload");
    LevelSetSession session(image, options, queue, start.mask);
    clock.start("grow");
    static_cast<LevelSetReport&>(result) =
        grown(session, seeds, options, start, observer, observe_every, progress);
    clock.start("labels");
    finish(session, result);
    result.stages = clock.take();
    progress.report(1, "done");
    return result;
}

}  // namespace

LevelSetResult level_set(const AnyImageView& image, const Seeds& seeds,
                         const LevelSetOptions& options, Queue& queue, const LevelSetStart& start,
                         const LevelSetObserver& observer, std::int64_t observe_every,
                         const Progress& progress) {
    return run<LevelSetResult>(
        image, seeds, options, queue, start, observer, observe_every, progress,
        [&](LevelSetSession& session, LevelSetResult& result) {
            result.labels = session.labels(&result.warnings);
            add_findings(
                result, queue, result.labels.shape(),
                queue.lend(std::span<const std::uint32_t>(result.labels.pixels()), "labels"));
        });
}

template <class T>
DeviceLevelSetResult level_set(const DeviceImage<const T>& image, const Seeds& seeds,
                               const LevelSetOptions& options, Queue& queue,
                               const LevelSetStart& start, const LevelSetObserver& observer,
                               std::int64_t observe_every, const Progress& progress) {
    return run<DeviceLevelSetResult>(
        image, seeds, options, queue, start, observer, observe_every, progress,
        [&](LevelSetSession& session, DeviceLevelSetResult& result) {
            result.labels = session.device_labels(&result.warnings);
            add_findings(result, queue, result.labels.shape, result.labels.pixels);
        });
}
#define TESELA_INSTANTIATE(T)                                                      \
    template DeviceLevelSetResult level_set(                                       \
        const DeviceImage<const T>&, const Seeds&, const LevelSetOptions&, Queue&, \
        const LevelSetStart&, const LevelSetObserver&, std::int64_t, const Progress&)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::uint16_t);
TESELA_INSTANTIATE(std::int16_t);
TESELA_INSTANTIATE(float);
#undef TESELA_INSTANTIATE

// The image and objects; either what edges are found with, or levels and what fronts take, behind
// them labels.
std::int64_t level_set_device_bytes(const AnyImageView& image, const LevelSetOptions& options) {
    const Shape shape = plane_of(image.shape());
    const std::int64_t points = shape.points();
    const int held = std::min(pixel_type_bytes(image.pixel_type()), 4) + 1;
    const bool cuts = options.neck ? options.neck->value > 0 : finds_limits(options);
    const std::int64_t edges = options.edge ? 8 * points : 0;
    const std::int64_t growing =
        std::max({fronts_device_bytes(shape, true), fronts_device_bytes(shape, false),
                  labels_device_bytes(shape, cuts, true)});
    return held * points + std::max(edges, 2 * points + growing) +
           4 * kernels::ftc_objects * kernels::ftc_levels;
}

std::int64_t level_set_host_bytes(const AnyImageView& image, const LevelSetOptions& options) {
    const Shape shape = plane_of(image.shape());
    return 2 * shape.points() + (finds_limits(options) ? find_limits_bytes(shape) : 0);
}

}  // namespace tesela
