#include "segmentation/mean_shift/region_fusion.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "kernels/mean_shift/region_fusion.kernel.h"
#include "tesela/compute/primitives.h"
#include "tesela/error.h"

namespace tesela {
namespace {

// Means move when regions fuse, and further neighbors come into range: rarely more than four times.
constexpr int most_fusion_rounds = 6;
// About twice the logarithm of the number of regions that a region grows together from.
constexpr int most_merging_rounds = 24;

// Of unions by weak borders: a union changes few borders of others.
constexpr int most_border_rounds = 4;

// A region that is below the limit after k rounds holds at least two of the round before, so at
// least 2^k points: this many rounds leave none.
int rounds_of_pruning(const RegionRules& rules) {
    if (rules.smallest < 2) return 0;
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(rules.smallest - 1)));
}

std::int64_t tiles(std::int64_t length, std::int64_t tile) { return (length + tile - 1) / tile; }

// Of the neighbors as the kernels number them; without an axis, those along it fall away.
int first_neighbor(const Shape& shape) { return shape.t > 1 ? 0 : shape.z > 1 ? 27 : 36; }

// So many regions get room before their number is known; photographs have fewer (5 to 7 % of their
// points: docs/performance/mean-shift.md).
std::int64_t usual_regions(const Shape& shape) {
    constexpr std::int64_t least = 4096;
    return std::min(shape.points(), std::max(shape.points() / 8, least));
}

// Words that the merging takes for a region: sums, parent, link and means.
std::int64_t words_of_region(int channels) { return 1 + 2 * channels + 2 + channels; }

// At most: the neighbors of the points of a row that come before them.
std::int64_t edges_of_row(const Shape& shape) {
    int neighborhood = 1;
    for (const std::int64_t length : {shape.x, shape.y, shape.z, shape.t})
        if (length > 1) neighborhood *= 3;
    return std::max<std::int64_t>(1, shape.x * (neighborhood / 2));
}

// Edges that have room beside as many regions as there are points.
std::int64_t least_capacity(const Shape& shape) {
    return std::max(shape.points() / 8, edges_of_row(shape));
}

// Memory for edges: pictures have less than an edge at every other point, and volumes of many small
// regions have more.
enum class EdgeRoom { usual, wide };

// Where there are fewer regions, there is more room. Where that is not enough, edges are listed in
// parts.
std::int64_t edge_capacity(const Shape& shape, int channels, std::int64_t regions, EdgeRoom room) {
    const std::int64_t spare = (shape.points() - regions) * words_of_region(channels) / 2;
    const std::int64_t wanted = room == EdgeRoom::usual ? shape.points() / 2 : 2 * shape.points();
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    if (edges_of_row(shape) > most)
        throw InvalidArgument("regions of rows of " + std::to_string(shape.x) +
                              " points cannot be merged: too long");
    return std::clamp(std::min(wanted, shape.points() / 8 + spare),
                      std::min(least_capacity(shape), most), most);
}

// The regions, in memory for `room` of them, and their merging. The host only enqueues: how many
// regions there are and whether a round has anything to do, the device alone knows.
class Merger {
  public:
    Merger(Queue& queue, const Shape& shape, int channels, const RegionRules& rules, int axes,
           const Buffer<std::uint32_t>& count, std::int64_t room, const Progress& progress)
        : queue_(queue),
          shape_(shape),
          channels_(channels),
          rules_(rules),
          axes_(axes),
          count_(count),
          room_(room),
          progress_(progress),
          capacity_(edge_capacity(shape, channels, room, EdgeRoom::usual)),
          merging_(rules.fusion_limit2 < 0 ? 0 : most_fusion_rounds),
          uniting_(merging_ + (rules.most_cost > 0 ? most_merging_rounds : 0)),
          pruning_(uniting_ + (rules.borders.weak ? most_border_rounds : 0)),
          end_(pruning_ + rounds_of_pruning(rules)) {}

    void add_up(const Buffer<std::uint32_t>& labels, const Buffer<std::int32_t>& features) {
        statistics_ = sum_regions(queue_, shape_, channels_, features, labels, count_, room_);
    }

