// What label maps and images that are measured have to be.
#pragma once

#include <cstdint>

#include "tesela/image.h"

namespace tesela::measuring {

// Throw as the public `measure` does.
void check_map(const Shape& shape, std::int64_t most_points);
void check_image(const Shape& map, const Shape& image);
[[noreturn]] void refuse_label_type(PixelType type);
[[noreturn]] void refuse_negative_label(std::int64_t label, const Shape& shape, std::int64_t point);

}  // namespace tesela::measuring
