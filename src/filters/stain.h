// Optical densities of stained images on a device: what tesela/stain.h does to whole images, for
// pixels that are there already.
#pragma once

#include <array>
#include <cstdint>

#include "tesela/compute/queue.h"
#include "tesela/stain.h"

namespace tesela {

// A 3 x 3 matrix by rows.
using ColorMatrix = std::array<std::array<double, 3>, 3>;

// Densities times these are amounts of both stains and of the rest. Throws InvalidArgument.
ColorMatrix amounts_of_densities(const StainMatrix& matrix);
// Densities times these are densities after normalize_stains, and of stain_picture.
ColorMatrix normalized_densities(const StainMatrix& from, const StainMatrix& to);
ColorMatrix densities_of_one(const StainMatrix& matrix, int stain);

// The optical density of each value of T, std::uint8_t or std::uint16_t, one table a channel.
template <class T>
Buffer<float> density_table(Queue& queue, const std::array<double, 3>& white);

// amounts = densities of a pixel times `matrix`, three values a pixel. Pixels have `stride` values,
// the first three of which are R, G and B.
template <class T>
void stain_amounts(Queue& queue, const Buffer<const T>& pixels, int stride,
                   const Buffer<float>& table, const ColorMatrix& matrix, Buffer<float>& amounts);

// Pixels whose densities, on the background `white`, are those of `pixels` times `matrix`. A fourth
// value is kept.
template <class T>
void recolor(Queue& queue, const Buffer<const T>& pixels, int stride, const Buffer<float>& table,
             const ColorMatrix& matrix, const std::array<double, 3>& white, Buffer<T>& recolored);

}  // namespace tesela
