#include "tesela/zernike.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "transforms/zernike_disk.h"
#include "transforms/zernike_kernels.h"
#include "transforms/zernike_sums.h"

namespace tesela {
namespace {

using std::int64_t;

// Points of the disk that are on the device at a time.
constexpr int64_t most_points = 1 << 20;

struct Place {
    double x = 0, y = 0;
};

std::optional<double> number_in(std::string_view text) {
    double value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || stop != text.data() + text.size() || !std::isfinite(value))
        return {};
    return value;
}

// Nothing: the center of mass.
std::optional<Place> center_of(const Shape& shape, const ZernikeOptions& options) {
    const std::string_view text = options.center;
    if (text == "mass") return {};
    if (text == "image")
        return Place{static_cast<double>(shape.x - 1) / 2, static_cast<double>(shape.y - 1) / 2};
    if (const auto comma = text.find(','); comma != text.npos) {
        const auto x = number_in(text.substr(0, comma)), y = number_in(text.substr(comma + 1));
        if (x && y) return Place{*x, *y};
    }
    throw InvalidArgument("--center: '" + options.center +
                          "' is not image, mass, or X,Y in pixels");
}

void check(const Shape& shape, const ZernikeOptions& options) {
    validate_options(options);
    if (shape.z > 1 || shape.t > 1)
        throw UnsupportedFormat("Zernike moments are of pictures; this image has " +
                                std::to_string(shape.z) + " slices and " + std::to_string(shape.t) +
                                " frames: give them one by one");
}

// The moments of a disk of an image.
template <class T>
class Disk {
  public:
    Disk(const DeviceImage<const float>& image, const EnclosingCircle& circle, Queue& queue)
        : image_(image), circle_(circle), rows_(disk_rows(circle, image.shape)), queue_(queue) {}

    ZernikeMoments moments(int order, ZernikeNormalization normalization,
                           const Progress& progress) {
        ZernikeSums<T> sums(queue_, order);
        auto totals = queue_.allocate_filled<T>(sums.components(), T{}, "sums of moments");
        for (std::size_t row = 0; row < rows_.lengths.size();) {
            std::size_t end = row;
            int64_t count = 0;
            while (end < rows_.lengths.size() &&
                   (end == row || count + rows_.lengths[end] <= most_points))
                count += rows_.lengths[end++];
            add_rows(row, end, count, sums, totals, progress);
            row = end;
        }
        ZernikeMoments made{order,          normalization, circle_.x, circle_.y,
                            circle_.radius, rows_.pixels,  0,         {}};
        set_zernike_values<T>(made, queue_.download(totals));
        return made;
    }

  private:
    void add_rows(std::size_t first, std::size_t end, int64_t count, ZernikeSums<T>& sums,
                  Buffer<T>& totals, const Progress& progress) {
        if (count == 0) return;
        std::vector<std::int32_t> starts{0};
        std::int32_t longest = 0;
        for (std::size_t row = first; row < end; ++row) {
            starts.push_back(starts.back() + rows_.lengths[row]);
            longest = std::max(longest, rows_.lengths[row]);
        }
        const auto rows = queue_.upload(std::span<const std::int32_t>(starts), "rows of the disk");
        const int numbers = rows_.is_folded ? kernels::zernike_folded : kernels::zernike_plain;
        auto points = queue_.allocate<T>(numbers * count, "points of the disk");
        const Range range{longest, static_cast<int64_t>(end - first)};
        const kernels::zernike_rows place{count,
                                          static_cast<std::int32_t>(image_.shape.x),
                                          static_cast<std::int32_t>(image_.shape.y),
                                          static_cast<std::int32_t>(std::lround(2 * circle_.x)),
                                          static_cast<std::int32_t>(std::lround(2 * circle_.y)),
                                          rows_.first_row + static_cast<std::int32_t>(first),
                                          rows_.parity};
        if (rows_.is_folded) {
            queue_.launch(ZernikeKernels<T>::fold, range, image_.pixels, rows, points, place,
                          static_cast<T>(1 / (2 * circle_.radius)));
        } else {
            const auto columns = queue_.upload(
                std::span<const std::int32_t>(rows_.first_columns).subspan(first, end - first),
                "first columns of the disk");
            queue_.launch(ZernikeKernels<T>::gather, range, image_.pixels, rows, columns, points,
                          place, static_cast<T>(circle_.x), static_cast<T>(circle_.y),
                          static_cast<T>(1 / circle_.radius));
        }
        const std::array<std::uint32_t, 2> all{0, static_cast<std::uint32_t>(count)};
        sums.add({points, count, rows_.is_folded}, all, totals, progress);
    }

