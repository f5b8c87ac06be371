#include "segmentation/watershed/minimax_rows.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <span>

#include "kernels/watershed/cpu/minimax_rows.kernel.h"

namespace tesela {
namespace {

using kernels::i32;
using kernels::u16;
using kernels::u32;
using kernels::u64;

// The kernels of one connectivity, and those of a type of keys.
#define TESELA_MINIMAX_ROWS(neighbors)                                                           \
    struct RowKernels##neighbors {                                                               \
        static constexpr auto& costs = kernels::minimax_cost_rows_##neighbors;                   \
        static constexpr auto& masks = kernels::minimax_row_masks_##neighbors;                   \
        static constexpr auto& keys(u32) { return kernels::minimax_key_rows_##neighbors##_u32; } \
        static constexpr auto& keys(u64) { return kernels::minimax_key_rows_##neighbors##_u64; } \
    }
TESELA_MINIMAX_ROWS(4);
TESELA_MINIMAX_ROWS(8);
#undef TESELA_MINIMAX_ROWS

template <class Key>
struct KeyKernels;
template <>
struct KeyKernels<u32> {
    static constexpr auto& start = kernels::minimax_row_keys_u32;
    static constexpr auto& labels = kernels::minimax_row_labels_u32;
    static constexpr auto& hops = kernels::minimax_row_hops_u32;
};
template <>
struct KeyKernels<u64> {
    static constexpr auto& start = kernels::minimax_row_keys_u64;
    static constexpr auto& labels = kernels::minimax_row_labels_u64;
    static constexpr auto& hops = kernels::minimax_row_hops_u64;
};

i32 narrow(std::int64_t value) { return static_cast<i32>(value); }

struct Blocks {
    explicit Blocks(const Shape& shape)
        : x((shape.x - 1) / kernels::minimax_row_points + 1),
          y((shape.y - 1) / kernels::minimax_block_rows + 1) {}

    std::int64_t count() const { return x * y; }
    Range rows() const { return {x, y * kernels::minimax_block_rows}; }
    std::int64_t points() const { return x * rows().y * kernels::minimax_row_points; }

    std::int64_t x, y;
};

template <class Kernels>
class RowGrowth {
  public:
    RowGrowth(Queue& queue, const MinimaxGrid& grid, const Buffer<u16>& weights,
              const Progress& progress)
        : queue_(queue),
          grid_(grid),
          progress_(progress),
          blocks_(grid.shape),
          marks_(queue.allocate_filled<u32>(2 * blocks_.count(), 0u, "rows that wait")),
          counters_(
              queue.allocate_filled<u32>(kernels::minimax_row_counters, 0u, "counters of blocks")),
          weights_(queue.allocate<u16>(grid.directions * blocks_.points(), "weights by blocks")),
          costs_(queue.allocate<u16>(blocks_.points(), "costs of paths")) {
        const Range rows = blocks_.rows();
        queue.launch(kernels::minimax_row_weights, Range{rows.x, rows.y, grid.directions}, weights,
                     grid.pitch(), grid.pad(), nx(), ny(), blocks_.points(), weights_);
    }

    MinimaxReport run(Buffer<u32>& labels, const MinimaxOutputs& outputs) {
        MinimaxReport report;
        report.parts = blocks_.count();
        queue_.launch(kernels::minimax_row_seeds, blocks_.rows(), labels, nx(), ny(), costs_,
                      marks_, counters_);
        lower_costs(report);
        if (outputs.costs) take_costs(*outputs.costs);
        auto masks = queue_.allocate<u32>(
            2 * grid_.directions * blocks_.points() / kernels::minimax_row_points,
            "cheapest steps");
        queue_.launch(Kernels::masks, blocks_.rows(), weights_, blocks_.points(), costs_, nx(),
                      ny(), masks);
        weights_ = {};
        costs_ = {};
        // Short keys hold most labels and hops; where there is no room for a hop, long ones do.
        constexpr i32 longest_label = 26, any_label = 32;
        const i32 label = std::bit_width(counted_[kernels::minimax_row_label]);
        if (label > longest_label || !grow<u32>(masks, label, labels, outputs, report))
            grow<u64>(masks, any_label, labels, outputs, report);
        return report;
    }

    void reconstruct(Buffer<u16>& heights) {
        MinimaxReport report;
        queue_.launch(kernels::minimax_row_heights, blocks_.rows(), heights, nx(), ny(), costs_,
                      marks_);
        lower_costs(report);
        take_costs(heights);
    }

  private:
    i32 nx() const { return narrow(grid_.shape.x); }
    i32 ny() const { return narrow(grid_.shape.y); }

    // `relax` launches the blocks of a color: so many groups along x and y.
    void run_rounds(int& rounds, std::int64_t& visits,
                    const std::function<void(i32, const Groups&)>& relax) {
        u32 before = counted_[kernels::minimax_row_visits];
        const u32 first = before;
        for (bool goes_on = true; goes_on; ++rounds) {
            for (i32 color = 0; color < 4; ++color) {
                const Groups groups{(blocks_.x + 1 - color % 2) / 2,
                                    (blocks_.y + 1 - color / 2) / 2};
                if (groups.x > 0 && groups.y > 0) relax(color, groups);
            }
            progress_.report(1 - 8.0 / (9 + rounds), "grow");  // how many there will be, none knows
            queue_.read(counters_, std::span<u32>(counted_));
            goes_on = counted_[kernels::minimax_row_visits] != before;
            before = counted_[kernels::minimax_row_visits];
        }
        --rounds;  // the last one found nothing to do
        visits += before - first;
    }

    void lower_costs(MinimaxReport& report) {
        run_rounds(report.cost_rounds, report.cost_visits, [&](i32 color, const Groups& groups) {
            queue_.launch(Kernels::costs, groups, weights_, blocks_.points(), costs_, nx(), ny(),
                          color, marks_, counters_);
        });
    }

    void take_costs(Buffer<u16>& to) {
        queue_.launch(kernels::minimax_row_costs, Range{blocks_.x, grid_.shape.y}, costs_, nx(),
                      ny(), to);
    }

    // Gives whether all keys had room.
    template <class Key>
    bool grow(const Buffer<u32>& masks, i32 shift, Buffer<u32>& labels,
              const MinimaxOutputs& outputs, MinimaxReport& report) {
        auto keys = queue_.allocate<Key>(blocks_.points(), "hops and labels");
        queue_.launch(KeyKernels<Key>::start, blocks_.rows(), labels, nx(), ny(), keys, marks_);
        run_rounds(report.hop_rounds, report.hop_visits, [&](i32 color, const Groups& groups) {
            queue_.launch(Kernels::keys(Key{}), groups, masks, keys, shift, nx(), ny(), color,
                          marks_, counters_);
        });
        if (sizeof(Key) == sizeof(u32) && counted_[kernels::minimax_row_overflow] != 0)
            return false;
        const Range rows{blocks_.x, grid_.shape.y};
        queue_.launch(KeyKernels<Key>::labels, rows, keys, shift, nx(), ny(), labels);
        if (outputs.hops)
            queue_.launch(KeyKernels<Key>::hops, rows, keys, shift, nx(), ny(), *outputs.hops);
        return true;
    }

    Queue& queue_;
    const MinimaxGrid& grid_;
    const Progress& progress_;
    Blocks blocks_;
    Buffer<u32> marks_, counters_;
    Buffer<u16> weights_, costs_;
    std::array<u32, kernels::minimax_row_counters> counted_{};
};

auto with_rows(const MinimaxGrid& grid, const auto& use) {
    return grid.axes == 1 ? use(RowKernels4{}) : use(RowKernels8{});
}

}  // namespace

MinimaxReport minimax_grow_rows(Queue& queue, const MinimaxGrid& grid, Buffer<u16> weights,
                                Buffer<u32>& labels, const MinimaxOutputs& outputs,
                                const Progress& progress) {
    return with_rows(grid, [&]<class Kernels>(Kernels) {
        RowGrowth<Kernels> growth(queue, grid, weights, progress);
        weights = {};
        return growth.run(labels, outputs);
    });
}

void minimax_reconstruct_rows(Queue& queue, const MinimaxGrid& grid, const Buffer<u16>& weights,
                              Buffer<u16>& heights, const Progress& progress) {
    with_rows(grid, [&]<class Kernels>(Kernels) {
        RowGrowth<Kernels>(queue, grid, weights, progress).reconstruct(heights);
    });
}

std::int64_t minimax_rows_bytes(const MinimaxGrid& grid) {
    const Blocks blocks(grid.shape);
    const std::int64_t given = 2 * (grid.directions * grid.pitch() + grid.pad());
    const std::int64_t weights = 2 * grid.directions * blocks.points();
    const std::int64_t costs = 2 * blocks.points();
    const std::int64_t masks = 8 * grid.directions * blocks.points() / kernels::minimax_row_points;
    const std::int64_t keys = 8 * blocks.points();
    return 8 * blocks.count() + 4096 +
           std::max({given + weights + costs, weights + costs + masks, masks + keys});
}

}  // namespace tesela
