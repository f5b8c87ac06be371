// A slide as registration compares it: its gray values, and windows of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "registration/window_matcher.h"
#include "tesela/registration.h"
#include "tesela/tile_source.h"

namespace tesela {

// Of level 0.
ImageGrid slide_grid(const TileSource& slide);
// Throws InvalidArgument where only one of two slides has a physical pixel size.
void require_same_unit(const ImageGrid& fixed, const ImageGrid& moving);

// From pixels in their type to one value in 65536 steps: the density or amount of a stain, or the
// mean of the channels.
class GraySteps {
  public:
    // The range of what is no density is that of `small`, a thumbnail.
    GraySteps(RegistrationChannel channel, const AnyImageView& small);

    // `steps` has one value for each pixel.
    void write(const AnyImageView& pixels, std::uint16_t* steps) const;
    // Steps of the whole range of a thumbnail's brightness, or of densities.
    double range() const;

  private:
    template <class T>
    void write_densities(const PixelView<T>& pixels, std::uint16_t* steps) const;

    bool densities_;
    std::vector<std::array<float, 3>> table_;  // of each value, in steps
    double lowest_ = 0, scale_ = 0;            // of brightness
};

class ComparedSlide {
  public:
    // `first` maps pixels of level 0 to points. Errors call it by `name`. The source is kept by
    // reference.
    ComparedSlide(std::string name, const TileSource& source, const LinearMap& first,
                  GraySteps steps);

    // Pixels of the slide that a thread holds as it reads.
    static constexpr std::int64_t box_side = 1024, held = box_side * box_side;

    const TileSource& source() const { return source_; }
    const LinearMap& placed() const { return levels_.front(); }
    // The level for windows whose pixels take an area of the slide's points.
    struct Sampling {
        std::size_t level = 0;
        std::int64_t block = 1;  // pixels of the level, along an axis, that are averaged as read
        double ratio = 1;        // such means for one of their pixels, along an axis
        static constexpr double most_ratio = 4;  // or less: boxes of more take much memory
        // Of which a pixel is the mean.
        int samples() const { return std::max(1, static_cast<int>(1.01 * ratio)); }
    };
    Sampling sampling(double area) const;

    // Standard deviations of gray values in tiles of the fixed slide, as shares of their range:
    // `size` tiles of `side` pixels of level 0 each. From a level on which a tile has at least 64
    // pixels along each axis.
    std::vector<double> contrasts(std::array<std::int64_t, 2> size, std::array<double, 2> side,
                                  int threads, const Progress& progress) const;

    // The pixels of windows, each with the map from its own pixels to points of this slide.
    using ToPoints = std::function<SpacePoint(const SpacePoint& pixel)>;
    WindowBoxes read(const Sampling& sampling, const WindowSizes& sizes,
                     std::span<const ToPoints> windows, int threads) const;

  private:
    // Boxes of means of blocks.
    void place(const Sampling& sampling, const WindowSizes& sizes, const ToPoints& window,
               TileBox& box, float* nodes) const;
    void write_means(const Sampling& sampling, const TileBox& box, std::uint16_t* means) const;

    std::string name_;
    const TileSource& source_;
    std::vector<LinearMap> levels_;
    GraySteps steps_;
};

}  // namespace tesela
