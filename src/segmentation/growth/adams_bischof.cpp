#include "segmentation/growth/adams_bischof.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include "pixels/plane_of.h"
#include "segmentation/components/components.h"
#include "segmentation/growth/automatic_seeds.h"
#include "segmentation/growth/closest_merge.h"
#include "segmentation/growth/growth_features.h"
#include "segmentation/growth/neighbors.h"

namespace tesela {
namespace {

// Shih and Cheng's, for seeds that are not the user's.
constexpr double default_seed_distance = 0.05;
constexpr double default_merge_threshold = 0.1;
constexpr std::int64_t default_region_share = 150;  // the smallest region is 1/150 of the image

// Where the list ends of the progress of the growth, and the neighbors of regions are known.
constexpr double listed_fraction = 0.9, paired_fraction = 0.95;

constexpr std::uint32_t nobody = 0xffffffffu;

// What the list compares: features with the channels of a point side by side.
struct ListedPixels {
    std::vector<std::int32_t> features;
    std::vector<std::uint8_t> excluded;  // 1 where a pixel is NaN or infinite
    MeanDistance distance;
};

// A pixel beside a region, as it was when it came to be that: ties go to the largest region, then
// to the pixel that waits longest.
struct Candidate {
    double distance;
    std::uint32_t region_size, turn, point;         // there are fewer than 2^32 points
    bool operator<(const Candidate& other) const {  // the top of a heap is the highest
        return std::tie(other.distance, region_size, other.turn) <
               std::tie(distance, other.region_size, turn);
    }
};

// In bytes. Lists of points: features and a second time as they leave the device, or seeds or
// candidates, of which no point is both, with places of regions.
std::int64_t list_bytes(std::int64_t points, int channels) {
    constexpr std::int64_t marks = 2, region = 4;
    const std::int64_t features = 4 * std::int64_t{channels} * points;
    const std::int64_t waiting = std::int64_t{sizeof(Candidate)} + marks + region;
    return features + points + std::max(features, waiting * points);
}
// The means of regions and where their seeds are.
std::int64_t region_bytes(std::int64_t regions, int channels) {
    return regions * (8 * (std::int64_t{channels} + 1) +
                      static_cast<std::int64_t>(sizeof(PlacedSeeds::Range)));
}
// Pairs of neighbors: twice in a list, two places in sets, and one in the order of merging.
std::int64_t merging_bytes(std::int64_t pairs) { return pairs * (2 * 8 + 2 * 48 + 24); }

// The sequentially sorted list and the regions. Regions are numbered 0.. in the order of labels.
class SortedGrowth {
  public:
    SortedGrowth(const Shape& shape, int axes, const ListedPixels& pixels, const PlacedSeeds& seeds,
                 std::size_t regions)
        : pixels_(pixels),
          neighbors_(shape, axes),
          means_(regions, pixels.distance),
          region_(static_cast<std::size_t>(shape.points()), nobody),
          waits_(pixels.excluded),
          list_(std::less<Candidate>(), room_for(region_.size())) {
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
        list_ = {};
    }

    // Regions become others where they are merged.
    void merge(double threshold, std::int64_t smallest, Queue& queue, const Progress& progress) {
        const auto pairs = neighboring_regions();
        const auto room = queue.allocate<std::uint8_t>(
            merging_bytes(static_cast<std::int64_t>(pairs.size())), "lists of neighbors");
        progress.report(paired_fraction, "merge");
        const std::vector<std::uint32_t> became = merge_closest(
            means_, pairs, threshold, smallest, [&] { progress.throw_if_cancelled(); });
        for (std::uint32_t& region : region_)
            if (region != nobody) region = became[region];
    }

    const std::vector<std::uint32_t>& regions() const { return region_; }

  private:
    using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

    // Every point waits at most once.
    static std::vector<Candidate> room_for(std::size_t points) {
        std::vector<Candidate> list;
        list.reserve(points);
        return list;
    }

    // Pairs that were found often are removed when as many new ones have come.
    Pairs neighboring_regions() const {
        Pairs pairs;
        const auto once = [&pairs] {
            std::sort(pairs.begin(), pairs.end());
            pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
        };
        constexpr std::size_t fewest = 1 << 20;
        std::size_t most = fewest;
        for (std::size_t i = 0; i < region_.size(); ++i) {
            neighbors_.for_each(static_cast<std::int64_t>(i), [&](std::size_t j) {
                if (region_[i] < region_[j] && region_[j] != nobody)
                    pairs.emplace_back(region_[i], region_[j]);
            });
            if (pairs.size() < most) continue;
            once();
            most = std::max(fewest, 2 * pairs.size());
        }
        once();
        return pairs;
    }

