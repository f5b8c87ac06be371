// Reference: fusion and pruning of regions, round by round (docs/mean-shift.md). Nobody optimizes
// this.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace tesela::reference {

struct RegionMerge {
    std::vector<std::uint32_t> labels;  // 1..count, raster-first
    std::vector<std::int32_t> means;    // of each point's region, one plane a channel
    std::uint32_t count = 0;
    int fusion_rounds = 0, merging_rounds = 0, border_rounds = 0, pruning_rounds = 0;
};

// Regions whose border is weak are united (docs/region-growing.md).
struct BorderRules {
    std::int64_t step2 = -1;  // of a weak step less than this; below 0: none are united
    double share = 1;
    bool of_perimeter = false;
    std::int64_t most_distance2 = 0;
    int most_rounds = 4;
};

// What a round looks at: current regions by their smallest label, and which of them touch.
struct RegionGraph {
    std::map<std::uint32_t, std::int64_t> area;
    std::map<std::uint32_t, std::vector<std::int64_t>> mean;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> touching;  // both ways, each once

    std::uint64_t distance2(std::uint32_t a, std::uint32_t b) const {
        std::uint64_t sum = 0;
        for (std::size_t c = 0; c < mean.at(a).size(); ++c) {
            const std::int64_t d = mean.at(a)[c] - mean.at(b)[c];
            sum += static_cast<std::uint64_t>(d * d);
        }
        return sum;
    }
};

class RegionMerger {
  public:
    // `size` is x, y, z, t; neighbors differ along at most `axes` axes.
    RegionMerger(const std::array<int, 4>& size, int channels, int axes,
                 std::vector<std::uint32_t> labels, const std::vector<std::int32_t>& features)
        : size_(size), channels_(channels), axes_(axes), labels_(labels), features_(features) {}

    // limit2 < 0: no fusion; most_cost <= 0: no merging by cost; smallest < 2: no pruning.
    RegionMerge merge(std::int64_t limit2, double most_cost, std::int64_t smallest,
                      int most_fusion_rounds, int most_merging_rounds,
                      const BorderRules& borders = {}) {
        RegionMerge result;
        while (limit2 >= 0 && result.fusion_rounds < most_fusion_rounds && fuse(limit2))
            ++result.fusion_rounds;
        while (most_cost > 0 && result.merging_rounds < most_merging_rounds &&
               merge_by_cost(most_cost))
            ++result.merging_rounds;
        while (borders.step2 >= 0 && result.border_rounds < borders.most_rounds && unite(borders))
            ++result.border_rounds;
        while (smallest >= 2 && prune(smallest)) ++result.pruning_rounds;
        result.means.resize(features_.size());
        const RegionGraph graph = look();
        for (std::size_t i = 0; i < labels_.size(); ++i)
            for (int c = 0; c < channels_; ++c)
                result.means[c * labels_.size() + i] =
                    static_cast<std::int32_t>(graph.mean.at(labels_[i])[c]);
        std::map<std::uint32_t, std::uint32_t> number;
        for (const std::uint32_t label : labels_) {
            if (!number.count(label)) number[label] = ++result.count;
            result.labels.push_back(number[label]);
        }
        return result;
    }

  private:
    RegionGraph look() const {
        RegionGraph graph;
        std::map<std::uint32_t, std::vector<std::int64_t>> sums;
        for (std::size_t i = 0; i < labels_.size(); ++i) {
            ++graph.area[labels_[i]];
            auto& sum = sums[labels_[i]];
            sum.resize(channels_);
            for (int c = 0; c < channels_; ++c) sum[c] += features_[c * labels_.size() + i];
        }
        for (const auto& [label, sum] : sums)
            for (const std::int64_t s : sum) {
                const std::int64_t area = graph.area[label];
                const std::int64_t magnitude = (std::abs(s) + area / 2) / area;
                graph.mean[label].push_back(s < 0 ? -magnitude : magnitude);
            }
        for_each_link(axes_, [&](std::size_t i, std::size_t j) {
            if (labels_[i] != labels_[j]) graph.touching.emplace_back(labels_[i], labels_[j]);
        });
        std::sort(graph.touching.begin(), graph.touching.end());
        graph.touching.erase(std::unique(graph.touching.begin(), graph.touching.end()),
                             graph.touching.end());
        return graph;
    }

    // Every link along at most `axes` axes is visited from either end.
    template <class Visit>
    void for_each_link(int axes, const Visit& visit) const {
        const auto [nx, ny, nz, nt] = size_;
        for (int n = 0; n < 81; ++n) {
            const int dx = n % 3 - 1, dy = n / 3 % 3 - 1, dz = n / 9 % 3 - 1, dt = n / 27 - 1;
            if (std::abs(dx) + std::abs(dy) + std::abs(dz) + std::abs(dt) > axes) continue;
            for (int t = 0; t < nt; ++t)
                for (int z = 0; z < nz; ++z)
                    for (int y = 0; y < ny; ++y)
                        for (int x = 0; x < nx; ++x)
                            if (x + dx >= 0 && x + dx < nx && y + dy >= 0 && y + dy < ny &&
                                z + dz >= 0 && z + dz < nz && t + dt >= 0 && t + dt < nt)
                                visit(index(x, y, z, t), index(x + dx, y + dy, z + dz, t + dt));
        }
    }
    std::size_t index(int x, int y, int z, int t) const {
        return ((static_cast<std::size_t>(t) * size_[2] + z) * size_[1] + y) * size_[0] + x;
    }

