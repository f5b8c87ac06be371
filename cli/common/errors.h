// From an error to the program's exit code.
#pragma once

#include "tesela/error.h"

namespace tesela::cli {

int exit_code(ErrorCode code);

}  // namespace tesela::cli