    // Looks at the edges in parts of so many rows; where all are one part, they are listed once.
    void merge(Buffer<std::uint32_t>& labels, std::int64_t part_rows) {
        part_rows_ = part_rows;
        active_ = queue_.allocate<std::uint32_t>(std::max(end_, 1), "rounds that merged regions");
        edge_count_ = queue_.allocate<std::uint32_t>(1, "number of edges");
        border_pairs_ = queue_.allocate<std::uint32_t>(1, "pairs of regions that touch");
        parent_ = queue_.allocate<std::uint32_t>(room_, "merged regions");
        link_ = queue_.allocate<std::uint32_t>(room_, "links of regions");
        mean_ = queue_.allocate<std::int32_t>(room_ * channels_, "means of regions");
        queue_.launch(kernels::region_begin, Range{room_}, statistics_, parent_, link_, mean_,
                      active_, edge_count_, border_pairs_, channels_, end_);
        if (end_ == 0) return;
        edges_ = queue_.allocate<std::uint32_t>(2 * capacity_, "edges between regions");
        linked_ = capacity_;
        if (part_rows_ == rows()) {
            list_edges(labels, 0);
            if (edge_room_ == EdgeRoom::wide) linked_ = listed_edges();
        }
        const auto fusion_limit =
            static_cast<std::uint64_t>(std::max<std::int64_t>(rules_.fusion_limit2, 0));
        // The kernel's cost has twice the area.
        const auto cost_limit =
            std::bit_cast<std::uint32_t>(static_cast<float>(std::min(2 * rules_.most_cost, 1e38)));
        constexpr std::uint64_t any_cost = std::numeric_limits<std::uint64_t>::max();
        constexpr std::uint32_t any_size = std::numeric_limits<std::uint32_t>::max();
        Round fusion{};
        fusion.unite = 1;
        fusion.limit = fusion_limit;
        rounds(labels, 0, merging_, fusion);
        Round merging{};
        merging.weighted = 1;
        merging.smallest = any_size;
        merging.limit = cost_limit;
        rounds(labels, merging_, uniting_, merging);
        unite_by_borders(labels);
        Round pruning{};
        pruning.smallest = static_cast<std::uint32_t>(rules_.smallest);
        pruning.limit = any_cost;
        rounds(labels, pruning_, end_, pruning);
        edges_ = {};
    }

    void unite_by_borders(Buffer<std::uint32_t>& labels) {
        if (uniting_ == pruning_) return;
        Borders borders(queue_, shape_, rules_.borders, room_);
        for (int k = uniting_; k < pruning_; ++k) {
            borders.link({count_, labels, parent_, edge_count_, room_, capacity_}, mean_, channels_,
                         k, k > uniting_ ? k - 1 : -1, link_, active_, border_pairs_);
            absorb(labels, k);
        }
    }

    void paint(const Buffer<std::uint32_t>& labels, Buffer<std::int32_t>& features) {
        queue_.launch(kernels::region_paint, Range{shape_.points()}, count_, labels, parent_, mean_,
                      features, room(), shape_.points(), channels_);
    }

    void number(Buffer<std::uint32_t>& labels) {
        mean_ = {};
        queue_.launch(kernels::region_firsts, Range{room_}, parent_, link_);
        const Buffer<std::uint32_t>& first = link_;
        auto is_first = queue_.allocate<std::uint32_t>(room_, "marks of first regions");
        queue_.launch(kernels::region_mark_firsts, Range{room_}, count_, parent_, first, is_first,
                      room());
        auto rank = queue_.allocate<std::uint32_t>(room_ + 1, "ranks of regions");
        exclusive_scan(queue_, is_first, room_, rank);
        summary_ = queue_.allocate<std::uint32_t>(8, "number of regions and rounds");
        queue_.launch(kernels::region_number, Range{shape_.points()}, count_, parent_, first, rank,
                      active_, edge_count_, border_pairs_, labels, summary_, room(),
                      kernels::region_stages{{merging_, uniting_, pruning_, end_}});
    }

    enum class Outcome { merged, too_many_regions, too_many_edges };
    // Where there were too many of something, all is as before the merge.
    Outcome read(MergedRegions& merged) {
        std::array<std::uint32_t, 8> read{};
        queue_.read(summary_, std::span<std::uint32_t>(read));
        merged = {read[6],
                  read[4],
                  static_cast<int>(read[0]),
                  static_cast<int>(read[1]),
                  static_cast<int>(read[2]),
                  static_cast<int>(read[3]),
                  read[7] <= Borders::most_pairs(shape_)};
        if (merged.components > room_) return Outcome::too_many_regions;
        return read[5] > capacity_ ? Outcome::too_many_edges : Outcome::merged;
    }

