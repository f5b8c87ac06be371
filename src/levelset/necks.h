// Parts of objects that hang by necks, on a device.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tesela/compute/queue.h"
#include "tesela/image.h"

namespace tesela {

// What hangs on an object by necks, and the middle of it in pixels.
struct CutPart {
    int object = 0;
    std::int64_t points = 0, before = 0;  // of it, of the object
    std::array<double, 3> middle{};
};

enum class CutNecks { tell, cut };

// Of objects 1 to `count`, one byte a point, only what hangs together with `seeds` without a neck
// thinner than twice the radius stays: points of the object within two radii of its core, those
// points that are at least a radius inside, as far as the core's parts hold seeds; the largest part
// where none does, the first of equal ones. There is a radius for each object, in the unit of the
// spacing; with 0 an object stays as it is. Objects above `count` do too. Gives what went or would
// go. Waits twice, whatever there is.
std::vector<CutPart> cut_necks(Queue& queue, const Shape& shape,
                               const std::array<double, 3>& spacing, std::span<const double> radii,
                               std::span<const std::uint32_t> seeds, int count,
                               Buffer<std::uint8_t>& objects, CutNecks what);

// Device memory that cut_necks takes at most beside the objects, in bytes: that of objects whose
// boxes are the whole image.
std::int64_t cut_necks_device_bytes(const Shape& shape);

}  // namespace tesela
