// Wavelet transforms as lifting says them: in place, a step at a time, in double precision.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "tesela/wavelet.h"

namespace tesela::testing {

struct LiftingStep {
    bool on_even;
    double before, behind;         // weights of the neighbors
    double half = 0, divisor = 0;  // of an integer step: floor((sum + half) / divisor)
    double sign = 1;
};
struct PlainWavelet {
    std::vector<LiftingStep> steps;
    double low, high;
};

inline PlainWavelet plain_wavelet(Wavelet wavelet) {
    const double r2 = std::sqrt(2.0), r3 = std::sqrt(3.0);
    switch (wavelet) {
        case Wavelet::bior4_4: {
            const double a = -1.586134342059924, b = -0.052980118572961, c = 0.882911075530934,
                         d = 0.443506852043971;
            return {{{false, a, a}, {true, b, b}, {false, c, c}, {true, d, d}},
                    1.149604398860241,
                    -0.869864451624781};
        }
        case Wavelet::bior2_2:
            return {{{false, -0.5, -0.5}, {true, 0.25, 0.25}}, r2, -1 / r2};
        case Wavelet::db2:
            return {{{false, 0, -1 / r3}, {true, r3 / 4, 1.5 - 0.75 * r3}, {false, -1.0 / 3, 0}},
                    (1 + 1 / r3) / r2,
                    r2 / (1 + 1 / r3)};
        case Wavelet::haar:
            return {{{false, -1, 0}, {true, 0, 0.5}}, r2, -1 / r2};
        case Wavelet::bior2_2_int:
            return {{{false, 1, 1, 0, 2, -1}, {true, 1, 1, 2, 4, 1}}, 1, 1};
        default:
            return {{{false, 1, 0, 0, 1, -1}, {true, 0, 1, 0, 2, 1}}, 1, 1};
    }
}

// One level of a line in place, the low coefficients in front.
inline void plain_lift(std::vector<double>& line, Wavelet wavelet, WaveletBorder border) {
    const auto n = static_cast<std::int64_t>(line.size());
    if (n == 1) return;
    const PlainWavelet plain = plain_wavelet(wavelet);
    const auto sample = [&](std::int64_t at) {
        if (at >= 0 && at < n) return line[static_cast<std::size_t>(at)];
        if (border == WaveletBorder::zero) return 0.0;
        if (border == WaveletBorder::periodic) return line[static_cast<std::size_t>((at + n) % n)];
        return line[static_cast<std::size_t>(at < 0 ? -at : 2 * (n - 1) - at)];
    };
    for (const LiftingStep& step : plain.steps)
        for (std::int64_t i = step.on_even ? 0 : 1; i < n; i += 2) {
            const double sum = step.before * sample(i - 1) + step.behind * sample(i + 1);
            line[static_cast<std::size_t>(i)] +=
                step.divisor > 0 ? step.sign * std::floor((sum + step.half) / step.divisor) : sum;
        }
    std::vector<double> sorted(line.size());
    for (std::int64_t i = 0; i < n; ++i)
        sorted[static_cast<std::size_t>(i % 2 ? (n + 1) / 2 + i / 2 : i / 2)] =
            line[static_cast<std::size_t>(i)] * (i % 2 ? plain.high : plain.low);
    line = sorted;
}

// All levels of images that stand one behind the other.
inline std::vector<double> plain_forward(std::vector<double> values, const Shape& shape,
                                         const WaveletOptions& options) {
    const std::array<std::int64_t, 3> whole{shape.x, shape.y, shape.z};
    const std::array<std::int64_t, 3> step{1, shape.x, shape.x * shape.y};
    std::array<std::int64_t, 3> box = whole;
    for (int level = 0; level < options.levels; ++level) {
        for (const std::size_t axis : {2u, 1u, 0u}) {  // z, y, x: rounding depends on the order
            const std::size_t a = (axis + 1) % 3, b = (axis + 2) % 3;
            for (std::int64_t image = 0; image < shape.t * shape.channels; ++image)
                for (std::int64_t i = 0; i < box[a]; ++i)
                    for (std::int64_t j = 0; j < box[b]; ++j) {
                        const std::int64_t first =
                            image * shape.x * shape.y * shape.z + i * step[a] + j * step[b];
                        std::vector<double> line(static_cast<std::size_t>(box[axis]));
                        for (std::size_t k = 0; k < line.size(); ++k)
                            line[k] = values[static_cast<std::size_t>(first) +
                                             k * static_cast<std::size_t>(step[axis])];
                        plain_lift(line, options.wavelet, options.border);
                        for (std::size_t k = 0; k < line.size(); ++k)
                            values[static_cast<std::size_t>(first) +
                                   k * static_cast<std::size_t>(step[axis])] = line[k];
                    }
        }
        for (std::int64_t& axis : box) axis = (axis + 1) / 2;
    }
    return values;
}

// All bands of packets from one level on the next, of images whose axes are multiples of 2^levels:
// an axis is in `parts` equal parts, each of which is transformed where it is.
inline std::vector<double> plain_packets(std::vector<double> values, const Shape& shape,
                                         const WaveletOptions& options, std::int64_t parts) {
    const std::array<std::int64_t, 3> size{shape.x, shape.y, shape.z};
    const std::array<std::int64_t, 3> step{1, shape.x, shape.x * shape.y};
    const std::int64_t images = shape.t * shape.channels;
    for (const std::size_t axis : {2u, 1u, 0u}) {
        if (size[axis] == 1) continue;
        const std::size_t a = (axis + 1) % 3, b = (axis + 2) % 3;
        const std::int64_t length = size[axis] / parts;
        for (std::int64_t image = 0; image < images; ++image)
            for (std::int64_t i = 0; i < size[a]; ++i)
                for (std::int64_t j = 0; j < size[b]; ++j)
                    for (std::int64_t part = 0; part < parts; ++part) {
                        const std::int64_t first = image * step[2] * shape.z + i * step[a] +
                                                   j * step[b] + part * length * step[axis];
                        std::vector<double> line;
                        for (std::int64_t k = 0; k < length; ++k)
                            line.push_back(
                                values[static_cast<std::size_t>(first + k * step[axis])]);
                        plain_lift(line, options.wavelet, options.border);
                        for (std::int64_t k = 0; k < length; ++k)
                            values[static_cast<std::size_t>(first + k * step[axis])] =
                                line[static_cast<std::size_t>(k)];
                    }
    }
    return values;
}

}  // namespace tesela::testing
