// Whether parts of the tissue confirm the position of the whole.
#pragma once

#include "tesela/registration.h"

namespace tesela {

// Compares each part of the fixed tissue with the moving image where the map puts it, and at shifts
// around that. A part agrees if it fits best near the map's position.
Agreement agreement_of_parts(const RegistrationImage& fixed, const RegistrationImage& moving,
                             const LinearMap& map, Queue& queue);

// Whether more parts agree than for images of different objects.
bool is_agreed(const Agreement& agreement);

}  // namespace tesela
