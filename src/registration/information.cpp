#include "registration/information.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "kernels/registration/mutual_information.kernel.h"

namespace tesela {
namespace {

constexpr std::size_t bins = kernels::information_bins, cells = kernels::information_cells;

// Calls `add(cell, weight)` for the cells of fixed bins that a cubic B-spline as Parzen window
// (P. Thévenaz, M. Unser, 2000) spreads a bin to, clamped at the border.
template <class Add>
void for_neighbors(std::size_t cell, const Add& add) {
    constexpr std::array kernel{1.0 / 6, 4.0 / 6, 1.0 / 6};
    for (std::size_t k = 0; k < kernel.size(); ++k) {
        const std::size_t bin = std::clamp<std::size_t>(cell / bins + k, 1, bins) - 1;
        add(bin * bins + cell % bins, kernel[k]);
    }
}
std::vector<double> smoothed(const std::vector<double>& values) {
    std::vector<double> smooth(cells);
    for (std::size_t i = 0; i < cells; ++i)
        for_neighbors(i, [&](std::size_t to, double weight) { smooth[to] += weight * values[i]; });
    return smooth;
}
// From derivatives by smoothed values to those by the values.
std::vector<double> before_smoothing(const std::vector<double>& derivatives) {
    std::vector<double> before(cells);
    for (std::size_t i = 0; i < cells; ++i)
        for_neighbors(
            i, [&](std::size_t to, double weight) { before[i] += weight * derivatives[to]; });
    return before;
}

double entropy(const std::vector<double>& shares) {
    double sum = 0;
    for (const double share : shares)
        if (share > 0) sum -= share * std::log(share);
    return sum;
}

}  // namespace

MutualInformation mutual_information(const std::vector<std::uint32_t>& counts,
                                     RegistrationMeasure measure) {
    const bool is_normalized = measure == RegistrationMeasure::nmi;
    MutualInformation result;
    result.pointwise.resize(cells);
    result.gains.resize(cells);
    std::vector<double> joint(counts.begin(), counts.end()), fixed(bins), moving(bins);
    if (is_normalized) joint = smoothed(joint);
    const double total = std::max(std::accumulate(joint.begin(), joint.end(), 0.0), 1.0);
    constexpr double of_point = kernels::information_unit;
    result.points = total / of_point;
    for (std::size_t i = 0; i < cells; ++i) {
        joint[i] /= total;
        fixed[i / bins] += joint[i];
        moving[i % bins] += joint[i];
    }
    const double both = entropy(joint), apart = entropy(fixed) + entropy(moving);
    if (both <= 0) return result;
    const double information = std::max(0.0, apart - both), ratio = apart / both;
    result.value = is_normalized ? ratio : information;
    result.correlation = std::sqrt(1 - std::exp(-2 * information));
    std::vector<double> gains(cells);
    constexpr double least = 1e-7;  // of all points, so that empty cells have a logarithm
    for (std::size_t i = 0; i < cells; ++i) {
        const double of_both = std::log(joint[i] + least);
        const double of_moving = std::log(moving[i % bins] + least);
        result.pointwise[i] =
            static_cast<float>(of_both - of_moving - std::log(fixed[i / bins] + least));
        gains[i] = (is_normalized ? ratio : 1) * of_both - of_moving;
    }
    if (is_normalized) gains = before_smoothing(gains);
    result.gains.assign(gains.begin(), gains.end());
    return result;
}

std::uint16_t information_row(float fixed) {
    return static_cast<std::uint16_t>(kernels::fixed_bin(fixed) * kernels::information_bins);
}
std::uint16_t information_column(float moving) {
    return static_cast<std::uint16_t>(std::lround(kernels::moving_position(moving)));
}

}  // namespace tesela
