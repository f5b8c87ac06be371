#include "filters/stain.h"

#include <cmath>
#include <type_traits>
#include <vector>

#include "core/vectors.h"
#include "kernels/filters/stain.kernel.h"

namespace tesela {
namespace {

template <class T>
constexpr int levels = std::is_same_v<T, std::uint8_t> ? 256 : 65536;

using detail::cross;
using detail::dot;
using detail::operator*;

// The density that `white` has below the highest value.
double white_density(double white, double full) {
    return std::log10((full + 1) / (white * full + 1));
}

kernels::stain_weights weights_of(const ColorMatrix& matrix) {
    kernels::stain_weights weights{};
    for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t c = 0; c < 3; ++c) weights.m[3 * k + c] = static_cast<float>(matrix[k][c]);
    return weights;
}

void check_white(const std::array<double, 3>& white) {
    for (const double share : white)
        if (!(share > 0 && share <= 1))
            throw InvalidArgument("a background of " + detail::shown(share) +
                                  " of the full range cannot be; it is above 0 and at most 1");
}

}  // namespace

ColorMatrix amounts_of_densities(const StainMatrix& matrix) {
    const StainVector &a = matrix.stains[0], &b = matrix.stains[1];
    const StainVector normal = cross(a, b);
    const double square = dot(normal, normal);
    // Of vectors of length 1: the square of the sine of the angle between them, 0.6 degrees.
    constexpr double least = 1e-4;
    if (!(square > least * dot(a, a) * dot(b, b)) || !std::isfinite(square))
        throw InvalidArgument("the two stains have the same color, so they cannot be told apart");
    // Columns of the inverse of the rows a, b and their normal of length 1.
    const StainVector of_a = 1 / square * cross(b, normal);
    const StainVector of_b = 1 / square * cross(normal, a);
    const StainVector of_rest = 1 / std::sqrt(square) * normal;
    ColorMatrix inverse{};
    for (std::size_t k = 0; k < 3; ++k) inverse[k] = {of_a[k], of_b[k], of_rest[k]};
    return inverse;
}

ColorMatrix normalized_densities(const StainMatrix& from, const StainMatrix& to) {
    const ColorMatrix amounts = amounts_of_densities(from);
    ColorMatrix densities{};
    for (std::size_t stain = 0; stain < 2; ++stain) {
        const double ratio = to.strength[stain] / from.strength[stain];
        if (!(ratio > 0 && std::isfinite(ratio)))
            throw InvalidArgument("the strengths of stains are above 0");
        for (std::size_t k = 0; k < 3; ++k)
            for (std::size_t c = 0; c < 3; ++c)
                densities[k][c] += amounts[k][stain] * ratio * to.stains[stain][c];
    }
    return densities;
}

ColorMatrix densities_of_one(const StainMatrix& matrix, int stain) {
    const auto index = static_cast<std::size_t>(stain);
    if (index > 1) throw InvalidArgument("stains are numbered 0 and 1");
    const ColorMatrix amounts = amounts_of_densities(matrix);
    ColorMatrix densities{};
    for (std::size_t k = 0; k < 3; ++k) densities[k] = amounts[k][index] * matrix.stains[index];
    return densities;
}

template <class T>
Buffer<float> density_table(Queue& queue, const std::array<double, 3>& white) {
    check_white(white);
    std::vector<float> table;
    for (const double share : white)
        for (int value = 0; value < levels<T>; ++value)
            table.push_back(
                static_cast<float>(std::log10((share * (levels<T> - 1) + 1) / (value + 1))));
    return queue.upload(std::span<const float>(table), "optical densities");
}

template <class T>
void stain_amounts(Queue& queue, const Buffer<const T>& pixels, int stride,
                   const Buffer<float>& table, const ColorMatrix& matrix, Buffer<float>& amounts) {
    const Range points{pixels.size() / stride};
    const kernels::stain_weights weights = weights_of(matrix);
    if constexpr (levels<T> == 256)
        queue.launch(kernels::stain_amounts_u8, points, pixels, table, amounts, stride, weights);
    else
        queue.launch(kernels::stain_amounts_u16, points, pixels, table, amounts, stride, weights);
}

template <class T>
void recolor(Queue& queue, const Buffer<const T>& pixels, int stride, const Buffer<float>& table,
             const ColorMatrix& matrix, const std::array<double, 3>& white, Buffer<T>& recolored) {
    check_white(white);
    const Range points{pixels.size() / stride};
    kernels::stain_weights weights = weights_of(matrix);
    for (std::size_t c = 0; c < 3; ++c)
        weights.white[c] = static_cast<float>(white_density(white[c], levels<T> - 1));
    if constexpr (levels<T> == 256)
        queue.launch(kernels::stain_recolor_u8, points, pixels, table, recolored, stride, weights);
    else
        queue.launch(kernels::stain_recolor_u16, points, pixels, table, recolored, stride, weights);
}

template Buffer<float> density_table<std::uint8_t>(Queue&, const std::array<double, 3>&);
template Buffer<float> density_table<std::uint16_t>(Queue&, const std::array<double, 3>&);
template void stain_amounts(Queue&, const Buffer<const std::uint8_t>&, int, const Buffer<float>&,
                            const ColorMatrix&, Buffer<float>&);
template void stain_amounts(Queue&, const Buffer<const std::uint16_t>&, int, const Buffer<float>&,
                            const ColorMatrix&, Buffer<float>&);
template void recolor(Queue&, const Buffer<const std::uint8_t>&, int, const Buffer<float>&,
                      const ColorMatrix&, const std::array<double, 3>&, Buffer<std::uint8_t>&);
template void recolor(Queue&, const Buffer<const std::uint16_t>&, int, const Buffer<float>&,
                      const ColorMatrix&, const std::array<double, 3>&, Buffer<std::uint16_t>&);

}  // namespace tesela
