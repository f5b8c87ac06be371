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
    bool resample = false;
};

template <class V>
void describe(V&& v, GeometryOptions& o) {
    v("ignore-geometry", o.ignore_geometry,
      "match files pixel by pixel, wherever they lie in space");
    v("resample", o.resample, "resample files on another grid onto the first");
}

struct PlacedFile {
    std::filesystem::path path;
    ImageGrid grid;
};

// Whether it takes --resample to match them.
bool needs_resampling(const PlacedFile& first, const PlacedFile& second,
                      const GeometryOptions& options);
// On the grid of `first`: labels by the nearest point, values linear, 0 beyond the image.
LabelImage resampled(const PlacedFile& first, const std::filesystem::path& path, LabelImage labels);
AnyImage resampled(const PlacedFile& first, const std::filesystem::path& path, AnyImage image);

// Says whether the axes of `second` are stored in another order, and adds to `warnings` what was
// not compared. Throws InvalidArgument that names both files where their points are not the same.
void check_fit(const PlacedFile& first, const PlacedFile& second, const GeometryOptions& options,
               std::vector<std::string>& warnings);

// The image of the file `path` with its points in the order of those of `first`, and the geometry
// of these. Otherwise as check_fit.
template <class AnyKind>
AnyKind fit_to(PlacedFile first, const std::filesystem::path& path, AnyKind image,
               const GeometryOptions& options, std::vector<std::string>& warnings) {
    if (needs_resampling(first, {path, grid_of(image)}, options))
        return resampled(first, path, std::move(image));
    check_fit(first, {path, grid_of(image)}, options, warnings);
    if (options.ignore_geometry) first.grid.geometry = {};
    return align_to(first.grid, std::move(image));
}

}  // namespace tesela::cli