    const DeviceImage<const float>& image_;
    EnclosingCircle circle_;
    DiskRows rows_;
    Queue& queue_;
};

// From the first moments in a circle around all pixels.
template <class T>
Place center_of_mass(const DeviceImage<const float>& image, Queue& queue,
                     const Progress& progress) {
    const Shape& shape = image.shape;
    const Place middle = *center_of(shape, {});
    const EnclosingCircle all = circle_around(middle.x, middle.y, shape, {.circle = "enclosing"});
    const ZernikeMoments first =
        Disk<T>(image, all, queue).moments(1, ZernikeNormalization::area, progress);
    if (first.sum == 0)
        throw InvalidArgument(
            "--center mass: the values of the image sum up to 0; choose 'image' or X,Y");
    const std::complex<double> offset = first(1, 1) / first(0, 0) * all.radius;  // x - jy
    return {all.x + offset.real(), all.y + offset.imag()};
}

template <class T>
ZernikeMoments moments_of(const DeviceImage<const float>& image, const ZernikeOptions& options,
                          Queue& queue, const Progress& progress) {
    std::optional<Place> center = center_of(image.shape, options);
    if (!center) center = center_of_mass<T>(image, queue, progress);
    const EnclosingCircle circle = circle_around(center->x, center->y, image.shape, options);
    return Disk<T>(image, circle, queue).moments(options.order, options.normalization, progress);
}

template <class T>
Image<float> reconstruct(const ZernikeMoments& moments, const Shape& shape, Queue& queue) {
    const ZernikeSums<T> sums(queue, moments.order);
    std::vector<T> values(static_cast<std::size_t>(sums.components()));
    ZernikeMoments by_pixels = moments;
    by_pixels.normalization = ZernikeNormalization::pixels;
    for (const ZernikeOrder& of : zernike_orders(moments.order)) {
        const auto place = static_cast<std::size_t>(2 * zernike_place(moments.order, of));
        const std::complex<double> value =
            moments(of.p, of.q) * zernike_factor(by_pixels, of.p) / zernike_factor(moments, of.p);
        values[place] = static_cast<T>(value.real());
        values[place + 1] = static_cast<T>(value.imag());
    }
    auto image = Image<float>::unwritten({shape.x, shape.y});
    auto pixels = queue.allocate_for(std::span<float>(image.pixels()), "reconstruction");
    queue.launch(ZernikeKernels<T>::render, Range{shape.x, shape.y},
                 queue.upload(std::span<const T>(values), "moments"), sums.coefficients(), pixels,
                 static_cast<std::int32_t>(shape.x), moments.order, static_cast<T>(moments.x),
                 static_cast<T>(moments.y), static_cast<T>(1 / moments.radius));
    queue.read(pixels, std::span<float>(image.pixels()));
    return image;
}

}  // namespace

ZernikeMoments zernike(const DeviceImage<const float>& image, const ZernikeOptions& options,
                       Queue& queue, const Progress& progress) {
    check(image.shape, options);
    if (image.shape.channels != 1)
        throw UnsupportedFormat("Zernike moments on a device are of one channel; this image has " +
                                std::to_string(image.shape.channels));
    std::vector<std::string> warnings;
    return takes_double(options, queue.device(), warnings)
               ? moments_of<double>(image, options, queue, progress)
               : moments_of<float>(image, options, queue, progress);
}

ZernikeResult zernike(const AnyImageView& image, const ZernikeOptions& options, Queue& queue,
                      const Progress& progress) {
    check(image.shape(), options);
    center_of(image.shape(), options);
    ZernikeResult result;
    takes_double(options, queue.device(), result.warnings);
    StageClock clock;
    progress.report(0, "moments");
    clock.start("gray values");
    const Image<float> plane = zernike_plane(image, result.warnings);
    clock.start("moments");
    result.moments = zernike({queue.lend(std::span<const float>(plane.pixels()), "gray values"),
                              plane.shape(), plane.geometry},
                             options, queue, progress);
    result.stages = clock.take();
    progress.report(1, "done");
    return result;
}

Image<float> zernike_reconstruct(const ZernikeMoments& moments, const Shape& shape, Queue& queue) {
    return queue.device().properties().has_f64 ? reconstruct<double>(moments, shape, queue)
                                               : reconstruct<float>(moments, shape, queue);
}

double zernike_single_error(int order) {
    constexpr double epsilon = 0x1p-24;
    return 4 * epsilon * (order + 1) * (order + 1);
}

int64_t zernike_device_bytes(const Shape& image, const ZernikeOptions& options) {
    const int64_t points = std::min(image.points(), most_points + std::max(image.x, image.y));
    const int64_t chunks = points / kernels::zernike_chunk + 1;
    const int64_t components = zernike_components(options.order);
    constexpr int64_t number = sizeof(double);
    const int64_t partials =
        std::max(components, std::min(chunks * components, most_zernike_partials));
    // The rest: chunks, rows of the disk, sizes of blocks that are rounded up.
    return 4 * image.points() +
           (number * (kernels::zernike_folded * points + partials + 4 * components) + 8 * chunks +
            16 * std::max(image.x, image.y)) *
               9 / 8 +
           (1 << 16);
}

}  // namespace tesela
