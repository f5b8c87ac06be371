// Parts of a label map, whose labels may be as high as they like.
#pragma once

#include <cstdint>
#include <vector>

#include "tesela/image.h"
#include "tesela/image_parts.h"

namespace tesela::measuring {

// A part with some points around it. Label k stands for the label `of_map[k - 1]` of the map.
struct PartMap {
    LabelImage labels;
    VoxelBox box;     // of it all in the map
    VoxelBox inside;  // the part within `labels`
    std::vector<std::uint32_t> of_map;
    std::vector<std::int64_t> points = {};  // of each label, around the part too
};

// Throws as label_map_of; the sentence names the point of the map.
PartMap read_part(const VolumeInput& map, const PartGrid& grid, std::int64_t part,
                  std::int64_t halo = 0);

}  // namespace tesela::measuring
