#include "motion/jacobi.h"

#include <utility>

#include "kernels/flow_jacobi.kernel.h"
#include "kernels/horn_schunck.kernel.h"

namespace tesela {
namespace {

// How many steps a launch takes in tiles: with more, more is computed twice; with fewer, launches
// take longer than their work. Measured on an H200 (docs/performance.md).
int steps_at_once(std::int64_t points) {
    if (points > 400'000) return 8;
    if (points > 40'000) return 6;
    return points > 10'000 ? 9 : 12;
}

}  // namespace

void take_jacobi_steps(Queue& queue, const LevelSize& size, std::int64_t pairs,
                       const Buffer<float>& system, Buffer<float>& flow, Buffer<float>& swept,
                       int steps) {
    if (!queue.device().properties().is_gpu) {
        for (int k = 0; k < steps; ++k) {
            queue.launch(kernels::horn_schunck_sweep_f32, Range{size.width, size.height, pairs},
                         flow, system, swept, size.width, size.height);
            std::swap(flow, swept);
        }
        return;
    }
    const std::int64_t points = pairs * size.points();
    const auto sweep_tiles = [&](const auto& kernel, int width, int height, int together) {
        const int x = width - 2 * together, y = height - 2 * together;
        queue.launch(kernel, Groups{(size.width + x - 1) / x, (size.height + y - 1) / y, pairs},
                     flow, system, swept, size.width, size.height, together);
        std::swap(flow, swept);
    };
    int launches = (steps + steps_at_once(points) - 1) / steps_at_once(points);
    for (; steps > 0; --launches) {
        const int together = (steps + launches - 1) / launches;
        constexpr std::int64_t most_points_of_small_tiles = 150'000;
        if (points > most_points_of_small_tiles)
            sweep_tiles(kernels::flow_jacobi_large, kernels::flow_jacobi_large_width,
                        kernels::flow_jacobi_large_height, together);
        else
            sweep_tiles(kernels::flow_jacobi_small, kernels::flow_jacobi_small_width,
                        kernels::flow_jacobi_small_height, together);
        steps -= together;
    }
}

}  // namespace tesela
