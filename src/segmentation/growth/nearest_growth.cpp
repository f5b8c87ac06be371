#include "segmentation/growth/nearest_growth.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>

#include "kernels/growth/region_growth.kernel.h"
#include "segmentation/mean_shift/region_fusion.h"

namespace tesela {
namespace {

// What rounds of a run look at and write.
struct Growing {
    Queue& queue;
    const Shape& shape;
    int channels;
    const Buffer<std::int32_t>&features, &means;
    int axes;
    Buffer<std::int32_t>& regions;
    const Progress& progress;

    kernels::region_growth_job job(std::int64_t limit2) const {
        return {shape.points(),
                limit2,
                {static_cast<int>(shape.x), static_cast<int>(shape.y), static_cast<int>(shape.z),
                 static_cast<int>(shape.t)},
                channels,
                axes};
    }
};

// The points that joined in a round, in turns with those of the round before.
struct Lists {
    Lists(Queue& queue, std::int64_t points)
        : points_of_round{queue.allocate<std::uint32_t>(points, "points that join"),
                          queue.allocate<std::uint32_t>(points, "points of the last round")},
          counters(queue.allocate_filled<std::uint32_t>(kernels::region_growth_counters, 0u,
                                                        "numbers of points that join")) {}
    Buffer<std::uint32_t>& of(int round) { return points_of_round[round % 2]; }

    std::array<Buffer<std::uint32_t>, 2> points_of_round;
    Buffer<std::uint32_t> counters;
    std::array<std::uint32_t, kernels::region_growth_counters> counted{};
};

// A run for a GPU. Gives its number of rounds.
int run_ahead(const Growing& g, std::int64_t limit2) {
    constexpr int rounds_at_once = 16;
    constexpr std::int64_t most_groups = 512;  // what a large GPU runs at once
    constexpr std::int64_t group =
        kernels::region_growth_points_x * kernels::region_growth_neighbors_y;
    const std::int64_t points = g.shape.points();
    const Groups groups{std::min((points - 1) / group + 1, most_groups)};
    const int neighbors = g.shape.t > 1 ? 80 : g.shape.z > 1 ? 26 : 8;
    const auto job = g.job(limit2);
    Lists lists(g.queue, points);
    int round = 0;
    const auto enqueue = [&] {
        g.queue.sequence([&] {
            for (const int end = round + rounds_at_once; round < end;) {
                ++round;
                g.queue.launch(kernels::region_growth_round, groups, g.regions, g.features, g.means,
                               lists.of(round - 1), lists.of(round), lists.counters, round,
                               neighbors, job);
            }
        });
    };
    // The next rounds are enqueued before it is known whether the last ones did anything.
    enqueue();
    int last;
    do {
        g.progress.report(0, "grow");
        g.queue.read_while(lists.counters, std::span<std::uint32_t>(lists.counted), enqueue);
        last = static_cast<int>(lists.counted[kernels::region_growth_last]);
    } while (last == round - rounds_at_once);
    return last;
}

// A run for a processor, which waits for no transfer.
int run_step_by_step(const Growing& g, std::int64_t limit2) {
    const std::int64_t points = g.shape.points();
    const auto job = g.job(limit2);
    Lists lists(g.queue, points);
    g.queue.launch(kernels::region_growth_first, Range{g.shape.x, points / g.shape.x}, g.regions,
                   g.features, g.means, lists.of(1), lists.counters, job);
    for (int round = 1;; ++round) {
        g.queue.read(lists.counters, std::span<std::uint32_t>(lists.counted));
        const std::uint32_t joined = lists.counted[round % kernels::region_growth_ring];
        if (joined == 0) return round - 1;
        g.progress.report(0, "grow");
        g.queue.fill(lists.counters, 0u);
        g.queue.launch(kernels::region_growth_next, Range{joined}, g.regions, g.features, g.means,
                       lists.of(round), lists.of(round + 1), lists.counters, round + 1, job);
    }
}

}  // namespace

Buffer<std::int32_t> means_of_regions(Queue& queue, const Shape& shape, int channels,
                                      const Buffer<std::int32_t>& features,
                                      const Buffer<std::uint32_t>& labels, std::uint32_t count) {
    auto counts = queue.allocate_filled<std::uint32_t>(1, count, "number of regions");
    auto sums = sum_regions(queue, shape, channels, features, labels, counts, count);
    auto means = queue.allocate<std::int32_t>(std::int64_t{count} * channels, "means of seeds");
    queue.launch(kernels::region_growth_means, Range{count}, sums, means, channels);
    return means;
}

int grow_to_nearest(Queue& queue, const Shape& shape, int channels,
                    const Buffer<std::int32_t>& features, const Buffer<std::int32_t>& means,
                    const NearestGrowthRules& rules, Buffer<std::int32_t>& regions,
                    const Progress& progress, GrowthWay way) {
    const Range points{shape.points()};
    queue.launch(kernels::region_growth_begin, points, regions);
    if (way == GrowthWay::automatic)
        way = prefers_groups(queue.device()) ? GrowthWay::ahead : GrowthWay::step_by_step;
    const Growing growing{queue, shape, channels, features, means, rules.axes, regions, progress};
    const auto run = [&](std::int64_t limit2) {
        return way == GrowthWay::ahead ? run_ahead(growing, limit2)
                                       : run_step_by_step(growing, limit2);
    };
    int rounds = 0;
    if (rules.limit2 >= 0) rounds += run(rules.limit2);
    if (rules.takes_the_rest) {
        if (rounds > 0) queue.launch(kernels::region_growth_restart, points, regions);
        rounds += run(std::numeric_limits<std::int64_t>::max());
    }
    queue.launch(kernels::region_growth_end, points, regions);
    return rounds;
}

}  // namespace tesela
