// Annotations of slides as GeoJSON (RFC 7946) in the form of QuPath, plain or packed (.gz).
#pragma once

#include <filesystem>

#include "tesela/annotation.h"
#include "tesela/io.h"

namespace tesela::io {

// Takes a FeatureCollection, one Feature, and the plain list of features of early versions of
// QuPath; classes by `name` or `names`; measurements as an object or as a list. Open rings are
// closed, which a warning tells. Throws UnreadableInput (missing, truncated, no JSON, a geometry
// that cannot be, with the number of the feature), UnsupportedFormat (another kind of JSON, a
// GeometryCollection), OutOfMemory.
Annotations read_geojson(const std::filesystem::path& path, const ReadOptions& options = {});

// A FeatureCollection, a line for each feature; packed where the name ends in .gz. Outer rings turn
// from x towards y, holes the other way. The calibration is the member "tesela:calibration". Throws
// InvalidArgument for a ring of fewer than three points, coordinates or measurements that are not
// finite, or further members that are no JSON object; UnwritableOutput.
void write_geojson(const Annotations& annotations, const std::filesystem::path& path,
                   const WriteOptions& options = {});

}  // namespace tesela::io
