// Surfaces of the objects of label maps, as meshes of triangles.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tesela/color.h"
#include "tesela/image_view.h"
#include "tesela/mask.h"
#include "tesela/options.h"
#include "tesela/progress.h"

namespace tesela {

struct LabelSurfaceOptions {
    std::int32_t smooth = 20;             // rounds; 0: the faces of the voxels
    std::vector<LabelRange> labels = {};  // those that get a surface; none: all
};
template <class V>
void describe(V&& v, LabelSurfaceOptions& o) {
    v("smooth", o.smooth, "rounds of smoothing; 0 keeps the voxel faces", {0, 1000});
}

// The border of all voxels of a label: one closed mesh for each part that is connected by faces,
// and one for each cavity. Every edge has two triangles, which pass it in opposite directions, and
// the triangles at a point form one ring.
struct LabelSurface {
    std::uint32_t label = 0;
    std::string name = {};
    std::array<std::uint8_t, 3> color{};
    std::vector<std::array<float, 3>> points;  // in mm, LPS; in voxels where the unit is unknown
    std::vector<std::array<std::uint32_t, 3>> triangles;  // counter-clockwise from outside
    double volume = 0, area = 0;                          // mm^3, mm^2, or voxels
};

struct LabelSurfaces {
    std::vector<LabelSurface> list;  // in ascending order of labels
    bool millimeters = false;        // false: the map's unit of length is unknown
};

// The faces between the voxels of a label and other voxels, where what lies beyond the image is of
// no label (cuberilles: Herman and Liu, Three-dimensional display of human organs from computed
// tomograms, CGIP 1979). Voxels of a label that meet at an edge or a corner alone are kept apart.
// Points are smoothed by Taubin's filter (A signal processing approach to fair surface design,
// SIGGRAPH 1995), then each closed mesh is scaled about its centroid to the volume of its voxels.
// Neighboring labels are smoothed each by itself, so that gaps of less than a voxel may open.
// `threads`, 0 for all, share the labels. Throws InvalidArgument (options, a picture, a map without
// labels, a label that is not in the map), UnsupportedFormat (time, several channels, more than
// 2^29 faces of a label), OutOfMemory, Cancelled.
LabelSurfaces label_surfaces(const LabelView& labels, const LabelSurfaceOptions& options = {},
                             int threads = 0, const Progress& progress = {});

// How many voxel faces the surfaces have, and bytes of the result and beside it, at most.
struct SurfaceSize {
    std::int64_t faces = 0, result_bytes = 0, work_bytes = 0;
};
// Of a map of any pixel type. Throws as label_surfaces.
SurfaceSize surface_size(const AnyImageView& labels, const LabelSurfaceOptions& options = {});

}  // namespace tesela
