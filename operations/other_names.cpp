#include "operations/other_names.h"

namespace tesela::operations {

std::string_view other_name(std::string_view operation) {
    // scikit-image's word.
    return operation == "threshold adaptive" ? "local" : "";
}

}  // namespace tesela::operations
