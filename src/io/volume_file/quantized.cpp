#include <algorithm>
#include <cmath>
#include <limits>

#include "io/volume_file/requantized.h"
#include "io/volume_file/volume_file.h"
#include "tesela/volume_quality.h"

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

VoxelRange voxel_range(const VolumeInput& input, const Progress& progress) {
    double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
    const VolumeStrips strips(input.facts().shape);
    for (std::int64_t i = 0; i < strips.count(); ++i) {
        progress.throw_if_cancelled();
        std::visit([&](const auto& strip) { find_range(strip, lowest, highest); },
                   strips.read(input, i));
    }
    return {lowest, highest};
}

QuantizedInput::QuantizedInput(const VolumeInput& input, double max_error,
                               const std::optional<VoxelRange>& range)
    : input_(input), facts_(input.facts()) {
    if (is_floating_point(facts_.type))
        set_step(max_error / std::abs(facts_.scaling.slope), range ? *range : voxel_range(input));
    else
        set_integer_step(max_error);
}

// The largest whole number of steps of the scaling that is no more than the error, which a quotient
// may miss by one: 3 steps of 0.7 are 2.9999999999999996 of them.
void QuantizedInput::set_integer_step(double max_error) {
    constexpr double most = 1 << 30;
    const double slope = std::abs(facts_.scaling.slope);
    double error = std::min(std::floor(max_error / slope), most);
    if (error < most && slope * (error + 1) <= max_error) ++error;
    quantum_.step = 2 * error + 1;
}

// A little less than twice the error, for what rounding to the type adds.
void QuantizedInput::set_step(double error, const VoxelRange& range) {
    const auto [lowest, highest] = range;
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
