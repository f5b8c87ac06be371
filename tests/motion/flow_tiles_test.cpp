// Kernels that work in tiles give the bits of those that do not, on images smaller and larger than
// a tile.
#include <algorithm>

#include "flow_tiles.h"
#include "kernels/filters/gaussian_f32.kernel.h"
#include "kernels/filters/median.kernel.h"
#include "kernels/motion/flow_levels.kernel.h"
#include "kernels/motion/flow_median.kernel.h"
#include "kernels/motion/gpu/flow_jacobi.kernel.h"
#include "kernels/motion/horn_schunck.kernel.h"
#include "motion/jacobi.h"
#include "tesela/compute/queue.h"

namespace tesela {
namespace {

using testing::FlowTiles, testing::pairs;

TESELA_ON_EVERY_DEVICE(FlowTiles);

constexpr int margin = kernels::flow_margin;

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
    testing::Cases cases(GetParam());
    for (const auto& size : sizes)
        for (const int steps : {1, 2, 9}) {
            if (!cases.take()) continue;
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
            queue.launch(kernels::gaussian_f32, range, images, weights, along_x, width, height, 0,
                         radius);
            queue.launch(kernels::gaussian_f32, range, along_x, weights, plain, width, height, 1,
                         radius);
            queue.launch(kernels::gaussian_tile_f32,
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
            queue.launch(kernels::median_5x5, range, taken, plain, margin, width, height);
            queue.launch(kernels::median_5x5, range, plain, again, margin, width, height);
            const auto expect_tiles = [&](const Buffer<float>& expected, const auto& median,
                                          const auto& take, int tile_height) {
                constexpr int tile_width = kernels::median_tile_width;
                const Groups tiles{(width + tile_width - 1) / tile_width,
                                   (height + tile_height - 1) / tile_height, 2 * pairs};
                queue.launch(median, tiles, taken, tiled, margin, width, height);
                expect_same(expected, tiled, false, width, height);
                queue.launch(take, tiles, solved, flow, tiled, width, height, int{is_board}, most);
                expect_same(expected, tiled, false, width, height);
            };
            expect_tiles(plain, kernels::median_5x5_low, kernels::flow_take_median_low,
                         kernels::median_5x5_low_height);
            expect_tiles(plain, kernels::median_5x5_high, kernels::flow_take_median_high,
                         kernels::median_5x5_high_height);
            expect_tiles(again, kernels::median_5x5_twice, kernels::flow_take_median_twice,
                         kernels::median_5x5_twice_height);
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
        queue.launch(kernels::median_5x5, range, taken, plain, margin, width, height);
        queue.launch(kernels::flow_linearize, Range{width, height, pairs}, images, gradients, plain,
                     plain_system, width, height, alpha);
        constexpr int tile_width = kernels::median_tile_width;
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

TEST_P(FlowTiles, Halves) {
    for (const auto& [width, height] : sizes)
        for (const int levels : {1, 2, 3, 4}) {
            std::vector<Buffer<float>> plain, tiled;
            plain.push_back(upload(random(pairs * std::int64_t{width} * height)));
            for (int k = 1; k <= 4; ++k) {
                const int w = width >> k, h = height >> k;
                const std::vector<float> room = random(pairs * std::int64_t{w} * h + 1);
                plain.push_back(upload(room));
                tiled.push_back(upload(room));
                if (k <= levels)
                    queue.launch(kernels::flow_halve_f32, Range{w, h, pairs},
                                 plain[plain.size() - 2], plain.back(), width >> (k - 1),
                                 height >> (k - 1));
            }
            queue.launch(kernels::flow_halve_tile_f32,
                         Groups{(width + 63) / 64, (height + 31) / 32, pairs}, plain[0], tiled[0],
                         tiled[1], tiled[2], tiled[3], width, height, levels);
            for (std::size_t k = 0; k < 4; ++k)
                EXPECT_EQ(queue.download(tiled[k]), queue.download(plain[k + 1]))
                    << width << "x" << height << ", level " << k + 1 << " of " << levels;
        }
}

// The flow, the warp and the linear system that a warp of the thesis begins with, in one launch.
class BeginOfAWarp : public FlowTiles {
  protected:
    static constexpr float alpha = 0.2f;
    struct Case {
        int width, height, old_width, old_height, total, literal;
    };

    void expect_as_in_parts(const Case& c) {
        const std::int64_t plane = std::int64_t{c.width} * c.height;
        const std::int64_t old_plane = std::int64_t{c.old_width} * c.old_height;
        const auto images = upload(random((pairs + 1) * plane));
        const std::vector<float> old_flow = random(with_margins(old_plane)),
                                 old_step = random(with_margins(old_plane)),
                                 flow_room = random(with_margins(plane)),
                                 system_room = random(3 * pairs * plane);
        const Buffer<float> flow = flow_so_far(c, old_flow, old_step);
        auto warped = upload(system_room), system = upload(system_room);
        const Range range{c.width, c.height, pairs};
        queue.launch(kernels::flow_warp_f32, range, images, flow, warped, c.width, c.height,
                     c.literal);
        queue.launch(kernels::horn_schunck_system_f32, range, images, warped, flow, system, c.width,
                     c.height, alpha, c.total);
        auto tiled_flow = upload(flow_room), step = upload(flow_room),
             tiled_system = upload(system_room);
        queue.launch(kernels::horn_schunck_begin_f32,
                     Groups{(c.width + 31) / 32, (c.height + 7) / 8, pairs}, images,
                     upload(old_flow), upload(old_step), tiled_flow, step, tiled_system,
                     kernels::horn_schunck_warp_f32{alpha, c.width, c.height, c.old_width,
                                                    c.old_height, c.total, c.literal});
        expect_same(flow, tiled_flow, false, c.width, c.height);
        expect_same(c.total ? upload(flow_room)
                            : queue.allocate_filled<float>(with_margins(plane), 0.0f, "zeros"),
                    step, false, c.width, c.height);
        EXPECT_EQ(queue.download(tiled_system), queue.download(system));
    }

  private:
    Buffer<float> flow_so_far(const Case& c, const std::vector<float>& old_flow,
                              const std::vector<float>& old_step) {
        const std::int64_t plane = std::int64_t{c.width} * c.height;
        if (c.old_width == 0)
            return queue.allocate_filled<float>(with_margins(plane), 0.0f, "no flow");
        auto flow = upload(old_flow);
        if (!c.total)
            queue.launch(kernels::flow_add_f32,
                         Range{2 * pairs * std::int64_t{c.old_width} * c.old_height},
                         upload(old_step), flow);
        if (c.old_width == c.width) return flow;
        auto larger = upload(random(with_margins(plane)));
        queue.launch(kernels::flow_double_f32, Range{c.width, c.height, 2 * pairs}, flow, larger,
                     c.old_width, c.old_height, c.width, c.height, c.literal);
        return larger;
    }
};
TESELA_ON_EVERY_DEVICE(BeginOfAWarp);

TEST_P(BeginOfAWarp, IsThatOfItsParts) {
    for (const auto& [width, height] : sizes)
        for (const int total : {0, 1})
            for (const int literal : {0, 1}) {
                SCOPED_TRACE(std::to_string(width) + "x" + std::to_string(height) + ", total " +
                             std::to_string(total) + ", literal " + std::to_string(literal));
                expect_as_in_parts({width, height, 0, 0, total, literal});
                expect_as_in_parts({width, height, width, height, total, literal});
                if (width > 1 && height > 1)
                    expect_as_in_parts({width, height, width / 2, height / 2, total, literal});
            }
}

}  // namespace
}  // namespace tesela
