// What a call of `tesela render` shows on a renderer, for those who keep one between calls.
#pragma once

#include <optional>

#include "operations/operation.h"
#include "tesela/render.h"

namespace tesela::operations {

// Nothing: projections and isosurfaces are gray by default, and color volumes have their own
// colors. Throws InvalidArgument where a transfer function is to be written and there is none.
std::optional<TransferFunction> transfer_of(const Call& call, const Renderer& renderer);
// Throws InvalidArgument.
Camera camera_of(const Call& call, const Renderer& renderer);

}  // namespace tesela::operations