    void rename(const std::map<std::uint32_t, std::uint32_t>& holder) {
        for (std::uint32_t& label : labels_) label = holder.at(label);
    }

    // Joins the regions of each pair, and of chains of pairs, under the smallest label.
    void join(const std::set<std::pair<std::uint32_t, std::uint32_t>>& pairs) {
        std::map<std::uint32_t, std::uint32_t> holder;
        for (const std::uint32_t label : labels_) holder[label] = label;
        for (bool changed = true; changed;) {
            changed = false;
            for (const auto& [a, b] : pairs) {
                const std::uint32_t low = std::min(holder[a], holder[b]);
                changed = changed || holder[a] != low || holder[b] != low;
                holder[a] = holder[b] = low;
            }
        }
        rename(holder);
    }

    bool fuse(std::int64_t limit2) {
        const RegionGraph graph = look();
        std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
        for (const auto& [a, b] : graph.touching)
            if (graph.distance2(a, b) <= static_cast<std::uint64_t>(limit2)) pairs.insert({a, b});
        join(pairs);
        return !pairs.empty();
    }

    std::int64_t step2(std::size_t i, std::size_t j) const {
        std::int64_t sum = 0;
        for (int c = 0; c < channels_; ++c) {
            const std::int64_t d =
                std::int64_t{features_[c * labels_.size() + i]} - features_[c * labels_.size() + j];
            sum += d * d;
        }
        return sum;
    }

    bool unite(const BorderRules& rules) {
        const RegionGraph graph = look();
        using Pair = std::pair<std::uint32_t, std::uint32_t>;
        std::map<Pair, std::int64_t> length, weak;
        std::map<std::uint32_t, std::int64_t> perimeter;
        // Every element comes from either end, and so is counted twice throughout.
        for_each_link(1, [&](std::size_t i, std::size_t j) {
            if (labels_[i] == labels_[j]) return;
            const Pair pair = std::minmax(labels_[i], labels_[j]);
            ++length[pair];
            weak[pair] += step2(i, j) < rules.step2;
            ++perimeter[labels_[i]];
            ++perimeter[labels_[j]];
        });
        std::set<Pair> pairs;
        for (const auto& [pair, common] : length) {
            const std::int64_t whole = rules.of_perimeter
                                           ? std::min(perimeter[pair.first], perimeter[pair.second])
                                           : common;
            if (static_cast<double>(weak[pair]) > rules.share * static_cast<double>(whole) &&
                graph.distance2(pair.first, pair.second) <=
                    static_cast<std::uint64_t>(rules.most_distance2))
                pairs.insert(pair);
        }
        join(pairs);
        return !pairs.empty();
    }

    using Picks =
        std::map<std::uint32_t, std::pair<std::uint64_t, std::uint32_t>>;  // cost and label

    static void offer(Picks& picks, std::uint32_t a, std::uint32_t b, std::uint64_t cost) {
        const auto preference = std::pair(cost, b);
        if (!picks.count(a) || preference < picks[a]) picks[a] = preference;
    }

    // Who picks follows on to who does not, or to the smaller of two that pick one another.
    void follow(const RegionGraph& graph, Picks& picks) {
        std::map<std::uint32_t, std::uint32_t> holder;
        for (const auto& [label, area] : graph.area) {
            std::uint32_t at = label;
            while (picks.count(at)) {
                const std::uint32_t next = picks[at].second;
                const bool mutual = picks.count(next) && picks[next].second == at;
                at = mutual ? std::min(at, next) : next;
                if (mutual) break;
            }
            holder[label] = at;
        }
        rename(holder);
    }

    bool merge_by_cost(double most_cost) {
        const RegionGraph graph = look();
        Picks picks;
        for (const auto& [a, b] : graph.touching) {
            const std::int64_t areas = graph.area.at(a) + graph.area.at(b);
            const std::int64_t weight = 2 * graph.area.at(a) * graph.area.at(b) / areas;
            // Single precision decides as on a device.
            const float cost =
                static_cast<float>(graph.distance2(a, b)) * static_cast<float>(weight);
            if (cost <= static_cast<float>(2 * most_cost))
                offer(picks, a, b, std::bit_cast<std::uint32_t>(cost));
        }
        Picks settled;
        for (const auto& [a, pick] : picks) {
            const std::uint32_t b = pick.second;
            const bool mutual = picks.count(b) && picks[b].second == a;
            if (mutual || graph.area.at(b) / 4 >= graph.area.at(a)) settled[a] = pick;
        }
        follow(graph, settled);
        return !picks.empty();
    }

    bool prune(std::int64_t smallest) {
        const RegionGraph graph = look();
        Picks picks;
        for (const auto& [a, b] : graph.touching)
            if (graph.area.at(a) < smallest) offer(picks, a, b, graph.distance2(a, b));
        follow(graph, picks);
        return !picks.empty();
    }

    std::array<int, 4> size_;
    int channels_, axes_;
    std::vector<std::uint32_t> labels_;
    const std::vector<std::int32_t>& features_;
};

}  // namespace tesela::reference
