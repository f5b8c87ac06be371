// What tesela/stain.h does to whole images.
#include <algorithm>
#include <span>

#include "filters/stain.h"
#include "filters/stained_pixels.h"

namespace tesela {
namespace {

AnyImage recolored_image(const AnyImageView& image, const std::array<double, 3>& from_white,
                         const ColorMatrix& matrix, const std::array<double, 3>& to_white,
                         Queue& queue, const Progress& progress) {
    return with_colors(image, [&]<class T>(const PixelView<T>& pixels) -> AnyImage {
        progress.report(0, "recolor");
        auto result = Image<T>::unwritten(pixels.shape(), pixels.geometry);
        result.has_alpha = pixels.has_alpha;
        const Buffer<const T> lent = queue.lend(std::span<const T>(pixels.pixels()), "pixels");
        const Buffer<float> table = density_table<T>(queue, from_white);
        auto recolored = queue.allocate_for(std::span<T>(result.pixels()), "recolored pixels");
        recolor(queue, lent, pixels.shape().channels, table, matrix, to_white, recolored);
        queue.read(recolored, std::span<T>(result.pixels()));
        progress.report(1, "done");
        return result;
    });
}

}  // namespace

Image<float> separate_stains(const AnyImageView& image, const StainMatrix& matrix, Queue& queue,
                             const Progress& progress) {
    return with_colors(image, [&]<class T>(const PixelView<T>& pixels) {
        progress.report(0, "separate");
        Shape shape = pixels.shape();
        shape.channels = 3;
        auto result = Image<float>::unwritten(shape, pixels.geometry);
        const Buffer<const T> lent = queue.lend(std::span<const T>(pixels.pixels()), "pixels");
        const Buffer<float> table = density_table<T>(queue, matrix.white);
        auto amounts = queue.allocate_for(std::span<float>(result.pixels()), "amounts of stains");
        stain_amounts(queue, lent, pixels.shape().channels, table, amounts_of_densities(matrix),
                      amounts);
        queue.read(amounts, std::span<float>(result.pixels()));
        progress.report(1, "done");
        return result;
    });
}

AnyImage stain_picture(const AnyImageView& image, const StainMatrix& matrix, int stain,
                       Queue& queue, const Progress& progress) {
    return recolored_image(image, matrix.white, densities_of_one(matrix, stain), matrix.white,
                           queue, progress);
}

AnyImage normalize_stains(const AnyImageView& image, const StainMatrix& from, const StainMatrix& to,
                          Queue& queue, const Progress& progress) {
    return recolored_image(image, from.white, normalized_densities(from, to), to.white, queue,
                           progress);
}

std::int64_t stain_device_bytes(const AnyImageView& image) {
    const Shape& shape = image.shape();
    const int value = pixel_type_bytes(image.pixel_type());
    const std::int64_t table = 3 * sizeof(float) * (value == 1 ? 256 : 65536);
    const std::int64_t result = std::max<std::int64_t>(3 * sizeof(float), shape.channels * value);
    return table + shape.elements() * value + shape.points() * result;
}

}  // namespace tesela
