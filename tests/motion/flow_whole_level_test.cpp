// Kernels that take a whole level in a group give the bits of those that do not.
#include <algorithm>
#include <string>

#include "flow_tiles.h"
#include "kernels/filters/median.kernel.h"
#include "kernels/motion/flow_median.kernel.h"
#include "kernels/motion/gpu/flow_jacobi.kernel.h"
#include "kernels/motion/gpu/flow_whole_level.kernel.h"
#include "kernels/motion/horn_schunck.kernel.h"

namespace tesela {
namespace {

using testing::pairs;

class FlowWholeLevel : public testing::FlowTiles {
  protected:
    static constexpr float most = 0.4f, alpha = 0.001f;

    void take_steps(const Buffer<float>& system, int width, int height, int steps,
                    Buffer<float>& flow) {
        auto swept = upload(queue.download(flow));
        for (int k = 0; k < steps; ++k) {
            queue.launch(kernels::horn_schunck_sweep_f32, Range{width, height, pairs}, flow, system,
                         swept, width, height);
            std::swap(flow, swept);
        }
    }
    void linearize(const Buffer<float>& images, const Buffer<float>& gradients,
                   const Buffer<float>& flow, int width, int height, Buffer<float>& system) {
        queue.launch(kernels::flow_linearize, Range{width, height, pairs}, images, gradients, flow,
                     system, width, height, alpha);
    }
    // What follows the steps of a warp.
    void take(Buffer<float>& solved, int width, int height, int medians, Buffer<float>& flow) {
        const Range range{width, height, 2 * pairs};
        queue.launch(kernels::flow_take, range, solved, flow, width, height, 0, most);
        for (int k = 0; k < medians; ++k) {
            queue.launch(kernels::median_5x5, range, flow, solved, int{kernels::flow_margin}, width,
                         height);
            std::swap(flow, solved);
        }
    }
};
TESELA_ON_EVERY_DEVICE(FlowWholeLevel);

constexpr std::pair<int, int> sizes_of_a_group[] = {{1, 1},   {1, 9},   {9, 1},   {16, 16},
                                                    {31, 27}, {40, 30}, {48, 32}, {47, 31}};

TEST_P(FlowWholeLevel, JacobiSteps) {
    for (const int steps : {1, 2, 33})
        for (const auto& [width, height] : sizes_of_a_group) {
            const std::int64_t plane = std::int64_t{width} * height;
            const std::vector<float> start = random(with_margins(plane));
            const auto system = upload(random(3 * pairs * plane)), first = upload(start);
            auto plain = upload(start), whole = upload(start);
            take_steps(system, width, height, steps, plain);
            queue.launch(kernels::flow_jacobi_whole, Groups{1, 1, pairs}, first, system, whole,
                         width, height, steps, 0, 0);
            expect_same(plain, whole, false, width, height);
        }
}

TEST_P(FlowWholeLevel, AllWarps) {
    testing::Cases cases(GetParam());
    constexpr int warps = 3, steps = 7;
    for (const auto& [width, height] : sizes_of_a_group)
        for (const int medians : {0, 1, 2}) {
            if (!cases.take()) continue;
            SCOPED_TRACE(std::to_string(width) + "x" + std::to_string(height) + ", " +
                         std::to_string(medians) + " medians");
            const std::int64_t plane = std::int64_t{width} * height;
            const std::vector<float> start = random(with_margins(plane));
            const auto images = upload(random((pairs + 1) * plane)),
                       gradients = upload(random(2 * (pairs + 1) * plane)), first = upload(start);
            auto system = upload(random(3 * pairs * plane)), plain = upload(start),
                 level = upload(start);
            for (int warp = 0; warp < warps; ++warp) {
                linearize(images, gradients, plain, width, height, system);
                auto solved = upload(queue.download(plain));
                take_steps(system, width, height, steps, solved);
                take(solved, width, height, medians, plain);
            }
            queue.launch(kernels::flow_whole_level, Groups{1, 1, pairs}, images, gradients, first,
                         level, width, height, alpha, warps, steps, most, medians);
            expect_same(plain, level, false, width, height);
        }
}

}  // namespace
}  // namespace tesela
