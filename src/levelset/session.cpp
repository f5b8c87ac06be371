#include "levelset/session.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/single_precision.h"
#include "kernels/levelset/level_set_levels.kernel.h"
#include "kernels/levelset/stop_function.kernel.h"
#include "levelset/gradient.h"

namespace tesela {
namespace {

// A Gaussian out to two deviations, in integers; with both sides they sum to 256.
std::vector<std::uint32_t> weights_of(double deviation) {
    const int radius = static_cast<int>(std::ceil(2 * deviation));
    std::vector<double> exact;
    double sum = 0;
    for (int k = 0; k <= radius; ++k) {
        exact.push_back(k == 0 ? 1 : std::exp(-0.5 * k * k / (deviation * deviation)));
        sum += (k == 0 ? 1 : 2) * exact.back();
    }
    std::vector<std::uint32_t> weights{256};
    for (int k = 1; k <= radius; ++k) {
        weights.push_back(static_cast<std::uint32_t>(
            std::lround(256 * exact[static_cast<std::size_t>(k)] / sum)));
        weights[0] -= 2 * weights.back();
    }
    return weights;
}

// The union of limits.
SpeedLimits around(const std::vector<SpeedLimits>& limits) {
    SpeedLimits all = limits.front();
    for (const SpeedLimits& own : limits) {
        all.lower =
            own.lower && all.lower ? std::optional(std::min(*own.lower, *all.lower)) : std::nullopt;
        all.upper =
            own.upper && all.upper ? std::optional(std::max(*own.upper, *all.upper)) : std::nullopt;
    }
    return all;
}

FrontSmoothing smoothing_weights(const LevelSetOptions& options, const Shape& shape,
                                 const Geometry& geometry) {
    const auto deviations = length_in_pixels(options.smoothing, "smoothing", geometry);
    const std::array<std::int64_t, 3> lengths{shape.x, shape.y, shape.z};
    constexpr double most = static_cast<double>(kernels::ftc_most_radius) / 2;
    FrontSmoothing weights;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double deviation = lengths[axis] > 1 ? deviations[axis] : 0;
        if (deviation > most)
            throw InvalidArgument("--smoothing is " + options.smoothing.to_string() +
                                  ", which is more than " + detail::shown(most) +
                                  " pixels of this image: use a smaller one");
        weights[axis] = weights_of(deviation);
    }
    return weights;
}

LevelSetEnd end_of(std::uint32_t stop) {
    switch (stop) {
        case kernels::ftc_stable:
            return LevelSetEnd::stable;
        case kernels::ftc_limit_cycle:
            return LevelSetEnd::limit_cycle;
        case kernels::ftc_too_large:
            return LevelSetEnd::max_volume;
        default:
            return LevelSetEnd::none;
    }
}

}  // namespace

LevelSetSession::Implementation::Implementation(LevelSetPixels pixels,
                                                const LevelSetOptions& options, Queue& queue,
                                                const std::optional<AnyImageView>& mask)
    : queue_(queue), image_(std::move(pixels), queue, mask) {
    set_options(options);
}

void LevelSetSession::Implementation::set_options(const LevelSetOptions& options) {
    validate_options(options);
    check_limits({options.lower, options.upper});
    if (options.speed == LevelSetSpeed::statistics && (options.lower || options.upper))
        throw InvalidArgument("--lower and --upper are limits of --speed window: leave them out");
    smoothing_ = smoothing_weights(options, image_.shape(), image_.geometry());
    if (options.neck) length_in_pixels(*options.neck, "neck", image_.geometry());
    options_ = options;
    speeds_known_ = false;
}

SeededImage& LevelSetSession::Implementation::changed() {
    speeds_known_ = false;
    return image_;
}

void LevelSetSession::Implementation::make_speeds() {
    const std::vector<Points> seeds = image_.seeds();
    const SpeedLimits limits{options_.lower, options_.upper};
    const SeedValues values = image_.values_of(seeds);
    const bool has_window = speed_of(options_) == LevelSetSpeed::window;
    if (has_window) image_.check_seeds(limits, values);
    // Releases the old levels before gradients are allocated.
    speeds_ = {};
    found_.clear();
    Buffer<float> squared;
    if (options_.edge)
        squared = squared_gradient(queue_, image_.pixels(), options_.edge_sigma, "edge-sigma");
    if (finds_limits(options_)) {
        find_speeds(seeds);
    } else if (has_window) {
        speeds_ = window_speeds(queue_, image_.pixels(), limits, image_.object_count());
    } else {
        scale_ = level_scale(values);
        speeds_ =
            statistics_speeds(queue_, image_.pixels(), values, options_.multiplier, options_.drift);
    }
    image_.keep_within_mask(speeds_);
    if (options_.edge) close_edges(squared);
    speeds_known_ = true;
}

