// What of a color picture is compared (RegistrationChannel).
#pragma once

#include "filters/stain.h"
#include "tesela/registration.h"

namespace tesela {

// Whether densities are compared of pixels of this kind, and not the brightness.
bool has_densities(RegistrationChannel channel, PixelType type, int channels, bool has_alpha);
// Densities times these are what is compared, in the first column.
ColorMatrix compared_densities(RegistrationChannel channel);

}  // namespace tesela
