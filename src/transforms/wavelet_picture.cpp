#include "tesela/wavelet_picture.h"

#include <algorithm>
#include <cmath>

#include "transforms/packet_tree.h"

namespace tesela {
namespace {

// White lines at the first column and row of each band of packets that has room for them.
void outline_packets(const WaveletForm& form, Image<std::uint8_t>& picture) {
    constexpr std::uint8_t white = 255;
    constexpr std::int64_t least = 4;
    const PacketTree tree(form.shape, form.options.levels);
    const std::int64_t cell_x = picture.shape().x / tree.cells()[0],
                       cell_y = picture.shape().y / tree.cells()[1];
    tree.for_leaves(form.leaves, tree.whole(), [&](const PacketBand& band) {
        if (band.first[2] > 0) return;
        const std::int64_t x = band.first[0] * cell_x, y = band.first[1] * cell_y,
                           wide = band.cells[0] * cell_x, high = band.cells[1] * cell_y;
        if (x > 0 && wide >= least)
            for (std::int64_t i = 0; i < high; ++i) picture(x, y + i) = white;
        if (y > 0 && high >= least)
            for (std::int64_t i = 0; i < wide; ++i) picture(x + i, y) = white;
    });
}

}  // namespace

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
    // Outlines are brighter than what they enclose.
    const double brightest = coefficients.leaves.empty() ? 255 : 200;
    if (highest > 0)
        std::transform(
            magnitudes.begin(), magnitudes.end(), picture.pixels().begin(), [&](double value) {
                return static_cast<std::uint8_t>(std::lround(brightest * value / highest));
            });
    if (!coefficients.leaves.empty()) outline_packets(coefficients, picture);
    return picture;
}

}  // namespace tesela
