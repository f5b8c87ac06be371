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
#include "levelset/seeded_image.h"
#include "levelset/speeds.h"
#include "pixels/plane_of.h"
#include "tesela/compute/primitives.h"
#include "tesela/level_set_aos.h"

namespace tesela {
namespace {

constexpr int steps_of_round = 10;
constexpr double reach_of_round = 4;  // voxels that the front may move between reinitializations
constexpr double changes_of_front = 1e-4;

void check(const LevelSetAosOptions& options) {
    validate_options(options);
    check_limits({options.lower, options.upper});
    if (options.pressure == SurfacePressure::edge && (options.lower || options.upper))
        throw InvalidArgument(
            "--lower and --upper are limits of --pressure region: leave them out");
    if (options.pressure == SurfacePressure::region && options.balloon < 0)
        throw InvalidArgument("--balloon is " + detail::shown(options.balloon) +
                              "; a negative one needs --pressure edge");
}

// Spacing along the axes, relative to the shortest.
struct RelativeSpacing {
    std::array<double, 3> along{};
    double shortest = std::numeric_limits<double>::infinity();

    RelativeSpacing(const Geometry& geometry, const Shape& shape)
        : along(spacing_in_range(geometry)) {
        const std::array<std::int64_t, 3> lengths{shape.x, shape.y, shape.z};
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (lengths[axis] > 1) shortest = std::min(shortest, along[axis]);
        if (!std::isfinite(shortest)) shortest = along[0];
        for (std::size_t axis = 0; axis < 3; ++axis)
            along[axis] = lengths[axis] > 1 ? along[axis] / shortest : 1;
    }
};

// The evolution of one surface, whose report is gathered in `report`.
class Evolution {
  public:
    Evolution(LevelSetPixels pixels, const LevelSetAosOptions& options, Queue& queue,
              const std::optional<AnyImageView>& mask)
        : options_(options),
          queue_(queue),
          image_(std::move(pixels), queue, mask),
          spacing_(image_.geometry(), image_.shape()) {
        image_.necks_of(options.neck);  // refused before the work begins
    }

    void place_seeds(const Seeds& seeds, const LevelSetStart& start);
    // The stop function, the force and the step.
    void set_forces();
    void set_surface(const Seeds& seeds, bool from_labels);
    // Some steps, after which the report has the object and why the run ends, if it does.
    void advance();
    LabelImage labels_so_far();
    void finish(LevelSetAosResult& result);
    void finish(DeviceLevelSetAosResult& result);

    LevelSetAosReport report;

  private:
    bool has_edge_pressure() const { return options_.pressure == SurfacePressure::edge; }
    std::int64_t points() const { return image_.shape().points(); }
    FrontSpeeds make_speeds();
    Buffer<float> initial_surface(const Seeds& seeds, bool from_labels);
    void fit_box(const Surface::Counts& counts);
    LevelSetEnd end_after(const Surface::Counts& counts) const;
    void keep_objects();
    Buffer<float> take_distance();
    template <class AnyBuffer>
    void report_to(LevelSetAosReport& result, const AnyBuffer& labels);

