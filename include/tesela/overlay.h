// Pictures of a segmentation: region boundaries drawn on the image, regions in colors, and in their
// means.
//
// A 2-D image gives a picture of its own size. A volume gives its three middle slices side by side,
// axial, coronal and sagittal, in true proportions: each voxel becomes as many pixels as its
// spacing asks for (nearest neighbor). Where the volume knows its place in the patient, slices are
// shown as radiologists do: the patient's right on the left, the front at the top of the axial
// slice and on the left of the sagittal one, the head on top of the other two. Otherwise axes are
// shown as stored. Of a time series the first point is shown.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "tesela/image.h"

namespace tesela {

using Rgb = std::array<std::uint8_t, 3>;

// Boundaries, one pixel wide, on the image: a pixel is drawn in `color` where its right or lower
// neighbor has another label. Gray images, and colors of more than 8 bits, are windowed from the
// 1st to the 99th percentile of their finite values; alpha is ignored. Throws InvalidArgument where
// the shapes differ. Both pictures show the middle frame of an image with a time axis.
Image<std::uint8_t> boundary_overlay(const AnyImage& image, const LabelImage& labels,
                                     const Rgb& color = {255, 255, 0});

// The image with each region in the mean of its pixels, rounded for integers; alpha, and pixels
// with label 0, as they are. Throws InvalidArgument where the shapes differ.
AnyImage region_means(const AnyImage& image, const LabelImage& labels);

// Each pixel in the color that `color_of` gives its label.
Image<std::uint8_t> label_picture(const LabelImage& labels,
                                  const std::function<Rgb(std::uint32_t)>& color_of);

}  // namespace tesela
