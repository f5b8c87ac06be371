#include "segmentation/watershed/minimax.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <span>
#include <utility>

#include "kernels/watershed/minimax.kernel.h"
#include "segmentation/watershed/minimax_rows.h"
#include "tesela/error.h"

namespace tesela {
namespace {

using kernels::i32;
using kernels::u16;
using kernels::u32;
using kernels::u64;
using kernels::u8;

// The kernels of one connectivity: of pictures, and of volumes, which have blocks too.
#define TESELA_MINIMAX_KERNELS(neighbors, Word)                                    \
    using Mask = Word;                                                             \
    static constexpr Shape tile{kernels::minimax_tile_x_##neighbors,               \
                                kernels::minimax_tile_y_##neighbors,               \
                                kernels::minimax_tile_z_##neighbors};              \
    static constexpr auto& masks = kernels::minimax_masks_##neighbors;             \
    static constexpr auto& cost_tiles = kernels::minimax_cost_##neighbors##_tiles; \
    static constexpr auto& key_tiles = kernels::minimax_key_##neighbors##_tiles
#define TESELA_MINIMAX_PICTURES(neighbors)     \
    struct MinimaxKernels##neighbors {         \
        TESELA_MINIMAX_KERNELS(neighbors, u8); \
    }
#define TESELA_MINIMAX_VOLUMES(neighbors, Word)                                        \
    struct MinimaxKernels##neighbors {                                                 \
        TESELA_MINIMAX_KERNELS(neighbors, Word);                                       \
        static constexpr auto& cost_blocks = kernels::minimax_cost_blocks_##neighbors; \
        static constexpr auto& key_blocks = kernels::minimax_key_blocks_##neighbors;   \
    }
TESELA_MINIMAX_PICTURES(4);
TESELA_MINIMAX_PICTURES(8);
TESELA_MINIMAX_VOLUMES(6, u8);
TESELA_MINIMAX_VOLUMES(18, u32);
TESELA_MINIMAX_VOLUMES(26, u32);
#undef TESELA_MINIMAX_VOLUMES
#undef TESELA_MINIMAX_PICTURES
#undef TESELA_MINIMAX_KERNELS

i32 narrow(std::int64_t value) { return static_cast<i32>(value); }

std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// The parts of an image: x, y and z points each, of which so many stand along an axis.
struct Parts {
    bool tiles;
    Shape part, along;

    std::int64_t count() const { return along.points(); }
};

Parts parts_of(const Shape& shape, bool tiles, const Shape& part) {
    return {
        tiles,
        part,
        {divided_up(shape.x, part.x), divided_up(shape.y, part.y), divided_up(shape.z, part.z)}};
}

bool takes_tiles(const Queue& queue, MinimaxParts asked) {
    return asked == MinimaxParts::tiles ||
           (asked == MinimaxParts::automatic && prefers_groups(queue.device()));
}

// The points of a tile that are its own; the outermost are its neighbors'.
Shape own_part(const Shape& tile) {
    return {tile.x - 2, tile.y - 2, std::max<std::int64_t>(tile.z - 2, 1)};
}

// As compact as the image has room for; lengths are powers of two.
Shape block_of(const Shape& shape) {
    constexpr std::int64_t most = kernels::minimax_block_points;
    const auto fitting = [](std::int64_t length, std::int64_t longest) {
        return std::min<std::int64_t>(
            static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(length))), longest);
    };
    Shape block;
    block.x = fitting(shape.x, 32);
    block.y = fitting(shape.y, 32);
    block.z = fitting(shape.z, most / (block.x * block.y));
    return block;
}

// Of the lists of a group that relaxes blocks for costs.
std::int64_t bytes_of_lists(const Parts& blocks) {
    return 4 * blocks.part.points() + 2 * std::int64_t{minimax_levels} +
           4 * kernels::minimax_filled_words;
}