// The background competes for all points that objects may hold. An object without seeds uses its
// points instead.
void LevelSetSession::Implementation::find_speeds(const std::vector<Points>& seeds) {
    const Geometry& geometry = image_.geometry();
    const std::int64_t points = image_.shape().points();
    const bool in_pixels = !geometry.known();
    const auto spacing = in_pixels ? std::array<double, 3>{1, 1, 1} : geometry.spacing_mm();
    std::optional<double> neck;
    if (options_.neck) {
        const auto pixels = length_in_pixels(*options_.neck, "neck", geometry);
        neck = in_pixels ? pixels[0] : pixels[0] * spacing[0];
    }
    std::vector<SpeedLimits> limits;
    std::vector<std::uint8_t> reach(static_cast<std::size_t>(points), 0);
    for (std::size_t i = 0; i < seeds.size(); ++i) {
        if (image_.is_background(i)) continue;
        const Points marks = seeds[i].empty() ? image_.points_of(i) : seeds[i];
        if (marks.empty()) {  // nothing is left that could grow
            found_.emplace_back();
            limits.push_back({});
            continue;
        }
        found_.push_back(find_limits(image_.pixels(), spacing, marks, image_.mask(), neck));
        FoundLimits& found = found_.back();
        limits.push_back({found.lower, found.upper});
        warn_of_leaks(image_.name(i), found);
        for (std::size_t p = 0; p < reach.size(); ++p)
            if (found.reach.empty() || found.reach[p] != 0) reach[p] = 1;
        found.reach = {};
    }
    const bool are_equal = std::all_of(limits.begin(), limits.end(), [&](const SpeedLimits& own) {
        return own.lower == limits[0].lower && own.upper == limits[0].upper;
    });
    if (limits.size() < seeds.size()) limits.push_back(around(limits));
    const LevelSetPixels& pixels = image_.pixels();
    speeds_ = are_equal ? window_speeds(queue_, pixels, limits[0], image_.object_count())
                        : windows_speeds(queue_, pixels, limits);
    queue_.launch(kernels::level_set_mask, Range{points},
                  queue_.upload(std::span<const std::uint8_t>(reach), "reach of objects"),
                  speeds_.levels);
}

void LevelSetSession::Implementation::warn_of_leaks(std::uint32_t name, const FoundLimits& found) {
    const std::string object = "object " + std::to_string(name) + ": ";
    if (!found.is_held)
        image_.warn(object +
                    "no limits hold it back from its surroundings: give --lower, --upper "
                    "or --neck, or --against seeds beside it");
    else if (found.leaked > 0)
        image_.warn(object + "it was stopped before a leak, at about " +
                    image_.volume_text(found.volume) + "; with wider limits it would have " +
                    image_.volume_text(found.leaked) +
                    ": if a part is missing, give --lower or --upper");
}

LevelSetLimits LevelSetSession::Implementation::limits_of(const FoundLimits& found) const {
    return {
        found.lower, found.upper,
        Length(found.neck, image_.geometry().known() ? Length::In::millimeter : Length::In::pixel)};
}

// g < T where |grad v|^2 > lambda^2 (1 / T - 1).
void LevelSetSession::Implementation::close_edges(const Buffer<float>& squared) {
    const double contrast = contrast_of(queue_, squared, options_.contrast);
    constexpr double most = std::numeric_limits<float>::max();
    const double steepest = std::min(contrast * contrast * (1 / *options_.edge - 1), most);
    queue_.launch(kernels::stop_entry, Range{image_.shape().points()}, squared,
                  static_cast<float>(steepest), speeds_.levels);
}

FrontOptions LevelSetSession::Implementation::front_options() const {
    FrontOptions fronts{
        .objects = image_.object_count(),
        .data_steps = options_.data_steps,
        .smoothing_steps = options_.smoothing.value > 0 ? options_.smoothing_steps : 0,
        .smoothing = smoothing_,
        .most_points = image_.shape().points()};
    if (options_.max_volume)
        fronts.most_points = static_cast<std::int64_t>(
            std::min(std::floor(*options_.max_volume / image_.point_volume()), 4e18));
    return fronts;
}

