// Parts of a slide as people name them: in pixels of its levels, or in physical lengths.
#pragma once

#include <string_view>

#include "tesela/options.h"
#include "tesela/tile_source.h"

namespace tesela {

// A level of a slide. Throws InvalidArgument that names --level for one that there is not.
const TileLevel& level_of(const TileSource& slide, int level);

// The pixels of a level that a length takes along an axis, 0 or 1, not rounded; a length in pixels
// is in those of the level. Throws InvalidArgument that names the option for a physical length
// where the slide does not say the size of its pixels.
double pixels_of(std::string_view option, const Length& length, const TileLevel& level, int axis);

struct SlideRegionOptions {
    Length x = {}, y = {};
    Length width{1024}, height{1024};
    int level = 0;
};
template <class V>
void describe(V&& v, SlideRegionOptions& o) {
    v("x", o.x, "left edge, in pixels of level 0 or in um");
    v("y", o.y, "upper edge, in pixels of level 0 or in um");
    v("width", o.width, "width, in pixels of the level or in um", OptionRange{.lowest = 0});
    v("height", o.height, "height, in pixels of the level or in um", OptionRange{.lowest = 0});
    v("level", o.level, "resolution, 0 is the finest", OptionRange{.lowest = 0, .highest = 64});
}

// The region in pixels of its level: edges are rounded down, sides to the nearest pixel. Throws
// InvalidArgument that names the option for a level that does not exist, a side below 1 pixel, and
// a region that is wholly outside of the slide.
TileBox region_box(const TileSource& slide, const SlideRegionOptions& options);

}  // namespace tesela
