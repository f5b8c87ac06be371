// Kernels that work in tiles against those that do not.
#pragma once

#include <random>
#include <utility>
#include <vector>

#include "devices.h"
#include "kernels/motion/gpu/flow_relaxation.kernel.h"
#include "tesela/compute/queue.h"

namespace tesela::testing {

constexpr int pairs = 2;

class FlowTiles : public OnDevice {
  protected:
    std::vector<float> random(std::int64_t count) {
        std::uniform_real_distribution<float> uniform(-0.7f, 0.7f);
        std::vector<float> values(static_cast<std::size_t>(count));
        for (float& value : values) value = uniform(generator_);
        return values;
    }
    Buffer<float> upload(const std::vector<float>& values) {
        return queue.upload(std::span<const float>(values), "values");
    }
    // Planes u, v of each pair.
    static std::int64_t with_margins(std::int64_t plane) {
        return 2 * pairs * plane + 2 * kernels::flow_margin;
    }
    void expect_same(const Buffer<float>& plain, const Buffer<float>& tiled, bool is_board,
                     int width, int height) {
        const auto expected = queue.download(plain), found = queue.download(tiled);
        const std::int64_t plane = kernels::flow_solver_plane(is_board, width, height);
        for (std::int64_t k = 0; k < 2 * pairs; ++k)
            for (int y = 0; y < height; ++y)
                for (int x = 0; x < width; ++x) {
                    const auto at = static_cast<std::size_t>(
                        kernels::flow_margin + k * plane +
                        kernels::flow_solver_field(is_board, x, y, width, height));
                    ASSERT_EQ(found[at], expected[at])
                        << width << "x" << height << " at " << x << ", " << y;
                }
    }

    static constexpr std::pair<int, int> sizes[] = {{1, 1},    {1, 9},   {9, 1},   {5, 40},
                                                    {18, 67},  {17, 33}, {31, 33}, {64, 64},
                                                    {97, 131}, {148, 90}};
    Queue queue{GetParam()};

  private:
    std::mt19937 generator_{3};
};

}  // namespace tesela::testing
