// Whether parts of the tissue say the same as the whole.
#pragma once

#include "tesela/registration.h"

namespace tesela {

// Each part of the fixed tissue is compared with the moving image where the map puts it, and at all
// shifts around that. It agrees where it fits best near the map's place.
Agreement agreement_of_parts(const RegistrationView& fixed, const RegistrationView& moving,
                             const LinearMap& map, Queue& queue);

// Whether more parts agree than do where both images show different things.
bool is_agreed(const Agreement& agreement);

}  // namespace tesela
