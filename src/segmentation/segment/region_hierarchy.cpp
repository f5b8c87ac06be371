#include "segmentation/segment/region_hierarchy.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>

namespace tesela {
namespace {

constexpr double unit = FeatureScale::steps;

// n ln |S + I|, the length of the code of a region's points as samples of a normal distribution,
// but for constants. A unit of noise is added, below which differences do not count.
double code_length(const RegionSums& region) {
    const auto n = static_cast<double>(region.points);
    std::array<double, 3> mean{};
    for (std::size_t c = 0; c < 3; ++c) mean[c] = static_cast<double>(region.sum[c]) / n;
    const auto covariance = [&](std::size_t k, std::size_t i, std::size_t j) {
        return (static_cast<double>(region.product[k]) / n - mean[i] * mean[j]) / (unit * unit);
    };
    const double xx = covariance(0, 0, 0) + 1, yy = covariance(1, 1, 1) + 1,
                 zz = covariance(2, 2, 2) + 1, xy = covariance(3, 0, 1), xz = covariance(4, 0, 2),
                 yz = covariance(5, 1, 2);
    const double determinant =
        xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
    return n * std::log(std::max(determinant, 1.0));
}

class Merging {
  public:
    Merging(RegionGraph graph, const MergeScale& scale)
        : scale_(scale), regions_(std::move(graph.regions)) {
        const std::size_t count = regions_.size();
        codes_.reserve(count);
        for (const RegionSums& region : regions_) codes_.push_back(code_length(region));
        neighbors_.resize(count);
        versions_.resize(count);
        places_.resize(count);
        for (const RegionBorder& border : graph.borders) {
            neighbors_[border.a].push_back({border.b, border.length, border.step});
            neighbors_[border.b].push_back({border.a, border.length, border.step});
        }
        for (const RegionBorder& border : graph.borders)
            offer(border.a, {border.b, border.length, border.step});
    }

    // False where nothing is left to merge.
    bool next(RegionMergeStep& step) {
        while (!offers_.empty()) {
            const Offer offer = offers_.top();
            offers_.pop();
            if (versions_[offer.a] != offer.version_a || versions_[offer.b] != offer.version_b)
                continue;
            highest_ = std::max(highest_, offer.cost);
            step = {offer.a, offer.b, highest_};
            if (neighbors_[step.kept].size() < neighbors_[step.gone].size())
                std::swap(step.kept, step.gone);
            join(step.kept, step.gone);
            return true;
        }
        return false;
    }

  private:
    struct Neighbor {
        std::uint32_t region;
        std::int64_t length, step;
    };
    struct Offer {
        double cost;
        std::uint32_t a, b;
        std::uint32_t version_a, version_b;
        bool operator<(const Offer& other) const {  // the top of a heap is the highest
            return std::tie(cost, a, b) > std::tie(other.cost, other.a, other.b);
        }
    };

    double cost(std::uint32_t a, const Neighbor& neighbor) const {
        RegionSums both = regions_[a];
        both.add(regions_[neighbor.region]);
        const double gain =
            std::max(code_length(both) - codes_[a] - codes_[neighbor.region], 0.0) / scale_.points;
        const auto length = static_cast<double>(neighbor.length);
        const double contrast = static_cast<double>(neighbor.step) / (length * unit);
        return gain * contrast / std::sqrt(length / scale_.length);
    }

    void offer(std::uint32_t region, const Neighbor& neighbor) {
        const auto [a, b] = std::minmax(region, neighbor.region);
        offers_.push({cost(region, neighbor), a, b, versions_[a], versions_[b]});
    }

    void join(std::uint32_t kept, std::uint32_t gone) {
        regions_[kept].add(regions_[gone]);
        codes_[kept] = code_length(regions_[kept]);
        ++versions_[kept];
        ++versions_[gone];
        std::vector<Neighbor>& list = neighbors_[kept];
        std::erase_if(list, [&](const Neighbor& n) { return n.region == gone; });
        for (std::size_t i = 0; i < list.size(); ++i) places_[list[i].region] = i + 1;
        for (const Neighbor& of_gone : neighbors_[gone]) {
            if (of_gone.region == kept) continue;
            const std::size_t place = places_[of_gone.region];
            if (place == 0) {
                list.push_back(of_gone);
                rename(of_gone.region, gone, kept);
            } else {
                list[place - 1].length += of_gone.length;
                list[place - 1].step += of_gone.step;
                unite(of_gone.region, gone, kept);
            }
        }
        neighbors_[gone] = {};
        for (const Neighbor& neighbor : list) places_[neighbor.region] = 0;
        for (const Neighbor& neighbor : list) offer(kept, neighbor);
    }

    Neighbor& neighbor(std::uint32_t of, std::uint32_t region) {
        return *std::find_if(neighbors_[of].begin(), neighbors_[of].end(),
                             [&](const Neighbor& n) { return n.region == region; });
    }
    void rename(std::uint32_t of, std::uint32_t from, std::uint32_t to) {
        neighbor(of, from).region = to;
    }
    void unite(std::uint32_t of, std::uint32_t from, std::uint32_t to) {
        Neighbor& gone = neighbor(of, from);
        Neighbor& kept = neighbor(of, to);
        kept.length += gone.length;
        kept.step += gone.step;
        gone = neighbors_[of].back();
        neighbors_[of].pop_back();
    }

    MergeScale scale_;
    std::vector<RegionSums> regions_;
    std::vector<double> codes_;
    std::vector<std::vector<Neighbor>> neighbors_;
    std::vector<std::uint32_t> versions_;  // how often a region has changed
    std::vector<std::size_t> places_;      // in a list of neighbors, from 1, while two are united
    std::priority_queue<Offer> offers_;
    double highest_ = 0;
};

}  // namespace

std::vector<RegionMergeStep> region_hierarchy(RegionGraph graph, const MergeScale& scale,
                                              const Progress& progress) {
    Merging merging(std::move(graph), scale);
    std::vector<RegionMergeStep> steps;
    RegionMergeStep step;
    while (merging.next(step)) {
        steps.push_back(step);
        progress.throw_if_cancelled();
    }
    return steps;
}

std::vector<std::uint32_t> merged_regions(const std::vector<RegionMergeStep>& hierarchy,
                                          std::size_t steps, std::uint32_t count) {
    std::vector<std::uint32_t> became(count);
    std::iota(became.begin(), became.end(), 0u);
    // Backward, so that what a region was merged into is final.
    for (std::size_t i = steps; i-- > 0;) became[hierarchy[i].gone] = became[hierarchy[i].kept];
    return became;
}

}  // namespace tesela
