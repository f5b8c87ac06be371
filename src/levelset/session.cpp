// The session: the state on the device, and what must be recomputed after changes.
#include "levelset/session.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>

#include "core/single_precision.h"
#include "kernels/levelset/level_set_levels.kernel.h"
#include "kernels/levelset/stop_function.kernel.h"
#include "levelset/gradient.h"
#include "levelset/tidy.h"
#include "pixels/native_pixels.h"
#include "pixels/plane_of.h"
#include "pixels/same_grid.h"
#include "tesela/align.h"
#include "tesela/components.h"

namespace tesela {
namespace {

constexpr double least_part = 0.02;  // of an object behind a neck that is reported
constexpr std::size_t most_objects = kernels::ftc_objects - 1;

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

void check_image(const AnyImage& image) {
    const Shape& shape = shape_of(image);
    if (shape.channels != 1)
        throw UnsupportedFormat("level sets are of images of one channel, and this one has " +
                                std::to_string(shape.channels) + ": convert it to gray");
    if (shape.t > 1)
        throw UnsupportedFormat("level sets are of pictures and volumes; this image has " +
                                std::to_string(shape.t) + " frames: give them one by one");
    if (shape.points() > std::int64_t{1} << 31)
        throw UnsupportedFormat("level sets are of at most 2^31 pixels: use a part of the image");
    require_values(image, largest_summed, NotFinite::kept);
}

}  // namespace

LevelSetSession::Implementation::Implementation(const AnyImage& image,
                                                const LevelSetOptions& options, Queue& queue,
                                                const AnyImage* mask)
    : queue_(queue),
      image_(&image),
      shape_(plane_of(shape_of(image))),
      geometry_(geometry_of(image)) {
    check_image(image);
    set_options(options);
    std::visit(
        [&]<class T>(const Image<T>& typed) {
            if constexpr (!native<T>) converted_ = to_float(typed, warnings_);
        },
        image);
    if (mask) take_mask(*mask);
    pixels_ = lend_pixels(queue, pixels());
    objects_ = queue.allocate_filled<std::uint8_t>(shape_.points(), 0, "objects");
}

void LevelSetSession::Implementation::take_mask(const AnyImage& mask) {
    if (shape_of(mask).channels != 1)
        throw InvalidArgument("--mask: the mask has " + std::to_string(shape_of(mask).channels) +
                              " channels; a mask has one");
    require_same_grid(shape_, shape_of(mask));
    mask_.reserve(static_cast<std::size_t>(shape_.points()));
    std::visit(
        [&](const auto& typed) {
            for (const auto value : typed.pixels()) mask_.push_back(value != 0);
        },
        mask);
}

void LevelSetSession::Implementation::set_options(const LevelSetOptions& options) {
    validate_options(options);
    if (options.lower && options.upper && *options.lower > *options.upper)
        throw InvalidArgument("--lower is " + detail::shown(*options.lower) +
                              ", above --upper, which is " + detail::shown(*options.upper));
    if (options.speed == LevelSetSpeed::statistics && (options.lower || options.upper))
        throw InvalidArgument("--lower and --upper are limits of --speed window: leave them out");
    smoothing_ = smoothing_weights(options, shape_, geometry_);
    if (options.neck) length_in_pixels(*options.neck, "neck", geometry_);
    options_ = options;
    speeds_known_ = false;
}

// Renumbers objects after some came or went; the others keep their points.
void LevelSetSession::Implementation::renumber(std::vector<std::uint32_t> names) {
    if (names == names_) return;
    if (names.size() > most_objects)
        throw InvalidArgument("there are " + std::to_string(names.size()) +
                              " objects; level sets take at most " +
                              std::to_string(most_objects - 1));
    std::vector<std::uint32_t> numbers(kernels::ftc_objects, 0);
    for (std::size_t i = 0; i < names_.size(); ++i) {
        const auto place = std::lower_bound(names.begin(), names.end(), names_[i]);
        if (place != names.end() && *place == names_[i])
            numbers[i + 1] = static_cast<std::uint32_t>(place - names.begin() + 1);
    }
    queue_.launch(kernels::level_set_renumber, Range{shape_.points()},
                  queue_.upload(std::span<const std::uint32_t>(numbers), "numbers of objects"),
                  objects_);
    names_ = std::move(names);
    speeds_known_ = false;  // they are indexed by number
}

void LevelSetSession::Implementation::place(std::uint32_t object, const Points& points) {
    if (points.empty()) return;
    queue_.launch(kernels::level_set_place, Range{static_cast<std::int64_t>(points.size())},
                  queue_.upload(std::span<const std::uint32_t>(points), "seed points"), object,
                  objects_);
}

PlacedSeeds LevelSetSession::Implementation::placed(const Seeds& seeds) const {
    PlacedSeeds placed = place_seeds(seeds, shape_, geometry_);
    std::visit(
        [&]<class T>(const Image<T>& typed) {
            if constexpr (native<T>) check_seed_values(typed, placed);
        },
        pixels());
    return placed;
}

void LevelSetSession::Implementation::add(const PlacedSeeds& seeds, bool is_background) {
    std::map<std::uint32_t, Points> lists;
    for (std::int64_t i = 0; i < seeds.size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (!mask_.empty() && mask_[seeds.points[at]] == 0) continue;
        lists[is_background ? background_name : seeds.labels[at]].push_back(seeds.points[at]);
    }
    if (lists.empty())
        throw InvalidArgument("--seeds: all seeds are outside of the mask: move them, or widen it");
    std::vector<std::uint32_t> names = names_;
    for (const auto& [name, points] : lists)
        if (!std::binary_search(names_.begin(), names_.end(), name)) names.push_back(name);
    std::sort(names.begin(), names.end());
    renumber(std::move(names));
    for (const auto& [name, points] : lists) {
        const auto number = std::lower_bound(names_.begin(), names_.end(), name) - names_.begin();
        place(static_cast<std::uint32_t>(number + 1), points);
        Points& known = seeds_[name];
        known.insert(known.end(), points.begin(), points.end());
    }
    speeds_known_ = false;
}

void LevelSetSession::Implementation::erase(const Seeds& seeds) {
    const PlacedSeeds erased = place_seeds(seeds, shape_, geometry_);
    place(0, erased.points);
    std::vector<bool> gone(static_cast<std::size_t>(shape_.points()), false);
    for (const std::uint32_t point : erased.points) gone[point] = true;
    for (auto& [name, points] : seeds_)
        std::erase_if(points, [&](std::uint32_t point) { return gone[point]; });
    speeds_known_ = false;
}

void LevelSetSession::Implementation::start_from(const LabelImage& labels) {
    require_same_grid(shape_, labels.shape());
    std::map<std::uint32_t, Points> seeds;
    for (std::size_t i = 0; i < labels.pixels().size(); ++i)
        if (const std::uint32_t label = labels.pixels()[i]; label != 0) {
            seeds[label].push_back(static_cast<std::uint32_t>(i));
            if (seeds.size() >= most_objects)
                throw InvalidArgument("--from has more than " + std::to_string(most_objects - 1) +
                                      " labels: keep those that go on");
        }
    std::vector<std::uint32_t> names;
    for (const auto& [name, points] : seeds) names.push_back(name);
    seeds_ = std::move(seeds);
    queue_.fill(objects_, std::uint8_t{0});
    renumber(std::move(names));
    std::uint32_t number = 0;
    for (const auto& [name, points] : seeds_) place(++number, points);
    speeds_known_ = false;
}

// Throws where no seed can grow.
void LevelSetSession::Implementation::check_window(const std::vector<Points>& seeds) const {
    const auto [least, most] = seed_range(pixels(), seeds);
    if (least <= options_.upper.value_or(least) && most >= options_.lower.value_or(most)) return;
    const auto shown = [](const std::optional<double>& limit, const char* without) {
        return limit ? detail::shown(*limit) : std::string(without);
    };
    throw InvalidArgument("--lower and --upper take values from " + shown(options_.lower, "any") +
                          " to " + shown(options_.upper, "any") +
                          ", and the seeds have values from " + detail::shown(least) + " to " +
                          detail::shown(most) + ": change the limits, or move the seeds");
}

// Object by object, because all seeds of one may lie outside. Less than a tenth is normal for a
// ball.
void LevelSetSession::Implementation::warn_of_seeds_outside(const std::vector<Points>& seeds) {
    const auto outside = seeds_outside(pixels(), seeds, {options_.lower, options_.upper});
    for (std::size_t i = 0; i < names_.size(); ++i) {
        const OutsideSeeds& own = outside[i];
        if (own.count == 0 || 10 * own.count < own.of || names_[i] == background_name) continue;
        const std::string values = own.least == own.most ? detail::shown(own.least)
                                                         : "from " + detail::shown(own.least) +
                                                               " to " + detail::shown(own.most);
        warnings_.push_back("object " + std::to_string(names_[i]) + ": " +
                            std::to_string(own.count) + " of " + std::to_string(own.of) +
                            " seed points are outside of the limits, with values " + values +
                            "; change the limits, or move the seeds");
    }
}

void LevelSetSession::Implementation::make_speeds() {
    if (names_.empty()) throw InvalidArgument("there are no seeds: give --seeds or --from");
    std::vector<Points> seeds;
    for (const std::uint32_t name : names_) seeds.push_back(seeds_[name]);
    if (std::all_of(seeds.begin(), seeds.end(), [](const Points& own) { return own.empty(); }))
        throw InvalidArgument("--erase leaves no seeds: give --seeds, or erase less");
    const bool has_window = speed_of(options_) == LevelSetSpeed::window;
    if (has_window) {
        check_window(seeds);
        warn_of_seeds_outside(seeds);
    }
    // Releases the old levels before gradients are allocated.
    speeds_ = {};
    found_.clear();
    Buffer<float> squared;
    if (options_.edge)
        squared = squared_gradient(queue_, pixels_, pixels(), options_.edge_sigma, "edge-sigma");
    if (finds_limits(options_)) {
        find_speeds(seeds);
    } else if (has_window) {
        speeds_ = window_speeds(queue_, pixels_, shape_.points(), {options_.lower, options_.upper},
                                static_cast<int>(names_.size()));
    } else {
        scale_ = level_scale(pixels(), seeds);
        speeds_ = statistics_speeds(queue_, pixels_, pixels(), options_, seeds);
    }
    if (!mask_.empty())
        queue_.launch(kernels::level_set_mask, Range{shape_.points()},
                      queue_.lend(std::span<const std::uint8_t>(mask_), "mask"), speeds_.levels);
    if (options_.edge) close_edges(squared);
    speeds_known_ = true;
}

std::vector<std::uint32_t> LevelSetSession::Implementation::points_of(std::size_t object) {
    const std::vector<std::uint8_t> objects = queue_.download(objects_);
    Points points;
    for (std::size_t i = 0; i < objects.size(); ++i)
        if (objects[i] == object) points.push_back(static_cast<std::uint32_t>(i));
    return points;
}

// The background competes for all points that objects may hold. An object without seeds uses its
// points instead.
void LevelSetSession::Implementation::find_speeds(const std::vector<Points>& seeds) {
    const bool in_pixels = !geometry_.known();
    const auto spacing = in_pixels ? std::array<double, 3>{1, 1, 1} : geometry_.spacing_mm();
    std::optional<double> neck;
    if (options_.neck) {
        const auto pixels = length_in_pixels(*options_.neck, "neck", geometry_);
        neck = in_pixels ? pixels[0] : pixels[0] * spacing[0];
    }
    std::vector<SpeedLimits> limits;
    std::vector<std::uint8_t> reach(static_cast<std::size_t>(shape_.points()), 0);
    for (std::size_t i = 0; i < names_.size(); ++i) {
        if (names_[i] == background_name) continue;
        const Points marks = seeds[i].empty() ? points_of(i + 1) : seeds[i];
        if (marks.empty()) {  // nothing is left that could grow
            found_.emplace_back();
            limits.push_back({});
            continue;
        }
        found_.push_back(find_limits(pixels(), spacing, marks, mask_, neck));
        FoundLimits& found = found_.back();
        limits.push_back({found.lower, found.upper});
        warn_of_leaks(names_[i], found);
        for (std::size_t p = 0; p < reach.size(); ++p)
            if (found.reach.empty() || found.reach[p] != 0) reach[p] = 1;
        found.reach = {};
    }
    const auto objects = static_cast<int>(names_.size());
    const bool are_equal = std::all_of(limits.begin(), limits.end(), [&](const SpeedLimits& own) {
        return own.lower == limits[0].lower && own.upper == limits[0].upper;
    });
    if (limits.size() < names_.size()) limits.push_back(around(limits));
    speeds_ = are_equal ? window_speeds(queue_, pixels_, shape_.points(), limits[0], objects)
                        : windows_speeds(queue_, pixels_, shape_.points(), limits);
    queue_.launch(kernels::level_set_mask, Range{shape_.points()},
                  queue_.upload(std::span<const std::uint8_t>(reach), "reach of objects"),
                  speeds_.levels);
}

void LevelSetSession::Implementation::warn_of_leaks(std::uint32_t name, const FoundLimits& found) {
    const std::string object = "object " + std::to_string(name) + ": ";
    if (!found.is_held)
        warnings_.push_back(object +
                            "no limits hold it back from its surroundings: give --lower, --upper "
                            "or --neck, or --against seeds beside it");
    else if (found.leaked > 0)
        warnings_.push_back(object + "it was stopped before a leak, at about " +
                            measure_text(found.volume) + "; with wider limits it would have " +
                            measure_text(found.leaked) +
                            ": if a part is missing, give --lower "
                            "or --upper");
}

LevelSetLimits LevelSetSession::Implementation::limits_of(const FoundLimits& found) const {
    return {found.lower, found.upper,
            Length(found.neck, geometry_.known() ? Length::In::millimeter : Length::In::pixel)};
}

// g < T where |grad v|^2 > lambda^2 (1 / T - 1).
void LevelSetSession::Implementation::close_edges(const Buffer<float>& squared) {
    const double contrast = contrast_of(queue_, squared, options_.contrast);
    constexpr double most = std::numeric_limits<float>::max();
    const double steepest = std::min(contrast * contrast * (1 / *options_.edge - 1), most);
    queue_.launch(kernels::stop_entry, Range{shape_.points()}, squared,
                  static_cast<float>(steepest), speeds_.levels);
}

const FrontSpeeds& LevelSetSession::Implementation::speeds() {
    if (!speeds_known_) make_speeds();
    return speeds_;
}

double LevelSetSession::Implementation::point_volume() const {
    if (!geometry_.known()) return 1;
    const auto spacing = geometry_.spacing_mm();
    return spacing[0] * spacing[1] * (shape_.z > 1 ? spacing[2] : 1);
}

LevelSetReport LevelSetSession::Implementation::advance(std::int64_t steps,
                                                        const Progress& progress) {
    FrontOptions fronts{
        .objects = static_cast<int>(names_.size()),
        .data_steps = options_.data_steps,
        .smoothing_steps = options_.smoothing.value > 0 ? options_.smoothing_steps : 0,
        .smoothing = smoothing_,
        .most_points = shape_.points()};
    if (options_.max_volume)
        fronts.most_points = static_cast<std::int64_t>(
            std::min(std::floor(*options_.max_volume / point_volume()), 4e18));
    const std::int64_t rounds = (steps + options_.data_steps - 1) / options_.data_steps;
    speeds();
    const FrontReport run = run_fronts(queue_, shape_, speeds_, fronts, rounds, objects_, progress);
    LevelSetReport report;
    report.speed = speed_of(options_);
    report.iterations = run.rounds * options_.data_steps;
    report.period = run.period;
    switch (run.stop) {
        case kernels::ftc_stable:
            report.end = LevelSetEnd::stable;
            break;
        case kernels::ftc_limit_cycle:
            report.end = LevelSetEnd::limit_cycle;
            break;
        case kernels::ftc_too_large:
            report.end = LevelSetEnd::max_volume;
            break;
        default:
            report.end = LevelSetEnd::none;
    }
    std::vector<std::int32_t> statistics;
    if (speeds_.is_adaptive()) statistics = queue_.download(speeds_.statistics);
    for (std::size_t i = 0; i < names_.size(); ++i) {
        if (names_[i] == background_name) continue;
        LevelSetObject object{names_[i], run.points[i]};
        if (geometry_.known()) object.volume = static_cast<double>(run.points[i]) * point_volume();
        const std::int32_t* own =
            statistics.empty() ? nullptr : statistics.data() + (i + 1) * kernels::ftc_statistics;
        if (own && own[kernels::ftc_deviation] > 0) {
            // The middle of a level.
            object.mean = scale_.offset + (own[kernels::ftc_mean] / 16.0 + 0.5) / scale_.scale;
            object.deviation = own[kernels::ftc_deviation] / 16.0 / scale_.scale;
        }
        if (!found_.empty()) object.found = limits_of(found_[i]);
        report.objects.push_back(object);
    }
    report.warnings = std::exchange(warnings_, {});
    return report;
}

bool LevelSetSession::Implementation::Necks::cut() const {
    return std::any_of(radii.begin(), radii.end(), [](double radius) { return radius > 0; });
}

// The background is the last object, and is not cut.
LevelSetSession::Implementation::Necks LevelSetSession::Implementation::necks() const {
    const bool has_background = !names_.empty() && names_.back() == background_name;
    const std::size_t count = names_.size() - (has_background ? 1 : 0);
    if (options_.neck) {
        const bool physical = options_.neck->physical();
        return {std::vector<double>(count,
                                    physical ? options_.neck->millimeters() : options_.neck->value),
                physical};
    }
    Necks necks{{}, geometry_.known()};
    for (const FoundLimits& found : found_) necks.radii.push_back(found.neck);
    necks.radii.resize(count, 0);
    return necks;
}

std::vector<CutPart> LevelSetSession::Implementation::cut(Buffer<std::uint8_t>& objects,
                                                          const Necks& necks, CutNecks what) {
    Points seeds;
    for (const auto& [name, points] : seeds_)
        if (name != background_name) seeds.insert(seeds.end(), points.begin(), points.end());
    return cut_necks(queue_, shape_,
                     necks.in_millimeters ? geometry_.spacing_mm() : std::array<double, 3>{1, 1, 1},
                     necks.radii, seeds, static_cast<int>(necks.radii.size()), objects, what);
}

// A part behind a neck thinner than four pixels has often leaked.
void LevelSetSession::Implementation::warn_of_necks(std::vector<std::string>& warnings) {
    for (const CutPart& part :
         cut(objects_, {std::vector<double>(necks().radii.size(), 2)}, CutNecks::report))
        if (static_cast<double>(part.points) >= least_part * static_cast<double>(part.before))
            warnings.push_back(text_of(part) + " of it hang by necks thinner than 4 pixels" +
                               at_text(part) + ": if it leaked there, give --neck 2");
}

std::string LevelSetSession::Implementation::text_of(const CutPart& part) const {
    return "object " + std::to_string(names_[static_cast<std::size_t>(part.object) - 1]) + ": " +
           measure_text(static_cast<double>(part.points) * point_volume());
}

std::string LevelSetSession::Implementation::measure_text(double volume) const {
    return detail::shown(volume) + (!geometry_.known() ? " pixels"
                                    : shape_.z > 1     ? " mm^3"
                                                       : " mm^2");
}

std::string LevelSetSession::Implementation::at_text(const CutPart& part) const {
    const bool known = geometry_.known();
    const std::array<double, 3> at = known ? physical_point(geometry_, part.middle) : part.middle;
    std::string text = ", around ";
    for (std::size_t axis = 0; axis < 3; ++axis)
        text += (axis ? ", " : "") + detail::shown(std::round(10 * at[axis]) / 10);
    return text + (known ? " mm" : "");
}

LabelImage LevelSetSession::Implementation::labels(std::vector<std::string>* warnings) {
    // Cuts a copy: the session continues from the uncut objects.
    Buffer<std::uint8_t> left;
    if (const Necks own = necks(); own.cut()) {
        left = queue_.allocate<std::uint8_t>(shape_.points(), "objects without what hangs");
        queue_.copy(objects_, left);
        for (const CutPart& part : cut(left, own, CutNecks::cut))
            if (warnings)
                warnings->push_back(text_of(part) + " behind necks were cut off" + at_text(part));
    } else if (warnings) {
        warn_of_necks(*warnings);
    }
    std::vector<std::uint32_t> names(kernels::ftc_objects, 0);
    for (std::size_t i = 0; i < names_.size(); ++i)
        names[i + 1] = names_[i] == background_name ? 0 : names_[i];
    LabelImage labels(shape_, geometry_);
    {
        auto device = queue_.allocate<std::uint32_t>(shape_.points(), "labels");
        queue_.launch(
            kernels::level_set_labels, Range{shape_.points()}, left.empty() ? objects_ : left,
            queue_.upload(std::span<const std::uint32_t>(names), "labels of objects"), device);
        queue_.read(device, std::span<std::uint32_t>(labels.pixels()));
    }
    if (options_.fill_holes) fill_holes(labels);
    return labels;
}

std::int64_t labels_device_bytes(const Shape& shape, bool cuts, bool reports) {
    const std::int64_t points = shape.points();
    const std::int64_t necks = cuts || reports ? cut_necks_device_bytes(shape) : 0;
    return (cuts ? points : 0) + std::max(necks, 4 * points);
}

LevelSetSession::LevelSetSession(const AnyImage& image, const LevelSetOptions& options,
                                 Queue& queue, const AnyImage* mask)
    : implementation_(std::make_unique<Implementation>(image, options, queue, mask)) {}
LevelSetSession::~LevelSetSession() = default;
LevelSetSession::LevelSetSession(LevelSetSession&&) noexcept = default;

void LevelSetSession::start_from(const LabelImage& labels) { implementation_->start_from(labels); }
void LevelSetSession::erase(const Seeds& seeds) { implementation_->erase(seeds); }
void LevelSetSession::add_seeds(const Seeds& seeds) {
    implementation_->add(implementation_->placed(seeds), false);
}
void LevelSetSession::add_background(const Seeds& seeds) {
    implementation_->add(implementation_->placed(seeds), true);
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

}  // namespace tesela
