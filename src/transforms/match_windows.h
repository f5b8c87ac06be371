// Windows of images in which templates are compared, for kernels.
#pragma once

#include "kernels/transforms/match.kernel.h"
#include "tesela/match_template.h"

namespace tesela {

inline kernels::match_windows windows_of(const MatchShape& shape) {
    const auto small = [](std::int64_t value) { return static_cast<kernels::i32>(value); };
    return {small(shape.width),
            small(shape.height),
            small(shape.pattern_width),
            small(shape.pattern_height),
            small(shape.width - shape.pattern_width + 1),
            small(shape.height - shape.pattern_height + 1)};
}

}  // namespace tesela
