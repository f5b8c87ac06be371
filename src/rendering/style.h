// How values become colors: what the kernels of all modes take.
#pragma once

#include "rendering/bricks.h"
#include "rendering/tables.h"
#include "rendering/values.h"
#include "tesela/render.h"
#include "tesela/transfer_function.h"

namespace tesela::rendering {

// Gray from `low` to `high`, as opaque as it is bright.
TransferFunction gray(double low, double high);
// The nodes of a table over the values of a volume.
ValueScale scale_of(const ValueStatistics& values);

// Adds isosurfaces, the lowest value first, in the colors of the transfer function if there is one.
// `value_offset` is taken off the isovalues. Throws InvalidArgument.
void add_surfaces(const std::vector<double>& isovalues, const TransferFunction* transfer,
                  double value_offset, kernels::render_style& style);

}  // namespace tesela::rendering