// Groups that take turns at the blocks: more than a processor has threads, and few enough that
// their lists take at most 6 bytes a point together; at least one.
std::int64_t block_groups(const Parts& blocks, const Shape& shape) {
    const std::int64_t fitting = 6 * shape.points() / bytes_of_lists(blocks);
    return std::min({blocks.count(), std::max<std::int64_t>(fitting, 1), std::int64_t{256}});
}

i32 log2_of(std::int64_t power) { return std::countr_zero(static_cast<std::uint64_t>(power)); }

// Rounds of a relaxation until no part is listed any more.
class Rounds {
  public:
    Rounds(Queue& queue, const Parts& parts)
        : queue_(queue),
          parts_(parts),
          lists_(queue.allocate_filled<u32>(3 * parts.count(), 0u, "lists of parts")),
          counters_(
              queue.allocate_filled<u32>(kernels::minimax_counters, 0u, "counters of parts")) {}

    void list_all() {
        queue_.launch(kernels::minimax_list_all, Range{parts_.count()}, narrow(parts_.count()),
                      lists_, counters_);
    }
    void list_seeds(const Shape& shape, const Buffer<u32>& seeds) {
        queue_.launch(kernels::minimax_list_seeds, Range{shape.x, shape.y * shape.z}, seeds,
                      narrow(shape.x), narrow(shape.y), narrow(parts_.part.x),
                      narrow(parts_.part.y), narrow(parts_.part.z), narrow(parts_.count()),
                      narrow(parts_.along.x), narrow(parts_.along.y), lists_, counters_);
    }

    // As other rounds were before they ran.
    void list_as(const Rounds& begun) {
        queue_.copy(begun.lists_, lists_);
        queue_.copy(begun.counters_, counters_);
    }

    // `relax` launches a round of the number it gets.
    void run(const Progress& progress, const std::function<void(i32)>& relax) {
        // The device goes on while the host looks, once in so many rounds.
        const i32 batch = prefers_groups(queue_.device()) ? 8 : 1;
        const auto enqueue = [&] {
            for (i32 k = 0; k < batch; ++k) relax(next_++);
        };
        enqueue();
        do {
            progress.report(1 - 8.0 / (8 + next_), "grow");  // how many there will be, none knows
            const i32 looked_at = next_ % kernels::minimax_ring;
            const auto span = std::span<u32>(counted_);
            if (batch == 1) {
                queue_.read(counters_, span);
                if (counted_[looked_at] != 0) enqueue();
            } else {
                queue_.read_while(counters_, span, enqueue);
            }
            if (counted_[looked_at] == 0) return;
        } while (true);
    }

    int rounds() const { return static_cast<int>(counted_[kernels::minimax_rounds]); }
    std::int64_t visits() const { return counted_[kernels::minimax_visits]; }

    Buffer<u32>& lists() { return lists_; }
    Buffer<u32>& counters() { return counters_; }

  private:
    Queue& queue_;
    const Parts& parts_;
    Buffer<u32> lists_, counters_;
    std::array<u32, kernels::minimax_counters> counted_{};
    i32 next_ = 0;
};

template <class Kernels>
class Growth {
    static constexpr bool pictures = Kernels::tile.z == 1;

  public:
    Growth(Queue& queue, const MinimaxGrid& grid, MinimaxParts asked, const Progress& progress)
        : queue_(queue),
          grid_(grid),
          progress_(progress),
          parts_(takes_tiles(queue, asked) ? parts_of(grid.shape, true, own_part(Kernels::tile))
                                           : parts_of(grid.shape, false, block_of(grid.shape))) {
        report_.parts = parts_.count();
    }