    std::int64_t rows() const { return shape_.points() / shape_.x; }
    // Makes room for all that regions leave. False where that is no more.
    bool widen() {
        if (!rules_.wide_edges) return false;
        edge_room_ = EdgeRoom::wide;
        const std::int64_t before = capacity_;
        capacity_ = edge_capacity(shape_, channels_, room_, edge_room_);
        return capacity_ > before;
    }
    // So many rows that their edges have room, whatever the labels.
    std::int64_t safe_rows() const { return capacity_ / edges_of_row(shape_); }

  private:
    std::uint32_t room() const { return static_cast<std::uint32_t>(room_); }

    // Most of a wide room may be empty, and each round would go over it. Waits for the device.
    std::int64_t listed_edges() {
        const std::int64_t edges = queue_.download(edge_count_)[0];
        return std::clamp<std::int64_t>(edges, 1, capacity_);
    }

    void list_edges(const Buffer<std::uint32_t>& labels, std::int64_t first_row) {
        const std::int64_t end_row = std::min(first_row + part_rows_, rows());
        const std::int64_t first_slice = first_row / shape_.y,
                           last_slice = (end_row - 1) / shape_.y;
        const kernels::region_edge_list list{
            capacity_,
            room(),
            first_neighbor(shape_),
            axes_,
            static_cast<int>(first_row),
            static_cast<int>(end_row),
            {static_cast<int>(shape_.x), static_cast<int>(shape_.y), static_cast<int>(shape_.z)}};
        queue_.launch(
            kernels::region_edges,
            Groups{tiles(shape_.x, kernels::region_group_x),
                   tiles(shape_.y, kernels::region_group_rows), last_slice - first_slice + 1},
            count_, labels, edges_, edge_count_, list);
    }

    using Round = kernels::region_round;

    // A processor runs at once what it is given, so that it can be stopped here. How many rounds
    // there will be, none knows.
    void look_whether_cancelled() const { progress_.report(0, "merge"); }

    void link(const Round& r) {
        queue_.launch(kernels::region_link, Range{linked_}, edges_, edge_count_, parent_,
                      statistics_, mean_, link_, active_, capacity_, r);
    }

    // The rounds of a stage, which all link by the same rule.
    void rounds(Buffer<std::uint32_t>& labels, int first, int end, Round rule) {
        rule.channels = channels_;
        for (int k = first; k < end; ++k) {
            rule.number = k;
            rule.previous = k > first ? k - 1 : -1;
            round(labels, rule);
        }
    }

    void round(Buffer<std::uint32_t>& labels, const Round& r) {
        look_whether_cancelled();
        if (part_rows_ == rows()) {
            link(r);
        } else {
            for (std::int64_t row = 0; row < rows(); row += part_rows_) {
                look_whether_cancelled();
                queue_.fill(edge_count_, 0u);
                list_edges(labels, row);
                link(r);
            }
        }
        if (r.weighted)
            queue_.launch(kernels::region_settle, Range{room_}, parent_, statistics_, active_,
                          link_, channels_, r.number);
        absorb(labels, r.number);
    }

    void absorb(Buffer<std::uint32_t>& labels, int number) {
        queue_.launch(kernels::region_absorb, Range{room_}, link_, active_, parent_, statistics_,
                      channels_, number);
        if (part_rows_ < rows())
            queue_.launch(kernels::region_relabel, Range{shape_.points()}, parent_, active_, labels,
                          number);
        queue_.launch(kernels::region_means, Range{room_}, statistics_, active_, parent_, link_,
                      mean_, channels_, number);
    }

    Queue& queue_;
    const Shape& shape_;
    int channels_;
    const RegionRules& rules_;
    int axes_;
    const Buffer<std::uint32_t>& count_;
    std::int64_t room_;
    const Progress& progress_;
    EdgeRoom edge_room_ = EdgeRoom::usual;
    // Edges that have room, and those that rounds go over.
    std::int64_t capacity_, linked_ = 0;
    std::int64_t part_rows_ = 0;
    // Rounds are numbered through: those of fusion, from merging_ on by cost, from uniting_ on by
    // weak borders, from pruning_ on by size.
    int merging_, uniting_, pruning_, end_;
    Buffer<std::uint32_t> statistics_, active_, parent_, link_, edges_, edge_count_, border_pairs_,
        summary_;
    Buffer<std::int32_t> mean_;
};

}  // namespace

