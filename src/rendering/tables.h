// What kernels look up: a transfer function at 4097 values.
#pragma once

#include <cstdint>
#include <vector>

#include "tesela/transfer_function.h"

namespace tesela::rendering {

struct ValueScale {
    double lowest = 0;  // the value of the first node
    double nodes_per_value = 1;
};

// How the table is looked up.
enum class Opacity {
    of_step,    // of a step's length: for compositing
    corrected,  // as it is; the table beside corrects it behind other factors
    as_is       // of projections
};

struct Tables {
    std::vector<float> looks;           // red, green, blue, opacity of each node
    std::vector<float> beside;          // of each: opacity of a step, opacity by the gradient
    std::vector<std::uint32_t> before;  // nodes with opacity below each, and below the end
    double gradient_nodes_per_value = 0;
    float unseen = 0;  // up to this node none has opacity
};

// Of a transfer function in file units. `step` in mm.
Tables tables_of(const TransferFunction& transfer, const ValueScale& scale, double step,
                 Opacity opacity);

}  // namespace tesela::rendering