    MinimaxReport run(Buffer<u16> weights, Buffer<u32>& labels, const MinimaxOutputs& outputs) {
        auto costs = allocate_costs();
        Rounds hop_rounds(queue_, parts_);
        hop_rounds.list_seeds(grid_.shape, labels);
        queue_.launch(kernels::minimax_start_costs, Range{grid_.points()}, labels, costs,
                      grid_.pad());
        {
            Rounds cost_rounds(queue_, parts_);
            cost_rounds.list_as(hop_rounds);
            lower_costs(cost_rounds, weights, costs);
        }
        auto masks = queue_.allocate<typename Kernels::Mask>(grid_.points(), "cheapest steps");
        queue_.launch(Kernels::masks, Range{nx(), ny() * nz()}, weights, grid_.pitch(), costs,
                      grid_.pad(), masks, nx(), ny());
        weights = {};
        if (outputs.costs)
            queue_.launch(kernels::minimax_costs, Range{grid_.points()}, costs, grid_.pad(),
                          *outputs.costs);
        costs = {};
        auto keys = queue_.allocate<u64>(grid_.points(), "hops and labels");
        queue_.launch(kernels::minimax_start_keys, Range{grid_.points()}, labels, keys);
        lower_keys(hop_rounds, masks, keys);
        queue_.launch(kernels::minimax_labels, Range{grid_.points()}, keys, labels);
        if (outputs.hops)
            queue_.launch(kernels::minimax_hops, Range{grid_.points()}, keys, *outputs.hops);
        return report_;
    }

    void reconstruct(const Buffer<u16>& weights, Buffer<u16>& heights) {
        auto costs = allocate_costs();
        queue_.launch(kernels::minimax_pad_costs, Range{grid_.points()}, heights, grid_.pad(),
                      costs);
        Rounds rounds(queue_, parts_);
        rounds.list_all();
        lower_costs(rounds, weights, costs);
        queue_.launch(kernels::minimax_costs, Range{grid_.points()}, costs, grid_.pad(), heights);
    }

  private:
    i32 nx() const { return narrow(grid_.shape.x); }
    i32 ny() const { return narrow(grid_.shape.y); }
    i32 nz() const { return narrow(grid_.shape.z); }
    i32 parts() const { return narrow(parts_.count()); }
    // Of weights; masks and keys stand without pads.
    kernels::minimax_tiles_job tiles_job(std::int64_t pitch, std::int64_t pad) const {
        return {.pitch = pitch,
                .pad = pad,
                .nx = nx(),
                .ny = ny(),
                .nz = nz(),
                .tiles = parts(),
                .tiles_x = narrow(parts_.along.x),
                .tiles_y = narrow(parts_.along.y)};
    }
    kernels::minimax_blocks_job blocks_job(std::int64_t pitch, std::int64_t pad) const {
        return {.pitch = pitch,
                .pad = pad,
                .nx = nx(),
                .ny = ny(),
                .nz = nz(),
                .shift_x = log2_of(parts_.part.x),
                .shift_y = log2_of(parts_.part.y),
                .shift_z = log2_of(parts_.part.z)};
    }
    Buffer<u16> allocate_costs() {
        return queue_.allocate<u16>(grid_.points() + 2 * grid_.pad(), "costs of paths");
    }
    // As many groups as a large GPU runs at once take turns at the tiles.
    Groups groups() const {
        constexpr std::int64_t most = 2048;
        return {parts_.tiles ? std::min(parts_.count(), most) : parts_.count()};
    }

    void lower_costs(Rounds& rounds, const Buffer<u16>& weights, Buffer<u16>& costs) {
        if (parts_.tiles) {
            rounds.run(progress_, [&](i32 round) {
                queue_.launch(Kernels::cost_tiles, groups(), weights, costs,
                              tiles_job(grid_.pitch(), grid_.pad()), round, rounds.lists(),
                              rounds.counters());
            });
        } else if constexpr (!pictures) {
            const std::int64_t count = block_groups(parts_, grid_.shape);
            auto neighbors =
                queue_.allocate<u16>(2 * count * parts_.part.points(), "lists of points by cost");
            auto heads =
                queue_.allocate<u16>(count * std::int64_t{minimax_levels}, "first points by cost");
            auto filled = queue_.allocate_filled<u32>(count * kernels::minimax_filled_words, 0u,
                                                      "costs that points have");
            rounds.run(progress_, [&](i32 round) {
                queue_.launch(Kernels::cost_blocks, Groups{count}, weights, costs,
                              blocks_job(grid_.pitch(), grid_.pad()), round, rounds.lists(),
                              rounds.counters(), neighbors, heads, filled);
            });
        }
        report_.cost_rounds = rounds.rounds();
        report_.cost_visits = rounds.visits();
    }

