#include "registration/information.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "kernels/registration/mutual_information.kernel.h"

namespace tesela {
namespace {

constexpr std::size_t bins = kernels::information_bins, cells = kernels::information_cells;

// Smooths rows or columns of cells by a cubic B-spline as Parzen window (P. Thévenaz, M. Unser,
// 2000), clamped at the border.
std::vector<double> smoothed(const std::vector<double>& values, std::size_t step) {
    constexpr std::array kernel{1.0 / 6, 4.0 / 6, 1.0 / 6};
    std::vector<double> smooth(cells);
    for (std::size_t i = 0; i < cells; ++i) {
        const std::size_t at = i / step % bins;
        for (std::size_t k = 0; k < kernel.size(); ++k) {
            const std::size_t to = std::clamp<std::size_t>(at + k, 1, bins) - 1;
            smooth[i + (to - at) * step] += kernel[k] * values[i];
        }
    }
    return smooth;
}

double entropy(const std::vector<double>& shares) {
    double sum = 0;
    for (const double share : shares)
        if (share > 0) sum -= share * std::log(share);
    return sum;
}

// The smoothed joint distribution.
std::vector<double> shares_of(const std::vector<std::uint32_t>& counts) {
    const std::vector<double> plain(counts.begin(), counts.end());
    std::vector<double> shares = smoothed(smoothed(plain, 1), bins);
    const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (double& share : shares) share /= std::max(total, 1.0);
    return shares;
}

}  // namespace

MutualInformation mutual_information(const std::vector<std::uint32_t>& counts) {
    MutualInformation result;
    result.pointwise.resize(cells);
    result.gains.resize(cells);
    const std::vector<double> joint = shares_of(counts);
    std::vector<double> fixed(bins), moving(bins);
    for (std::size_t i = 0; i < cells; ++i) {
        fixed[i / bins] += joint[i];
        moving[i % bins] += joint[i];
    }
    const double both = entropy(joint), apart = entropy(fixed) + entropy(moving);
    if (both <= 0) return result;
    result.normalized = apart / both;
    result.correlation = std::sqrt(1 - std::exp(-2 * std::max(0.0, apart - both)));
    constexpr double least = 1e-7;  // of all points, so that empty cells have a logarithm
    std::vector<double> gained(cells);
    for (std::size_t i = 0; i < cells; ++i) {
        const double of_both = std::log(joint[i] + least);
        const double of_moving = std::log(moving[i % bins] + least);
        result.pointwise[i] =
            static_cast<float>(of_both - of_moving - std::log(fixed[i / bins] + least));
        // Proportional to the derivative of the normalized information by the share of a cell.
        gained[i] = result.normalized * of_both - of_moving;
    }
    for (std::size_t i = 0; i < cells; ++i) {
        const std::size_t last = i % bins > 0 ? i - 1 : i, next = i % bins < bins - 1 ? i + 1 : i;
        result.gains[i] =
            static_cast<float>((gained[next] - gained[last]) / static_cast<double>(next - last));
    }
    return result;
}

std::uint8_t information_bin(float value) {
    return static_cast<std::uint8_t>(
        std::lround(std::clamp(value, 0.0f, 1.0f) * static_cast<float>(bins - 1)));
}
std::size_t information_cell(std::uint8_t fixed, std::uint8_t moving) {
    return fixed * bins + moving;
}

}  // namespace tesela
