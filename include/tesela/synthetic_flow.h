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

// An ellipse of the same texture that moves by itself in front of a scene: it is turned and scaled
// about its own middle, then shifted.
struct SyntheticLayer {
    double x = 0, y = 0;           // middle in frame 0, relative to the middle of the frame
    double width = 0, height = 0;  // in frame 0
    double brightness = 0;         // added to its texture
    SyntheticMotion motion;
};

struct SyntheticScene {
    std::string_view name;
    SyntheticTexture texture = SyntheticTexture::waves;
    std::int64_t width = 150, height = 150;
    SyntheticMotion motion;
    double contrast = 1;                          // of the texture, about 128
    std::span<const SyntheticLayer> layers = {};  // those in front last
};

// The scenes that accuracy is stated for, from small to large motion: "diverging", "translating"
// and "rotating" have the waves, 150 x 150; "zooming", "shifting" (by 2, 1) and "leaping" (by 8, 4)
// the broadband texture, 320 x 240. "layers", of that texture and size, has three ellipses with
// motions of their own in front of a slow background.
std::span<const SyntheticScene> synthetic_scenes();

// Frame `index`, 0 being the texture unmoved: one channel, values as the texture gives them,
// without any interpolation; along the edge of a layer, over one pixel, in parts of both. Throws
// InvalidArgument for a size that no image has, a negative index, or a zoom of -1 and below.
Image<float> synthetic_frame(const SyntheticScene& scene, int index);

// The motion of what frame `index` shows to the next frame, also where a layer hides it there.
// Without layers it is the same for all frames. Throws as above.
FlowField synthetic_truth(const SyntheticScene& scene, int index = 0);

}  // namespace tesela