    void lower_keys(Rounds& rounds, const Buffer<typename Kernels::Mask>& masks,
                    Buffer<u64>& keys) {
        if (parts_.tiles) {
            rounds.run(progress_, [&](i32 round) {
                queue_.launch(Kernels::key_tiles, groups(), masks, keys, tiles_job(0, 0), round,
                              rounds.lists(), rounds.counters());
            });
        } else if constexpr (!pictures) {
            auto waiting =
                queue_.allocate<u16>(parts_.count() * parts_.part.points(), "points that wait");
            rounds.run(progress_, [&](i32 round) {
                queue_.launch(Kernels::key_blocks, groups(), masks, keys, blocks_job(0, 0), round,
                              rounds.lists(), rounds.counters(), waiting);
            });
        }
        report_.hop_rounds = rounds.rounds();
        report_.hop_visits = rounds.visits();
    }

    Queue& queue_;
    const MinimaxGrid& grid_;
    const Progress& progress_;
    Parts parts_;
    MinimaxReport report_;
};

auto with_kernels(const MinimaxGrid& grid, const auto& use) {
    switch (grid.neighbors()) {
        case 4:
            return use(MinimaxKernels4{});
        case 8:
            return use(MinimaxKernels8{});
        case 6:
            return use(MinimaxKernels6{});
        case 18:
            return use(MinimaxKernels18{});
        default:
            return use(MinimaxKernels26{});
    }
}

}  // namespace

MinimaxReport minimax_grow(Queue& queue, const MinimaxGrid& grid, Buffer<u16> weights,
                           Buffer<u32>& labels, const MinimaxOutputs& outputs,
                           const Progress& progress, MinimaxParts parts) {
    if (grid.shape.z == 1 && !takes_tiles(queue, parts))
        return minimax_grow_rows(queue, grid, std::move(weights), labels, outputs, progress);
    return with_kernels(grid, [&]<class Kernels>(Kernels) {
        return Growth<Kernels>(queue, grid, parts, progress)
            .run(std::move(weights), labels, outputs);
    });
}

void minimax_reconstruct(Queue& queue, const MinimaxGrid& grid, const Buffer<u16>& weights,
                         Buffer<u16>& heights, const Progress& progress, MinimaxParts parts) {
    if (grid.shape.z == 1 && !takes_tiles(queue, parts))
        return minimax_reconstruct_rows(queue, grid, weights, heights, progress);
    with_kernels(grid, [&]<class Kernels>(Kernels) {
        Growth<Kernels>(queue, grid, parts, progress).reconstruct(weights, heights);
    });
}

std::int64_t minimax_bytes(const MinimaxGrid& grid) {
    const std::int64_t weights = minimax_weights_bytes(grid);
    const std::int64_t costs = 2 * (grid.points() + 2 * grid.pad());
    const std::int64_t masks = (grid.directions <= 4 ? 1 : 4) * grid.points();
    // Two relaxations list their parts: at most as many as there are tiles, three words each.
    const std::int64_t tiles = with_kernels(grid, [&]<class Kernels>(Kernels) {
        return parts_of(grid.shape, true, own_part(Kernels::tile)).count();
    });
    const std::int64_t lists = 24 * tiles + 4096;
    if (grid.shape.z == 1)
        return lists + std::max({weights + costs + masks, masks + 8 * grid.points(),
                                 minimax_rows_bytes(grid)});
    const Parts blocks = parts_of(grid.shape, false, block_of(grid.shape));
    const std::int64_t block = blocks.part.points();
    const std::int64_t queues = block_groups(blocks, grid.shape) * bytes_of_lists(blocks);
    return lists + std::max({weights + costs + queues, weights + costs + masks,
                             masks + 8 * grid.points() + 2 * blocks.count() * block});
}

}  // namespace tesela
