#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "core/single_precision.h"
#include "levelset/aos_surface.h"
#include "levelset/findings.h"
#include "levelset/gradient.h"
#include "levelset/session.h"
#include "pixels/plane_of.h"
#include "tesela/compute/primitives.h"
#include "tesela/level_set_aos.h"

namespace tesela {
namespace {

constexpr int steps_of_round = 10;
constexpr double reach_of_round = 4;  // voxels that the front may move between reinitializations
constexpr double changes_of_front = 1e-4;

// The options for seeds, speeds and postprocessing, which this method shares with level_set.
LevelSetOptions common_of(const LevelSetAosOptions& options) {
    LevelSetOptions common{.lower = options.lower,
                           .upper = options.upper,
                           .multiplier = options.multiplier,
                           .smoothing = 0,
                           .neck = options.neck,
                           .fill_holes = options.fill_holes,
                           .max_volume = options.max_volume};
    if (!options.lower && !options.upper) common.speed = LevelSetSpeed::statistics;
    // Positive speeds everywhere.
    if (options.pressure == SurfacePressure::edge) {
        common.speed = LevelSetSpeed::window;
        common.lower = std::numeric_limits<float>::lowest();
    }
    return common;
}

void check(const LevelSetAosOptions& options) {
    validate_options(options);
    if (options.pressure == SurfacePressure::edge && (options.lower || options.upper))
        throw InvalidArgument(
            "--lower and --upper are limits of --pressure region: leave them out");
    if (options.pressure == SurfacePressure::region && options.balloon < 0)
        throw InvalidArgument("--balloon is " + detail::shown(options.balloon) +
                              "; a negative one needs --pressure edge");
}

// Spacing along the axes, relative to the shortest.
std::array<double, 3> relative_spacing(const Geometry& geometry, const Shape& shape,
                                       double& shortest) {
    std::array<double, 3> spacing = spacing_in_range(geometry);
    const std::array<std::int64_t, 3> lengths{shape.x, shape.y, shape.z};
    shortest = std::numeric_limits<double>::infinity();
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (lengths[axis] > 1) shortest = std::min(shortest, spacing[axis]);
    if (!std::isfinite(shortest)) shortest = spacing[0];
    for (std::size_t axis = 0; axis < 3; ++axis)
        spacing[axis] = lengths[axis] > 1 ? spacing[axis] / shortest : 1;
    return spacing;
}

// The initial surface: balls with sub-voxel accuracy, other seeds by their voxels.
Buffer<float> surface_of(Queue& queue, LevelSetSession::Implementation& seeded, const Seeds& seeds,
                         const Geometry& geometry, bool from, const std::array<double, 3>& spacing,
                         double shortest) {
    const auto* balls = std::get_if<std::vector<SeedBall>>(&seeds);
    if (!balls || from) return surface_around(queue, seeded.shape(), spacing, seeded.objects());
    auto u = queue.allocate_filled<float>(seeded.shape().points(),
                                          std::numeric_limits<float>::max(), "surface");
    for (const SeedBall& ball : *balls)
        add_ball(queue, seeded.shape(), place_ball(ball, seeded.shape(), geometry), ball.radius,
                 ball.center.millimeters ? 1 / shortest : 1, u);
    return u;
}

}  // namespace

LevelSetAosResult level_set_aos(const AnyImage& image, const Seeds& seeds,
                                const LevelSetAosOptions& options, Queue& queue,
                                const LevelSetStart& start, const LevelSetAosObserver& observer,
                                std::int64_t observe_every, const Progress& progress) {
    check(options);
    LevelSetAosResult result;
    StageClock clock;
    clock.start("upload");
    progress.report(0, "upload");
    LevelSetSession::Implementation seeded(image, common_of(options), queue, start.mask);
    if (start.from) seeded.start_from(*start.from);
    if (start.erase) seeded.erase(*start.erase);
    if (!start.from || !std::holds_alternative<AutomaticSeeds>(seeds))
        seeded.add(seeded.placed(seeds), false);
    if (seeded.names().size() > 1)
        throw InvalidArgument("there are seeds of " + std::to_string(seeded.names().size()) +
                              " labels; this method moves the surface of one object: give all "
                              "seeds the same label, or use level-set ftc");
    clock.start("stop function");
    const Shape shape = seeded.shape();
    const Geometry& geometry = geometry_of(image);
    const std::int64_t points = shape.points();
    auto g = squared_gradient(queue, seeded.device_pixels(), image, options.sigma, "sigma");
    result.contrast = contrast_of(queue, g, options.contrast);
    queue.launch(kernels::aos_stop, Range{points}, g,
                 static_cast<float>(1 / (result.contrast * result.contrast)));
    const bool stops = options.pressure == SurfacePressure::edge;
    const FrontSpeeds& speeds = seeded.speeds();
    auto force = queue.allocate<std::int8_t>(points, "force");
    queue.launch(kernels::aos_force, Range{points}, speeds.levels, speeds.table, force,
                 speeds.is_adaptive() ? 256 : 1);
    // |k| tau max(g) is at most half a voxel.
    double strongest = std::abs(options.balloon);
    if (stops && strongest > 0) {
        auto highest = queue.allocate<float>(1, "highest of the stop function");
        reduce(queue, ReduceOperation::maximum, g, points, highest);
        strongest *= static_cast<double>(queue.download(highest)[0]);
    }
    result.step = options.step.value_or(0.5 / std::max(strongest, 1.0));
    double shortest = 1;
    const auto spacing = relative_spacing(geometry, shape, shortest);
    auto u = surface_of(queue, seeded, seeds, geometry, start.from != nullptr, spacing, shortest);
    std::optional<Surface> surface(std::in_place, queue, shape, spacing, std::move(u), std::move(g),
                                   std::move(force));
    const SurfaceOptions moving{.geodesic = options.model == SurfaceModel::geodesic,
                                .stops = stops,
                                .push = options.balloon * result.step,
                                .step = result.step};
    const auto between =
        static_cast<int>(std::clamp(reach_of_round / std::max(strongest * result.step, 1e-9), 1.0,
                                    static_cast<double>(steps_of_round)));
    const auto keep = [&] {
        queue.launch(kernels::aos_keep, Range{points}, surface->inside(), speeds.levels,
                     seeded.objects());
    };
    const auto labels_so_far = [&] {
        keep();
        return seeded.labels(nullptr);
    };
    // How far the surface can move until the next count, plus the reach of distances.
    const auto margin = static_cast<std::int64_t>(
        Surface::reach + 4 +
        std::min(std::ceil(steps_of_round * std::max(strongest, 1.0) * result.step), 1e9));
    clock.start("move");
    result.speed = speeds.is_adaptive() ? LevelSetSpeed::statistics : LevelSetSpeed::window;
    surface->redistance();
    surface->fit_box(surface->count(), margin);
    std::int64_t observed = 0;
    while (result.end == LevelSetEnd::none) {
        for (int k = 0; k < steps_of_round; ++k) {
            surface->step(moving);
            if ((k + 1) % between == 0 && k + 1 < steps_of_round) surface->redistance();
        }
        surface->redistance();
        const Surface::Counts counts = surface->count();
        surface->fit_box(counts, margin);
        result.iterations += steps_of_round;
        result.objects = {{.label = seeded.names().front(), .points = counts.inside}};
        if (geometry.known())
            result.objects[0].volume = static_cast<double>(counts.inside) * seeded.point_volume();
        progress.report(static_cast<double>(result.iterations) / options.max_iterations, "move");
        progress.offer(labels_so_far);
        if (static_cast<double>(counts.changed) <=
            changes_of_front * static_cast<double>(counts.front))
            result.end = LevelSetEnd::stable;
        else if (options.max_volume &&
                 static_cast<double>(counts.inside) * seeded.point_volume() > *options.max_volume)
            result.end = LevelSetEnd::max_volume;
        else if (result.iterations >= options.max_iterations)
            result.end = LevelSetEnd::max_iterations;
        const bool is_due = observe_every > 0 && result.iterations - observed >= observe_every;
        if (observer && (is_due || result.end != LevelSetEnd::none)) {
            observed = result.iterations;
            if (!observer(result, labels_so_far) && result.end == LevelSetEnd::none)
                result.end = LevelSetEnd::stopped;
        }
    }
    clock.start("labels");
    result.distance = Image<float>(shape, geometry);
    queue.read(surface->u(), std::span<float>(result.distance.pixels()));
    if (shortest != 1)
        for (float& distance : result.distance.pixels()) distance *= static_cast<float>(shortest);
    keep();
    surface.reset();  // the removal of necks takes as much memory
    result.labels = seeded.labels(&result.warnings);
    count_points(result, result.labels);
    add_warnings(result, result.labels);
    result.stages = clock.take();
    progress.report(1, "done");
    return result;
}

// The image, objects and levels, and either the surface's u, g, gradients, right-hand sides, force
// and inside, with the labels that an observer asks for, or the labels at the end.
std::int64_t level_set_aos_device_bytes(const AnyImage& image, const LevelSetAosOptions& options,
                                        const Device& device, bool is_observed) {
    const Shape shape = plane_of(shape_of(image));
    const std::int64_t points = shape.points();
    const int held = std::min(pixel_type_bytes(pixel_type_of(image)), 4) + 1 + 2;
    const bool cuts = options.neck.value > 0;
    const std::int64_t moving = 18 * points + Surface::line_bytes(shape, device) +
                                (is_observed ? labels_device_bytes(shape, cuts, false) : 0);
    return held * points + std::max(moving, labels_device_bytes(shape, cuts, true)) +
           4 * kernels::ftc_objects * kernels::ftc_levels;
}

}  // namespace tesela
