#include "motion/jacobi.h"

#include <algorithm>
#include <utility>

#include "kernels/motion/gpu/flow_jacobi.kernel.h"
#include "kernels/motion/horn_schunck.kernel.h"

namespace tesela {
namespace {

struct Tiles {
    decltype(kernels::flow_jacobi_small) kernel;
    int width, height, columns;  // columns of an item
};
constexpr Tiles small{kernels::flow_jacobi_small, kernels::flow_jacobi_small_width,
                      kernels::flow_jacobi_small_height, kernels::flow_jacobi_small_columns};
constexpr Tiles square{kernels::flow_jacobi_square, kernels::flow_jacobi_square_width,
                       kernels::flow_jacobi_square_height, kernels::flow_jacobi_square_columns};
constexpr Tiles medium{kernels::flow_jacobi_medium, kernels::flow_jacobi_medium_width,
                       kernels::flow_jacobi_medium_height, kernels::flow_jacobi_medium_columns};
constexpr Tiles large{kernels::flow_jacobi_large, kernels::flow_jacobi_large_width,
                      kernels::flow_jacobi_large_height, kernels::flow_jacobi_large_columns};
constexpr Tiles high{kernels::flow_jacobi_high, kernels::flow_jacobi_high_width,
                     kernels::flow_jacobi_high_height, kernels::flow_jacobi_high_columns};

// Which tiles a level takes and how many steps a launch: with more, more fields are computed twice;
// with fewer, launches take longer than their work. Measured on an H200.
struct Plan {
    const Tiles& tiles;
    int steps;
};
Plan plan_for(std::int64_t points, bool has_graphs) {
    if (points > 400'000) return {large, 8};
    if (points > 150'000) return {high, 10};
    if (points > 90'000) return {large, 15};
    if (!has_graphs) {  // launches are dear: fewer, with more steps
        if (points > 40'000) return {square, 10};
        if (points > 15'000) return {square, 15};
        return {small, points > 6'000 ? 10 : 12};
    }
    if (points > 40'000) return {medium, 8};
    if (points > 20'000) return {medium, 12};
    if (points > 15'000) return {small, 9};
    return {small, points > 2'000 ? 10 : 12};
}

}  // namespace

bool takes_level_at_once(const Device& device, const LevelSize& size) {
    return prefers_groups(device) && !device.properties().has_graphs &&
           size.width <= kernels::flow_jacobi_whole_width &&
           size.height <= kernels::flow_jacobi_whole_height;
}

void take_jacobi_steps(Queue& queue, const LevelSize& size, std::int64_t pairs,
                       const Buffer<float>& system, const Buffer<float>& start, Buffer<float>& flow,
                       Buffer<float>& swept, int steps) {
    const Buffer<float>* from = &start;
    const auto swap = [&] {
        std::swap(flow, swept);
        from = &flow;
    };
    if (!prefers_groups(queue.device())) {
        for (int k = 0; k < steps; ++k) {
            queue.launch(kernels::horn_schunck_sweep_f32, Range{size.width, size.height, pairs},
                         *from, system, swept, size.width, size.height);
            swap();
        }
        return;
    }
    if (takes_level_at_once(queue.device(), size)) {
        for (; steps > 0; steps -= most_steps_at_once) {
            queue.launch(kernels::flow_jacobi_whole, Groups{1, 1, pairs}, *from, system, swept,
                         size.width, size.height, std::min(steps, most_steps_at_once), 0, 0);
            swap();
        }
        return;
    }
    const auto [tiles, most] =
        plan_for(pairs * size.points(), queue.device().properties().has_graphs);
    const int all = (steps + most - 1) / most;
    for (int launches = all; launches > 0; --launches) {
        const int together = (steps + launches - 1) / launches;
        const int x = tiles.width - 2 * kernels::flow_jacobi_halo(together, tiles.columns);
        const int y = tiles.height - 2 * together;
        queue.launch_early(
            tiles.kernel, Groups{(size.width + x - 1) / x, (size.height + y - 1) / y, pairs}, *from,
            system, swept, size.width, size.height, together, launches % 2, int{launches < all});
        swap();
        steps -= together;
    }
}

}  // namespace tesela
