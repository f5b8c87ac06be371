// What the methods of optical flow ask of their frames.
#pragma once

#include <span>

#include "tesela/image.h"

namespace tesela {

// The size of all frames. Throws InvalidArgument unless there are at least two, of one size, each a
// picture of one channel.
Shape shape_of_gray_frames(std::span<const Image<float>> frames);

}  // namespace tesela
