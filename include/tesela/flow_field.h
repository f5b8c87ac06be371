// Optical flow: where every pixel of a frame is in the next frame.
#pragma once

#include "tesela/image.h"

namespace tesela {

// A 2-D image of two channels (u, v), in pixels per frame: what is at (x, y) in the first frame is
// at (x + u, y + v) in the second. u grows to the right, v downward.
using FlowField = Image<float>;

}  // namespace tesela
