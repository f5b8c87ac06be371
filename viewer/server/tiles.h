// Tiles of slides, and of label maps that lie over them.
#pragma once

#include "viewer/server/message.h"
#include "viewer/server/slide_pyramid.h"

namespace tesela::viewer {

// What the query "level=2&column=3&row=1&size=512" asks for. `size`: the side of a tile in pixels
// of the level; tiles at the right and lower border are cut.
//
// Of an image a JPEG, of the `quality`; values between `low` and `high` become 0 to 255 where a
// pixel is no color of 8 bits, of the `channel`. Of labels the numbers themselves, as slices have
// them, with `margin` more pixels on each side, which are 0 beyond the level.
//
// Throws Refused (400) that names the part for what the slide does not have, and as reading does.
Response tile_response(const SlidePyramid& slide, const Request& request, bool is_labels);

}  // namespace tesela::viewer
