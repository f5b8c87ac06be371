// Images that a verb reads beside its first one, to be matched with it point for point.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tesela/align.h"

namespace tesela::cli {

// Of verbs that read a second image.
struct GeometryOptions {
    bool ignore_geometry = false;
};

template <class V>
void describe(V&& v, GeometryOptions& o) {
    v("ignore-geometry", o.ignore_geometry,
      "match files pixel by pixel, wherever they lie in space");
}

struct PlacedFile {
    std::filesystem::path path;
    ImageGrid grid;
};

// Says whether the axes of `second` are stored in another order, and adds to `warnings` what was
// not compared. Throws InvalidArgument that names both files where their points are not the same.
void check_fit(const PlacedFile& first, const PlacedFile& second, const GeometryOptions& options,
               std::vector<std::string>& warnings);

// The image of the file `path` with its points in the order of those of `first`, and the geometry
// of these. Otherwise as check_fit.
template <class AnyKind>
AnyKind fit_to(PlacedFile first, const std::filesystem::path& path, AnyKind image,
               const GeometryOptions& options, std::vector<std::string>& warnings) {
    check_fit(first, {path, grid_of(image)}, options, warnings);
    if (options.ignore_geometry) first.grid.geometry = {};
    return align_to(first.grid, std::move(image));
}

}  // namespace tesela::cli
