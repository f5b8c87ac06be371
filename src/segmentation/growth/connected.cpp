#include "segmentation/growth/connected.h"

#include <limits>

#include "segmentation/growth/box.h"
#include "segmentation/growth/predicate.h"
#include "tesela/error.h"

namespace tesela {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

ValueLimits same_in_all(const LimitGrowOptions& options, int channels) {
    ValueLimits limits;
    limits.lower.fill(options.lower.value_or(-infinity));
    limits.upper.fill(options.upper.value_or(infinity));
    limits.channels = channels;
    return limits;
}

// Around the mean of a label's seeds.
template <class T>
ValueLimits around_seeds(const GrowthJob<T>& job, PlacedSeeds::Range seeds, double tolerance) {
    ValueLimits limits;
    limits.channels = job.color_channels;
    const std::span<const T> pixels = job.image.pixels();
    for (int c = 0; c < job.color_channels; ++c) {
        double sum = 0;
        for (std::int64_t s = seeds.first; s < seeds.end; ++s) {
            const std::size_t point = job.seeds.points[static_cast<std::size_t>(s)];
            sum += pixels[point * job.image.shape().channels + c];
        }
        const double mean = sum / static_cast<double>(seeds.end - seeds.first);
        limits.lower[static_cast<std::size_t>(c)] = mean - tolerance;
        limits.upper[static_cast<std::size_t>(c)] = mean + tolerance;
    }
    return limits;
}

template <class T>
void grow_within(const GrowthJob<T>& job, const ValueLimits& limits, const Length& radius,
                 PlacedSeeds::Range seeds, PredicateGrowth& growth, Buffer<std::uint32_t>& labels) {
    auto mask = mask_within<T>(job.queue, job.pixels, limits);
    if (radius.value > 0) {
        const Shape& shape = job.image.shape();
        mask = eroded(job.queue, shape, std::move(mask),
                      box_radius(radius, shape, job.image.geometry));
        // ITK does not ask for the neighborhood of the seeds.
        growth.add_to_mask(seeds, mask);
    }
    growth.grow(std::move(mask), seeds, labels);
}

}  // namespace

void check_limits(const LimitGrowOptions& options) {
    if (!options.lower && !options.upper)
        throw InvalidArgument("there are no limits: give --lower, --upper or both");
    if (options.lower && options.upper && *options.lower > *options.upper)
        throw InvalidArgument("--lower is " + detail::shown(*options.lower) + " and --upper " +
                              detail::shown(*options.upper) + ": no value is between them");
}

void check_limits(const ToleranceGrowOptions& options) {
    if (!options.tolerance)
        throw InvalidArgument("--tolerance is missing: give the largest difference from the seed");
}

// All labels at once.
template <class T>
Buffer<std::uint32_t> grow_connected(const GrowthJob<T>& job, const LimitGrowOptions& options) {
    PredicateGrowth growth(job.queue, job.image.shape(), job.seeds, job.axes);
    job.report.rounds = 1;
    auto labels = job.new_labels();
    grow_within(job, same_in_all(options, job.color_channels), options.radius,
                {0, job.seeds.size()}, growth, labels);
    return labels;
}

// One label after the other, for each has limits of its own.
template <class T>
Buffer<std::uint32_t> grow_connected(const GrowthJob<T>& job, const ToleranceGrowOptions& options) {
    const Shape& shape = job.image.shape();
    PredicateGrowth growth(job.queue, shape, job.seeds, job.axes);
    job.report.rounds = 1;
    auto labels = job.new_labels();
    grow_by_label(job.queue, shape, job.seeds, job.progress, labels,
                  [&](PlacedSeeds::Range seeds, auto& region) {
                      grow_within(job, around_seeds(job, seeds, *options.tolerance), options.radius,
                                  seeds, growth, region);
                  });
    return labels;
}
template Buffer<std::uint32_t> grow_connected(const GrowthJob<std::uint8_t>&,
                                              const LimitGrowOptions&);
template Buffer<std::uint32_t> grow_connected(const GrowthJob<std::uint16_t>&,
                                              const LimitGrowOptions&);
template Buffer<std::uint32_t> grow_connected(const GrowthJob<std::int16_t>&,
                                              const LimitGrowOptions&);
template Buffer<std::uint32_t> grow_connected(const GrowthJob<float>&, const LimitGrowOptions&);
template Buffer<std::uint32_t> grow_connected(const GrowthJob<std::uint8_t>&,
                                              const ToleranceGrowOptions&);
template Buffer<std::uint32_t> grow_connected(const GrowthJob<std::uint16_t>&,
                                              const ToleranceGrowOptions&);
template Buffer<std::uint32_t> grow_connected(const GrowthJob<std::int16_t>&,
                                              const ToleranceGrowOptions&);
template Buffer<std::uint32_t> grow_connected(const GrowthJob<float>&, const ToleranceGrowOptions&);

// Beside a mask stands the one that it is eroded to.
std::int64_t connected_bytes(const Shape& shape, std::int64_t seeds, const LimitGrowOptions&,
                             bool in_groups) {
    return PredicateGrowth::bytes(shape, seeds, in_groups) + shape.points() + 4 * shape.points();
}
std::int64_t connected_bytes(const Shape& shape, std::int64_t seeds, const ToleranceGrowOptions&,
                             bool in_groups) {
    return PredicateGrowth::bytes(shape, seeds, in_groups) + shape.points() +
           grow_by_label_bytes(shape);
}

}  // namespace tesela
