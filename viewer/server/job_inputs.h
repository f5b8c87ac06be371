// Values of an operation's inputs, made of images of the viewer or of texts.
#pragma once

#include "viewer/server/job.h"

namespace tesela::viewer {

// Whether an image, or a text, can be the input.
bool takes_image(operations::Kind kind);
bool takes_text(operations::Kind kind);

// Sets what an input of the operation was given. Throws Refused (400) that names the input for what
// it does not take.
void set_value(const operations::Operation& operation, const JobInput& given,
               operations::Values& values);

}  // namespace tesela::viewer
