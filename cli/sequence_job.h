// The job of an operation on two frames that goes through a folder of pictures, three or more
// pictures, a video, or Y4M on standard input.
#pragma once

#include "operation_job.h"

namespace tesela::cli {

// Gives the exit code. What was done before an error or an interrupt is kept, and a sentence says
// how much. Throws as flow_sequence and tesela/video_io.h do.
int run_sequence(const operations::Operation& operation, const OperationSettings& settings,
                 const Json& parameters, const CancelToken& token);

}  // namespace tesela::cli
