// What a transform is applied with.
#pragma once

#include <optional>

#include "operations/operation.h"

namespace tesela::operations {

struct WarpChoice {
    bool inverse = false, labels = false;
    std::optional<double> outside = {};
};
template <class V>
void describe(V&& v, WarpChoice& o) {
    v("inverse", o.inverse, "map from the fixed to the moving image");
    v("labels", o.labels, "take the nearest pixel, as label maps need");
    v("outside", o.outside, "value outside the input",
      OptionRange{.automatic = "0, white in color"});
}

// The grid of the output: the one given as "like", or that of the image that the transform was
// found for. Throws InvalidArgument where there is none.
ImageGrid warp_target(const Values& inputs, const WarpChoice& choice);

}  // namespace tesela::operations
