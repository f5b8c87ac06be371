// Images that a verb reads beside its first one, to be matched with it point for point.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tesela/align.h"
#include "tesela/progress.h"

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

// How a file is brought onto the grid of another one. The references hold during the call.
struct Fitting {
    const GeometryOptions& geometry;
    int threads = 0;
    std::int64_t max_memory = 0;  // for resampling; 0: no limit
    const Progress& progress;
    std::vector<std::string>& warnings;  // gets what was not compared
};

// The image of the file `path` with its points in the order of those of `first`, and the geometry
// of these; resampled where --resample asks for that and it lies elsewhere: labels by the nearest
// point, values linear, 0 beyond the image. Throws InvalidArgument that names both files where
// their points are not the same, OutOfMemory, Cancelled.
AnyImage fit_to(const PlacedFile& first, const std::filesystem::path& path, AnyImage image,
                const Fitting& fitting);
LabelImage fit_to(const PlacedFile& first, const std::filesystem::path& path, LabelImage labels,
                  const Fitting& fitting);

}  // namespace tesela::cli
