// Other names of operations, beside those of their descriptions.
#pragma once

#include <string_view>

namespace tesela::operations {

// "local" of "threshold adaptive": another last word, by which the command line and the module for
// Python find it as well; empty where there is none.
std::string_view other_name(std::string_view operation);

}  // namespace tesela::operations
