#include "segmentation/growth/closest_merge.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>
#include <set>
#include <tuple>

namespace tesela {

double RegionMeans::mean(std::size_t region, int channel) const {
    const auto channels = static_cast<std::size_t>(distance_.channels);
    return static_cast<double>(sums_[region * channels + static_cast<std::size_t>(channel)]) /
           static_cast<double>(sizes_[region]);
}

double RegionMeans::shown(double squared, double squared_norm) const {
    if (!distance_.relative) return std::sqrt(squared);
    if (squared_norm == 0) return squared == 0 ? 0 : std::numeric_limits<double>::infinity();
    return std::sqrt(squared / squared_norm);
}

void RegionMeans::add(std::size_t region, const std::int32_t* pixel) {
    for (int c = 0; c < distance_.channels; ++c)
        sums_[region * static_cast<std::size_t>(distance_.channels) +
              static_cast<std::size_t>(c)] += pixel[c];
    ++sizes_[region];
}

void RegionMeans::join(std::size_t kept, std::size_t gone) {
    const auto channels = static_cast<std::size_t>(distance_.channels);
    for (std::size_t c = 0; c < channels; ++c)
        sums_[kept * channels + c] += sums_[gone * channels + c];
    sizes_[kept] += sizes_[gone];
}

double RegionMeans::from_pixel(const std::int32_t* pixel, std::size_t region) const {
    double squared = 0, norm = 0;
    for (int c = 0; c < distance_.channels; ++c) {
        const double value = pixel[c];
        const double difference = value - mean(region, c);
        squared += difference * difference;
        norm += value * value;
    }
    return shown(squared, norm);
}

double RegionMeans::between(std::size_t a, std::size_t b) const {
    double squared = 0, norm_a = 0, norm_b = 0;
    for (int c = 0; c < distance_.channels; ++c) {
        const double of_a = mean(a, c), of_b = mean(b, c);
        squared += (of_a - of_b) * (of_a - of_b);
        norm_a += of_a * of_a;
        norm_b += of_b * of_b;
    }
    return shown(squared, std::min(norm_a, norm_b));
}

namespace {

class Merge {
  public:
    Merge(RegionMeans& means, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& neighbors,
          const std::function<void()>& between_merges)
        : means_(means),
          between_merges_(between_merges),
          became_(means.count()),
          versions_(means.count()),
          neighbors_(means.count()) {
        std::iota(became_.begin(), became_.end(), 0u);
        for (const auto& [a, b] : neighbors) {
            neighbors_[a].insert(b);
            neighbors_[b].insert(a);
        }
    }

    void by_mean(double threshold) {
        if (threshold <= 0) return;
        for (std::uint32_t a = 0; a < became_.size(); ++a)
            for (const std::uint32_t b : neighbors_[a])
                if (a < b) offer(a, b, threshold);
        while (!pairs_.empty()) {
            const Pair pair = pairs_.top();
            pairs_.pop();
            // Of two that have changed meanwhile there is another offer.
            if (pair.version != versions_[pair.a] + versions_[pair.b] ||
                became_[pair.a] != pair.a || became_[pair.b] != pair.b)
                continue;
            join(pair.a, pair.b);
            for (const std::uint32_t other : neighbors_[pair.a])
                offer(std::min(pair.a, other), std::max(pair.a, other), threshold);
        }
    }

    void by_size(std::int64_t smallest) {
        using Small = std::pair<std::int64_t, std::uint32_t>;
        std::priority_queue<Small, std::vector<Small>, std::greater<>> small;
        const auto look_at = [&](std::uint32_t region) {
            if (means_.size(region) < smallest) small.emplace(means_.size(region), region);
        };
        for (std::uint32_t region = 0; region < became_.size(); ++region) look_at(region);
        while (!small.empty()) {
            const auto [size, region] = small.top();
            small.pop();
            if (became_[region] != region || means_.size(region) != size ||
                neighbors_[region].empty())
                continue;
            const std::uint32_t closest = closest_of(region);
            join(std::min(region, closest), std::max(region, closest));
            look_at(std::min(region, closest));
        }
    }

    std::vector<std::uint32_t> finish() {
        // A region becomes a lower one, whose entry is final by then.
        for (std::uint32_t& region : became_) region = became_[region];
        return std::move(became_);
    }

  private:
    struct Pair {
        double distance;
        std::uint32_t a, b;
        std::uint64_t version;
        bool operator<(const Pair& other) const {  // the top of a heap is the highest
            return std::tie(distance, a, b) > std::tie(other.distance, other.a, other.b);
        }
    };

    void offer(std::uint32_t a, std::uint32_t b, double threshold) {
        const double distance = means_.between(a, b);
        if (distance < threshold) pairs_.push({distance, a, b, versions_[a] + versions_[b]});
    }

    std::uint32_t closest_of(std::uint32_t region) const {
        const auto nearer = [&](std::uint32_t a, std::uint32_t b) {
            return means_.between(region, a) < means_.between(region, b);
        };
        return *std::min_element(neighbors_[region].begin(), neighbors_[region].end(), nearer);
    }

    void join(std::uint32_t kept, std::uint32_t gone) {
        between_merges_();
        means_.join(kept, gone);
        became_[gone] = kept;
        ++versions_[kept];
        for (const std::uint32_t other : neighbors_[gone]) {
            neighbors_[other].erase(gone);
            if (other == kept) continue;
            neighbors_[other].insert(kept);
            neighbors_[kept].insert(other);
        }
        neighbors_[gone].clear();
    }

    RegionMeans& means_;
    const std::function<void()>& between_merges_;
    std::vector<std::uint32_t> became_;
    std::vector<std::uint64_t> versions_;  // how often a region has changed
    std::vector<std::set<std::uint32_t>> neighbors_;
    std::priority_queue<Pair> pairs_;
};

}  // namespace

std::vector<std::uint32_t> merge_closest(
    RegionMeans& means, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& neighbors,
    double threshold, std::int64_t smallest, const std::function<void()>& between_merges) {
    Merge merge(means, neighbors, between_merges);
    merge.by_mean(threshold);
    merge.by_size(smallest);
    return merge.finish();
}

}  // namespace tesela
