// Parts of an image and other orders of its pixels: boxes, mirrored and turned images.
//
// Where the spacing is known, pixels keep their places in space: origin and direction change with
// the order of the pixels, so that a mirrored head is stored the other way round and still has its
// left side on the left.
#pragma once

#include <array>
#include <cstdint>

#include "tesela/compute/device_image.h"
#include "tesela/compute/queue.h"
#include "tesela/image_view.h"
#include "tesela/progress.h"

namespace tesela {

// Of x, y and z; the size of axes that an image does not have is 1.
struct PixelBox {
    std::array<std::int64_t, 3> first{0, 0, 0}, size{1, 1, 1};
    bool operator==(const PixelBox&) const = default;
};

// The pixels that are not 0 in any channel or at any time, and `margin` more on each side, as far
// as the image goes. Throws InvalidArgument where all are 0.
PixelBox box_of_nonzero(const AnyImageView& image, const std::array<std::int64_t, 3>& margin = {});

// Which pixel of an image stands where in another one. Steps are taken one after the other; no
// pixel is touched before `rearrange`.
class Arrangement {
  public:
    // Every pixel where it is.
    Arrangement(const Shape& shape, const Geometry& geometry, bool has_alpha = false);
    explicit Arrangement(const AnyImageView& image)
        : Arrangement(image.shape(), image.geometry(), image.has_alpha()) {}

    // Throws InvalidArgument for a box that is not inside the image.
    Arrangement& crop(const PixelBox& box);
    // The other way round along x, y or z, which are axes 0, 1 and 2.
    Arrangement& flip(int axis);
    // Quarters of a turn about an axis, counterclockwise where the first of the two other axes
    // points to the right and the second one down; about z as a picture is shown.
    Arrangement& turn(int quarters, int axis = 2);

    const Shape& shape() const { return shape_; }
    const Geometry& geometry() const { return geometry_; }
    bool has_alpha() const { return has_alpha_; }
    // Elements of the image: the one that comes first, and the way to the next one along x, y, z
    // and t.
    std::int64_t first() const { return first_; }
    const std::array<std::int64_t, 4>& strides() const { return strides_; }

  private:
    void move_origin(const std::array<double, 3>& pixels);
    void transpose(int a, int b);

    Shape shape_;
    Geometry geometry_;
    bool has_alpha_;
    std::int64_t first_ = 0;
    std::array<std::int64_t, 4> strides_;
};

// `arrangement` is one of the image. Up to `threads` threads copy, 0: all of the CPU. Throws
// OutOfMemory, Cancelled.
AnyImage rearrange(const AnyImageView& image, const Arrangement& arrangement, int threads = 0,
                   const Progress& progress = {});
// Pixels in a buffer, in any order: the element that comes first, the elements of a value, which
// are neighbors, and the way to the next value along t, z, y, x and channel.
struct PixelSteps {
    std::int64_t first = 0;
    int elements = 1;
    std::array<std::int64_t, 5> strides{};
};
// Device level: they are copied in the order of an image of the shape. T is std::uint8_t,
// std::uint16_t or std::uint32_t. Throws InvalidArgument for an image in time whose channels are
// apart.
template <class T>
Buffer<T> gather(const Buffer<const T>& pixels, const PixelSteps& steps, const Shape& shape,
                 Queue& queue);
// Device level; T is std::uint8_t, std::uint16_t, std::int16_t, std::uint32_t or float. Nothing is
// transferred.
template <class T>
DeviceImage<T> rearrange(const DeviceImage<const T>& image, const Arrangement& arrangement,
                         Queue& queue);

}  // namespace tesela
