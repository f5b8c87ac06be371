// Kernels that work in tiles give the bits of those that do not, on images smaller and larger than
// a tile.
#include <algorithm>
#include <random>

#include "devices.h"
#include "kernels/flow_jacobi.kernel.h"
#include "kernels/flow_levels.kernel.h"
#include "kernels/flow_median.kernel.h"
#include "kernels/flow_relaxation.kernel.h"
#include "kernels/horn_schunck.kernel.h"
#include "motion/jacobi.h"
#include "tesela/compute/queue.h"

namespace tesela {
namespace {

constexpr int pairs = 2;

class FlowTiles : public testing::OnDevice {
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

    static constexpr std::pair<int, int> sizes[] = {{1, 1},   {1, 9},   {9, 1},    {5, 40},
                                                    {31, 33}, {64, 64}, {97, 131}, {148, 90}};
    Queue queue{GetParam()};

  private:
    std::mt19937 generator_{3};
};
TESELA_ON_EVERY_DEVICE(FlowTiles);

TEST_P(FlowTiles, OverRelaxation) {
    for (const auto& [width, height] : sizes)
        for (const int steps : {2, 16}) {
            const int columns = (width + 1) / 2;
            const std::int64_t plane = kernels::flow_solver_plane(true, width, height);
            const std::vector<float> start = random(with_margins(plane)), omega = random(16);
            const auto system = upload(random(3 * pairs * plane));
            auto plain = upload(start), tiled = upload(start);
            for (int k = 0; k < steps; ++k)
                queue.launch(kernels::flow_relax, Range{columns, height, pairs}, plain, system,
                             width, height, k % 2, omega[static_cast<std::size_t>(k)]);
            queue.launch(kernels::flow_relax_tile,
                         Groups{(width + 31) / 32, (height + 31) / 32, pairs}, upload(start),
                         system, upload(omega), tiled, width, height, 0, steps);
            expect_same(plain, tiled, true, width, height);
        }
}

TEST_P(FlowTiles, JacobiSteps) {
    for (const auto& size : sizes)
        for (const int steps : {1, 2, 9}) {
            const int width = size.first, height = size.second;
            const std::int64_t plane = std::int64_t{width} * height;
            const std::vector<float> start = random(with_margins(plane));
            const auto system = upload(random(3 * pairs * plane)), first = upload(start);
            auto plain = upload(start), swept = upload(start);
            for (int k = 0; k < steps; ++k) {
                queue.launch(kernels::horn_schunck_sweep_f32, Range{width, height, pairs}, plain,
                             system, swept, width, height);
                std::swap(plain, swept);
            }
            auto tiled = upload(start);
            const auto expect_tiles = [&](const auto& kernel, int tile_width, int tile_height,
                                          int columns) {
                const int x = tile_width - 2 * kernels::flow_jacobi_halo(steps, columns);
                const int y = tile_height - 2 * steps;
                queue.launch(kernel, Groups{(width + x - 1) / x, (height + y - 1) / y, pairs},
                             first, system, tiled, width, height, steps, steps % 2, 0);
                expect_same(plain, tiled, false, width, height);
            };
            expect_tiles(kernels::flow_jacobi_small, kernels::flow_jacobi_small_width,
                         kernels::flow_jacobi_small_height, kernels::flow_jacobi_small_columns);
            expect_tiles(kernels::flow_jacobi_square, kernels::flow_jacobi_square_width,
                         kernels::flow_jacobi_square_height, kernels::flow_jacobi_square_columns);
            expect_tiles(kernels::flow_jacobi_medium, kernels::flow_jacobi_medium_width,
                         kernels::flow_jacobi_medium_height, kernels::flow_jacobi_medium_columns);
            expect_tiles(kernels::flow_jacobi_large, kernels::flow_jacobi_large_width,
                         kernels::flow_jacobi_large_height, kernels::flow_jacobi_large_columns);
            expect_tiles(kernels::flow_jacobi_high, kernels::flow_jacobi_high_width,
                         kernels::flow_jacobi_high_height, kernels::flow_jacobi_high_columns);
        }
}

// As a method takes them, launch upon launch, on levels of all kinds of tiles.
TEST_P(FlowTiles, JacobiLaunches) {
    constexpr LevelSize levels[] = {{40, 30},   {80, 60},   {120, 68},  {160, 120},
                                    {181, 135}, {320, 240}, {480, 270}, {901, 460}};
    for (const LevelSize& level : levels) {
        const int width = level.width, height = level.height;
        const std::int64_t plane = level.points();
        const std::vector<float> start = random(2 * plane + 2 * kernels::flow_margin);
        const auto system = upload(random(3 * plane)), first = upload(start);
        auto plain = upload(start), swept = upload(start), tiled = upload(start);
        for (int k = 0; k < 60; ++k) {
            queue.launch(kernels::horn_schunck_sweep_f32, Range{width, height}, plain, system,
                         swept, width, height);
            std::swap(plain, swept);
        }
        queue.sequence(
            [&] { take_jacobi_steps(queue, level, 1, system, first, tiled, swept, 60); });
        const auto expected = queue.download(plain), found = queue.download(tiled);
        EXPECT_TRUE(std::equal(expected.begin() + kernels::flow_margin,
                               expected.end() - kernels::flow_margin,
                               found.begin() + kernels::flow_margin))
            << width << "x" << height;
    }
}

TEST_P(FlowTiles, Smoothing) {
    for (const auto& [width, height] : sizes)
        for (const int radius : {1, 2, 20}) {
            const std::int64_t plane = std::int64_t{width} * height;
            const auto images = upload(random(pairs * plane)),
                       weights = upload(random(2 * radius + 1));
            auto along_x = upload(random(pairs * plane)), plain = upload(random(pairs * plane)),
                 tiled = upload(random(pairs * plane));
            const Range range{width, height, pairs};
            queue.launch(kernels::flow_smooth, range, images, weights, along_x, width, height, 0,
                         radius);
            queue.launch(kernels::flow_smooth, range, along_x, weights, plain, width, height, 1,
                         radius);
            queue.launch(kernels::flow_smooth_tile,
                         Groups{(width + 31) / 32, (height + 7) / 8, pairs}, images, weights, tiled,
                         width, height, radius);
            EXPECT_EQ(queue.download(tiled), queue.download(plain))
                << width << "x" << height << ", radius " << radius;
        }
}

TEST_P(FlowTiles, Shrinking) {
    for (const auto& [width, height] : sizes)
        for (const int percent : {45, 50, 80, 100})
            for (const int radius : {1, 4}) {
                const int new_width = std::max(width * percent / 100, 1);
                const int new_height = std::max((height * percent + 50) / 100, 1);
                const auto images = upload(random(pairs * std::int64_t{width} * height));
                const auto weights = upload(random(2 * radius + 1));
                const std::int64_t plane = std::int64_t{new_width} * new_height;
                auto narrow = upload(random(pairs * std::int64_t{new_width} * height)),
                     plain = upload(random(pairs * plane)), tiled = upload(random(pairs * plane));
                queue.launch(kernels::flow_shrink, Range{new_width, height, pairs}, images, weights,
                             narrow, width, height, new_width, height, 0, radius);
                queue.launch(kernels::flow_shrink, Range{new_width, new_height, pairs}, narrow,
                             weights, plain, new_width, height, new_width, new_height, 1, radius);
                queue.launch(kernels::flow_shrink_tile,
                             Groups{(new_width + 31) / 32, (new_height + 7) / 8, pairs}, images,
                             weights, tiled, width, height, new_width, new_height, radius);
                EXPECT_EQ(queue.download(tiled), queue.download(plain))
                    << width << "x" << height << ", " << percent << " %, radius " << radius;
            }
}

TEST_P(FlowTiles, Medians) {
    constexpr float most = 0.4f;
    for (const auto& size : sizes)
        for (const bool is_board : {false, true}) {
            const int width = size.first, height = size.second;
            const std::int64_t plane = kernels::flow_solver_plane(is_board, width, height);
            const std::vector<float> start = random(with_margins(std::int64_t{width} * height));
            const auto solved = upload(random(with_margins(plane))), flow = upload(start);
            auto taken = upload(start), plain = upload(start), again = upload(start),
                 tiled = upload(start);
            const Range range{width, height, 2 * pairs};
            queue.launch(kernels::flow_take, range, solved, taken, width, height, int{is_board},
                         most);
            queue.launch(kernels::flow_median, range, taken, plain, width, height);
            queue.launch(kernels::flow_median, range, plain, again, width, height);
            const auto expect_tiles = [&](const Buffer<float>& expected, const auto& median,
                                          const auto& take, int tile_height) {
                constexpr int tile_width = kernels::flow_median_width;
                const Groups tiles{(width + tile_width - 1) / tile_width,
                                   (height + tile_height - 1) / tile_height, 2 * pairs};
                queue.launch(median, tiles, taken, tiled, width, height);
                expect_same(expected, tiled, false, width, height);
                queue.launch(take, tiles, solved, flow, tiled, width, height, int{is_board}, most);
                expect_same(expected, tiled, false, width, height);
            };
            expect_tiles(plain, kernels::flow_median_low, kernels::flow_take_median_low,
                         kernels::flow_median_low_height);
            expect_tiles(plain, kernels::flow_median_high, kernels::flow_take_median_high,
                         kernels::flow_median_high_height);
            expect_tiles(again, kernels::flow_median_twice, kernels::flow_take_median_twice,
                         kernels::flow_median_twice_height);
        }
}

// What follows the solver, and the linear system of the next warp, in one launch.
TEST_P(FlowTiles, NextWarp) {
    constexpr float most = 0.4f, alpha = 0.001f;
    for (const auto& [width, height] : sizes) {
        const std::int64_t plane = std::int64_t{width} * height;
        const std::vector<float> room = random(with_margins(plane)),
                                 system_room = random(3 * pairs * plane);
        const auto images = upload(random((pairs + 1) * plane)),
                   gradients = upload(random(2 * (pairs + 1) * plane)),
                   solved = upload(random(with_margins(plane))), flow = upload(room);
        auto taken = upload(room), plain = upload(room), tiled = upload(room),
             plain_system = upload(system_room), tiled_system = upload(system_room);
        const Range range{width, height, 2 * pairs};
        queue.launch(kernels::flow_take, range, solved, taken, width, height, 0, most);
        queue.launch(kernels::flow_median, range, taken, plain, width, height);
        queue.launch(kernels::flow_linearize, Range{width, height, pairs}, images, gradients, plain,
                     plain_system, width, height, alpha);
        constexpr int tile_width = kernels::flow_median_width;
        constexpr int tile_height = kernels::flow_next_warp_height;
        queue.launch(kernels::flow_next_warp,
                     Groups{(width + tile_width - 1) / tile_width,
                            (height + tile_height - 1) / tile_height, pairs},
                     solved, flow, images, gradients, tiled, tiled_system, width, height, most,
                     alpha);
        expect_same(plain, tiled, false, width, height);
        EXPECT_EQ(queue.download(tiled_system), queue.download(plain_system))
            << width << "x" << height;
    }
}

// The thesis's warp and linear system, in one launch.
TEST_P(FlowTiles, WarpAndSystem) {
    constexpr float alpha = 0.2f;
    for (const auto& [width, height] : sizes)
        for (const int total : {0, 1})
            for (const int literal : {0, 1}) {
                const std::int64_t plane = std::int64_t{width} * height;
                const std::vector<float> room = random(3 * pairs * plane);
                const auto images = upload(random((pairs + 1) * plane)),
                           flow = upload(random(with_margins(plane)));
                auto warped = upload(room), plain = upload(room), tiled = upload(room),
                     step = upload(random(with_margins(plane)));
                const auto old_step = queue.download(step);
                const Range range{width, height, pairs};
                queue.launch(kernels::flow_warp_f32, range, images, flow, warped, width, height,
                             literal);
                queue.launch(kernels::horn_schunck_system_f32, range, images, warped, flow, plain,
                             width, height, alpha, total);
                queue.launch(kernels::horn_schunck_warp_system_f32,
                             Groups{(width + 31) / 32, (height + 7) / 8, pairs}, images, flow,
                             tiled, step, width, height, alpha, total, literal);
                EXPECT_EQ(queue.download(tiled), queue.download(plain))
                    << width << "x" << height << ", total " << total << ", literal " << literal;
                const auto new_step = queue.download(step);
                for (auto k = static_cast<std::size_t>(kernels::flow_margin);
                     k < new_step.size() - kernels::flow_margin; ++k)
                    ASSERT_EQ(new_step[k], total ? old_step[k] : 0.0f) << k;
            }
}

}  // namespace
}  // namespace tesela
