// Optical flow: where every pixel of a frame is in the next frame.
#pragma once

#include <cmath>
#include <string_view>

#include "tesela/image_view.h"

namespace tesela {

// A 2-D image of two channels (u, v), in pixels per frame: what is at (x, y) in the first frame is
// at (x + u, y + v) in the second. u grows to the right, v downward.
using FlowField = Image<float>;
// A flow field to read.
using FlowView = PixelView<float>;

// What stands in both channels where the motion is not known.
inline constexpr float unknown_flow = 1e10f;

// False where a component is NaN or beyond 1e9: the convention of the Middlebury benchmark
// (S. Baker et al., "A Database and Evaluation Methodology for Optical Flow", IJCV 92, 2011).
inline bool is_known(float u, float v) {
    constexpr float largest = 1e9f;
    return std::abs(u) <= largest && std::abs(v) <= largest;
}

// Throws InvalidArgument, in a sentence that begins with `name`, unless the image is 2-D, has
// pixels, and has two channels.
void check_flow(const FlowView& flow, std::string_view name);

}  // namespace tesela
