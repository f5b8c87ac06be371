// How much of an image a result takes. A result that is empty, takes nearly all, or lies along the
// border mostly comes from a threshold or limit that does not fit, which a count alone does not
// show.
#pragma once

#include "operations/operation.h"

namespace tesela::operations {

// Adds a warning where that is so. `thing` is what pixels that are not 0 belong to: "the mask".
void warn_of_coverage(const Call& call, std::string_view thing, const Image<std::uint8_t>& mask,
                      Results& results);
void warn_of_coverage(const Call& call, std::string_view thing, const LabelImage& labels,
                      Results& results);

}  // namespace tesela::operations
