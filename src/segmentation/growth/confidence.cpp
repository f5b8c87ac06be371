#include "segmentation/growth/confidence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include "kernels/growth/region_sums.kernel.h"
#include "pixels/finite_range.h"
#include "segmentation/growth/box.h"

namespace tesela {
namespace {

// ITK's defaults.

template <class T>
struct Kernels;
#define TESELA_SUM_KERNELS(type, suffix)                                             \
    template <>                                                                      \
    struct Kernels<type> {                                                           \
        static constexpr auto& sums = kernels::region_sums_##suffix;                 \
        static constexpr auto& sums_of_bits = kernels::region_sums_of_bits_##suffix; \
    }
TESELA_SUM_KERNELS(std::uint8_t, u8);
TESELA_SUM_KERNELS(std::uint16_t, u16);
TESELA_SUM_KERNELS(std::int16_t, i16);
TESELA_SUM_KERNELS(float, f32);
#undef TESELA_SUM_KERNELS

struct Moments {
    double mean = 0, variance = 0;
};

// Calls `use` with the finite values of the box around a point, the border's beyond the border.
template <class T, class Use>
void for_each_around(const PixelSource<T>& image, std::int64_t point, const BoxRadius& radius,
                     const Use& use) {
    const Shape& s = image.shape();
    const std::array<std::int64_t, 4> length{s.x, s.y, s.z, s.t};
    std::array<std::int64_t, 4> at{};
    for (std::size_t axis = 0; axis < 4; ++axis) {
        at[axis] = point % length[axis];
        point /= length[axis];
    }
    const auto place = [&](std::size_t axis, std::int64_t step) {
        return std::clamp<std::int64_t>(at[axis] + step, 0, length[axis] - 1);
    };
    for (std::int64_t t = -radius[3]; t <= radius[3]; ++t)
        for (std::int64_t z = -radius[2]; z <= radius[2]; ++z)
            for (std::int64_t y = -radius[1]; y <= radius[1]; ++y)
                for (std::int64_t x = -radius[0]; x <= radius[0]; ++x) {
                    const auto value = static_cast<double>(
                        image(place(0, x), place(1, y), place(2, z), place(3, t)));
                    if (std::isfinite(value)) use(value);
                }
}

// These compute in the order of itk::ConfidenceConnectedImageFilter, so that the limits
// have the same bits where the sums are exact.

Moments moments_of_sums(double sum, double squares, double count) {
    return {sum / count, count > 1 ? (squares - sum * sum / count) / (count - 1) : 0};
}

// Of the boxes around the seeds; pixels of two boxes count twice.
template <class T>
Moments moments_of_boxes(const GrowthJob<T>& job, PlacedSeeds::Range seeds,
                         const BoxRadius& radius) {
    double mean = 0, sums = 0, squares = 0, total = 0;
    for (std::int64_t s = seeds.first; s < seeds.end; ++s) {
        double sum = 0, count = 0;
        for_each_around(job.image, job.seeds.points[static_cast<std::size_t>(s)], radius,
                        [&](double value) {
                            sum += value;
                            squares += value * value;
                            count += 1;
                        });
        mean += sum / count;
        sums += sum;
        total += count;
    }
    if (radius == BoxRadius{}) return moments_of_sums(sums, squares, total);
    mean /= static_cast<double>(seeds.end - seeds.first);
    return {mean, total > 1 ? (squares - mean * mean * total) / (total - 1) : 0};
}

// Of a region, from its sums.
Moments moments_of(const ValueSums& sums, const FixedPoint& form) {
    const Moments fixed =
        moments_of_sums(static_cast<double>(sums.sum), static_cast<double>(sums.squares),
                        static_cast<double>(sums.count));
    const double offset = form.offset, scale = form.scale;
    return {offset + fixed.mean / scale, fixed.variance / (scale * scale)};
}

// Lowest and highest value of the seeds, which the limits always hold.
template <class T>
ValueLimits values_of(const GrowthJob<T>& job, PlacedSeeds::Range seeds) {
    ValueLimits limits;
    limits.lower[0] = std::numeric_limits<double>::infinity();
    limits.upper[0] = -limits.lower[0];
    const std::span<const T> pixels = job.image.pixels();
    for (std::int64_t s = seeds.first; s < seeds.end; ++s) {
        const std::size_t point = job.seeds.points[static_cast<std::size_t>(s)];
        const double value = pixels[point * job.image.shape().channels];
        limits.lower[0] = std::min(limits.lower[0], value);
        limits.upper[0] = std::max(limits.upper[0], value);
    }
    return limits;
}

ValueLimits limits_around(const Moments& moments, double multiplier, const ValueLimits& seeds,
                          bool whole_values) {
    const double reach = multiplier * std::sqrt(std::max(moments.variance, 0.0));
    ValueLimits limits;
    limits.lower[0] = std::min(moments.mean - reach, seeds.lower[0]);
    limits.upper[0] = std::max(moments.mean + reach, seeds.upper[0]);
    if (whole_values) {  // ITK casts them to the pixel type
        limits.lower[0] = std::trunc(limits.lower[0]);
        limits.upper[0] = std::trunc(limits.upper[0]);
    }
    return limits;
}

ValueSums total_of(Queue& queue, const Buffer<std::int64_t>& parts) {
    auto sums = queue.allocate<std::int64_t>(3, "sums of a region");
    queue.launch(kernels::region_sum_of_parts, Groups{1}, parts,
                 static_cast<std::int32_t>(parts.size() / 3), sums);
    const std::vector<std::int64_t> host = queue.download(sums);
    return {host[0], host[1], host[2]};
}

// As itk::Math::AlmostEquals of 0.
bool almost_zero(double variance) {
    return !(variance > 0.1 * std::numeric_limits<double>::epsilon());
}

template <class T>
class ConfidenceGrowth {
  public:
    ConfidenceGrowth(const GrowthJob<T>& job, const ConfidenceGrowOptions& options)
        : job_(job),
          growth_(job.queue, job.image.shape(), job.seeds, job.axes),
          radius_(box_radius(options.radius, job.image.shape(), job.image.geometry)),
          multiplier_(options.multiplier),
          iterations_(options.iterations),
          form_(choose_form()),
          in_bits_(growth_.fills() && job.image.shape().channels == 1) {}

