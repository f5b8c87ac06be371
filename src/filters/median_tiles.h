// The choice of a kernel that takes medians of 5x5 points in tiles, on a GPU.
#pragma once

#include <cstdint>

#include "kernels/filters/median.kernel.h"
#include "tesela/compute/queue.h"

namespace tesela {

// Launches the kernel that suits the size, of those that take one median, in low tiles or in high
// ones, and that which takes two. Gives how many it takes.
template <class Kernel, class... Arguments>
int launch_median_tiles(Queue& queue, int width, int height, std::int64_t count, int medians,
                        const Kernel& low, const Kernel& high, const Kernel& twice,
                        Arguments&... arguments) {
    const auto launch = [&](const Kernel& kernel, int tile_height) {
        constexpr int tile_width = kernels::median_tile_width;
        queue.launch(kernel,
                     Groups{(width + tile_width - 1) / tile_width,
                            (height + tile_height - 1) / tile_height, count},
                     arguments...);
    };
    if (count * width * height > 400'000) {
        launch(high, kernels::median_5x5_high_height);
    } else if (medians > 1) {
        launch(twice, kernels::median_5x5_twice_height);
        return 2;
    } else {
        launch(low, kernels::median_5x5_low_height);
    }
    return 1;
}

}  // namespace tesela
