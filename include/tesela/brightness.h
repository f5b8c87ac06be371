// Gray values and colors of any image on one scale, for methods that compare them.
#pragma once

#include <span>

#include "tesela/compute/device_image.h"
#include "tesela/compute/queue.h"
#include "tesela/image_view.h"
#include "tesela/value_range.h"

namespace tesela {

// One channel, of the same size: luma by ITU-R BT.601 (0.299 R + 0.587 G + 0.114 B) of images with
// three channels, the value of others; alpha is ignored. Unsigned integers are scaled so that their
// largest value is 1; other values stay as they are. Throws InvalidArgument for NaN and infinite
// values, with the place of the first, and UnsupportedFormat for other channel counts.
Image<float> brightness(const AnyImageView& image);

// The channels of the image without alpha, on the same scale: three of colors, one of others.
// Throws as above.
Image<float> unit_colors(const AnyImageView& image);

// The same with the lowest value of the range as 0 and the highest as 1; what lies more than one
// and a half ranges beyond is taken as there, so that a broken pixel does not rule its neighbors.
// Images that are compared need one range, such as used_range (tesela/value_range.h) of the first.
Image<float> brightness(const AnyImageView& image, const ValueRange& range);
Image<float> unit_colors(const AnyImageView& image, const ValueRange& range);

// Device level, with the bits of the host's; T is std::uint8_t, std::uint16_t, std::int16_t or
// float, of which a word is read back that says whether values are too large or not finite. Throws
// as above, and DeviceUnavailable where the device has no double precision.
template <class T>
DeviceImage<float> brightness(const DeviceImage<const T>& image, Queue& queue);

// Of images of one size, one after the other along the time axis: frames for the device levels of
// methods of flow.
template <class T>
using DeviceFrames = std::span<const DeviceImage<const T>* const>;
template <class T>
DeviceImage<float> brightness(DeviceFrames<T> images, const ValueRange& range, Queue& queue);
template <class T>
DeviceImage<float> unit_colors(DeviceFrames<T> images, const ValueRange& range, Queue& queue);

}  // namespace tesela
