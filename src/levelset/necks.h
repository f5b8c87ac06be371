// Removal of parts behind necks (bridges) by a geodesic opening, on a device.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tesela/compute/queue.h"
#include "tesela/image.h"

namespace tesela {

// The parts of an object behind necks, and their center in pixels.
struct CutPart {
    int object = 0;
    std::int64_t points = 0, before = 0;  // of the parts, of the object
    std::array<double, 3> middle{};
};

enum class CutNecks { report, cut };

// Removes from objects 1 to `count`, one byte for each point, the parts that only necks thinner
// than twice the radius connect with `seeds`. The core of an object consists of its points at least
// a radius inside. Core components with seeds are kept, or the largest one, the first of equal
// ones, if none has seeds; and with them the object's points within two radii. There is a radius
// for each object, in the unit of the spacing; 0 leaves an object unchanged, and so are objects
// above `count`. Gives what was or would be removed. Waits twice, however many objects there are.
std::vector<CutPart> cut_necks(Queue& queue, const Shape& shape,
                               const std::array<double, 3>& spacing, std::span<const double> radii,
                               std::span<const std::uint32_t> seeds, int count,
                               Buffer<std::uint8_t>& objects, CutNecks what);

// Device memory, in bytes, that cut_necks takes at most in addition to the objects: that of objects
// whose bounding boxes are the whole image.
std::int64_t cut_necks_device_bytes(const Shape& shape);

}  // namespace tesela
