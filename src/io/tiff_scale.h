// The size of a pixel, by what the directory of a TIFF file says of it.
#pragma once

#include <string>

#include "io/slide.h"
#include "io/tiff_handle.h"

namespace tesela::io {

// The text of the current directory, empty where it has none.
std::string description_of(const TiffHandle& tiff);
bool is_ome(const std::string& description);
// The value of a line "key=value" of ImageJ's description; empty where there is none.
std::string imagej_value(const std::string& description, const std::string& key);

// From the resolution of the current directory, unless it is that of print.
PixelScale resolution_of(const TiffHandle& tiff);

// Of a picture or a stack of pages.
struct StackScale {
    PixelScale pixel;
    double depth = 0;  // micrometers from page to page; 0: not known
};
// By ImageJ's description, Aperio's, or the resolution where that is finer than 10 um; that of
// OME-XML comes with the plan of its planes.
StackScale stack_scale(const TiffHandle& tiff, const std::string& description);

}  // namespace tesela::io
