// Overlap of tissue under a transform.
#pragma once

#include "tesela/registration.h"

namespace tesela {

// Share of the smaller tissue that a transform maps onto tissue of the other image.
double tissue_overlap(const RegistrationImage& fixed, const RegistrationImage& moving,
                      const Transform& transform);

}  // namespace tesela
