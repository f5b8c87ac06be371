// Images as operations take and make them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "tesela/compute/device_image.h"
#include "tesela/compute/queue.h"
#include "tesela/image.h"
#include "tesela/image_view.h"
#include "tesela/label_table.h"

namespace tesela::operations {

// A picture, volume, mask, label map or field. Its pixels are on the host or in a buffer of a
// queue, and are its own or somebody's. Copies share them and keep them.
class ImageValue {
  public:
    // Pixels that somebody keeps, or their owner does. They are not copied.
    ImageValue(AnyImageView view) : view_(std::move(view)) {}  // NOLINT: it is an image
    // The same, of any strides: those that pixels do not have here take one copy.
    template <class T>
    ImageValue(const ImageView<T>& view, AnyImageView::Owner owner = {})  // NOLINT
        : ImageValue(AnyImageView(view, std::move(owner))) {
        const PixelView<std::remove_const_t<T>>& pixels = *view_->get_if<std::remove_const_t<T>>();
        if (pixels.data() != view.data())
            copied_bytes_ = static_cast<std::int64_t>(pixels.pixels().size_bytes());
    }
    ImageValue(AnyImage image);  // NOLINT
    template <class T>
    ImageValue(Image<T> image) : ImageValue(AnyImage(std::move(image))) {}  // NOLINT
    // Throws InvalidArgument for a buffer with fewer elements than the shape has.
    ImageValue(AnyDeviceView image);  // NOLINT
    template <class T>
    ImageValue(DeviceImage<T> image)  // NOLINT
        : ImageValue(AnyDeviceView(DeviceImage<const std::remove_const_t<T>>(std::move(image)))) {}

    const Shape& shape() const;
    const Geometry& geometry() const;
    PixelType pixel_type() const;
    bool has_alpha() const;

    // What was copied of a view because of its strides.
    std::int64_t copied_bytes() const { return copied_bytes_; }

    // Of a label map: what its labels stand for. Null: nobody said that it is one.
    const SharedLabelTable& label_table() const { return label_table_; }
    ImageValue with_labels(SharedLabelTable table) const;

    // Whether the pixels are on a device.
    bool is_resident() const { return resident_ != nullptr; }
    // Of pixels on the host. Throws InvalidArgument where they are on a device.
    const AnyImageView& view() const;
    // Of pixels of one type on the host. Throws InvalidArgument for another type, too.
    template <class T>
    const PixelView<T>& pixels() const {
        const auto* pixels = view().template get_if<T>();
        if (!pixels) throw_other_type(pixel_type_of<T>());
        return *pixels;
    }
    // Its own pixels on the host, of results. Throws InvalidArgument for those of somebody else,
    // and for another type.
    const AnyImage& image() const;
    template <class T>
    const Image<T>& image_of() const {
        if (pixel_type() != pixel_type_of<T>()) throw_other_type(pixel_type_of<T>());
        return std::get<Image<T>>(image());
    }
    // Of pixels on a device. Throws InvalidArgument where they are on the host.
    const AnyDeviceView& resident() const;
    // Throws InvalidArgument for another type, too.
    template <class T>
    const DeviceImage<const T>& resident_of() const {
        const auto* image = std::get_if<DeviceImage<const T>>(&resident());
        if (!image) throw_other_type(pixel_type_of<T>());
        return *image;
    }
    // The buffer's memory for a library that takes pointers, of pixels on a device. Throws
    // InvalidArgument for a buffer over memory that was lent (tesela::share).
    SharedMemory share() const;

  private:
    [[noreturn]] void throw_other_type(PixelType type) const;

    std::optional<AnyImageView> view_;
    std::shared_ptr<const AnyImage> image_;
    std::shared_ptr<const AnyDeviceView> resident_;
    SharedLabelTable label_table_;
    std::int64_t copied_bytes_ = 0;
};

// A copy on the host of pixels on a device of `queue`.
ImageValue download(const ImageValue& value, Queue& queue);
// A copy on the device of `queue` of pixels on the host.
ImageValue upload(const ImageValue& value, Queue& queue);

}  // namespace tesela::operations
