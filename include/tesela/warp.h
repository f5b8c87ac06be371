// Warping: images, labels, landmarks and outlines mapped by a transform.
#pragma once

#include <cstdint>
#include <optional>

#include "tesela/annotation.h"
#include "tesela/compute/device_image.h"
#include "tesela/compute/queue.h"
#include "tesela/image_view.h"
#include "tesela/landmarks.h"
#include "tesela/progress.h"
#include "tesela/tile_source.h"
#include "tesela/transform.h"

namespace tesela {

// Warps from the moving to the fixed image; with `inverse` from the fixed to the moving one.
struct WarpOptions {
    bool inverse = false;
    std::optional<double> outside = {};  // of pixels without a source; nothing: outside_value
};

// White of pictures in color, 0 of others.
double outside_value(const AnyImageView& image);
double outside_value(PixelType type, int channels);

// The grid of what is warped: that of the fixed image, or with `inverse` of the moving one. Throws
// InvalidArgument that names --like where the transform does not know it.
ImageGrid target_grid(const Transform& transform, bool inverse);

// An image resampled on the grid `target` by linear interpolation. Both are placed by their
// geometry; where that is unknown, by that of the transform's image of the same size. Throws
// InvalidArgument where dimensions do not fit, a transform in millimeters meets an image without
// spacing, or the transform folds, UnsupportedFormat for a time axis, OutOfMemory, Cancelled.
AnyImage warp(const AnyImageView& image, const Transform& transform, const ImageGrid& target,
              const WarpOptions& options, Queue& queue, const Progress& progress = {});
// Device level, of an image that is on the device; T is std::uint8_t, std::uint16_t, std::int16_t
// or float. The nodes of splines are uploaded; of float images a word is read back, which says
// whether values are too large for single precision.
template <class T>
DeviceImage<T> warp(const DeviceImage<const T>& image, const Transform& transform,
                    const ImageGrid& target, const WarpOptions& options, Queue& queue,
                    const Progress& progress = {});
// By the nearest pixel, so that no new labels appear; 0 outside.
LabelImage warp_labels(const LabelView& labels, const Transform& transform, const ImageGrid& target,
                       bool inverse, Queue& queue, const Progress& progress = {});
DeviceImage<std::uint32_t> warp_labels(const DeviceImage<const std::uint32_t>& labels,
                                       const Transform& transform, const ImageGrid& target,
                                       bool inverse, Queue& queue, const Progress& progress = {});
// Throws InvalidArgument for a transform that folds.
void require_invertible(const Transform& transform);
// A box of the grid `target` of a warped slide, from the coarsest level that is fine enough; labels
// by the nearest pixel. Throws as warp, but does not check whether the transform is invertible.
AnyImage warp_box(const TileSource& slide, const Transform& transform, const ImageGrid& target,
                  const TileBox& box, const WarpOptions& options, bool labels, Queue& queue);
std::int64_t warp_device_bytes(const AnyImageView& image, const ImageGrid& target);

// Landmarks of the moving image in the fixed one, or back.
Landmarks warp_landmarks(const Landmarks& landmarks, const Transform& transform, bool inverse);
// Adds points to edges, so that they are nowhere more than half a pixel from the curved edge.
Annotations warp_annotations(const Annotations& annotations, const Transform& transform,
                             bool inverse);

// Checkerboard of two images: where they are aligned, structures continue across its squares.
// Both have the same size. Pixels are shown between the lowest and highest value of each.
Image<std::uint8_t> checkerboard(const AnyImageView& first, const AnyImageView& second,
                                 int squares = 8);

}  // namespace tesela
