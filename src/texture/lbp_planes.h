// Local binary patterns of batches of planes.
#pragma once

#include "tesela/lbp.h"
#include "texture/tile_planes.h"

namespace tesela {

// Codes of the first plane of each tile, without the border; none where tiles are too small.
TilePlanes lbp_planes(Queue& queue, const TilePlanes& planes, const LbpOptions& options);

}  // namespace tesela
