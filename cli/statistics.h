// What an image's values are like.
#pragma once

#include <cstdint>

#include "tesela/image.h"

namespace tesela::cli {

struct ValueStatistics {
    double lowest = 0, highest = 0;  // of the finite values; meaningless where there is none
    std::int64_t finite = 0, nan = 0, infinite = 0;
};

// Over all channels but alpha.
ValueStatistics value_statistics(const AnyImage& image);

}  // namespace tesela::cli
