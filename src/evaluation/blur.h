// The blur of synthetic pictures, in double precision on the host.
#pragma once

#include "tesela/image.h"

namespace tesela::evaluation {

// A picture smoothed by a Gaussian out to four deviations; `sigma` is in pixels, above 0. Borders
// are replicated.
Image<float> blurred(const Image<float>& image, double sigma);

}  // namespace tesela::evaluation
