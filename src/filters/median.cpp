#include "filters/median.h"

#include <utility>

#include "filters/median_tiles.h"

namespace tesela {

void take_medians(Queue& queue, int width, int height, std::int64_t count, int margin, int medians,
                  Buffer<float>& images, Buffer<float>& filtered) {
    while (medians > 0) {
        if (prefers_groups(queue.device())) {
            medians -=
                launch_median_tiles(queue, width, height, count, medians, kernels::median_5x5_low,
                                    kernels::median_5x5_high, kernels::median_5x5_twice, images,
                                    filtered, margin, width, height);
        } else {
            queue.launch(kernels::median_5x5, Range{width, height, count}, images, filtered, margin,
                         width, height);
            --medians;
        }
        std::swap(images, filtered);
    }
}

}  // namespace tesela
