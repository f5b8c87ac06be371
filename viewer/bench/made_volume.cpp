#include "viewer/bench/made_volume.h"

#include <cmath>

namespace tesela::viewer::bench {

Image<std::uint16_t> made_volume(std::int64_t side) {
    Image<std::uint16_t> volume({side, side, side}, {.unit = Unit::millimeter});
    std::uint32_t state = 1;
    const double half = static_cast<double>(side - 1) / 2;
    for (std::int64_t z = 0; z < side; ++z)
        for (std::int64_t y = 0; y < side; ++y)
            for (std::int64_t x = 0; x < side; ++x) {
                const double u = (double(x) - half) / half, v = (double(y) - half) / half,
                             w = (double(z) - half) / half, r = std::hypot(u, v, w);
                state = state * 1664525u + 1013904223u;
                double value = r > 0.95 ? 0 : r > 0.88 ? 1500 : 400;
                if (r < 0.85 &&
                    std::hypot(u - 0.4 * std::sin(5 * w), v - 0.4 * std::cos(7 * w)) < 0.03)
                    value = 2500;
                if (r <= 0.95) value += state >> 26;
                volume(x, y, z) = static_cast<std::uint16_t>(value);
            }
    return volume;
}

}  // namespace tesela::viewer::bench
