#include "segmentation/region_fusion.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "kernels/region_fusion.kernel.h"
#include "tesela/compute/primitives.h"

namespace tesela {
namespace {

// Means move when regions fuse, and further neighbors come into range: rarely more than four times.
constexpr int most_fusion_rounds = 6;
// About twice the logarithm of the number of regions that a region grows together from.
constexpr int most_merging_rounds = 24;

// A region that is below the limit after k rounds holds at least two of the round before, so at
// least 2^k points: this many rounds leave none.
int rounds_of_pruning(const RegionRules& rules) {
    if (rules.smallest < 2) return 0;
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(rules.smallest - 1)));
}

// The regions and their merging. The host only enqueues: how many regions there still are and
// whether a round has anything to do, the device alone knows.
class Merger {
  public:
    Merger(Queue& queue, const Shape& shape, int channels, const RegionRules& rules, int axes,
           std::uint32_t count)
        : queue_(queue),
          shape_(shape),
          channels_(channels),
          rules_(rules),
          axes_(axes),
          regions_(count),
          merging_(rules.fusion_limit2 < 0 ? 0 : most_fusion_rounds),
          pruning_(merging_ + (rules.most_cost > 0 ? most_merging_rounds : 0)),
          end_(pruning_ + rounds_of_pruning(rules)) {}

    void add_up(const Buffer<std::uint32_t>& labels, const Buffer<std::int32_t>& features) {
        statistics_ = queue_.allocate_filled<std::uint32_t>(regions_ * (1 + 2 * channels_), 0u,
                                                            "sums of regions");
        const std::int64_t rows = shape_.points() / shape_.x;
        const std::int64_t strips = (rows + kernels::region_strip - 1) / kernels::region_strip;
        queue_.launch(kernels::region_statistics, Range{shape_.x, strips}, labels, features,
                      statistics_, regions_, shape_.points(), channels_, static_cast<int>(shape_.x),
                      static_cast<int>(rows));
    }

    void merge(const Buffer<std::uint32_t>& labels) {
        active_ = queue_.allocate_filled<std::uint32_t>(std::max(end_, 1), 0u,
                                                        "rounds that merged regions");
        parent_ = queue_.allocate<std::uint32_t>(regions_, "merged regions");
        link_ = queue_.allocate<std::uint32_t>(regions_, "links of regions");
        mean_ = queue_.allocate<std::int32_t>(regions_ * channels_, "means of regions");
        refresh(-1);
        const auto fusion_limit =
            static_cast<std::uint64_t>(std::max<std::int64_t>(rules_.fusion_limit2, 0));
        // The kernel's cost has twice the area.
        const auto cost_limit =
            std::bit_cast<std::uint32_t>(static_cast<float>(std::min(2 * rules_.most_cost, 1e38)));
        constexpr std::uint64_t any_cost = std::numeric_limits<std::uint64_t>::max();
        constexpr std::uint32_t any_size = std::numeric_limits<std::uint32_t>::max();
        for (int k = 0; k < merging_; ++k) round(labels, {k, 0, 1, 0, 0, fusion_limit});
        for (int k = merging_; k < pruning_; ++k)
            round(labels, {k, merging_, 0, 1, any_size, cost_limit});
        for (int k = pruning_; k < end_; ++k)
            round(labels,
                  {k, pruning_, 0, 0, static_cast<std::uint32_t>(rules_.smallest), any_cost});
    }

    void paint(const Buffer<std::uint32_t>& labels, Buffer<std::int32_t>& features) {
        queue_.launch(kernels::region_paint, Range{shape_.points()}, labels, parent_, mean_,
                      features, regions_, shape_.points(), channels_);
    }

    MergedRegions number(Buffer<std::uint32_t>& labels) {
        mean_ = {};
        statistics_ = {};
        auto is_first = queue_.allocate<std::uint32_t>(regions_, "first regions");
        queue_.launch(kernels::region_firsts, Range{regions_}, parent_, link_);
        queue_.launch(kernels::region_mark_firsts, Range{regions_}, parent_, link_, is_first);
        auto rank = queue_.allocate<std::uint32_t>(regions_ + 1, "ranks of regions");
        exclusive_scan(queue_, is_first, regions_, rank);
        queue_.launch(kernels::region_number, Range{shape_.points()}, parent_, link_, rank, labels);
        auto summary = queue_.allocate<std::uint32_t>(4, "number of regions and rounds");
        queue_.launch(kernels::region_summary, Range{3}, rank, active_, summary, regions_, merging_,
                      pruning_, end_);
        std::array<std::uint32_t, 4> read{};
        queue_.read(summary, std::span<std::uint32_t>(read));
        return {read[3], static_cast<int>(read[0]), static_cast<int>(read[1]),
                static_cast<int>(read[2])};
    }

  private:
    void refresh(int round) {
        queue_.launch(kernels::region_refresh, Range{regions_}, statistics_, active_, parent_,
                      link_, mean_, regions_, channels_, round);
    }

    // What is linked in round `number` of the stage that begins with round `first`; the rest as
    // the kernel region_link takes it.
    struct Round {
        int number, first;
        int unite, weighted;
        std::uint32_t smallest;
        std::uint64_t limit;
    };

    void round(const Buffer<std::uint32_t>& labels, const Round& r) {
        const Range pairs{shape_.x, shape_.points() / shape_.x};
        const int previous = r.number > r.first ? r.number - 1 : -1;
        queue_.launch(kernels::region_link, pairs, labels, parent_, statistics_, mean_, link_,
                      active_, r.number, previous, regions_, channels_, r.unite, r.weighted,
                      r.smallest, r.limit, axes_, static_cast<int>(shape_.x),
                      static_cast<int>(shape_.y), static_cast<int>(shape_.z),
                      static_cast<int>(shape_.t));
        if (r.weighted)
            queue_.launch(kernels::region_settle, Range{regions_}, parent_, statistics_, active_,
                          link_, r.number);
        queue_.launch(kernels::region_absorb, Range{regions_}, link_, active_, parent_, statistics_,
                      regions_, channels_, r.number);
        refresh(r.number);
    }

    Queue& queue_;
    const Shape& shape_;
    int channels_;
    const RegionRules& rules_;
    int axes_;
    std::int64_t regions_;
    // Rounds are numbered through: those of fusion, from merging_ on by cost, from pruning_ on by
    // size.
    int merging_, pruning_, end_;
    Buffer<std::uint32_t> statistics_, active_, parent_, link_;
    Buffer<std::int32_t> mean_;
};

}  // namespace

MergedRegions merge_regions(Queue& queue, const Shape& shape, int channels,
                            const RegionRules& rules, int axes, std::uint32_t count,
                            MergedFeatures after, Buffer<std::int32_t>& features,
                            Buffer<std::uint32_t>& labels) {
    Merger merger(queue, shape, channels, rules, axes, count);
    merger.add_up(labels, features);
    if (after == MergedFeatures::dropped) features = {};
    merger.merge(labels);
    if (after == MergedFeatures::painted) merger.paint(labels, features);
    return merger.number(labels);
}

std::int64_t merge_regions_bytes(const Shape& shape, int channels, MergedFeatures after) {
    constexpr auto word = static_cast<std::int64_t>(sizeof(std::uint32_t));
    const std::int64_t sums = 1 + 2 * channels;
    const std::int64_t merging = sums + 2 + channels;
    const std::int64_t given_up = after == MergedFeatures::dropped ? channels : 0;
    return shape.points() * word * std::max(sums, merging - given_up);
}

}  // namespace tesela
