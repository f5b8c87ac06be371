// The values that an image uses, for settings that are meant for gray values from 0 to 255.
#pragma once

#include "tesela/image_view.h"

namespace tesela {

struct ValueRange {
    double lowest = 0, highest = 1;
};

// 0 to 255 of unsigned 8-bit images. Cameras of 12 bits fill no 16, and one broken pixel no range:
// of others it is the 0.1 to the 99.9 percentile of the finite values without alpha, of every n-th
// point of more than a million. Where these are equal it is all values, and of a constant image
// what its integers can hold, or a range of 1.
ValueRange used_range(const AnyImageView& image);

// What one of 256 gray levels is in the values of the image: 1 for unsigned 8-bit images.
double gray_level(const AnyImageView& image);

}  // namespace tesela
