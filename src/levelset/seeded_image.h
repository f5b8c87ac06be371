// An image on a device and the objects that grow in it from seeds: what all level-set methods
// share.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "levelset/level_set_pixels.h"
#include "levelset/necks.h"
#include "levelset/speeds.h"
#include "pixels/seeds.h"
#include "tesela/geometry.h"
#include "tesela/image_view.h"
#include "tesela/seeds.h"

namespace tesela {

// Radii of necks, for each object but the background.
struct NeckRadii {
    std::vector<double> radii;
    bool in_millimeters = false;  // or in pixels

    bool cut() const;
};

// Throws as level_set does for what no level set can be of.
LevelSetPixels seedable_pixels(const AnyImageView& image, Queue& queue);
template <class T>
LevelSetPixels seedable_pixels(const DeviceImage<const T>& image, Queue& queue);

class SeededImage {
  public:
    using Points = std::vector<std::uint32_t>;

    // Of seedable_pixels. Objects stay where the mask, if there is one, is not 0. Throws as
    // level_set does.
    SeededImage(LevelSetPixels pixels, Queue& queue, const std::optional<AnyImageView>& mask);

    void start_from(const LabelView& labels);
    void erase(const Seeds& seeds);
    // Seeds on pixels with finite values.
    void add_seeds(const Seeds& seeds);
    void add_background(const Seeds& seeds);

    const LevelSetPixels& pixels() const { return pixels_; }
    const Shape& shape() const { return shape_; }
    const Geometry& geometry() const { return geometry_; }
    const std::vector<std::uint8_t>& mask() const { return mask_; }  // empty: none

    // One byte for each point: the number of its object, from 1, or 0.
    Buffer<std::uint8_t>& objects() { return objects_; }
    const Buffer<std::uint8_t>& objects() const { return objects_; }
    int object_count() const { return static_cast<int>(names_.size()); }
    // The label of object `index` + 1. Objects are sorted by it; the background is the last one.
    std::uint32_t name(std::size_t index) const { return names_[index]; }
    bool is_background(std::size_t index) const { return names_[index] == background_name; }
    // Of all objects. Throws InvalidArgument where no seed is left.
    std::vector<Points> seeds() const;
    SeedValues values_of(const std::vector<Points>& seeds) const;
    // All points of object `index` + 1.
    Points points_of(std::size_t index) const;

    // Throws InvalidArgument where no seed is within the limits, and warns of objects many of whose
    // seeds are outside.
    void check_seeds(const SpeedLimits& limits, const SeedValues& seeds);
    // Lets no object leave the mask.
    void keep_within_mask(FrontSpeeds& speeds) const;

    // In mm^3, or mm^2 for a picture, if the spacing is known; else 1.
    double point_volume() const;
    std::string volume_text(double volume) const;

    std::size_t labeled_count() const;  // objects but the background
    // The same radius for all objects. Throws InvalidArgument for mm without spacing.
    NeckRadii necks_of(const Length& neck) const;
    // The objects without what hangs by necks. `warnings` gets a message for each part that was cut
    // off, or that may have leaked. Holes are filled on the host.
    LabelImage labels(const NeckRadii& necks, bool fills_holes, std::vector<std::string>* warnings);
    DeviceImage<std::uint32_t> device_labels(const NeckRadii& necks, bool fills_holes,
                                             std::vector<std::string>* warnings);

    // Messages for the report.
    void warn(std::string message) { warnings_.push_back(std::move(message)); }
    std::vector<std::string> take_warnings() { return std::exchange(warnings_, {}); }

  private:
    // The background is an object whose label is higher than any user's.
    static constexpr std::uint32_t background_name = std::numeric_limits<std::uint32_t>::max();

    void take_mask(const AnyImageView& mask);
    void add(const Seeds& seeds, bool is_background);
    void renumber(std::vector<std::uint32_t> names);
    void place(std::uint32_t object, const Points& points);
    void check_window(const SpeedLimits& limits, const SeedValues& seeds) const;
    void warn_of_seeds_outside(const SpeedLimits& limits, const SeedValues& seeds);
    std::vector<CutPart> cut(Buffer<std::uint8_t>& objects, const NeckRadii& necks, CutNecks what);
    void warn_of_necks(std::vector<std::string>& warnings);
    Buffer<std::uint8_t> without_necks(const NeckRadii& necks, std::vector<std::string>* warnings);
    void write_labels(const Buffer<std::uint8_t>& objects, Buffer<std::uint32_t>& labels);
    std::string text_of(const CutPart& part) const;
    std::string at_text(const CutPart& part) const;

    Queue& queue_;
    LevelSetPixels pixels_;
    Shape shape_;
    Geometry geometry_;
    std::vector<std::uint8_t> mask_;
    Buffer<std::uint8_t> objects_;
    std::vector<std::uint32_t> names_;  // labels of objects 1, 2, ..., ascending
    std::map<std::uint32_t, Points> seeds_;
    std::vector<std::string> warnings_;
};

// Device memory, in bytes, that labels() takes at most in addition to objects and levels, where
// parts behind necks are cut off, or only reported.
std::int64_t labels_device_bytes(const Shape& shape, bool cuts, bool reports);

}  // namespace tesela
