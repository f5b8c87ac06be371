// Lookup tables of kernels: a transfer function sampled at 4097 nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "tesela/transfer_function.h"

namespace tesela::rendering {

struct ValueScale {
    double lowest = 0;  // the value of the first node
    double nodes_per_value = 1;
};

// Which opacity the table holds.
enum class Opacity {
    of_step,    // of a step's length: for compositing
    corrected,  // as it is; the kernel corrects it after applying other factors
    as_is       // of projections
};

struct Tables {
    std::vector<float> rgba;                   // red, green, blue, opacity of each node
    std::vector<float> opacities;              // of each node: opacity correction, gradient opacity
    std::vector<std::uint32_t> visible_below;  // nodes with opacity below each, and below the end
    double gradient_nodes_per_value = 0;
    float visible_above = 0;  // all nodes up to this are transparent
};

// Of a transfer function in file units. `step` in mm.
Tables tables_of(const TransferFunction& transfer, const ValueScale& scale, double step,
                 Opacity opacity);

}  // namespace tesela::rendering
