// Made-up image sequences whose motion is known exactly, for tests and for measuring accuracy.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "tesela/flow_field.h"

namespace tesela {

// A gray texture, defined on the whole plane, about 128 in the mean.
enum class SyntheticTexture {
    waves,      // four sinusoids with wavelengths of 15 to 25 pixels
    broadband,  // 24 sinusoids with wavelengths of 9 to 100 pixels; leaves 0..255
};

// What a frame does to a point, which is given relative to the middle of the frame: it is turned
// and scaled about the middle, then shifted.
struct SyntheticMotion {
    double zoom = 0;      // growth in a frame: 0.02 is 2 %; above -1
    double rotation = 0;  // radians a frame, from the x axis to the y axis: clockwise on a screen
    double x = 0, y = 0;  // pixels a frame
};

struct SyntheticScene {
    std::string_view name;
    SyntheticTexture texture = SyntheticTexture::waves;
    std::int64_t width = 150, height = 150;
    SyntheticMotion motion;
};

// The scenes that accuracy is stated for, from small to large motion: "diverging", "translating"
// and "rotating" have the waves, 150 x 150; "zooming", "shifting" (by 2, 1) and "leaping" (by 8, 4)
// the broadband texture, 320 x 240.
std::span<const SyntheticScene> synthetic_scenes();

// Frame `index`, 0 being the texture unmoved: one channel, values as the texture gives them,
// without any interpolation. Throws InvalidArgument for a size that no image has, a negative index,
// or a zoom of -1 and below.
Image<float> synthetic_frame(const SyntheticScene& scene, int index);

// The motion from any frame to the next. Throws as above.
FlowField synthetic_truth(const SyntheticScene& scene);

}  // namespace tesela
