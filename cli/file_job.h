// The job of an operation that takes files of any kind, or none: results of measurements, lists,
// data that are made. Those whose first input is an image have OperationJob.
#pragma once

#include "operation_settings.h"
#include "tesela/progress.h"

namespace tesela::cli {

bool is_file_job(const operations::Operation& operation);

// Gives the exit code.
int run_file_job(const operations::Operation& operation, const OperationSettings& settings,
                 Json parameters, const CancelToken& token);

}  // namespace tesela::cli
