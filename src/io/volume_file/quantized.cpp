#include <algorithm>
#include <cmath>
#include <limits>

#include "io/volume_file/requantized.h"
#include "io/volume_file/volume_file.h"

namespace tesela::io {
namespace {

// floor((v + e) / (2 e + 1)): at most `e` away once multiplied again.
template <class T, class Coded>
Coded quantized_integer(T value, std::int64_t error) {
    const std::int64_t step = 2 * error + 1, shifted = std::int64_t{value} + error;
    const std::int64_t quotient = shifted / step;
    return static_cast<Coded>(quotient - (shifted % step < 0 ? 1 : 0));
}

template <class Coded>
Coded quantized_number(double value, const Quantization& quantum) {
    return static_cast<Coded>(std::floor((value - quantum.base) / quantum.step + 0.5));
}

template <class T>
void find_range(const Image<T>& image, double& lowest, double& highest) {
    for (const T value : image.pixels()) {
        const auto v = static_cast<double>(value);
        if (!std::isfinite(v))
            throw InvalidArgument(
                "the volume has values that are no finite numbers, for which no error can be kept; "
                "compress it --lossless");
        lowest = std::min(lowest, v);
        highest = std::max(highest, v);
    }
}

std::pair<double, double> value_range(const VolumeInput& input) {
    double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
    const Shape& s = input.facts().shape;
    for (std::int64_t t = 0; t < s.t; ++t)
        for (std::int64_t z = 0; z < s.z; ++z)
            std::visit([&](const auto& slice) { find_range(slice, lowest, highest); },
                       input.read({{0, 0, z}, {s.x, s.y, z + 1}}, t));
    return {lowest, highest};
}

}  // namespace

template <class T>
double requantized(T value, const Quantization& quantum) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<double>(
            quantum.stored<T>(static_cast<double>(quantized_integer<T, std::int64_t>(
                value, static_cast<std::int64_t>(quantum.step) / 2))));
    else
        return static_cast<double>(
            quantum.stored<T>(quantized_number<double>(static_cast<double>(value), quantum)));
}
template double requantized(std::uint8_t, const Quantization&);
template double requantized(std::int8_t, const Quantization&);
template double requantized(std::uint16_t, const Quantization&);
template double requantized(std::int16_t, const Quantization&);
template double requantized(std::uint32_t, const Quantization&);
template double requantized(std::int32_t, const Quantization&);
template double requantized(float, const Quantization&);
template double requantized(double, const Quantization&);

double value_span(const VolumeInput& input) {
    const auto [lowest, highest] = value_range(input);
    return highest - lowest;
}

QuantizedInput::QuantizedInput(const VolumeInput& input, double max_error)
    : input_(input), facts_(input.facts()) {
    const double error = max_error / std::abs(facts_.scaling.slope);
    if (facts_.type == PixelType::f32 || facts_.type == PixelType::f64)
        set_step(error);
    else
        set_integer_step(error);
}

void QuantizedInput::set_integer_step(double error) {
    constexpr double most = 1 << 30;
    quantum_.step = 2 * std::floor(std::min(error, most)) + 1;
}

// A little less than twice the error, for what rounding to the type adds.
void QuantizedInput::set_step(double error) {
    const auto [lowest, highest] = value_range(input_);
    const double magnitude = std::max(std::abs(lowest), std::abs(highest));
    const double rounding =
        facts_.type == PixelType::f32 ? std::ldexp(magnitude, -23) : std::ldexp(magnitude, -50);
    quantum_ = {2 * (error - rounding) * (1 - 1e-6), lowest};
    const double steps = (highest - lowest) / quantum_.step;
    constexpr double most = 4e9;
    if (!(quantum_.step > 0) || steps > most)
        throw InvalidArgument(
            "--max-error is smaller than the numbers of the volume can keep; compress it "
            "--lossless");
    facts_.type = steps < 255 ? PixelType::u8 : steps < 65535 ? PixelType::u16 : PixelType::u32;
}

AnyImage QuantizedInput::read(const VoxelBox& box, std::int64_t t) const {
    const AnyImage image = input_.read(box, t);
    return with_type(facts_.type, [&](auto coded_type) -> AnyImage {
        using Coded = decltype(coded_type);
        return std::visit(
            [&](const auto& from) -> AnyImage {
                using T = typename std::decay_t<decltype(from)>::value_type;
                Image<Coded> to(from.shape());
                std::transform(
                    from.pixels().begin(), from.pixels().end(), to.pixels().begin(), [&](T value) {
                        if constexpr (std::is_integral_v<T>)
                            return quantized_integer<T, Coded>(
                                value, static_cast<std::int64_t>(quantum_.step) / 2);
                        else
                            return quantized_number<Coded>(static_cast<double>(value), quantum_);
                    });
                return to;
            },
            image);
    });
}

AnyImage dequantized(const AnyImage& coded, PixelType type, const Quantization& quantum) {
    return with_type(type, [&](auto stored) -> AnyImage {
        using T = decltype(stored);
        return std::visit(
            [&](const auto& from) -> AnyImage {
                Image<T> to(from.shape(), from.geometry);
                std::transform(
                    from.pixels().begin(), from.pixels().end(), to.pixels().begin(),
                    [&](auto number) { return quantum.stored<T>(static_cast<double>(number)); });
                return to;
            },
            coded);
    });
}

}  // namespace tesela::io
