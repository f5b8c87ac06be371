#include "levelset/seeded_image.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/single_precision.h"
#include "kernels/levelset/level_set_levels.kernel.h"
#include "levelset/gradient.h"
#include "levelset/tidy.h"
#include "pixels/device_values.h"
#include "pixels/plane_of.h"
#include "pixels/same_grid.h"
#include "tesela/align.h"
#include "tesela/options.h"

namespace tesela {
namespace {

constexpr double least_part = 0.02;  // of an object behind a neck that is reported
constexpr std::size_t most_objects = kernels::ftc_objects - 1;

void check_shape(const Shape& shape) {
    if (shape.channels != 1)
        throw UnsupportedFormat("level sets are of images of one channel, and this one has " +
                                std::to_string(shape.channels) + ": convert it to gray");
    if (shape.t > 1)
        throw UnsupportedFormat("level sets are of pictures and volumes; this image has " +
                                std::to_string(shape.t) + " frames: give them one by one");
    if (shape.points() > std::int64_t{1} << 31)
        throw UnsupportedFormat("level sets are of at most 2^31 pixels: use a part of the image");
}

}  // namespace

bool NeckRadii::cut() const {
    return std::any_of(radii.begin(), radii.end(), [](double radius) { return radius > 0; });
}

LevelSetPixels seedable_pixels(const AnyImageView& image, Queue& queue) {
    check_shape(image.shape());
    require_values(image, largest_summed, NotFinite::kept);
    return {image, queue};
}

template <class T>
LevelSetPixels seedable_pixels(const DeviceImage<const T>& image, Queue& queue) {
    check_shape(image.shape);
    if constexpr (std::is_same_v<T, float>)
        require_values(queue, image, largest_summed, NotFinite::kept);
    return {image, queue};
}
template LevelSetPixels seedable_pixels(const DeviceImage<const std::uint8_t>&, Queue&);
template LevelSetPixels seedable_pixels(const DeviceImage<const std::uint16_t>&, Queue&);
template LevelSetPixels seedable_pixels(const DeviceImage<const std::int16_t>&, Queue&);
template LevelSetPixels seedable_pixels(const DeviceImage<const float>&, Queue&);

SeededImage::SeededImage(LevelSetPixels pixels, Queue& queue,
                         const std::optional<AnyImageView>& mask)
    : queue_(queue),
      pixels_(std::move(pixels)),
      shape_(plane_of(pixels_.shape())),
      geometry_(pixels_.geometry()),
      warnings_(std::exchange(pixels_.warnings, {})) {
    if (mask) take_mask(*mask);
    objects_ = queue.allocate_filled<std::uint8_t>(shape_.points(), 0, "objects");
}

void SeededImage::take_mask(const AnyImageView& mask) {
    if (mask.shape().channels != 1)
        throw InvalidArgument("--mask: the mask has " + std::to_string(mask.shape().channels) +
                              " channels; a mask has one");
    require_same_grid(shape_, mask.shape());
    mask_.reserve(static_cast<std::size_t>(shape_.points()));
    mask.visit([&](const auto& typed) {
        for (const auto value : typed.pixels()) mask_.push_back(value != 0);
    });
}

// Renumbers objects after some came or went; the others keep their points.
void SeededImage::renumber(std::vector<std::uint32_t> names) {
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
}

void SeededImage::place(std::uint32_t object, const Points& points) {
    if (points.empty()) return;
    queue_.launch(kernels::level_set_place, Range{static_cast<std::int64_t>(points.size())},
                  queue_.upload(std::span<const std::uint32_t>(points), "seed points"), object,
                  objects_);
}

void SeededImage::add_seeds(const Seeds& seeds) { add(seeds, false); }
void SeededImage::add_background(const Seeds& seeds) { add(seeds, true); }

void SeededImage::add(const Seeds& seeds, bool is_background) {
    const PlacedSeeds placed = place_seeds(seeds, shape_, geometry_);
    check_seed_values(pixels_.values_at(queue_, placed.points), shape_, geometry_, placed);
    std::map<std::uint32_t, Points> lists;
    for (std::int64_t i = 0; i < placed.size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (!mask_.empty() && mask_[placed.points[at]] == 0) continue;
        lists[is_background ? background_name : placed.labels[at]].push_back(placed.points[at]);
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
}

void SeededImage::erase(const Seeds& seeds) {
    const PlacedSeeds erased = place_seeds(seeds, shape_, geometry_);
    place(0, erased.points);
    std::vector<bool> gone(static_cast<std::size_t>(shape_.points()), false);
    for (const std::uint32_t point : erased.points) gone[point] = true;
    for (auto& [name, points] : seeds_)
        std::erase_if(points, [&](std::uint32_t point) { return gone[point]; });
}

void SeededImage::start_from(const LabelView& labels) {
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
}

std::vector<SeededImage::Points> SeededImage::seeds() const {
    if (names_.empty()) throw InvalidArgument("there are no seeds: give --seeds or --from");
    std::vector<Points> seeds;
    for (const std::uint32_t name : names_) seeds.push_back(seeds_.at(name));
    if (std::all_of(seeds.begin(), seeds.end(), [](const Points& own) { return own.empty(); }))
        throw InvalidArgument("--erase leaves no seeds: give --seeds, or erase less");
    return seeds;
}

SeedValues SeededImage::values_of(const std::vector<Points>& seeds) const {
    SeedValues values;
    for (const Points& own : seeds) values.push_back(pixels_.values_at(queue_, own));
    return values;
}

SeededImage::Points SeededImage::points_of(std::size_t index) const {
    const std::vector<std::uint8_t> objects = queue_.download(objects_);
    Points points;
    for (std::size_t i = 0; i < objects.size(); ++i)
        if (objects[i] == index + 1) points.push_back(static_cast<std::uint32_t>(i));
    return points;
}

void SeededImage::check_seeds(const SpeedLimits& limits, const SeedValues& seeds) {
    check_window(limits, seeds);
    warn_of_seeds_outside(limits, seeds);
}

void SeededImage::check_window(const SpeedLimits& limits, const SeedValues& seeds) const {
    const auto [least, most] = seed_range(seeds);
    if (least <= limits.upper.value_or(least) && most >= limits.lower.value_or(most)) return;
    const auto shown = [](const std::optional<double>& limit, const char* without) {
        return limit ? detail::shown(*limit) : std::string(without);
    };
    throw InvalidArgument("--lower and --upper take values from " + shown(limits.lower, "any") +
                          " to " + shown(limits.upper, "any") +
                          ", and the seeds have values from " + detail::shown(least) + " to " +
                          detail::shown(most) + ": change the limits, or move the seeds");
}

// Object by object, because all seeds of one may lie outside. Less than a tenth is normal for a
// ball.
void SeededImage::warn_of_seeds_outside(const SpeedLimits& limits, const SeedValues& seeds) {
    const auto outside = seeds_outside(seeds, limits);
    for (std::size_t i = 0; i < names_.size(); ++i) {
        const OutsideSeeds& own = outside[i];
        if (own.count == 0 || 10 * own.count < own.of || names_[i] == background_name) continue;
        const std::string values = own.least == own.most ? detail::shown(own.least)
                                                         : "from " + detail::shown(own.least) +
                                                               " to " + detail::shown(own.most);
        warn("object " + std::to_string(names_[i]) + ": " + std::to_string(own.count) + " of " +
             std::to_string(own.of) + " seed points are outside of the limits, with values " +
             values + "; change the limits, or move the seeds");
    }
}

void SeededImage::keep_within_mask(FrontSpeeds& speeds) const {
    if (!mask_.empty())
        queue_.launch(kernels::level_set_mask, Range{shape_.points()},
                      queue_.lend(std::span<const std::uint8_t>(mask_), "mask"), speeds.levels);
}

double SeededImage::point_volume() const {
    if (!geometry_.known()) return 1;
    const auto spacing = geometry_.spacing_mm();
    return spacing[0] * spacing[1] * (shape_.z > 1 ? spacing[2] : 1);
}

std::size_t SeededImage::labeled_count() const {
    return names_.size() - (!names_.empty() && names_.back() == background_name ? 1 : 0);
}

NeckRadii SeededImage::necks_of(const Length& neck) const {
    length_in_pixels(neck, "neck", geometry_);
    return {std::vector<double>(labeled_count(), neck.physical() ? neck.millimeters() : neck.value),
            neck.physical()};
}

std::vector<CutPart> SeededImage::cut(Buffer<std::uint8_t>& objects, const NeckRadii& necks,
                                      CutNecks what) {
    Points seeds;
    for (const auto& [name, points] : seeds_)
        if (name != background_name) seeds.insert(seeds.end(), points.begin(), points.end());
    return cut_necks(queue_, shape_,
                     necks.in_millimeters ? geometry_.spacing_mm() : std::array<double, 3>{1, 1, 1},
                     necks.radii, seeds, static_cast<int>(necks.radii.size()), objects, what);
}

// A part behind a neck thinner than four pixels has often leaked.
void SeededImage::warn_of_necks(std::vector<std::string>& warnings) {
    for (const CutPart& part :
         cut(objects_, {std::vector<double>(labeled_count(), 2)}, CutNecks::report))
        if (static_cast<double>(part.points) >= least_part * static_cast<double>(part.before))
            warnings.push_back(text_of(part) + " of it hang by necks thinner than 4 pixels" +
                               at_text(part) + ": if it leaked there, give --neck 2");
}

std::string SeededImage::text_of(const CutPart& part) const {
    return "object " + std::to_string(names_[static_cast<std::size_t>(part.object) - 1]) + ": " +
           volume_text(static_cast<double>(part.points) * point_volume());
}

std::string SeededImage::volume_text(double volume) const {
    return detail::shown(volume) + (!geometry_.known() ? " pixels"
                                    : shape_.z > 1     ? " mm^3"
                                                       : " mm^2");
}

std::string SeededImage::at_text(const CutPart& part) const {
    const bool known = geometry_.known();
    const std::array<double, 3> at = known ? physical_point(geometry_, part.middle) : part.middle;
    std::string text = ", around ";
    for (std::size_t axis = 0; axis < 3; ++axis)
        text += (axis ? ", " : "") + detail::shown(std::round(10 * at[axis]) / 10);
    return text + (known ? " mm" : "");
}

// A copy where something was cut off, as the method continues from the uncut objects; else empty.
Buffer<std::uint8_t> SeededImage::without_necks(const NeckRadii& necks,
                                                std::vector<std::string>* warnings) {
    Buffer<std::uint8_t> left;
    if (necks.cut()) {
        left = queue_.allocate<std::uint8_t>(shape_.points(), "objects without what hangs");
        queue_.copy(objects_, left);
        for (const CutPart& part : cut(left, necks, CutNecks::cut))
            if (warnings)
                warnings->push_back(text_of(part) + " behind necks were cut off" + at_text(part));
    } else if (warnings) {
        warn_of_necks(*warnings);
    }
    return left;
}

void SeededImage::write_labels(const Buffer<std::uint8_t>& objects, Buffer<std::uint32_t>& labels) {
    std::vector<std::uint32_t> names(kernels::ftc_objects, 0);
    for (std::size_t i = 0; i < names_.size(); ++i)
        names[i + 1] = names_[i] == background_name ? 0 : names_[i];
    queue_.launch(kernels::level_set_labels, Range{shape_.points()}, objects,
                  queue_.upload(std::span<const std::uint32_t>(names), "labels of objects"),
                  labels);
}

LabelImage SeededImage::labels(const NeckRadii& necks, bool fills_holes,
                               std::vector<std::string>* warnings) {
    const auto left = without_necks(necks, warnings);
    auto labels = LabelImage::unwritten(shape_, geometry_);
    {
        const std::span<std::uint32_t> points(labels.pixels());
        auto made = queue_.allocate_for(points, "labels");
        write_labels(left.empty() ? objects_ : left, made);
        queue_.read(made, points);
    }
    if (fills_holes) fill_holes(labels);
    return labels;
}

DeviceImage<std::uint32_t> SeededImage::device_labels(const NeckRadii& necks, bool fills_holes,
                                                      std::vector<std::string>* warnings) {
    const auto left = without_necks(necks, warnings);
    DeviceImage<std::uint32_t> labels{queue_.allocate<std::uint32_t>(shape_.points(), "labels"),
                                      shape_, geometry_};
    write_labels(left.empty() ? objects_ : left, labels.pixels);
    if (fills_holes) {
        auto filled = LabelImage::unwritten(shape_, geometry_);
        queue_.read(labels.pixels, std::span<std::uint32_t>(filled.pixels()));
        fill_holes(filled);
        queue_.write(labels.pixels, std::span<const std::uint32_t>(filled.pixels()));
    }
    return labels;
}

std::int64_t labels_device_bytes(const Shape& shape, bool cuts, bool reports) {
    const std::int64_t points = shape.points();
    const std::int64_t necks = cuts || reports ? cut_necks_device_bytes(shape) : 0;
    return (cuts ? points : 0) + std::max(necks, 4 * points);
}

}  // namespace tesela
