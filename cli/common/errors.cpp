#include "errors.h"

#include "verb.h"

namespace tesela::cli {

int exit_code(ErrorCode code) {
    switch (code) {
        case ErrorCode::invalid_argument:
        case ErrorCode::too_narrow:
            return exit_usage;
        case ErrorCode::unreadable_input:
        case ErrorCode::unsupported_format:
            return exit_input;
        case ErrorCode::device_unavailable:
            return exit_device;
        case ErrorCode::out_of_memory:
            return exit_memory;
        case ErrorCode::cancelled:
            return exit_cancelled;
        case ErrorCode::unwritable_output:
            break;
    }
    return exit_failed;
}

}  // namespace tesela::cli
