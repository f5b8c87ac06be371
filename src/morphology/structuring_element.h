// Structuring elements as runs along x.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tesela/image.h"
#include "tesela/morphology.h"

namespace tesela {

// Points at most `half` along x from the point (y, z) away.
struct MorphologyRun {
    std::int32_t y, z, half;
    bool operator==(const MorphologyRun&) const = default;
};

struct StructuringElement {
    MorphologyShape shape = MorphologyShape::ball;
    std::array<std::int32_t, 3> reach{};  // along x, y and z
    std::vector<MorphologyRun> runs;      // by z, then by length
    bool beyond_image = false;            // it was cut off at the longest distances of the image
    // Squared distances in label maps: that of k steps along an axis is k^2 * weight; those of a
    // ball are at most `limit`.
    std::array<std::uint32_t, 3> weights{};
    std::uint32_t limit = 0;
};

// Throws InvalidArgument for mm without spacing, and where no other point is in reach.
StructuringElement structuring_element(const MorphologyOptions& options, const Shape& shape,
                                       const Geometry& geometry);

}  // namespace tesela
