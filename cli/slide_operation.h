// Operations that go over a slide in tiles, from a slide to OME-TIFFs.
#pragma once

#include "operation_job.h"

namespace tesela::cli {

// Whether all outputs that were named are OME-TIFFs (.ome.tif), and the operation can be streamed.
bool is_slide_job(const operations::Operation& operation, const OperationSettings& settings);

// Gives the exit code. Throws InvalidArgument where the options or the pixels need the whole image.
int run_on_slide(const operations::Operation& operation, const OperationSettings& settings,
                 Json parameters, const CancelToken& token);

}  // namespace tesela::cli
