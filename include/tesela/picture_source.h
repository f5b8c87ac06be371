// A picture in memory, read as a slide of one level.
#pragma once

#include <memory>

#include "tesela/tile_source.h"

namespace tesela {

// The pixels outlive the source, or are the view's own. Throws InvalidArgument for a volume or a
// time axis.
std::unique_ptr<TileSource> picture_source(AnyImageView picture);

}  // namespace tesela
