#include "operations/image_value.h"

#include <span>
#include <string>

#include "tesela/error.h"

namespace tesela::operations {

ImageValue::ImageValue(AnyImage image)
    : image_(std::make_shared<const AnyImage>(std::move(image))) {
    const AnyImage& kept = *image_;
    view_ = std::visit([this](const auto& typed) { return AnyImageView(PixelView(typed), image_); },
                       kept);
}

ImageValue::ImageValue(AnyDeviceView image)
    : resident_(std::make_shared<const AnyDeviceView>(std::move(image))) {
    std::visit(
        [](const auto& there) {
            const std::int64_t needed = there.shape.elements();
            if (!there.pixels.block() || there.pixels.size() < needed)
                throw InvalidArgument("an image of " + std::to_string(needed) +
                                      " values is in a buffer of " +
                                      std::to_string(there.pixels.size()));
        },
        *resident_);
}

const Shape& ImageValue::shape() const {
    if (view_) return view_->shape();
    return std::visit([](const auto& image) -> const Shape& { return image.shape; }, *resident_);
}

const Geometry& ImageValue::geometry() const {
    if (view_) return view_->geometry();
    return std::visit([](const auto& image) -> const Geometry& { return image.geometry; },
                      *resident_);
}

PixelType ImageValue::pixel_type() const {
    return view_ ? view_->pixel_type() : static_cast<PixelType>(resident_->index());
}

bool ImageValue::has_alpha() const {
    if (view_) return view_->has_alpha();
    return std::visit([](const auto& image) { return image.has_alpha; }, *resident_);
}

ImageValue ImageValue::with_labels(SharedLabelTable table) const {
    ImageValue same = *this;
    same.label_table_ = std::move(table);
    return same;
}

const AnyImageView& ImageValue::view() const {
    if (!view_) throw InvalidArgument("the image is on a device: download it first");
    return *view_;
}

void ImageValue::throw_other_type(PixelType type) const {
    throw InvalidArgument("pixels are " + std::string(pixel_type_name(pixel_type())) + " where " +
                          std::string(pixel_type_name(type)) + " is needed");
}

const AnyImage& ImageValue::image() const {
    if (!image_) throw InvalidArgument("the pixels of the image are not its own: copy them first");
    return *image_;
}

const AnyDeviceView& ImageValue::resident() const {
    if (!resident_) throw InvalidArgument("the image is on the host: upload it first");
    return *resident_;
}

SharedMemory ImageValue::share() const {
    return std::visit(
        [this](const auto& image) {
            if (image.pixels.block()->is_callers())
                throw InvalidArgument("the image lies in memory that was lent: share what lent it");
            return SharedMemory{image.pixels.block()->pointer(), image.pixels.bytes(), resident_};
        },
        resident());
}

ImageValue download(const ImageValue& value, Queue& queue) {
    return std::visit(
        [&]<class T>(const DeviceImage<const T>& image) {
            auto copy = Image<T>::unwritten(image.shape, image.geometry);
            copy.has_alpha = image.has_alpha;
            queue.read(image.pixels, std::span(copy.pixels()));
            return ImageValue(std::move(copy)).with_labels(value.label_table());
        },
        value.resident());
}

ImageValue upload(const ImageValue& value, Queue& queue) {
    return value.view().visit([&]<class T>(const PixelView<T>& pixels) {
        return ImageValue(DeviceImage<T>{queue.upload(pixels.pixels(), "image"), pixels.shape(),
                                         pixels.geometry, pixels.has_alpha})
            .with_labels(value.label_table());
    });
}

}  // namespace tesela::operations
