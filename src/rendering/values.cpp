#include "rendering/values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace tesela::rendering {
namespace {

constexpr std::int64_t most_values = 1 << 20;

double at_share(std::vector<double>& values, double share) {
    const auto place = values.begin() +
                       static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), place, values.end());
    return *place;
}

}  // namespace

void set_percentiles(std::vector<double> values, ValueStatistics& statistics) {
    statistics.percentile_1 = at_share(values, 0.01);
    statistics.percentile_99 = at_share(values, 0.99);
}

template <class T>
ValueStatistics statistics_of(const PixelSource<T>& volume) {
    if (volume.shape().channels == 3) return {0, 255, 0, 255};
    const std::span<const T> pixels = volume.pixels();
    // An odd stride meets all columns.
    const std::size_t stride = pixels.size() <= most_values ? 1 : pixels.size() / most_values | 1;
    std::vector<double> values;
    T lowest = std::numeric_limits<T>::max(), highest = std::numeric_limits<T>::lowest();
    for (std::size_t i = 0; i < pixels.size(); ++i) {
        if (!std::isfinite(static_cast<double>(pixels[i]))) continue;
        lowest = std::min(lowest, pixels[i]);
        highest = std::max(highest, pixels[i]);
        if (i % stride == 0) values.push_back(static_cast<double>(pixels[i]));
    }
    if (lowest > highest) return ValueStatistics{};  // nothing is finite
    if (values.empty()) values.push_back(static_cast<double>(lowest));
    ValueStatistics statistics{static_cast<double>(lowest), static_cast<double>(highest)};
    set_percentiles(std::move(values), statistics);
    return statistics;
}

#define TESELA_INSTANTIATE(T) template ValueStatistics statistics_of(const PixelSource<T>&)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::int8_t);
TESELA_INSTANTIATE(std::uint16_t);
TESELA_INSTANTIATE(std::int16_t);
TESELA_INSTANTIATE(std::uint32_t);
TESELA_INSTANTIATE(std::int32_t);
TESELA_INSTANTIATE(float);
TESELA_INSTANTIATE(double);
#undef TESELA_INSTANTIATE

}  // namespace tesela::rendering
