// The implementation of LevelSetSession: the two-cycle method on a seeded image.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "levelset/found_limits.h"
#include "levelset/seeded_image.h"
#include "levelset/speeds.h"
#include "tesela/level_set.h"

namespace tesela {

class LevelSetSession::Implementation {
  public:
    Implementation(LevelSetPixels pixels, const LevelSetOptions& options, Queue& queue,
                   const std::optional<AnyImageView>& mask);

    void set_options(const LevelSetOptions& options);
    // For changes of objects and seeds, after which speeds are made anew.
    SeededImage& changed();
    LevelSetReport advance(std::int64_t steps, const Progress& progress);
    LabelImage labels(std::vector<std::string>* warnings);
    DeviceImage<std::uint32_t> device_labels(std::vector<std::string>* warnings);

  private:
    using Points = SeededImage::Points;

    void make_speeds();
    void find_speeds(const std::vector<Points>& seeds);
    void warn_of_leaks(std::uint32_t name, const FoundLimits& found);
    void close_edges(const Buffer<float>& squared);
    FrontOptions front_options() const;
    std::vector<LevelSetObject> objects_after(const FrontReport& run);
    LevelSetLimits limits_of(const FoundLimits& found) const;
    NeckRadii necks() const;

    Queue& queue_;
    SeededImage image_;
    LevelSetOptions options_;
    FrontSmoothing smoothing_;
    FrontSpeeds speeds_;
    std::vector<FoundLimits> found_;  // of objects but the background; empty if limits are given
    LevelScale scale_;
    bool speeds_known_ = false;
};

}  // namespace tesela