    void grow(PlacedSeeds::Range seeds, Buffer<std::uint32_t>& labels) {
        const ValueLimits seed_values = values_of(job_, seeds);
        Moments moments = moments_of_boxes(job_, seeds, radius_);
        ValueLimits limits = limits_around(moments, multiplier_, seed_values, job_.whole_values);
        take(limits, seeds, labels);
        int rounds = 1;
        for (int i = 0; i < iterations_; ++i) {
            moments = moments_of(sums(labels), form_);
            job_.progress.throw_if_cancelled();
            const ValueLimits next =
                limits_around(moments, multiplier_, seed_values, job_.whole_values);
            // The same limits give the same region, from now on.
            if (almost_zero(moments.variance) ||
                (next.lower == limits.lower && next.upper == limits.upper))
                break;
            limits = next;
            take(limits, seeds, labels);
            ++rounds;
        }
        if (in_bits_)
            growth_.paint(region_, job_.seeds.labels[static_cast<std::size_t>(seeds.first)],
                          labels);
        job_.report.rounds = std::max(job_.report.rounds, rounds);
        job_.report.intervals.push_back({job_.seeds.labels[static_cast<std::size_t>(seeds.first)],
                                         limits.lower[0], limits.upper[0], moments.mean,
                                         std::sqrt(std::max(moments.variance, 0.0))});
    }

  private:
    FixedPoint choose_form() const {
        if constexpr (std::is_integral_v<T>) return {};
        const auto [lowest, highest] = checked_for_units(finite_range(job_.image));
        return fixed_point_for(lowest, highest, job_.points());
    }
    void take(const ValueLimits& limits, PlacedSeeds::Range seeds, Buffer<std::uint32_t>& labels) {
        const Buffer<const std::uint8_t> mask = mask_within<T>(job_.queue, job_.pixels, limits);
        if (in_bits_) {
            region_ = {};
            region_ = growth_.fill(mask, seeds);
        } else {
            growth_.grow(mask, seeds, labels);
        }
    }
    ValueSums sums(const Buffer<std::uint32_t>& labels) {
        return in_bits_ ? region_sums<T>(job_.queue, job_.pixels, region_, form_)
                        : region_sums<T>(job_.queue, job_.pixels, labels, form_);
    }