    const std::int32_t* pixel(std::size_t point) const {
        return pixels_.features.data() +
               point * static_cast<std::size_t>(pixels_.distance.channels);
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
            list_.push({means_.from_pixel(pixel(other), region),
                        static_cast<std::uint32_t>(means_.size(region)), turn_++,
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

    const ListedPixels& pixels_;
    Neighbors neighbors_;
    RegionMeans means_;
    std::vector<std::uint32_t> region_;
    std::vector<std::uint8_t> waits_;  // in the list, in a region, or in none for good
    std::priority_queue<Candidate> list_;
    std::uint32_t turn_ = 0;
};

std::int64_t count_labels(const PlacedSeeds& seeds) {
    return static_cast<std::int64_t>(seeds.by_label().size());
}

GrowthColorSpace compared_in(GrowthColorSpace asked, int color_channels) {
    const bool chosen = asked == GrowthColorSpace::automatic && color_channels == 3;
    return chosen ? GrowthColorSpace::ycbcr : space_for_mean(asked, color_channels);
}

template <class T>
GrowthFeatures features_of(const GrowthJob<T>& job, GrowthColorSpace space) {
    const ValueRange values = black_to_white(job.image, space);
    if constexpr (std::is_integral_v<T>) {
        return growth_features<T>(job.queue, job.pixels, job.color_channels, values, space, 0);
    } else {
        // NaN and infinite values have no features; the lowest value stands for them.
        const std::span<const T> all = job.image.pixels();
        std::vector<T> finite(all.begin(), all.end());
        for (T& value : finite)
            if (!std::isfinite(value)) value = static_cast<T>(values.lowest);
        const DeviceImage<const T> pixels{
            job.queue.lend(std::span<const T>(finite), "finite pixels"), job.image.shape(),
            job.image.geometry, job.image.has_alpha};
        GrowthFeatures features =
            growth_features(job.queue, pixels, job.color_channels, values, space, 0);
        job.queue.finish();  // with what was lent
        return features;
    }
}

template <class T>
std::vector<std::uint8_t> points_not_finite(const GrowthJob<T>& job) {
    std::vector<std::uint8_t> excluded(static_cast<std::size_t>(job.points()));
    const auto stride = static_cast<std::size_t>(job.image.shape().channels);
    const auto compared = static_cast<std::size_t>(job.color_channels);
    if constexpr (std::is_floating_point_v<T>) {
        const std::span<const T> pixels = job.image.pixels();
        for (std::size_t i = 0; i < excluded.size(); ++i)
            for (std::size_t c = 0; c < compared; ++c)
                if (!std::isfinite(pixels[i * stride + c])) excluded[i] = 1;
    }
    return excluded;
}

// Distances are relative in ycbcr, where what makes chroma positive keeps norms from being 0.
template <class T>
ListedPixels listed_pixels(const GrowthJob<T>& job, const GrowthFeatures& features,
                           GrowthColorSpace space) {
    ListedPixels listed;
    listed.distance = {features.channels, space == GrowthColorSpace::ycbcr};
    listed.excluded = points_not_finite(job);
    const std::vector<std::int32_t> planes = job.queue.download(features.planes);
    listed.features.resize(planes.size());
    const auto channels = static_cast<std::size_t>(features.channels);
    const std::size_t points = listed.excluded.size();
    for (std::size_t c = 0; c < channels; ++c)
        for (std::size_t i = 0; i < points; ++i)
            listed.features[i * channels + c] = planes[c * points + i] + (c ? features.middle : 0);
    return listed;
}

// Seeds that the image makes itself. Those that touch are one.
template <class T>
PlacedSeeds seeds_of_image(const GrowthJob<T>& job, double distance, const GrowthFeatures& features,
                           const std::vector<std::uint8_t>& excluded) {
    const Shape shape = plane_of(job.image.shape());
    const Buffer<const std::uint8_t> mask = automatic_seeds(
        job.queue, shape, features.channels, features.planes, {distance, features.middle});
    // What is not finite has a feature that it does not have, and parts seeds.
    std::vector<std::uint8_t> is_seed = job.queue.download(mask);
    for (std::size_t i = 0; i < is_seed.size(); ++i)
        if (excluded[i]) is_seed[i] = 0;
    if (std::find(is_seed.begin(), is_seed.end(), 1) == is_seed.end())
        throw InvalidArgument(
            std::find(excluded.begin(), excluded.end(), 0) == excluded.end()
                ? std::string("--seeds auto finds none: the image has no pixel that is a number")
                : "--seeds auto finds none, because no pixel is like all of its neighbors: raise "
                  "--seed-distance, which is " +
                      detail::shown(distance) + ", or give seeds");
    const auto kept = job.queue.lend(std::span<const std::uint8_t>(is_seed), "seeds");
    auto components = job.queue.template allocate<std::uint32_t>(job.points(), "seed components");
    label_components(job.queue, shape, kept, job.axes, components);
    auto labels = LabelImage::unwritten(shape);
    job.queue.read(components, std::span<std::uint32_t>(labels.pixels()));
    for (std::size_t i = 0; i < is_seed.size(); ++i)
        if (!is_seed[i]) labels.pixels()[i] = 0;
    PlacedSeeds seeds = place_seeds(Seeds(std::move(labels)), shape, job.image.geometry);
    seeds.labeled_by_user = false;
    return seeds;
}

Buffer<std::uint32_t> upload_labels(Queue& queue, const std::vector<std::uint32_t>& regions,
                                    const PlacedSeeds& seeds,
                                    const std::vector<PlacedSeeds::Range>& by_label) {
    std::vector<std::uint32_t> labels(regions);
    for (std::uint32_t& label : labels)
        label = label == nobody ? 0 : seeds.labels[static_cast<std::size_t>(by_label[label].first)];
    return queue.upload(std::span<const std::uint32_t>(labels), "labels");
}

}  // namespace

template <class T>
Buffer<std::uint32_t> grow_adams_bischof(const GrowthJob<T>& job,
                                         const CompeteGrowOptions& options) {
    const GrowthColorSpace space = compared_in(options.color_space, job.color_channels);
    GrowthFeatures features = features_of(job, space);
    // What lists of the host take is kept free, so that --max-memory holds for them as well.
    const auto listed = job.queue.template allocate<std::uint8_t>(
        list_bytes(job.points(), features.channels), "lists of pixels");
    const ListedPixels pixels = listed_pixels(job, features, space);
    const PlacedSeeds seeds =
        job.chosen == SeedChoice::automatic
            ? seeds_of_image(job, options.seed_distance.value_or(default_seed_distance), features,
                             pixels.excluded)
            : job.seeds;
    const double unit = pixels.distance.relative ? 1 : features.unit;
    features.planes = {};
    job.queue.trim();
    const std::vector<PlacedSeeds::Range> by_label = seeds.by_label();
    const auto grown = job.queue.template allocate<std::uint8_t>(
        region_bytes(static_cast<std::int64_t>(by_label.size()), features.channels),
        "means of regions");
    SortedGrowth growth(job.image.shape(), job.axes, pixels, seeds, by_label.size());
    growth.run(job.progress);
    job.report.color_space = space;
    job.report.rounds = 1;
    job.report.grown_regions = static_cast<std::uint32_t>(by_label.size());
    // What the user has marked stays apart unless he says otherwise.
    const bool merges = !seeds.labeled_by_user;
    const double threshold = merges && pixels.distance.relative ? default_merge_threshold : 0;
    const std::int64_t smallest = merges ? job.points() / default_region_share : 0;
    const double merged_below = unit * options.merge_threshold.value_or(threshold);
    const std::int64_t kept_from = options.min_region.value_or(smallest);
    if (merged_below > 0 || kept_from > 1)
        growth.merge(merged_below, kept_from, job.queue, job.progress);
    return upload_labels(job.queue, growth.regions(), seeds, by_label);
}
template Buffer<std::uint32_t> grow_adams_bischof(const GrowthJob<std::uint8_t>&,
                                                  const CompeteGrowOptions&);
template Buffer<std::uint32_t> grow_adams_bischof(const GrowthJob<std::uint16_t>&,
                                                  const CompeteGrowOptions&);
template Buffer<std::uint32_t> grow_adams_bischof(const GrowthJob<std::int16_t>&,
                                                  const CompeteGrowOptions&);
template Buffer<std::uint32_t> grow_adams_bischof(const GrowthJob<float>&,
                                                  const CompeteGrowOptions&);

std::int64_t adams_bischof_bytes(const Shape& shape, int color_channels, int axes,
                                 SeedChoice chosen, const PlacedSeeds& seeds,
                                 const CompeteGrowOptions& options) {
    constexpr std::int64_t word = 4;
    const std::int64_t points = shape.points();
    const bool gray = compared_in(options.color_space, color_channels) == GrowthColorSpace::gray;
    const std::int64_t planes = word * points * (gray ? 1 : 3);
    const std::int64_t making =
        word * points * color_channels + (gray && color_channels == 3 ? planes : std::int64_t{0});
    // Deviations, then components; the mask.
    const std::int64_t seeking = planes + word * points + points + label_components_bytes(shape);
    const bool automatic = chosen == SeedChoice::automatic;
    constexpr std::int64_t points_of_region = 256;  // of automatic seeds
    const std::int64_t regions = automatic ? points / points_of_region : count_labels(seeds);
    const bool merges = !seeds.labeled_by_user || options.merge_threshold.value_or(0) > 0 ||
                        options.min_region.value_or(0) > 1;
    const std::int64_t neighbors = Neighbors(shape, axes).count() / 2;
    const int channels = gray ? 1 : 3;
    return std::max(making, automatic ? seeking : 0) + list_bytes(points, channels) +
           region_bytes(regions, channels) + (merges ? merging_bytes(neighbors * regions) : 0);
}

}  // namespace tesela
