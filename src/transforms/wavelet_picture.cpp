#include "tesela/wavelet_picture.h"

#include <algorithm>
#include <cmath>

namespace tesela {

Image<std::uint8_t> wavelet_picture(const WaveletCoefficients& coefficients) {
    const Shape& shape = shape_of(coefficients.values);
    const int channels = shape.channels - (coefficients.has_alpha ? 1 : 0);
    // The middle slice of the low part.
    const std::int64_t slice = shape.z >> (coefficients.options.levels + 1);
    Image<std::uint8_t> picture({shape.x, shape.y});
    std::vector<double> magnitudes;
    std::visit(
        [&](const auto& values) {
            for (std::int64_t y = 0; y < shape.y; ++y)
                for (std::int64_t x = 0; x < shape.x; ++x) {
                    double largest = 0;
                    for (int c = 0; c < channels; ++c)
                        largest = std::max(
                            largest, std::abs(static_cast<double>(values(x, y, slice, 0, c))));
                    magnitudes.push_back(std::log1p(largest));
                }
        },
        coefficients.values);
    const double highest = *std::max_element(magnitudes.begin(), magnitudes.end());
    if (highest > 0)
        std::transform(magnitudes.begin(), magnitudes.end(), picture.pixels().begin(),
                       [&](double value) {
                           return static_cast<std::uint8_t>(std::lround(255 * value / highest));
                       });
    return picture;
}

}  // namespace tesela
