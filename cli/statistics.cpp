#include "statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tesela::cli {

ValueStatistics value_statistics(const AnyImage& any) {
    ValueStatistics s;
    s.lowest = std::numeric_limits<double>::infinity();
    s.highest = -s.lowest;
    std::visit(
        [&](const auto& image) {
            const std::size_t channels = static_cast<std::size_t>(image.shape().channels);
            const std::size_t used = channels - (image.has_alpha && channels > 1 ? 1 : 0);
            const auto& pixels = image.pixels();
            for (std::size_t first = 0; first < pixels.size(); first += channels)
                for (std::size_t c = 0; c < used; ++c) {
                    const double value = static_cast<double>(pixels[first + c]);
                    s.nan += std::isnan(value);
                    s.infinite += std::isinf(value);
                    if (!std::isfinite(value)) continue;
                    ++s.finite;
                    s.lowest = std::min(s.lowest, value);
                    s.highest = std::max(s.highest, value);
                }
        },
        any);
    return s;
}

}  // namespace tesela::cli
