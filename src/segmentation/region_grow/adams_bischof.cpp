#include "segmentation/region_grow/adams_bischof.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <tuple>
#include <utility>

#include "segmentation/region_grow/closest_merge.h"
#include "segmentation/region_grow/host_features.h"
#include "segmentation/region_grow/neighbors.h"

namespace tesela {
namespace {

// Shih and Cheng's, for seeds that are not the user's.
constexpr double default_merge_threshold = 0.1;
constexpr std::int64_t default_region_share = 150;  // the smallest region is 1/150 of the image

// Where the list ends of the progress of the growth, and the neighbors of regions are known.
constexpr double listed_fraction = 0.9, paired_fraction = 0.95;

constexpr std::uint32_t nobody = 0xffffffffu;

// A pixel beside a region, as it was when it came to be that: ties go to the largest region, then
// to the pixel that waits longest.
struct Candidate {
    double distance;
    std::int64_t region_size;
    std::int64_t turn;
    std::uint32_t point;
    bool operator<(const Candidate& other) const {  // the top of a heap is the highest
        return std::make_tuple(-distance, region_size, -turn) <
               std::make_tuple(-other.distance, other.region_size, -other.turn);
    }
};

// The sequentially sorted list and the regions. Regions are numbered 0.. in the order of labels.
class SortedGrowth {
  public:
    SortedGrowth(const Shape& shape, int axes, const HostFeatures& features,
                 const PlacedSeeds& seeds, std::int64_t regions)
        : features_(features),
          neighbors_(shape, axes),
          means_(static_cast<std::size_t>(regions), features.distance),
          region_(static_cast<std::size_t>(shape.points()), nobody),
          waits_(features.excluded) {
        std::uint32_t region = 0;
        for (std::size_t s = 0; s < seeds.points.size(); ++s) {
            if (s > 0 && seeds.labels[s] != seeds.labels[s - 1]) ++region;
            take(seeds.points[s], region);
        }
        for (const std::uint32_t point : seeds.points) look_around(point);
    }

    void run(const Progress& progress) {
        const auto all = static_cast<double>(region_.size());
        constexpr std::int64_t look_every = 1 << 16;
        for (std::int64_t taken = 0; !list_.empty(); ++taken) {
            if (taken % look_every == 0)
                progress.report(listed_fraction * static_cast<double>(taken) / all, "grow");
            const std::uint32_t point = list_.top().point;
            list_.pop();
            take(point, nearest_region(point));
            look_around(point);
        }
    }

    // Regions become others where they are merged.
    void merge(double threshold, std::int64_t smallest, const Progress& progress) {
        if (threshold <= 0 && smallest <= 1) return;
        std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
        for (std::size_t i = 0; i < region_.size(); ++i)
            neighbors_.for_each(static_cast<std::int64_t>(i), [&](std::size_t j) {
                if (region_[i] < region_[j] && region_[j] != nobody)
                    pairs.emplace_back(region_[i], region_[j]);
            });
        std::sort(pairs.begin(), pairs.end());
        pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
        progress.report(paired_fraction, "merge");
        const std::vector<std::uint32_t> became = merge_closest(
            means_, pairs, threshold, smallest, [&] { progress.throw_if_cancelled(); });
        for (std::uint32_t& region : region_)
            if (region != nobody) region = became[region];
    }

    const std::vector<std::uint32_t>& regions() const { return region_; }

  private:
    const std::int32_t* pixel(std::size_t point) const {
        return features_.values.data() +
               point * static_cast<std::size_t>(features_.distance.channels);
    }

    void take(std::size_t point, std::uint32_t region) {
        region_[point] = region;
        waits_[point] = 1;
        means_.add(region, pixel(point));
    }

    void look_around(std::size_t point) {
        const std::uint32_t region = region_[point];
        neighbors_.for_each(static_cast<std::int64_t>(point), [&](std::size_t other) {
            if (waits_[other]) return;
            waits_[other] = 1;
            list_.push({means_.from_pixel(pixel(other), region), means_.size(region), turn_++,
                        static_cast<std::uint32_t>(other)});
        });
    }

    // Of the regions beside a point: ties go to the largest, then to the lowest.
    std::uint32_t nearest_region(std::size_t point) const {
        std::uint32_t best = nobody;
        double distance = 0;
        neighbors_.for_each(static_cast<std::int64_t>(point), [&](std::size_t other) {
            const std::uint32_t region = region_[other];
            if (region == nobody || region == best) return;
            const double d = means_.from_pixel(pixel(point), region);
            if (best == nobody || std::make_tuple(d, -means_.size(region), region) <
                                      std::make_tuple(distance, -means_.size(best), best)) {
                best = region;
                distance = d;
            }
        });
        return best;
    }

    const HostFeatures& features_;
    Neighbors neighbors_;
    RegionMeans means_;
    std::vector<std::uint32_t> region_;
    std::vector<std::uint8_t> waits_;  // in the list, in a region, or in none for good
    std::priority_queue<Candidate> list_;
    std::int64_t turn_ = 0;
};

}  // namespace

template <class T>
Buffer<std::uint32_t> grow_adams_bischof(const GrowthJob<T>& job) {
    const RegionGrowOptions& options = job.options;
    const HostFeatures features =
        host_features(job.queue, job.image, job.pixels, job.color_channels, options.color_space);
    const std::vector<PlacedSeeds::Range> labels = job.seeds.by_label();
    SortedGrowth growth(job.image.shape(), job.axes, features, job.seeds,
                        static_cast<std::int64_t>(labels.size()));
    growth.run(job.progress);
    // What the user has marked stays apart unless he says otherwise.
    const bool merges = !job.seeds.labeled_by_user;
    const double threshold = merges && features.distance.relative ? default_merge_threshold : 0;
    const std::int64_t smallest = merges ? job.points() / default_region_share : 0;
    growth.merge(options.merge_threshold.value_or(threshold), options.min_region.value_or(smallest),
                 job.progress);
    job.report.rounds = 1;
    std::vector<std::uint32_t> result(growth.regions());
    for (std::uint32_t& region : result)
        region =
            region == nobody ? 0 : job.seeds.labels[static_cast<std::size_t>(labels[region].first)];
    return job.queue.upload(std::span<const std::uint32_t>(result), "labels");
}
template Buffer<std::uint32_t> grow_adams_bischof(const GrowthJob<std::uint8_t>&);
template Buffer<std::uint32_t> grow_adams_bischof(const GrowthJob<std::uint16_t>&);
template Buffer<std::uint32_t> grow_adams_bischof(const GrowthJob<std::int16_t>&);
template Buffer<std::uint32_t> grow_adams_bischof(const GrowthJob<float>&);

std::int64_t adams_bischof_bytes(const Shape& shape) {
    // Labels; what lab takes beside them.
    return 4 * shape.points() + 12 * shape.points();
}

}  // namespace tesela
