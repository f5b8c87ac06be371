// Registration of two images that are preprocessed, which other pairs may have in common.
#pragma once

#include "tesela/registration.h"

namespace tesela {

// From the search on. Of volumes the measure of `fixed` is another one meanwhile. Throws as
// register_images.
RegistrationResult register_pair(RegistrationImage& fixed, const RegistrationImage& moving,
                                 const RegistrationOptions& options, Queue& queue,
                                 const Transform* initial = nullptr, const Progress& progress = {});

// Throws InvalidArgument for an initial transform in another unit than the points of these images,
// and for one of images of other sizes in pixels.
void require_initial(const Transform& initial, const ImageGrid& fixed, const ImageGrid& moving);

}  // namespace tesela
