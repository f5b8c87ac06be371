// The implementation of LevelSetSession.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "levelset/found_limits.h"
#include "levelset/necks.h"
#include "levelset/speeds.h"
#include "pixels/seeds.h"
#include "tesela/level_set.h"

namespace tesela {

class LevelSetSession::Implementation {
  public:
    Implementation(const AnyImage& image, const LevelSetOptions& options, Queue& queue,
                   const AnyImage* mask);

    void set_options(const LevelSetOptions& options);
    // On pixels with finite values.
    PlacedSeeds placed(const Seeds& seeds) const;
    void add(const PlacedSeeds& seeds, bool is_background);
    void erase(const Seeds& seeds);
    void start_from(const LabelImage& labels);
    LevelSetReport advance(std::int64_t steps, const Progress& progress);
    LabelImage labels(std::vector<std::string>* warnings);

    // For other methods that move the objects: their points, labels, and speeds.
    Buffer<std::uint8_t>& objects() { return objects_; }
    const std::vector<std::uint32_t>& names() const { return names_; }
    const FrontSpeeds& speeds();
    const Shape& shape() const { return shape_; }
    const DevicePixels& device_pixels() const { return pixels_; }
    double point_volume() const;

  private:
    using Points = std::vector<std::uint32_t>;
    // The background is an object whose label is higher than any user's.
    static constexpr std::uint32_t background_name = std::numeric_limits<std::uint32_t>::max();

    const AnyImage& pixels() const { return converted_ ? *converted_ : *image_; }
    void take_mask(const AnyImage& mask);
    void renumber(std::vector<std::uint32_t> names);
    void place(std::uint32_t object, const Points& points);
    void check_window(const std::vector<Points>& seeds) const;
    void warn_of_seeds_outside(const std::vector<Points>& seeds);
    void make_speeds();
    Points points_of(std::size_t object);
    void find_speeds(const std::vector<Points>& seeds);
    void warn_of_leaks(std::uint32_t name, const FoundLimits& found);
    LevelSetLimits limits_of(const FoundLimits& found) const;
    void close_edges(const Buffer<float>& squared);
    // Radii of necks in millimeters, or in pixels.
    struct Necks {
        std::vector<double> radii;
        bool in_millimeters = false;
        bool cut() const;
    };
    Necks necks() const;
    std::vector<CutPart> cut(Buffer<std::uint8_t>& objects, const Necks& necks, CutNecks what);
    void warn_of_necks(std::vector<std::string>& warnings);
    std::string text_of(const CutPart& part) const;
    std::string measure_text(double volume) const;
    std::string at_text(const CutPart& part) const;

    Queue& queue_;
    const AnyImage* image_;
    std::optional<AnyImage> converted_;  // pixels of a type without kernels
    Shape shape_;
    Geometry geometry_;
    DevicePixels pixels_;
    std::vector<std::uint8_t> mask_;  // empty: none
    LevelSetOptions options_;
    FrontSmoothing smoothing_;
    Buffer<std::uint8_t> objects_;
    std::vector<std::uint32_t> names_;  // labels of objects 1, 2, ..., ascending
    std::map<std::uint32_t, Points> seeds_;
    FrontSpeeds speeds_;
    std::vector<FoundLimits> found_;  // of objects but the background; empty if limits are given
    LevelScale scale_;
    bool speeds_known_ = false;
    std::vector<std::string> warnings_;
};

// Device memory, in bytes, that labels() takes at most in addition to objects and levels, where
// parts behind necks are cut off, or only reported.
std::int64_t labels_device_bytes(const Shape& shape, bool cuts, bool reports);

}  // namespace tesela
