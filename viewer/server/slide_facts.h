// What slides, and label maps over them, are to the page.
#pragma once

#include <string>

#include "tesela/geometry.h"
#include "viewer/server/images.h"
#include "viewer/server/json.h"

namespace tesela::viewer {

// A slide without its pixels: no more is read than what its window is chosen from. `pixels` of the
// image are not looked at, but for the names of labels.
Json facts_of_slide(Image image, const SlidePyramid& slide);
// [{"width": 2220, "height": 2967, "downsample": [1, 1], "stored": true}, ...]
Json levels_json(const SlidePyramid& slide);
// Where a label map lies on a slide: {"left", "top", "scale": [x, y]}, the corner of its first
// pixel and the size of its pixels, in pixels of level 0. Without a pixel size it has to be as
// large as the slide or a coarser level of it. Throws Refused (422) where it cannot be placed.
Json place_on_slide(const std::string& name, const Shape& shape, const Geometry& geometry,
                    const TileLevel& full);

}  // namespace tesela::viewer
