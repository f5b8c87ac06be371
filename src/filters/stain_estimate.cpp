// Stain vectors: those of the literature, and Macenko's estimate.
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/vectors.h"
#include "filters/stain.h"
#include "filters/stained_pixels.h"

namespace tesela {
namespace {

using detail::dot;
using detail::length;

StainVector unit(const StainVector& v) {
    const double l = length(v);
    return {v[0] / l, v[1] / l, v[2] / l};
}

// The densities of stained pixels on a regular grid of at most 2^20.
template <class T>
std::vector<StainVector> stained_densities(const PixelView<T>& image,
                                           const MacenkoOptions& options) {
    constexpr std::int64_t most = 1 << 20;
    const double full = sizeof(T) == 1 ? 255 : 65535;
    const double white = std::log10(options.white * full + 1);
    const std::int64_t points = image.shape().points(), step = (points + most - 1) / most;
    std::vector<StainVector> densities;
    for (std::int64_t i = 0; i < points; i += step) {
        const T* pixel = image.data() + i * image.shape().channels;
        StainVector density{};
        for (std::size_t c = 0; c < 3; ++c) density[c] = white - std::log10(pixel[c] + 1.0);
        // By its length: eosin has next to no density in red.
        if (length(density) >= options.threshold) densities.push_back(density);
    }
    return densities;
}

ColorMatrix covariance(const std::vector<StainVector>& densities) {
    StainVector mean{};
    const auto count = static_cast<double>(densities.size());
    for (const StainVector& d : densities)
        for (std::size_t c = 0; c < 3; ++c) mean[c] += d[c] / count;
    ColorMatrix matrix{};
    for (const StainVector& d : densities)
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < 3; ++j)
                matrix[i][j] += (d[i] - mean[i]) * (d[j] - mean[j]) / count;
    return matrix;
}

// Turns the axes i and j so that their element vanishes (Jacobi's method).
void turn(ColorMatrix& a, ColorMatrix& vectors, std::size_t i, std::size_t j) {
    if (a[i][j] == 0) return;
    const double angle = 0.5 * std::atan2(2 * a[i][j], a[j][j] - a[i][i]);
    const double c = std::cos(angle), s = std::sin(angle);
    for (std::size_t k = 0; k < 3; ++k) {
        const double x = a[k][i], y = a[k][j];
        a[k][i] = c * x - s * y;
        a[k][j] = s * x + c * y;
    }
    for (std::size_t k = 0; k < 3; ++k) {
        const double x = a[i][k], y = a[j][k];
        a[i][k] = c * x - s * y;
        a[j][k] = s * x + c * y;
        const double u = vectors[i][k], v = vectors[j][k];
        vectors[i][k] = c * u - s * v;
        vectors[j][k] = s * u + c * v;
    }
}

// The two directions in which densities spread most, each towards positive densities.
std::array<StainVector, 2> principal_plane(ColorMatrix matrix) {
    ColorMatrix vectors{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    constexpr int sweeps = 20;  // converges within six
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        turn(matrix, vectors, 0, 1);
        turn(matrix, vectors, 0, 2);
        turn(matrix, vectors, 1, 2);
    }
    std::array<std::size_t, 3> order{0, 1, 2};
    std::sort(order.begin(), order.end(),
              [&](std::size_t i, std::size_t j) { return matrix[i][i] > matrix[j][j]; });
    std::array<StainVector, 2> plane{vectors[order[0]], vectors[order[1]]};
    for (StainVector& axis : plane)
        if (axis[0] + axis[1] + axis[2] < 0) axis = {-axis[0], -axis[1], -axis[2]};
    return plane;
}

// The value that `percent` of all are at most.
double percentile(std::vector<double>& values, double percent) {
    const auto place = static_cast<std::ptrdiff_t>(
        std::llround(percent / 100 * static_cast<double>(values.size() - 1)));
    std::nth_element(values.begin(), values.begin() + place, values.end());
    return values[static_cast<std::size_t>(place)];
}

std::array<StainVector, 2> extreme_vectors(const std::vector<StainVector>& densities,
                                           double extreme) {
    const std::array<StainVector, 2> plane = principal_plane(covariance(densities));
    std::vector<double> angles;
    angles.reserve(densities.size());
    for (const StainVector& d : densities)
        angles.push_back(std::atan2(dot(d, plane[1]), dot(d, plane[0])));
    std::array<StainVector, 2> found{};
    for (std::size_t i = 0; i < 2; ++i) {
        const double angle = percentile(angles, i == 0 ? extreme : 100 - extreme);
        for (std::size_t c = 0; c < 3; ++c)
            found[i][c] = plane[0][c] * std::cos(angle) + plane[1][c] * std::sin(angle);
        found[i] = unit(found[i]);
    }
    if (found[0][0] < found[1][0]) std::swap(found[0], found[1]);
    return found;
}

}  // namespace

StainMatrix stain_matrix(StainSet set) {
    const StainVector hematoxylin = unit({0.65, 0.70, 0.29});
    if (set == StainSet::hdab) return {.stains = {hematoxylin, unit({0.27, 0.57, 0.78})}};
    return {.stains = {hematoxylin, unit({0.07, 0.99, 0.11})}};
}

StainMatrix estimate_stains(const AnyImageView& image, const MacenkoOptions& options) {
    validate_options(options);
    const std::vector<StainVector> densities =
        with_colors(image, [&](const auto& pixels) { return stained_densities(pixels, options); });
    constexpr std::size_t fewest = 100;
    if (densities.size() < fewest)
        throw InvalidArgument("only " + std::to_string(densities.size()) +
                              " pixels are stained, too few for an estimate of the stains; lower "
                              "--threshold or take a set of stains");
    StainMatrix matrix{.stains = extreme_vectors(densities, options.extreme),
                       .white = {options.white, options.white, options.white}};
    const ColorMatrix inverse = amounts_of_densities(matrix);
    for (std::size_t stain = 0; stain < 2; ++stain) {
        std::vector<double> amounts;
        amounts.reserve(densities.size());
        for (const StainVector& d : densities)
            amounts.push_back(d[0] * inverse[0][stain] + d[1] * inverse[1][stain] +
                              d[2] * inverse[2][stain]);
        matrix.strength[stain] = percentile(amounts, 100 - options.extreme);
    }
    return matrix;
}

std::optional<StainMatrix> known_stains(const StainOptions& options) {
    if (options.stains == StainChoice::macenko) return {};
    StainMatrix matrix =
        stain_matrix(options.stains == StainChoice::he ? StainSet::he : StainSet::hdab);
    matrix.white = {options.white, options.white, options.white};
    return matrix;
}

StainMatrix stains_of(const AnyImageView& image, const StainOptions& options) {
    if (const auto known = known_stains(options)) return *known;
    return estimate_stains(image, options);
}

}  // namespace tesela
