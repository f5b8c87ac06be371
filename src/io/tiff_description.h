// What the first directory of a TIFF file says of its planes, in the words of other programs.
#pragma once

#include <array>
#include <string>

#include "tesela/image.h"

namespace tesela::io {

// Along x, y and z. Throws InvalidArgument where the unit is unknown.
std::array<double, 3> micrometers(const Geometry& geometry);

// ImageJ's description of a hyperstack with a directory for each plane: channels, then z, then
// time. Its unit of length, also that of the resolution, is the micrometer. `planes` channels of
// the image have directories of their own.
std::string imagej_description(const Shape& shape, const Geometry& geometry, int planes);

// OME-XML of an image whose directories come in the order of channels, z and time; `samples`
// channels lie in each.
std::string ome_description(PixelType type, const Shape& shape, const Geometry& geometry,
                            int samples);

}  // namespace tesela::io
