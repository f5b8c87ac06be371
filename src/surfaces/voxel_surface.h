// The faces of the voxels of a label as a mesh whose points are shared.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tesela/image_view.h"

namespace tesela::surfaces {

// A face of a voxel: 6 * index of the voxel + 2 * axis + 1 where it is on the upper side.
using VoxelFace = std::uint64_t;

// Polygons, counter-clockwise from outside.
struct PolygonMesh {
    std::vector<std::array<float, 3>> points;  // in voxels; the first one has its center at 0
    std::vector<std::uint32_t> corners;        // of all polygons: points
    std::vector<std::uint32_t> ends;           // of each polygon: behind its last corner

    std::span<const std::uint32_t> polygon(std::size_t i) const {
        const std::uint32_t first = i > 0 ? ends[i - 1] : 0;
        return {corners.data() + first, ends[i] - first};
    }
};

// Calls `take` with the label and the face, in the order of the voxels, wherever a voxel of a label
// above 0 has another label beside it, or the border of the image.
template <class T, class Take>
void for_each_face(const PixelView<T>& labels, const Take& take) {
    const Shape& shape = labels.shape();
    const std::array<std::int64_t, 3> size{shape.x, shape.y, shape.z};
    const std::array<std::int64_t, 3> step{1, shape.x, shape.x * shape.y};
    const T* voxel = labels.data();
    std::array<std::int64_t, 3> at{};
    for (at[2] = 0; at[2] < size[2]; ++at[2])
        for (at[1] = 0; at[1] < size[1]; ++at[1])
            for (at[0] = 0; at[0] < size[0]; ++at[0], ++voxel) {
                const T label = *voxel;
                if (label == 0) continue;
                for (std::size_t a = 0; a < 3; ++a) {
                    const auto face =
                        6 * static_cast<VoxelFace>(voxel - labels.data()) + 2 * VoxelFace{a};
                    const auto number = static_cast<std::uint32_t>(label);
                    if (at[a] == 0 || voxel[-step[a]] != label) take(number, face);
                    if (at[a] + 1 == size[a] || voxel[step[a]] != label) take(number, face + 1);
                }
            }
}

// Of all faces of one label, in the order of the voxels. Closed, and at each point a single ring of
// polygons: see voxel_surface.cpp.
PolygonMesh voxel_surface(const LabelView& labels, std::uint32_t label,
                          std::span<const VoxelFace> faces);

}  // namespace tesela::surfaces