Buffer<std::uint32_t> sum_regions(Queue& queue, const Shape& shape, int channels,
                                  const Buffer<std::int32_t>& features,
                                  const Buffer<std::uint32_t>& labels,
                                  const Buffer<std::uint32_t>& count, std::int64_t room) {
    auto sums =
        queue.allocate_filled<std::uint32_t>(room * (1 + 2 * channels), 0u, "sums of regions");
    const std::int64_t points = shape.points(), rows = points / shape.x;
    // Long strips, as long as there are enough for a GPU.
    const auto strip = static_cast<int>(std::clamp<std::int64_t>(points >> 16, 4, 16));
    queue.launch(kernels::region_statistics,
                 Groups{tiles(shape.x, kernels::region_group_x),
                        tiles(rows, kernels::region_group_rows * strip)},
                 count, labels, features, sums, static_cast<std::uint32_t>(room), points, channels,
                 strip, static_cast<int>(shape.x), static_cast<int>(rows));
    return sums;
}

class RegionMerge::Work {
  public:
    Work(Queue& queue, const Shape& shape, int channels, const RegionRules& rules, int axes,
         Buffer<std::uint32_t> components, MergedFeatures after, Buffer<std::int32_t>& features,
         Buffer<std::uint32_t>& labels, RegionRoom room, const Progress& progress)
        : queue_(queue),
          shape_(shape),
          channels_(channels),
          rules_(rules),
          axes_(axes),
          components_(std::move(components)),
          after_(after),
          features_(features),
          labels_(labels),
          progress_(progress) {
        if (room == RegionRoom::automatic)
            room = prefers_groups(queue.device()) ? RegionRoom::usual : RegionRoom::counted;
        if (room == RegionRoom::usual)
            start(usual_regions(shape), false);
        else
            start(queue.download(components_)[0], true);
    }

    MergedRegions finish() {
        MergedRegions merged;
        Merger::Outcome outcome = merger_->read(merged);
        if (outcome == Merger::Outcome::too_many_regions) {
            start(merged.components, true);
            outcome = merger_->read(merged);
        }
        if (outcome == Merger::Outcome::too_many_edges && merger_->widen()) {
            merge(merger_->rows());
            outcome = merger_->read(merged);
        }
        if (outcome == Merger::Outcome::too_many_edges) {
            merge(merger_->safe_rows());
            merger_->read(merged);
        }
        if (after_ == MergedFeatures::dropped) features_ = {};
        return merged;
    }

  private:
    // In memory for `regions`; once that is known to be enough, features give theirs.
    void start(std::int64_t regions, bool is_enough) {
        merger_.reset();
        merger_.emplace(queue_, shape_, channels_, rules_, axes_, components_, regions, progress_);
        merger_->add_up(labels_, features_);
        if (is_enough && after_ == MergedFeatures::dropped) features_ = {};
        merge(merger_->rows());
    }
    void merge(std::int64_t part_rows) {
        merger_->merge(labels_, part_rows);
        if (after_ == MergedFeatures::painted) merger_->paint(labels_, features_);
        merger_->number(labels_);
    }

    Queue& queue_;
    const Shape shape_;
    const int channels_;
    const RegionRules rules_;
    const int axes_;
    const Buffer<std::uint32_t> components_;
    const MergedFeatures after_;
    Buffer<std::int32_t>& features_;
    Buffer<std::uint32_t>& labels_;
    const Progress progress_;
    std::optional<Merger> merger_;
};

RegionMerge::RegionMerge(Queue& queue, const Shape& shape, int channels, const RegionRules& rules,
                         int axes, Buffer<std::uint32_t> components, MergedFeatures after,
                         Buffer<std::int32_t>& features, Buffer<std::uint32_t>& labels,
                         RegionRoom room, const Progress& progress)
    : work_(std::make_unique<Work>(queue, shape, channels, rules, axes, std::move(components),
                                   after, features, labels, room, progress)) {}
RegionMerge::~RegionMerge() = default;
MergedRegions RegionMerge::finish() { return work_->finish(); }

std::int64_t merge_regions_bytes(const Shape& shape, int channels, std::int64_t regions,
                                 MergedFeatures after, bool wide_edges) {
    const EdgeRoom edge_room = wide_edges ? EdgeRoom::wide : EdgeRoom::usual;
    constexpr auto word = static_cast<std::int64_t>(sizeof(std::uint32_t));
    const std::int64_t sums = 1 + 2 * channels, numbering = sums + 4;
    const std::int64_t given_up = after == MergedFeatures::dropped ? shape.points() * channels : 0;
    const auto of_rounds = [&](std::int64_t room) {
        return room * words_of_region(channels) +
               2 * edge_capacity(shape, channels, room, edge_room);
    };
    const std::int64_t after_sums = std::max(of_rounds(regions), regions * numbering);
    return word *
           std::max({regions * sums, after_sums - given_up, of_rounds(usual_regions(shape))});
}

}  // namespace tesela
