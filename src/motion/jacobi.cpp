#include "motion/jacobi.h"

#include <utility>

#include "kernels/flow_jacobi.kernel.h"
#include "kernels/horn_schunck.kernel.h"

namespace tesela {
namespace {

// Which tiles a level takes and how many steps a launch: with more, more fields are computed twice;
// with fewer, launches take longer than their work. Measured on an H200 (docs/performance.md).
enum class Tiles { small, medium, large };
struct Plan {
    Tiles tiles;
    int steps;
};
Plan plan_for(std::int64_t points) {
    if (points > 1'000'000) return {Tiles::large, 8};
    if (points > 400'000) return {Tiles::large, 9};
    if (points > 150'000) return {Tiles::large, 7};
    if (points > 40'000) return {Tiles::medium, 9};
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
    const auto sweep_tiles = [&](const auto& kernel, int width, int height, int together) {
        const int x = width - 2 * together, y = height - 2 * together;
        launch(kernel, Groups{(size.width + x - 1) / x, (size.height + y - 1) / y, pairs},
               together);
    };
    for (int launches = (steps + plan.steps - 1) / plan.steps; launches > 0; --launches) {
        const int together = (steps + launches - 1) / launches;
        if (plan.tiles == Tiles::large)
            sweep_tiles(kernels::flow_jacobi_large, kernels::flow_jacobi_large_width,
                        kernels::flow_jacobi_large_height, together);
        else if (plan.tiles == Tiles::medium)
            sweep_tiles(kernels::flow_jacobi_medium, kernels::flow_jacobi_medium_width,
                        kernels::flow_jacobi_medium_height, together);
        else
            sweep_tiles(kernels::flow_jacobi_small, kernels::flow_jacobi_small_width,
                        kernels::flow_jacobi_small_height, together);
        steps -= together;
    }
}

}  // namespace tesela
