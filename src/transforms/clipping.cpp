// A. Foi, "Clipped noisy images: heteroskedastic modeling and practical denoising", Signal Process.
// 89(12), 2009.
#include "transforms/clipping.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>

#include "kernels/transforms/clipping.kernel.h"
#include "pixels/device_values.h"
#include "tesela/compute/primitives.h"

namespace tesela {
namespace {

constexpr int steps = 256, reach = 5;  // of the table: entries a unit, units; beyond, nothing moves

double normal_share(double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; }

// Mean of max(0, value + noise) with noise of deviation 1.
double mean_above_end(double value) {
    const double density = std::exp(-value * value / 2) / std::sqrt(2 * std::numbers::pi);
    return value * normal_share(value) + density;
}

// The inverse by Newton's steps, which come from above as the mean is convex.
double value_above_end(double mean) {
    if (mean <= mean_above_end(0)) return 0;
    double value = mean;
    for (int k = 0; k < 20; ++k) value -= (mean_above_end(value) - mean) / normal_share(value);
    return value;
}

// True distances from an end by mean distances, both by sigma.
std::span<const float> true_distances() {
    static const auto table = [] {
        std::array<float, reach * steps + 2> values;
        for (std::size_t k = 0; k < values.size(); ++k)
            values[k] = static_cast<float>(value_above_end(static_cast<double>(k) / steps));
        return values;
    }();
    return table;
}

}  // namespace

ClippedEnds clipped_ends(Queue& queue, const Buffer<float>& samples, double sigma) {
    // Of noise around the end itself half is at the end and a third within sigma.
    constexpr double least_beside = 0.25;
    const std::int64_t many = std::max<std::int64_t>(16, samples.size() / 100);
    auto marks = queue.allocate<std::uint32_t>(samples.size(), "samples at an end");
    auto sum = queue.allocate<std::uint32_t>(1, "samples at an end");
    const auto count = [&](double end, bool beside) -> std::int64_t {
        queue.launch(kernels::clipping_marks, Range{samples.size()}, samples, marks,
                     static_cast<float>(end), static_cast<float>(sigma), std::int32_t{beside});
        reduce(queue, ReduceOperation::sum, marks, samples.size(), sum);
        return queue.download(sum).front();
    };
    const auto clipped_at = [&](double end) -> std::optional<float> {
        const std::int64_t at_end = count(end, false);
        if (at_end >= many &&
            static_cast<double>(count(end, true)) >= least_beside * static_cast<double>(at_end))
            return static_cast<float>(end);
        return {};
    };
    const ValueRange range = range_of(queue, samples);
    return {clipped_at(range.lowest), clipped_at(range.highest)};
}

void correct_clipping(Queue& queue, Buffer<float>& means, std::int64_t first, std::int64_t count,
                      const ClippedEnds& ends, double sigma) {
    if (!ends.lowest && !ends.highest) return;
    const auto table = queue.upload(true_distances(), "distances from an end");
    const auto correct = [&](float end, double unit) {
        queue.launch(kernels::clipping_correct, Range{count}, means, table, first, end,
                     static_cast<float>(unit), static_cast<float>(steps),
                     static_cast<float>(reach));
    };
    if (ends.lowest) correct(*ends.lowest, sigma);
    if (ends.highest) correct(*ends.highest, -sigma);
}

}  // namespace tesela
