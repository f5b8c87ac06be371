// Growth by a predicate that is fixed before: the mask of the pixels that may be taken, its
// connected components, and of these the ones in which seeds stand.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "pixels/seeds.h"
#include "tesela/compute/device_image.h"
#include "tesela/compute/queue.h"
#include "tesela/progress.h"

namespace tesela {

// Inclusive, of one or three color channels, in the pixels' values.
struct ValueLimits {
    std::array<double, 3> lower{}, upper{};
    int channels = 1;
};

// A mask: 1 where all color channels of a pixel are within the limits, otherwise 0. NaN and
// infinite pixels never are. T is std::uint8_t, std::uint16_t, std::int16_t or float, whose limits
// are taken as the nearest float.
template <class T>
Buffer<std::uint8_t> mask_within(Queue& queue, const DeviceImage<const T>& image,
                                 const ValueLimits& limits);

// How the pixels that hang together with seeds are found: by the components of the whole mask, as
// suits a GPU, or by a fill from the seeds, as suits a processor with few threads. Labels are the
// same.
enum class SeededSearch { automatic, components, fill };

// A region in bits, rows of words of 64 points: those of the mask that are not open any more.
struct RegionBits {
    std::int32_t words = 0;  // of a row
    Buffer<std::uint64_t> mask, open;
};

// Grows one predicate after another on one image.
class PredicateGrowth {
  public:
    // Points are neighbors where they differ by one along at most `axes` axes.
    PredicateGrowth(Queue& queue, const Shape& shape, const PlacedSeeds& seeds, int axes,
                    SeededSearch search = SeededSearch::automatic);

    // Seeds are in the mask then, whatever they are.
    void add_to_mask(PlacedSeeds::Range seeds, Buffer<std::uint8_t>& mask);
    // labels = each component of the mask in the lowest label of those of the seeds that stand in
    // it, 0 elsewhere. Nothing is waited for.
    void grow(const Buffer<const std::uint8_t>& mask, PlacedSeeds::Range seeds,
              Buffer<std::uint32_t>& labels);

    // Whether it is by a fill; then regions can stay bits until their labels are asked for.
    bool fills() const { return !by_components_; }
    // The region of the seeds, which all have one label.
    RegionBits fill(const Buffer<const std::uint8_t>& mask, PlacedSeeds::Range seeds);
    void paint(const RegionBits& region, std::uint32_t label, Buffer<std::uint32_t>& labels);

    // Device memory in bytes, with a mask, without the labels.
    static std::int64_t bytes(const Shape& shape, std::int64_t seeds, bool in_groups);

  private:
    void grow_by_components(const Buffer<const std::uint8_t>& mask, PlacedSeeds::Range seeds,
                            Buffer<std::uint32_t>& labels);
    RegionBits fill_from_seeds(const Buffer<const std::uint8_t>& mask, PlacedSeeds::Range seeds,
                               bool paints, Buffer<std::uint32_t>& labels);

    std::uint32_t label_at(std::int64_t seed) const {
        return labels_[static_cast<std::size_t>(seed)];
    }

    Queue& queue_;
    Shape shape_;
    int axes_;
    bool by_components_;
    std::vector<std::uint32_t> labels_;  // of the seeds
    DeviceSeeds seeds_;
};

// Writes the labels of regions that grow one label after the other, the lowest first: it keeps what
// regions have in common. `grow` writes the region of some seeds, which all have one label.
void grow_by_label(
    Queue& queue, const Shape& shape, const PlacedSeeds& seeds, const Progress& progress,
    Buffer<std::uint32_t>& labels,
    const std::function<void(PlacedSeeds::Range seeds, Buffer<std::uint32_t>& labels)>& grow);
// Device memory in bytes, with the labels.
std::int64_t grow_by_label_bytes(const Shape& shape);

}  // namespace tesela
