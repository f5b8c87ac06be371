#include "core/single_precision.h"
#include "tesela/error.h"
#include "transforms/zernike_sums.h"

namespace tesela {

Image<float> zernike_plane(const AnyImageView& image, std::vector<std::string>& warnings) {
    const Shape& shape = image.shape();
    const int colors = shape.channels - (image.has_alpha() ? 1 : 0);
    if (colors != 1 && colors != 3)
        throw UnsupportedFormat(
            "Zernike moments are of images with 1 or 3 channels and alpha; this one has " +
            std::to_string(shape.channels) + " channels");
    if (image.has_alpha()) warnings.push_back("alpha is ignored");
    require_values(image, largest_squared);
    Image<float> plane({shape.x, shape.y}, image.geometry());
    image.visit([&](const auto& pixels) {
        for (std::int64_t i = 0; i < shape.points(); ++i) {
            const auto* pixel = pixels.data() + i * shape.channels;
            const auto value = [&](int c) { return static_cast<double>(pixel[c]); };
            // Luma by ITU-R BT.601.
            const auto gray = static_cast<float>(
                colors == 1 ? value(0) : 0.299 * value(0) + 0.587 * value(1) + 0.114 * value(2));
            plane.data()[i] = gray;
        }
    });
    return plane;
}

}  // namespace tesela