    const GrowthJob<T>& job_;
    PredicateGrowth growth_;
    BoxRadius radius_;
    double multiplier_;
    int iterations_;
    FixedPoint form_;
    bool in_bits_;       // the region is bits until it is done, otherwise labels
    RegionBits region_;  // the last one
};

}  // namespace

FixedPoint fixed_point_for(double lowest, double highest, std::int64_t points) {
    // Of a value, so that a sum of squares stays below 2^63 and a value exact as float.
    const int bits =
        std::min(24, static_cast<int>((63 - std::log2(static_cast<double>(points))) / 2));
    int exponent = 0;
    std::frexp(std::max(highest - lowest, std::numeric_limits<double>::min()), &exponent);
    // T_ROUND may reach the power of two itself: one bit less.
    const int scale = std::clamp(bits - 1 - exponent, -126, 126);
    return {static_cast<float>(lowest), std::ldexp(1.0F, scale)};
}

template <class T>
ValueSums region_sums(Queue& queue, const DeviceImage<const T>& image,
                      const Buffer<std::uint32_t>& labels, const FixedPoint& form) {
    const std::int64_t points = image.shape.points();
    const std::int64_t groups = (points - 1) / kernels::region_sums_part + 1;
    auto parts = queue.allocate<std::int64_t>(3 * groups, "sums of parts");
    queue.launch(Kernels<T>::sums, Groups{groups}, image.pixels, labels, image.shape.channels,
                 points, form.offset, form.scale, parts);
    return total_of(queue, parts);
}

template <class T>
ValueSums region_sums(Queue& queue, const DeviceImage<const T>& image, const RegionBits& region,
                      const FixedPoint& form) {
    const std::int64_t words = region.mask.size();
    const std::int64_t groups = (words - 1) / kernels::region_sums_words + 1;
    auto parts = queue.allocate<std::int64_t>(3 * groups, "sums of parts");
    queue.launch(Kernels<T>::sums_of_bits, Groups{groups}, image.pixels, region.mask, region.open,
                 static_cast<std::int32_t>(image.shape.x), region.words, words, form.offset,
                 form.scale, parts);
    return total_of(queue, parts);
}

template <class T>
Buffer<std::uint32_t> grow_confidence(const GrowthJob<T>& job,
                                      const ConfidenceGrowOptions& options) {
    if (job.color_channels != 1)
        throw UnsupportedFormat(
            "confidence limits need an image of one channel, and this one has three: convert it to "
            "gray, or grow by tolerance");
    ConfidenceGrowth<T> growth(job, options);
    auto labels = job.new_labels();
    grow_by_label(job.queue, job.image.shape(), job.seeds, job.progress, labels,
                  [&](PlacedSeeds::Range seeds, auto& region) { growth.grow(seeds, region); });
    return labels;
}

std::int64_t confidence_bytes(const Shape& shape, std::int64_t seeds, bool in_groups) {
    // Of labels or of bits, of which a row has a word at least.
    const std::int64_t groups = shape.points() / kernels::region_sums_part +
                                shape.points() / shape.x / kernels::region_sums_words + 1;
    return PredicateGrowth::bytes(shape, seeds, in_groups) + grow_by_label_bytes(shape) +
           24 * (groups + 1);
}

#define TESELA_INSTANTIATE(T)                                                              \
    template ValueSums region_sums(Queue&, const DeviceImage<const T>&,                    \
                                   const Buffer<std::uint32_t>&, const FixedPoint&);       \
    template ValueSums region_sums(Queue&, const DeviceImage<const T>&, const RegionBits&, \
                                   const FixedPoint&);                                     \
    template Buffer<std::uint32_t> grow_confidence(const GrowthJob<T>&,                    \
                                                   const ConfidenceGrowOptions&)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::uint16_t);
TESELA_INSTANTIATE(std::int16_t);
TESELA_INSTANTIATE(float);
#undef TESELA_INSTANTIATE

}  // namespace tesela
