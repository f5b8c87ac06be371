// How a volume is shown.
#pragma once

#include <vector>

#include "operations/kind.h"
#include "tesela/render.h"
#include "tesela/transfer_function.h"

namespace tesela::operations {

struct ColoredLabels {
    ImageValue labels;
    std::vector<LabelColor> colors;  // of labels that occur
};

namespace kinds {
inline constexpr Kind colored_labels = kind_of<ColoredLabels>("colored labels");
inline constexpr Kind transfer = kind_of<TransferFunction>("transfer function");
inline constexpr Kind camera = kind_of<CameraChoice>("camera");
}  // namespace kinds

}  // namespace tesela::operations
