#include "segmentation/growth/connected.h"

#include <limits>

#include "segmentation/growth/box.h"
#include "segmentation/growth/predicate.h"
#include "tesela/error.h"

namespace tesela {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

ValueLimits same_in_all(const RegionGrowOptions& options, int channels) {
    ValueLimits limits;
    limits.lower.fill(options.lower.value_or(-infinity));
    limits.upper.fill(options.upper.value_or(infinity));
    limits.channels = channels;
    return limits;
}

// Around the mean of a label's seeds.
template <class T>
ValueLimits around_seeds(const GrowthJob<T>& job, PlacedSeeds::Range seeds) {
    ValueLimits limits;
    limits.channels = job.color_channels;
    for (int c = 0; c < job.color_channels; ++c) {
        double sum = 0;
        for (std::int64_t s = seeds.first; s < seeds.end; ++s) {
            const std::size_t point = job.seeds.points[static_cast<std::size_t>(s)];
            sum += job.image.pixels()[point * job.image.shape().channels + c];
        }
        const double mean = sum / static_cast<double>(seeds.end - seeds.first);
        limits.lower[static_cast<std::size_t>(c)] = mean - *job.options.growth_threshold;
        limits.upper[static_cast<std::size_t>(c)] = mean + *job.options.growth_threshold;
    }
    return limits;
}

template <class T>
void grow_within(const GrowthJob<T>& job, const ValueLimits& limits, PlacedSeeds::Range seeds,
                 PredicateGrowth& growth, Buffer<std::uint32_t>& labels) {
    auto mask = mask_within(job.queue, job.pixels, limits);
    if (job.options.criterion == GrowthCriterion::neighborhood) {
        const Shape& shape = job.image.shape();
        const Length radius = job.options.radius.value_or(1);
        mask = eroded(job.queue, shape, std::move(mask),
                      box_radius(radius, shape, job.image.geometry));
        // ITK does not ask for the neighborhood of the seeds.
        growth.add_to_mask(seeds, mask);
    }
    growth.grow(std::move(mask), seeds, labels);
}

}  // namespace

void check_connected(const RegionGrowOptions& options) {
    const bool by_limits = options.lower || options.upper;
    if (by_limits == options.growth_threshold.has_value())
        throw InvalidArgument("--criterion " + std::string(enum_name(options.criterion)) +
                              " needs limits: give --lower, --upper or both, or else "
                              "--growth-threshold for limits around the seeds");
    if (options.lower && options.upper && *options.lower > *options.upper)
        throw InvalidArgument("--lower is " + detail::shown(*options.lower) + " and --upper " +
                              detail::shown(*options.upper) + ": no value is between them");
}

template <class T>
Buffer<std::uint32_t> grow_connected(const GrowthJob<T>& job) {
    const Shape& shape = job.image.shape();
    PredicateGrowth growth(job.queue, shape, job.seeds, job.axes);
    job.report.rounds = 1;
    auto labels = job.new_labels();
    if (job.options.growth_threshold)
        grow_by_label(job.queue, shape, job.seeds, job.progress, labels,
                      [&](PlacedSeeds::Range seeds, auto& region) {
                          grow_within(job, around_seeds(job, seeds), seeds, growth, region);
                      });
    else
        grow_within(job, same_in_all(job.options, job.color_channels), {0, job.seeds.size()},
                    growth, labels);
    return labels;
}
template Buffer<std::uint32_t> grow_connected(const GrowthJob<std::uint8_t>&);
template Buffer<std::uint32_t> grow_connected(const GrowthJob<std::uint16_t>&);
template Buffer<std::uint32_t> grow_connected(const GrowthJob<std::int16_t>&);
template Buffer<std::uint32_t> grow_connected(const GrowthJob<float>&);

std::int64_t connected_bytes(const Shape& shape, std::int64_t seeds,
                             const RegionGrowOptions& options) {
    // Beside a mask stands the one that it is eroded to.
    return PredicateGrowth::bytes(shape, seeds) + shape.points() +
           (options.growth_threshold ? grow_by_label_bytes(shape) : 4 * shape.points());
}

}  // namespace tesela
