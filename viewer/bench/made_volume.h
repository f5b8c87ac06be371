// A volume to measure with.
#pragma once

#include "tesela/image.h"

namespace tesela::viewer::bench {

// A made head: a skull, tissue with noise, and vessels through it.
Image<std::uint16_t> made_volume(std::int64_t side);

}  // namespace tesela::viewer::bench
