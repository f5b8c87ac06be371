#include "tesela/wavelet.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "tesela/wavelet_packet.h"
#include "transforms/planes.h"
#include "transforms/wavelet_form.h"

namespace tesela {
namespace {

// Low bands grow with every level, those of an inverse shrink.
template <class T>
constexpr double largest_sample = std::is_same_v<T, double> ? 1e300 : largest_summed;
template <class T>
constexpr auto largest_coefficient = static_cast<double>(std::numeric_limits<T>::max());

template <class T>
AnyImage transformed(const AnyImageView& image, const Shape& padded, const WaveletOptions& options,
                     Queue& queue) {
    const std::vector<T> planes = planes_of<T>(image, padded, largest_sample<T>);
    std::vector<T> found(planes.size());
    const auto samples = queue.lend(std::span<const T>(planes), "samples");
    auto coefficients = queue.allocate_for(std::span<T>(found), "coefficients");
    wavelet_forward(queue, padded, options, samples, coefficients);
    queue.read(coefficients, std::span<T>(found));
    return image_of<T>(found, padded, padded, image.geometry());
}

template <class T>
AnyImage restored(const WaveletCoefficients& given, const Shape& padded, Queue& queue) {
    const std::vector<T> planes = planes_of<T>(given.values, padded, largest_coefficient<T>);
    std::vector<T> found(planes.size());
    auto coefficients = queue.upload(std::span<const T>(planes), "coefficients");
    auto samples = queue.allocate_for(std::span<T>(found), "samples");
    if (given.leaves.empty())
        wavelet_inverse(queue, padded, given.options, coefficients, samples);
    else
        packet_inverse(queue, padded, given.options, given.leaves, coefficients, samples);
    queue.read(samples, std::span<T>(found));
    return image_of(given.pixel_type, found, padded, given.shape, geometry_of(given.values));
}

}  // namespace

PixelType coefficient_type(PixelType pixels, Wavelet wavelet) {
    const bool is_float = pixels == PixelType::f32 || pixels == PixelType::f64;
    if (is_integer(wavelet)) {
        if (is_float || pixel_type_bytes(pixels) > 2)
            throw UnsupportedFormat("the wavelet " + std::string(enum_name(wavelet)) +
                                    " takes integers of 8 and 16 bits, not " +
                                    std::string(pixel_type_name(pixels)) +
                                    "; choose one without -int");
        return PixelType::i32;
    }
    return pixel_type_bytes(pixels) <= 2 || pixels == PixelType::f32 ? PixelType::f32
                                                                     : PixelType::f64;
}

void check_levels(const Shape& shape, const WaveletOptions& options) {
    const int most = most_wavelet_levels(shape);
    if (options.levels < 0 || options.levels > most)
        throw InvalidArgument("--levels is " + std::to_string(options.levels) +
                              "; this image has 0 to " + std::to_string(most));
}

Shape coefficient_shape(const WaveletForm& form) {
    return form.leaves.empty() ? wavelet_shape(form.shape, form.options)
                               : packet_shape(form.shape, form.options.levels);
}

void check_form(const WaveletForm& form, const Shape& values, PixelType type) {
    const int most = most_wavelet_levels(form.shape);
    if (form.options.levels < 0 || form.options.levels > most)
        throw InvalidArgument("coefficients of " + std::to_string(form.options.levels) +
                              " levels cannot be of an image that has " + std::to_string(most));
    if (values != coefficient_shape(form))
        throw InvalidArgument("the coefficients have another size than their description");
    if (type != coefficient_type(form.pixel_type, form.options.wavelet))
        throw InvalidArgument("the coefficients have another pixel type than their description");
}

Wavelet parse_wavelet(std::string_view name) {
    if (name == "cdf9/7") return Wavelet::bior4_4;
    if (name == "cdf5/3") return Wavelet::bior2_2;
    if (name == "d4") return Wavelet::db2;
    return parse_enum<Wavelet>("wavelet", name);
}

bool is_integer(Wavelet wavelet) {
    return wavelet == Wavelet::bior2_2_int || wavelet == Wavelet::haar_int;
}

int most_wavelet_levels(const Shape& shape) {
    int most = 0;
    for (const std::int64_t axis : {shape.x, shape.y, shape.z}) {
        if (axis <= 1) continue;
        int levels = 0;
        for (std::int64_t length = axis; length > 1; length = (length + 1) / 2) ++levels;
        most = most == 0 ? levels : std::min(most, levels);
    }
    return most;
}

Shape wavelet_shape(const Shape& shape, const WaveletOptions& options) {
    Shape padded = shape;
    if (options.border != WaveletBorder::periodic) return padded;
    const std::int64_t unit = std::int64_t{1} << options.levels;
    for (std::int64_t* axis : {&padded.x, &padded.y, &padded.z})
        if (*axis > 1) *axis = (*axis + unit - 1) / unit * unit;
    return padded;
}

WaveletCoefficients wavelet_forward(const AnyImageView& image, const WaveletOptions& options,
                                    Queue& queue, const Progress& progress) {
    const Shape shape = image.shape();
    check_levels(shape, options);
    StageClock clock;
    clock.start("transform");
    progress.report(0, "transform");
    const Shape padded = wavelet_shape(shape, options);
    const auto transform = [&](auto type) {
        return transformed<decltype(type)>(image, padded, options, queue);
    };
    WaveletCoefficients result;
    switch (coefficient_type(image.pixel_type(), options.wavelet)) {
        case PixelType::i32:
            result.values = transform(std::int32_t{});
            break;
        case PixelType::f32:
            result.values = transform(float{});
            break;
        default:
            result.values = transform(double{});
    }
    static_cast<WaveletForm&>(result) = {shape, image.pixel_type(), image.has_alpha(), options};
    result.stages = clock.take();
    progress.report(1, "done");
    return result;
}

AnyImage wavelet_inverse(const WaveletCoefficients& given, Queue& queue, const Progress& progress) {
    check_form(given, shape_of(given.values), pixel_type_of(given.values));
    const Shape padded = coefficient_shape(given);
    progress.report(0, "transform");
    const auto restore = [&](auto type) { return restored<decltype(type)>(given, padded, queue); };
    AnyImage image = [&] {
        switch (pixel_type_of(given.values)) {
            case PixelType::i32:
                return restore(std::int32_t{});
            case PixelType::f32:
                return restore(float{});
            default:
                return restore(double{});
        }
    }();
    std::visit([&](auto& pixels) { pixels.has_alpha = given.has_alpha; }, image);
    progress.report(1, "done");
    return image;
}

std::int64_t keep_largest(WaveletCoefficients& coefficients, double share) {
    return std::visit(
        [&](auto& image) {
            auto& values = image.pixels();
            std::vector<double> magnitudes;
            magnitudes.reserve(values.size());
            for (const auto value : values)
                magnitudes.push_back(std::abs(static_cast<double>(value)));
            const auto kept =
                std::clamp<std::int64_t>(std::llround(share * static_cast<double>(values.size())),
                                         1, static_cast<std::int64_t>(values.size()));
            std::nth_element(magnitudes.begin(), magnitudes.begin() + (kept - 1), magnitudes.end(),
                             std::greater<>());
            const double least = magnitudes[static_cast<std::size_t>(kept - 1)];
            std::int64_t count = 0;
            for (auto& value : values) {
                if (std::abs(static_cast<double>(value)) >= least)
                    ++count;
                else
                    value = 0;
            }
            return count;
        },
        coefficients.values);
}

std::int64_t wavelet_device_bytes(const AnyImageView& image, const WaveletOptions& options) {
    const std::int64_t value =
        pixel_type_bytes(coefficient_type(image.pixel_type(), options.wavelet));
    // Samples, coefficients, and room for a pass and for the low part.
    return wavelet_shape(image.shape(), options).elements() * value * 7 / 2;
}

}  // namespace tesela
