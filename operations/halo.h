// How far operations look that go over images in parts.
#pragma once

#include <string>

#include "operations/operation.h"

namespace tesela::operations {

// How many pixels around a part the outputs of `whole` depend on. `sample` is that of
// SlideUse::halo, with one pixel only along axes of which the image has one. Where outputs depend
// on the whole, throws InvalidArgument with the reason: the options, or the pixel type. `advice`
// goes on after "needs the whole ".
std::int64_t halo_in_parts(const Operation& whole, const Options& options,
                           const AnyImageView& sample, const std::string& advice);

}  // namespace tesela::operations
