#include "tesela/merge.h"

#include <algorithm>
#include <limits>
#include <string>

#include "core/point_text.h"
#include "tesela/error.h"

namespace tesela {
namespace {

// What the axis has of it: channels, slices or time points.
std::int64_t length_of(const Shape& shape, MergedAxis along) {
    return along == MergedAxis::channel ? shape.channels
           : along == MergedAxis::z     ? shape.z
                                        : shape.t;
}

void set_length(Shape& shape, MergedAxis along, std::int64_t length) {
    if (along == MergedAxis::channel)
        shape.channels = static_cast<int>(length);
    else
        (along == MergedAxis::z ? shape.z : shape.t) = length;
}

void require_fit(const AnyImageView& first, const AnyImageView& image, std::size_t number,
                 MergedAxis along) {
    const auto refuse = [&](const std::string& why) {
        throw InvalidArgument("image " + std::to_string(number) + " " + why);
    };
    if (image.pixel_type() != first.pixel_type())
        refuse("has pixels of " + std::string(pixel_type_name(image.pixel_type())) +
               ", and the first of " + std::string(pixel_type_name(first.pixel_type())) +
               ": bring them to one type with 'image convert --image-type'");
    Shape like_first = image.shape();
    set_length(like_first, along, length_of(first.shape(), along));
    if (like_first.channels != first.shape().channels)
        refuse("has " + std::to_string(like_first.channels) + " channels, and the first " +
               std::to_string(first.shape().channels));
    if (like_first != first.shape())
        refuse("is " + size_text(image.shape()) + ", and the first is " + size_text(first.shape()));
    if (along == MergedAxis::channel && image.has_alpha())
        refuse("has opacity, which is no channel to merge: choose its channels by --channel");
    if (image.has_alpha() != first.has_alpha())
        refuse(image.has_alpha() ? "has opacity, and the first has none"
                                 : "has no opacity, and the first has it");
    if (along == MergedAxis::z && image.shape().t > 1)
        refuse("has " + std::to_string(image.shape().t) +
               " time points: merge slices of one time point");
}

}  // namespace

AnyImage merge(std::span<const AnyImageView> images, MergedAxis along, const Progress& progress) {
    if (images.empty()) throw InvalidArgument("there is no image to merge");
    const AnyImageView& first = images.front();
    std::int64_t length = 0;
    for (std::size_t i = 0; i < images.size(); ++i) {
        require_fit(first, images[i], i + 1, along);
        length += length_of(images[i].shape(), along);
    }
    if (length > std::numeric_limits<std::int32_t>::max())
        throw InvalidArgument("the images have " + std::to_string(length) + " " +
                              std::string(enum_name(along)) + "s together, too many for an image");
    Shape shape = first.shape();
    set_length(shape, along, length);
    return first.visit([&]<class T>(const PixelView<T>& pixels) -> AnyImage {
        Image<T> merged(shape, pixels.geometry);
        merged.has_alpha = pixels.has_alpha;
        // Channels are merged point by point, slices and time points as a whole.
        const std::int64_t blocks = along == MergedAxis::channel ? shape.points() : 1;
        const std::int64_t stride = shape.elements() / blocks;
        T* into = merged.data();
        for (std::size_t i = 0; i < images.size(); ++i) {
            progress.report(static_cast<double>(i) / static_cast<double>(images.size()), "merge");
            const std::int64_t block = images[i].shape().elements() / blocks;
            const T* from = images[i].get_if<T>()->data();
            for (std::int64_t b = 0; b < blocks; ++b)
                std::copy_n(from + b * block, block, into + b * stride);
            into += block;
        }
        progress.report(1, "merge");
        return merged;
    });
}

}  // namespace tesela
