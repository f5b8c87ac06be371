// Zernike moments: the shape of an image or of each object of a label map, in numbers of which the
// magnitudes do not change when it turns.
//
// F. Zernike, "Beugungstheorie des Schneidenverfahrens", Physica 1, 1934; M. R. Teague, "Image
// analysis via the general theory of moments", JOSA 70, 1980. Formulas: docs/zernike.md.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tesela/compute/device_image.h"
#include "tesela/compute/queue.h"
#include "tesela/flow_options.h"
#include "tesela/image_view.h"
#include "tesela/options.h"
#include "tesela/progress.h"
#include "tesela/stage_times.h"

namespace tesela {

// What the sum of f V*_pq over the pixels of the disk is multiplied by: (p + 1) / pixels; (p + 1) /
// pi / sum of f (mahotas); 1 / (pi radius^2) (CellProfiler).
enum class ZernikeNormalization { pixels, mass, area };
constexpr auto enum_names(ZernikeNormalization) {
    return std::array{
        EnumNames<ZernikeNormalization>{ZernikeNormalization::pixels, "pixels"},
        EnumNames<ZernikeNormalization>{ZernikeNormalization::mass, "mass"},
        EnumNames<ZernikeNormalization>{ZernikeNormalization::area, "area"},
    };
}
constexpr auto enum_help(ZernikeNormalization) {
    return std::array<std::string_view, 3>{"number of pixels", "sum of values, as mahotas",
                                           "area of the disk, as CellProfiler"};
}

// `center` is image, mass or X,Y in pixels; `circle` inscribed, enclosing or a radius in pixels.
struct ZernikeOptions {
    int order = 12;
    std::string center = "image", circle = "inscribed";
    ZernikeNormalization normalization = ZernikeNormalization::pixels;
    Precision precision = Precision::double_;
};

template <class V>
void describe(V&& v, ZernikeOptions& o) {
    v("order", o.order, "highest order p", OptionRange{.lowest = 0, .highest = 500});
    v("center", o.center, "center of the disk: image, mass, or X,Y in pixels");
    v("circle", o.circle, "inscribed, enclosing, or a radius in pixels");
    v("normalization", o.normalization, "divide by pixels, mass (mahotas) or area (CellProfiler)");
    v("precision", o.precision, "floating-point precision");
}

// Moments of orders 0 to `order`, q >= 0; Z_p,-q is the conjugate of Z_pq.
struct ZernikeMoments {
    int order = 0;
    ZernikeNormalization normalization = ZernikeNormalization::pixels;
    double x = 0, y = 0,
           radius = 0;        // of the circle, in pixels; (0, 0) is the first pixel's center
    std::int64_t pixels = 0;  // in the disk
    double sum = 0;           // of their values
    std::vector<std::complex<double>> values;  // of zernike_orders

    // 0 <= q <= p <= order, p - q even.
    const std::complex<double>& operator()(int p, int q) const;
};

// All (p, q) up to an order, by p, then q: (0, 0), (1, 1), (2, 0), (2, 2), (3, 1), ...
struct ZernikeOrder {
    int p = 0, q = 0;
};
std::vector<ZernikeOrder> zernike_orders(int order);

struct ZernikeResult {
    ZernikeMoments moments;
    std::vector<StageTime> stages;
    std::vector<std::string> warnings;  // sentences for the user
};

// Of a picture: gray values, or the luma of three channels; alpha is ignored. y points up, angles
// turn from x to y, and a pixel counts if its center is in the disk. The inscribed circle touches
// the nearest border of the image, the enclosing one its farthest pixel. Where the device has no
// double precision, single is used, with a warning. Throws InvalidArgument (options, NaN and
// infinite pixels, a disk without pixels, `mass` where values sum up to 0), UnsupportedFormat
// (volumes, other channel counts), OutOfMemory, Cancelled.
ZernikeResult zernike(const AnyImageView& image, const ZernikeOptions& options, Queue& queue,
                      const Progress& progress = {});

// The same of one finite channel that is on the queue's device. Waits for the moments.
ZernikeMoments zernike(const DeviceImage<const float>& image, const ZernikeOptions& options,
                       Queue& queue, const Progress& progress = {});

struct ZernikeObjects {
    std::vector<std::uint32_t> labels;    // that occur, ascending
    std::vector<ZernikeMoments> moments;  // of each
    std::vector<StageTime> stages;
    std::vector<std::string> warnings;
};

// Of each object of a label map in the smallest circle around the centers of its pixels (of one
// pixel: of radius 1/2): of its values where an image is given, else of its mask. `center` and
// `circle` of the options have no part. Labels are at most 2^24. Throws as above, and
// InvalidArgument for values of another size or without any object.
ZernikeObjects zernike_objects(const LabelView& labels, const std::optional<AnyImageView>& values,
                               const ZernikeOptions& options, Queue& queue,
                               const Progress& progress = {});

// The image that the moments make: the sum of Z_pq V_pq, 0 outside of the disk.
Image<float> zernike_reconstruct(const ZernikeMoments& moments, const Shape& shape, Queue& queue);

// How far moments in single precision are from exact ones at most, in units of Z_00.
double zernike_single_error(int order);

// Device memory at most, in bytes.
std::int64_t zernike_device_bytes(const Shape& image, const ZernikeOptions& options);
std::int64_t zernike_objects_device_bytes(const Shape& labels, const ZernikeOptions& options);

}  // namespace tesela
