// The passage to ITK, without its headers.
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

// The lengths of the axes, after the caller's ReadImageInformation. Throws UnsupportedFormat where
// the pixels are no numbers or vectors of them, or the axes more than four.
Shape itk_shape(const itk::ImageIOBase& io, const fs::path& path);

// An image of 32-bit integers of the 64-bit ones (std::int64_t or std::uint64_t) that `read`
// stores, signed where all values fit. Throws UnsupportedFormat where they fit neither way, and
// OutOfMemory.
template <class From>
AnyImage narrow_64_bit(const fs::path& path, const Shape& shape, const DecodeOptions& options,
                       const std::function<void(From*)>& read);

// Reads all pixels, after the caller's ReadImageInformation. 64-bit integers become 32-bit ones
// where all values fit, and UnsupportedFormat otherwise. The geometry is not set.
AnyImage itk_pixels(itk::ImageIOBase& io, const fs::path& path, const DecodeOptions& options);

}  // namespace tesela::io
