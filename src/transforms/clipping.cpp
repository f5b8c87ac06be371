// A. Foi, "Clipped noisy images: heteroskedastic modeling and practical denoising", Signal Process.
// 89(12), 2009.
#include "transforms/clipping.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

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

// The true distance from an end of a mean distance, both by sigma.
float true_distance(float distance) {
    static const auto table = [] {
        std::array<float, reach * steps + 2> values;
        for (std::size_t k = 0; k < values.size(); ++k)
            values[k] = static_cast<float>(value_above_end(static_cast<double>(k) / steps));
        return values;
    }();
    if (distance >= reach) return distance;
    const float place = std::max(distance, 0.0f) * steps;
    const auto below = static_cast<std::size_t>(place);
    return table[below] + (place - static_cast<float>(below)) * (table[below + 1] - table[below]);
}

}  // namespace

ClippedEnds clipped_ends(std::span<const float> samples, double sigma) {
    // Of noise around the end itself half is at the end and a third within sigma.
    constexpr double least_beside = 0.25;
    const auto many = std::max<std::int64_t>(16, std::ssize(samples) / 100);
    const auto [lowest, highest] = std::minmax_element(samples.begin(), samples.end());
    const auto is_clipped_at = [&](float end) {
        std::int64_t at_end = 0, beside = 0;
        for (const float sample : samples) {
            at_end += sample == end;
            beside += sample != end && std::abs(sample - end) <= static_cast<float>(sigma);
        }
        return at_end >= many &&
               static_cast<double>(beside) >= least_beside * static_cast<double>(at_end);
    };
    ClippedEnds ends;
    if (is_clipped_at(*lowest)) ends.lowest = *lowest;
    if (is_clipped_at(*highest)) ends.highest = *highest;
    return ends;
}

void correct_clipping(std::span<float> means, const ClippedEnds& ends, double sigma) {
    const auto unit = static_cast<float>(sigma);
    for (float& mean : means) {
        if (ends.lowest) mean = *ends.lowest + unit * true_distance((mean - *ends.lowest) / unit);
        if (ends.highest)
            mean = *ends.highest - unit * true_distance((*ends.highest - mean) / unit);
    }
}

}  // namespace tesela
