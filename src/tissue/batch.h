// Equal tiles, collected until a device has enough to do.
#pragma once

#include <functional>
#include <vector>

#include "tesela/image.h"
#include "tesela/tile_features.h"

namespace tesela::tissue {

// Pixels of tiles in one batch: enough for a GPU, and some 100 MB of counts and planes.
inline constexpr std::int64_t batch_pixels = std::int64_t{1} << 23;

// The features of 8-bit color tiles, whatever their sizes, in the order in which they came.
class FeatureCollector {
  public:
    FeatureCollector(const FeatureSet& features, Queue& queue)
        : features_(features), queue_(queue) {}

    // Throws UnsupportedFormat for a picture of another kind.
    void add(const AnyImage& tile);
    // Of all tiles, row by row.
    std::vector<double> finish();

  private:
    void flush();

    const FeatureSet& features_;
    Queue& queue_;
    Shape shape_;
    std::vector<std::uint8_t> pixels_;
    std::vector<double> rows_;
};

}  // namespace tesela::tissue
