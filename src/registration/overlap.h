// How much of the tissue lies on tissue.
#pragma once

#include "tesela/registration.h"

namespace tesela {

// Share of the smaller tissue that a transform puts on tissue of the other view.
double tissue_overlap(const RegistrationView& fixed, const RegistrationView& moving,
                      const Transform& transform);

}  // namespace tesela
