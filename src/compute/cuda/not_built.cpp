// Stands for the back end in a build without nvcc.
#include "compute/back_ends.h"

namespace tesela::detail {

Discovery discover_cuda() {
    return {{},
            {{BackEnd::cuda, "CUDA back end",
              "not built (no nvcc); install the CUDA toolkit and build again"}}};
}

}  // namespace tesela::detail