LevelSetReport LevelSetSession::Implementation::advance(std::int64_t steps,
                                                        const Progress& progress) {
    if (!speeds_known_) make_speeds();
    const std::int64_t rounds = (steps + options_.data_steps - 1) / options_.data_steps;
    const FrontReport run = run_fronts(queue_, image_.shape(), speeds_, front_options(), rounds,
                                       image_.objects(), progress);
    LevelSetReport report;
    report.end = end_of(run.stop);
    report.iterations = run.rounds * options_.data_steps;
    report.period = run.period;
    report.speed = speed_of(options_);
    report.objects = objects_after(run);
    report.warnings = image_.take_warnings();
    return report;
}

std::vector<LevelSetObject> LevelSetSession::Implementation::objects_after(const FrontReport& run) {
    std::vector<std::int32_t> statistics;
    if (speeds_.is_adaptive()) statistics = queue_.download(speeds_.statistics);
    std::vector<LevelSetObject> objects;
    for (std::size_t i = 0; i < run.points.size(); ++i) {
        if (image_.is_background(i)) continue;
        LevelSetObject object{image_.name(i), run.points[i]};
        if (image_.geometry().known())
            object.volume = static_cast<double>(run.points[i]) * image_.point_volume();
        const std::int32_t* own =
            statistics.empty() ? nullptr : statistics.data() + (i + 1) * kernels::ftc_statistics;
        if (own && own[kernels::ftc_deviation] > 0) {
            // The middle of a level.
            object.mean = scale_.offset + (own[kernels::ftc_mean] / 16.0 + 0.5) / scale_.scale;
            object.deviation = own[kernels::ftc_deviation] / 16.0 / scale_.scale;
        }
        if (!found_.empty()) object.found = limits_of(found_[i]);
        objects.push_back(object);
    }
    return objects;
}

NeckRadii LevelSetSession::Implementation::necks() const {
    if (options_.neck) return image_.necks_of(*options_.neck);
    NeckRadii necks{{}, image_.geometry().known()};
    for (const FoundLimits& found : found_) necks.radii.push_back(found.neck);
    necks.radii.resize(image_.labeled_count(), 0);
    return necks;
}

LabelImage LevelSetSession::Implementation::labels(std::vector<std::string>* warnings) {
    return image_.labels(necks(), options_.fill_holes, warnings);
}
DeviceImage<std::uint32_t> LevelSetSession::Implementation::device_labels(
    std::vector<std::string>* warnings) {
    return image_.device_labels(necks(), options_.fill_holes, warnings);
}

LevelSetSession::LevelSetSession(const AnyImageView& image, const LevelSetOptions& options,
                                 Queue& queue, const std::optional<AnyImageView>& mask)
    : implementation_(
          std::make_unique<Implementation>(seedable_pixels(image, queue), options, queue, mask)) {}
template <class T>
LevelSetSession::LevelSetSession(const DeviceImage<const T>& image, const LevelSetOptions& options,
                                 Queue& queue, const std::optional<AnyImageView>& mask)
    : implementation_(
          std::make_unique<Implementation>(seedable_pixels(image, queue), options, queue, mask)) {}
#define TESELA_INSTANTIATE(T)                                                                      \
    template LevelSetSession::LevelSetSession(const DeviceImage<const T>&, const LevelSetOptions&, \
                                              Queue&, const std::optional<AnyImageView>&)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::uint16_t);
TESELA_INSTANTIATE(std::int16_t);
TESELA_INSTANTIATE(float);
#undef TESELA_INSTANTIATE
LevelSetSession::~LevelSetSession() = default;
LevelSetSession::LevelSetSession(LevelSetSession&&) noexcept = default;

void LevelSetSession::start_from(const LabelView& labels) {
    implementation_->changed().start_from(labels);
}
void LevelSetSession::erase(const Seeds& seeds) { implementation_->changed().erase(seeds); }
void LevelSetSession::add_seeds(const Seeds& seeds) { implementation_->changed().add_seeds(seeds); }
void LevelSetSession::add_background(const Seeds& seeds) {
    implementation_->changed().add_background(seeds);
}
void LevelSetSession::set_options(const LevelSetOptions& options) {
    implementation_->set_options(options);
}
LevelSetReport LevelSetSession::advance(std::int64_t steps, const Progress& progress) {
    return implementation_->advance(steps, progress);
}
LabelImage LevelSetSession::labels(std::vector<std::string>* warnings) {
    return implementation_->labels(warnings);
}
DeviceImage<std::uint32_t> LevelSetSession::device_labels(std::vector<std::string>* warnings) {
    return implementation_->device_labels(warnings);
}

}  // namespace tesela
