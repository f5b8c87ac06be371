// Labels as the numbers that kernels take: visible ones first, then hidden ones.
#pragma once

#include <cstdint>
#include <vector>

#include "tesela/image_view.h"
#include "tesela/render.h"

namespace tesela::rendering {

struct NumberedLabels {
    Image<std::uint16_t> numbers;
    std::vector<float> colors;         // and opacities, four for each number
    std::vector<std::uint32_t> names;  // the label of each number
    std::uint32_t visible = 0;         // numbers from 1 to this
};

// Labels at a coarser level of the volume. Throws InvalidArgument for too many colors.
NumberedLabels numbered(const LabelView& labels, const std::vector<LabelColor>& colors, int level);

}  // namespace tesela::rendering
