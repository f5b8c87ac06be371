// What pictures of motion have in common.
#pragma once

#include "tesela/flow_field.h"

namespace tesela::motion {

// Throws InvalidArgument for what is no flow field, and for a frame that is not 2-D or of another
// size.
void check_frame(const AnyImageView& frame, const FlowView& flow);

// How far a scale of motion goes: `asked`, or where that is 0 the length of the longest known
// vector, or 1 where nothing moves. Throws InvalidArgument unless `asked` is finite and not
// negative.
double max_motion(const FlowView& flow, double asked);

}  // namespace tesela::motion
