// Registration of two images that are preprocessed, which other pairs may have in common.
#pragma once

#include "tesela/registration.h"

namespace tesela {

// From the search on. Of volumes the measure of `fixed` is another one meanwhile. Throws as
// register_images.
RegistrationResult register_pair(RegistrationImage& fixed, const RegistrationImage& moving,
                                 const RegistrationOptions& options, Queue& queue,
                                 const Transform* initial = nullptr, const Progress& progress = {});

}  // namespace tesela