    const LevelSetAosOptions& options_;
    Queue& queue_;
    SeededImage image_;
    RelativeSpacing spacing_;
    FrontSpeeds speeds_;
    Buffer<float> stop_;  // the stop function g
    Buffer<std::int8_t> force_;
    double strongest_ = 0;  // |k| max(g)
    std::optional<Surface> surface_;
};

void Evolution::place_seeds(const Seeds& seeds, const LevelSetStart& start) {
    if (start.from) image_.start_from(*start.from);
    if (start.erase) image_.erase(*start.erase);
    if (!start.from || !std::holds_alternative<AutomaticSeeds>(seeds)) image_.add_seeds(seeds);
    if (image_.object_count() > 1)
        throw InvalidArgument("there are seeds of " + std::to_string(image_.object_count()) +
                              " labels; this method moves the surface of one object: give all "
                              "seeds the same label, or use level-set ftc");
}

FrontSpeeds Evolution::make_speeds() {
    const SeedValues seeds = image_.values_of(image_.seeds());
    SpeedLimits limits{options_.lower, options_.upper};
    // Positive speeds everywhere.
    if (has_edge_pressure()) limits.lower = std::numeric_limits<float>::lowest();
    FrontSpeeds speeds;
    if (limits.lower || limits.upper) {
        image_.check_seeds(limits, seeds);
        speeds = window_speeds(queue_, image_.pixels(), limits, 1);
    } else {
        speeds = statistics_speeds(queue_, image_.pixels(), seeds, options_.multiplier);
    }
    image_.keep_within_mask(speeds);
    return speeds;
}

void Evolution::set_forces() {
    stop_ = squared_gradient(queue_, image_.pixels(), options_.sigma, "sigma");
    report.contrast = contrast_of(queue_, stop_, options_.contrast);
    queue_.launch(kernels::aos_stop, Range{points()}, stop_,
                  static_cast<float>(1 / (report.contrast * report.contrast)));
    speeds_ = make_speeds();
    report.speed = speeds_.is_adaptive() ? LevelSetSpeed::statistics : LevelSetSpeed::window;
    force_ = queue_.allocate<std::int8_t>(points(), "force");
    queue_.launch(kernels::aos_force, Range{points()}, speeds_.levels, speeds_.table, force_,
                  speeds_.is_adaptive() ? 256 : 1);
    strongest_ = std::abs(options_.balloon);
    if (has_edge_pressure() && strongest_ > 0) {
        auto highest = queue_.allocate<float>(1, "highest of the stop function");
        reduce(queue_, ReduceOperation::maximum, stop_, points(), highest);
        strongest_ *= static_cast<double>(queue_.download(highest)[0]);
    }
    // |k| tau max(g) is at most half a voxel.
    report.step = options_.step.value_or(0.5 / std::max(strongest_, 1.0));
}

// Balls with sub-voxel accuracy, other seeds by their voxels.
Buffer<float> Evolution::initial_surface(const Seeds& seeds, bool from_labels) {
    const Shape& shape = image_.shape();
    const auto* balls = std::get_if<std::vector<SeedBall>>(&seeds);
    if (!balls || from_labels)
        return surface_around(queue_, shape, spacing_.along, image_.objects());
    auto u = queue_.allocate_filled<float>(points(), std::numeric_limits<float>::max(), "surface");
    for (const SeedBall& ball : *balls)
        add_ball(queue_, shape, place_ball(ball, shape, image_.geometry()), ball.radius,
                 ball.center.millimeters ? 1 / spacing_.shortest : 1, u);
    return u;
}

void Evolution::set_surface(const Seeds& seeds, bool from_labels) {
    surface_.emplace(queue_, image_.shape(), spacing_.along, initial_surface(seeds, from_labels),
                     std::move(stop_), std::move(force_));
    surface_->redistance();
    fit_box(surface_->count());
}

// With how far the surface can move until the next count, plus the reach of distances, around it.
void Evolution::fit_box(const Surface::Counts& counts) {
    const double moves = std::ceil(steps_of_round * std::max(strongest_, 1.0) * report.step);
    surface_->fit_box(counts, static_cast<std::int64_t>(Surface::reach + 4 + std::min(moves, 1e9)));
}

void Evolution::advance() {
    const SurfaceOptions moving{.geodesic = options_.model == SurfaceModel::geodesic,
                                .stops = has_edge_pressure(),
                                .push = options_.balloon * report.step,
                                .step = report.step};
    const auto between =
        static_cast<int>(std::clamp(reach_of_round / std::max(strongest_ * report.step, 1e-9), 1.0,
                                    static_cast<double>(steps_of_round)));
    for (int k = 1; k <= steps_of_round; ++k) {
        surface_->step(moving);
        if (k % between == 0 || k == steps_of_round) surface_->redistance();
    }
    const Surface::Counts counts = surface_->count();
    fit_box(counts);
    report.iterations += steps_of_round;
    LevelSetObject object{.label = image_.name(0), .points = counts.inside};
    if (image_.geometry().known())
        object.volume = static_cast<double>(counts.inside) * image_.point_volume();
    report.objects = {object};
    report.end = end_after(counts);
}

LevelSetEnd Evolution::end_after(const Surface::Counts& counts) const {
    if (static_cast<double>(counts.changed) <= changes_of_front * static_cast<double>(counts.front))
        return LevelSetEnd::stable;
    if (options_.max_volume &&
        static_cast<double>(counts.inside) * image_.point_volume() > *options_.max_volume)
        return LevelSetEnd::max_volume;
    return report.iterations >= options_.max_iterations ? LevelSetEnd::max_iterations
                                                        : LevelSetEnd::none;
}

void Evolution::keep_objects() {
    queue_.launch(kernels::aos_keep, Range{points()}, surface_->inside(), speeds_.levels,
                  image_.objects());
}

LabelImage Evolution::labels_so_far() {
    keep_objects();
    return image_.labels(image_.necks_of(options_.neck), options_.fill_holes, nullptr);
}

// The surface ends, for the removal of necks takes as much memory.
Buffer<float> Evolution::take_distance() {
    keep_objects();
    Buffer<float> distance = std::move(*surface_).take_u();
    surface_.reset();
    if (spacing_.shortest != 1)
        queue_.launch(kernels::aos_scale, Range{points()}, distance,
                      static_cast<float>(spacing_.shortest));
    report.warnings = image_.take_warnings();
    return distance;
}

template <class AnyBuffer>
void Evolution::report_to(LevelSetAosReport& result, const AnyBuffer& labels) {
    add_findings(report, queue_, image_.shape(), labels);
    result = std::move(report);
}

void Evolution::finish(LevelSetAosResult& result) {
    result.distance = Image<float>::unwritten(image_.shape(), image_.geometry());
    queue_.read(take_distance(), std::span<float>(result.distance.pixels()));
    result.labels =
        image_.labels(image_.necks_of(options_.neck), options_.fill_holes, &report.warnings);
    report_to(result,
              queue_.lend(std::span<const std::uint32_t>(result.labels.pixels()), "labels"));
}

void Evolution::finish(DeviceLevelSetAosResult& result) {
    result.distance = {take_distance(), image_.shape(), image_.geometry()};
    result.labels =
        image_.device_labels(image_.necks_of(options_.neck), options_.fill_holes, &report.warnings);
    report_to(result, result.labels.pixels);
}

// Of AnyImageView and DeviceImage.
template <class Result, class AnyPixels>
Result run(const AnyPixels& image, const Seeds& seeds, const LevelSetAosOptions& options,
           Queue& queue, const LevelSetStart& start, const LevelSetAosObserver& observer,
           std::int64_t observe_every, const Progress& progress) {
    check(options);
    StageClock clock;
    clock.start("upload");
    progress.report(0, "upload");
    Evolution evolution(seedable_pixels(image, queue), options, queue, start.mask);
    LevelSetAosReport& report = evolution.report;
    evolution.place_seeds(seeds, start);
    clock.start("stop function");
    evolution.set_forces();
    evolution.set_surface(seeds, start.from.has_value());
    clock.start("move");
    const auto labels_so_far = [&] { return evolution.labels_so_far(); };
    std::int64_t observed = 0;
    while (report.end == LevelSetEnd::none) {
        evolution.advance();
        progress.report(static_cast<double>(report.iterations) / options.max_iterations, "move");
        progress.offer(labels_so_far);
        const bool is_due = observe_every > 0 && report.iterations - observed >= observe_every;
        if (observer && (is_due || report.end != LevelSetEnd::none)) {
            observed = report.iterations;
            if (!observer(report, labels_so_far) && report.end == LevelSetEnd::none)
                report.end = LevelSetEnd::stopped;
        }
    }
    clock.start("labels");
    Result result;
    evolution.finish(result);
    result.stages = clock.take();
    progress.report(1, "done");
    return result;
}

}  // namespace

LevelSetAosResult level_set_aos(const AnyImageView& image, const Seeds& seeds,
                                const LevelSetAosOptions& options, Queue& queue,
                                const LevelSetStart& start, const LevelSetAosObserver& observer,
                                std::int64_t observe_every, const Progress& progress) {
    return run<LevelSetAosResult>(image, seeds, options, queue, start, observer, observe_every,
                                  progress);
}

template <class T>
DeviceLevelSetAosResult level_set_aos(const DeviceImage<const T>& image, const Seeds& seeds,
                                      const LevelSetAosOptions& options, Queue& queue,
                                      const LevelSetStart& start,
                                      const LevelSetAosObserver& observer,
                                      std::int64_t observe_every, const Progress& progress) {
    return run<DeviceLevelSetAosResult>(image, seeds, options, queue, start, observer,
                                        observe_every, progress);
}
#define TESELA_INSTANTIATE(T)                                                         \
    template DeviceLevelSetAosResult level_set_aos(                                   \
        const DeviceImage<const T>&, const Seeds&, const LevelSetAosOptions&, Queue&, \
        const LevelSetStart&, const LevelSetAosObserver&, std::int64_t, const Progress&)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::uint16_t);
TESELA_INSTANTIATE(std::int16_t);
TESELA_INSTANTIATE(float);
#undef TESELA_INSTANTIATE

// The image, objects and levels, and either the surface's u, g, gradients, right-hand sides, force
// and inside, with the labels that an observer asks for, or the labels at the end.
std::int64_t level_set_aos_device_bytes(const AnyImageView& image,
                                        const LevelSetAosOptions& options, const Device& device,
                                        bool is_observed) {
    const Shape shape = plane_of(image.shape());
    const std::int64_t points = shape.points();
    const int held = std::min(pixel_type_bytes(image.pixel_type()), 4) + 1 + 2;
    const bool cuts = options.neck.value > 0;
    const std::int64_t moving = 18 * points + Surface::line_bytes(shape, device) +
                                (is_observed ? labels_device_bytes(shape, cuts, false) : 0);
    return held * points + std::max(moving, labels_device_bytes(shape, cuts, true)) +
           4 * kernels::ftc_objects * kernels::ftc_levels;
}

}  // namespace tesela
