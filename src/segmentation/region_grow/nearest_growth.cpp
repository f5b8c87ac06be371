#include "segmentation/region_grow/nearest_growth.h"

#include <array>
#include <limits>
#include <span>
#include <utility>

#include "kernels/region_growth.kernel.h"
#include "segmentation/region_fusion.h"

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

    int nx() const { return static_cast<int>(shape.x); }
    int ny() const { return static_cast<int>(shape.y); }
    int nz() const { return static_cast<int>(shape.z); }
    int nt() const { return static_cast<int>(shape.t); }
};

// A run by tiles, for a GPU. Gives its number of rounds.
int run_by_tiles(const Growing& g, std::int64_t limit2) {
    const bool picture = g.shape.z * g.shape.t == 1;
    const int rounds_of_launch = picture ? kernels::region_growth_rounds_of_tile : 1;
    const int rounds_at_once = picture ? 2 * rounds_of_launch : 8;
    const Groups tiles{(g.shape.x - 1) / kernels::region_growth_x + 1,
                       (g.shape.y - 1) / kernels::region_growth_y + 1, g.shape.z * g.shape.t};
    auto changed =
        g.queue.allocate_filled<std::int32_t>(tiles.x * tiles.y * tiles.z, 0, "changed tiles");
    auto last_round = g.queue.allocate_filled<std::int32_t>(1, 0, "last round");
    int round = 0;
    const auto launch = [&](int first) {
        if (picture)
            g.queue.launch(kernels::region_growth_rounds, tiles, g.regions, g.features, g.means,
                           changed, last_round, g.shape.points(), limit2, g.channels, first, g.axes,
                           g.nx(), g.ny());
        else
            g.queue.launch(kernels::region_growth_round, tiles, g.regions, g.features, g.means,
                           changed, last_round, g.shape.points(), limit2, g.channels, first, g.axes,
                           g.nx(), g.ny(), g.nz(), g.nt());
    };
    const auto enqueue = [&] {
        g.queue.sequence([&] {
            for (const int end = round + rounds_at_once; round < end; round += rounds_of_launch)
                launch(round + 1);
        });
    };
    // The next rounds are enqueued before it is known whether the last ones did anything.
    enqueue();
    std::array<std::int32_t, 1> last{};
    do {
        g.progress.report(0, "grow");
        g.queue.read_while(last_round, std::span<std::int32_t>(last), enqueue);
    } while (last[0] > round - 2 * rounds_at_once);
    return last[0];
}

// A run by lists of the points that joined, for a processor, which waits for no transfer.
int run_by_lists(const Growing& g, std::int64_t limit2) {
    const std::int64_t points = g.shape.points();
    auto fresh = g.queue.allocate<std::uint32_t>(points, "points of the last round");
    auto joined = g.queue.allocate<std::uint32_t>(points, "points that join");
    auto count = g.queue.allocate_filled<std::uint32_t>(1, 0u, "number of points that join");
    g.queue.launch(kernels::region_growth_first, Range{g.shape.x, points / g.shape.x}, g.regions,
                   g.features, g.means, joined, count, points, limit2, g.channels, g.axes, g.nx(),
                   g.ny(), g.nz(), g.nt());
    int round = 1;
    while (const std::uint32_t joined_now = g.queue.download(count)[0]) {
        g.progress.report(0, "grow");
        std::swap(fresh, joined);
        g.queue.fill(count, 0u);
        g.queue.launch(kernels::region_growth_next, Range{joined_now}, g.regions, g.features,
                       g.means, fresh, joined, count, points, limit2, g.channels, ++round, g.axes,
                       g.nx(), g.ny(), g.nz(), g.nt());
    }
    return round - 1;
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
        way = queue.device().properties().is_gpu ? GrowthWay::tiles : GrowthWay::lists;
    const Growing growing{queue, shape, channels, features, means, rules.axes, regions, progress};
    const auto run = [&](std::int64_t limit2) {
        return way == GrowthWay::tiles ? run_by_tiles(growing, limit2)
                                       : run_by_lists(growing, limit2);
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
