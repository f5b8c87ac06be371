// The passage to ITK, without its headers. Only itk_bridge.cpp, dicom.cpp and
// decode_helper/main.cpp include ITK.
#pragma once

#include <functional>

#include "io/picture.h"

namespace itk {
class ImageIOBase;
}

namespace tesela::io {

// Runs `work` while ITK and the libraries below it are kept from printing. One call runs at a time,
// for those libraries keep global state. An exception of ITK leaves as std::runtime_error with the
// reason alone.
void run_itk(const std::function<void()>& work);

// The first three axes; the unit is millimeters, as ITK converts. Throws UnreadableInput where a
// spacing or direction is no valid one.
Geometry itk_geometry(const itk::ImageIOBase& io, const fs::path& path);

// Reads all pixels, after the caller's ReadImageInformation. Throws UnsupportedFormat where they
// are no numbers or vectors of them. The geometry is not set.
AnyImage itk_pixels(itk::ImageIOBase& io, const fs::path& path, const DecodeOptions& options);

}  // namespace tesela::io
