#include "motion/jacobi.h"

#include <utility>

#include "kernels/flow_jacobi.kernel.h"
#include "kernels/horn_schunck.kernel.h"

namespace tesela {
namespace {

// Which tiles a level takes and how many steps a launch: with more, more fields are computed twice;
// with fewer, launches take longer than their work. Measured on an H200 (docs/performance.md).
enum class Tiles { small, medium, large, high };
struct Plan {
    Tiles tiles;
    int steps;
};
Plan plan_for(std::int64_t points) {
    if (points > 400'000) return {Tiles::large, 8};
    if (points > 150'000) return {Tiles::high, 12};
    if (points > 100'000) return {Tiles::large, 12};
    if (points > 40'000) return {Tiles::medium, 8};
    if (points > 20'000) return {Tiles::medium, 12};
    return {Tiles::small, points > 10'000 ? 9 : 12};
}

}  // namespace

void take_jacobi_steps(Queue& queue, const LevelSize& size, std::int64_t pairs,
                       const Buffer<float>& system, const Buffer<float>& start, Buffer<float>& flow,
                       Buffer<float>& swept, int steps) {
    const Buffer<float>* from = &start;
    const auto launch = [&](const auto& kernel, const auto& items, auto... numbers) {
        queue.launch(kernel, items, *from, system, swept, size.width, size.height, numbers...);
        std::swap(flow, swept);
        from = &flow;
    };
    if (!queue.device().properties().is_gpu) {
        for (int k = 0; k < steps; ++k)
            launch(kernels::horn_schunck_sweep_f32, Range{size.width, size.height, pairs});
        return;
    }
    const Plan plan = plan_for(pairs * size.points());
    const auto sweep_tiles = [&](const auto& kernel, int width, int height, int columns,
                                 int together) {
        const int x = width - 2 * kernels::flow_jacobi_halo(together, columns);
        const int y = height - 2 * together;
        launch(kernel, Groups{(size.width + x - 1) / x, (size.height + y - 1) / y, pairs},
               together);
    };
    for (int launches = (steps + plan.steps - 1) / plan.steps; launches > 0; --launches) {
        const int together = (steps + launches - 1) / launches;
        switch (plan.tiles) {
            case Tiles::small:
                sweep_tiles(kernels::flow_jacobi_small, kernels::flow_jacobi_small_width,
                            kernels::flow_jacobi_small_height, kernels::flow_jacobi_small_columns,
                            together);
                break;
            case Tiles::medium:
                sweep_tiles(kernels::flow_jacobi_medium, kernels::flow_jacobi_medium_width,
                            kernels::flow_jacobi_medium_height, kernels::flow_jacobi_medium_columns,
                            together);
                break;
            case Tiles::large:
                sweep_tiles(kernels::flow_jacobi_large, kernels::flow_jacobi_large_width,
                            kernels::flow_jacobi_large_height, kernels::flow_jacobi_large_columns,
                            together);
                break;
            case Tiles::high:
                sweep_tiles(kernels::flow_jacobi_high, kernels::flow_jacobi_high_width,
                            kernels::flow_jacobi_high_height, kernels::flow_jacobi_high_columns,
                            together);
                break;
        }
        steps -= together;
    }
}

}  // namespace tesela
