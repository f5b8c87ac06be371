// Seeds as points of one image.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pixels/pixel_source.h"
#include "tesela/compute/queue.h"
#include "tesela/geometry.h"
#include "tesela/image.h"
#include "tesela/seeds.h"

namespace tesela {

// Parallel lists: points of the image, each once, and their labels. Sorted by label, then by point.
struct PlacedSeeds {
    std::vector<std::uint32_t> points, labels;
    bool labeled_by_user = false;     // labels mean something; otherwise they are numbers
    std::optional<Frame> frame = {};  // of seeds that were given in millimeters

    // The seeds of one label: first..end-1.
    struct Range {
        std::int64_t first = 0, end = 0;
    };
    std::vector<Range> by_label() const;
    std::int64_t size() const { return static_cast<std::int64_t>(points.size()); }
};

// Seeds of any kind but AutomaticSeeds. Throws InvalidArgument for a seed outside the image, label
// 0, a place with fewer coordinates than the image has axes, millimeters without geometry, and
// where there is no seed.
PlacedSeeds place_seeds(const Seeds& seeds, const Shape& shape, const Geometry& geometry);

// A ball on the axes of the image: its center in pixels and, in the unit of its radius, the length
// of a pixel along each axis.
struct PlacedBall {
    std::array<double, 4> center{}, step{1, 1, 1, 1};
};
// Throws as place_seeds does.
PlacedBall place_ball(const SeedBall& ball, const Shape& shape, const Geometry& geometry);

// The point of a seed, with the place in millimeters where seeds were given so.
std::string seed_text(const Shape& shape, const Geometry& geometry, std::optional<Frame> frame,
                      std::int64_t point);

// Throws InvalidArgument where a seed stands on a pixel that is NaN or infinite.
template <class T>
void check_seed_values(const PixelSource<T>& image, const PlacedSeeds& seeds);
template <class T>
void check_seed_values(const Image<T>& image, const PlacedSeeds& seeds) {
    check_seed_values(PixelSource<T>(image), seeds);
}
// Of values that were looked up, one for each seed.
void check_seed_values(std::span<const float> values, const Shape& shape, const Geometry& geometry,
                       const PlacedSeeds& seeds);

// Seeds on a device: the lists, and the labels of seeds at their points, 0 elsewhere.
struct DeviceSeeds {
    Buffer<std::uint32_t> points, labels;
};
DeviceSeeds upload_seeds(Queue& queue, const PlacedSeeds& seeds);
Buffer<std::uint32_t> seed_label_image(Queue& queue, const DeviceSeeds& seeds, std::int64_t points);

}  // namespace tesela
