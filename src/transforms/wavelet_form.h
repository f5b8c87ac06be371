// What coefficients of an image are, beside their values.
#pragma once

#include "tesela/wavelet.h"

namespace tesela {

// What the coefficients of such pixels are. Throws UnsupportedFormat for pixels that the wavelet
// does not take.
PixelType coefficient_type(PixelType pixels, Wavelet wavelet);

// Throws InvalidArgument for a number of levels that images of the shape do not have.
void check_levels(const Shape& shape, const WaveletOptions& options);

// The shape of an image's coefficients.
Shape coefficient_shape(const WaveletForm& form);

// Throws InvalidArgument for values of this shape and type that the form does not describe.
void check_form(const WaveletForm& form, const Shape& values, PixelType type);

}  // namespace tesela
