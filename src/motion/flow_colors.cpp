#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "motion/frames.h"
#include "tesela/flow_picture.h"

namespace tesela {
namespace {

using Hue = std::array<float, 3>;  // red, green, blue in 0..1

// How many hues lead from one corner of the color cube to the next: more where people tell more
// apart.
struct Ramp {
    int hues;
    Hue from, to;
};
constexpr std::array<Ramp, 6> ramps{{{15, {1, 0, 0}, {1, 1, 0}},
                                     {6, {1, 1, 0}, {0, 1, 0}},
                                     {4, {0, 1, 0}, {0, 1, 1}},
                                     {11, {0, 1, 1}, {0, 0, 1}},
                                     {13, {0, 0, 1}, {1, 0, 1}},
                                     {6, {1, 0, 1}, {1, 0, 0}}}};
constexpr std::size_t hue_count = 55;

// Rounded to whole steps of 1/255, as the benchmark's are. The first hue stands behind the last one
// again.
using Wheel = std::array<Hue, hue_count + 1>;
Wheel color_wheel() {
    Wheel wheel{};
    auto hue = wheel.begin();
    for (const Ramp& ramp : ramps)
        for (int i = 0; i < ramp.hues; ++i, ++hue) {
            const float step = static_cast<float>(255 * i / ramp.hues) /
                               255;  // an integer division, then a real one
            for (std::size_t c = 0; c < 3; ++c)
                (*hue)[c] = ramp.from[c] + (ramp.to[c] - ramp.from[c]) * step;
        }
    wheel.back() = wheel.front();
    return wheel;
}

// The direction of (u, v) in turns, from 0, right, through down, and the length. Loops of such
// calls become vectors. The arc tangent is a polynomial with an error below 2e-6 turns, which is a
// hundredth of a step of a color.
struct Polar {
    float turn, length;
};
Polar polar(float u, float v) {
    const float x = std::abs(u), y = std::abs(v);
    const float longer = std::max(x, y), shorter = std::min(x, y);
    const float ratio = longer > 0 ? shorter / longer : 0.0f, square = ratio * ratio;
    // Minimax of atan(ratio) / ratio in ratio^2.
    const float slope =
        0.99997726f +
        square *
            (-0.33262347f +
             square * (0.19354346f +
                       square * (-0.11643287f + square * (0.05265332f - square * 0.01172120f))));
    const float octant = ratio * slope / (2 * std::numbers::pi_v<float>);
    const float quarter = y > x ? 0.25f - octant : octant;
    const float half = u < 0 ? 0.5f - quarter : quarter;
    return {v < 0 ? 1 - half : half, longer * std::sqrt(1 + square)};
}

// `turn` as above, `length` as a share of the largest motion.
Rgb color_of(const Wheel& wheel, float turn, float length) {
    const float place = turn * static_cast<float>(hue_count - 1);
    const auto first = static_cast<int>(place);
    const float part = place - static_cast<float>(first);
    const Hue& before = wheel[static_cast<std::size_t>(first)];
    const Hue& after = wheel[static_cast<std::size_t>(first + 1)];
    constexpr float darkening = 0.75f;
    const float white = length <= 1 ? 1 - length : 0, share = length <= 1 ? length : darkening;
    Rgb color{};
    for (std::size_t c = 0; c < 3; ++c) {
        const float hue = before[c] + part * (after[c] - before[c]);
        const float value = 255 * (white + share * hue);
        color[c] = static_cast<std::uint8_t>(static_cast<int>(value + 0.5f));
    }
    return color;
}

}  // namespace

FlowPicture flow_colors(const FlowView& flow, double max_motion) {
    check_flow(flow, "the flow");
    const Shape& shape = flow.shape();
    FlowPicture result{Image<std::uint8_t>({shape.x, shape.y, 1, 1, 3}, flow.geometry),
                       motion::max_motion(flow, max_motion)};
    static const Wheel wheel = color_wheel();
    std::vector<Polar> row(static_cast<std::size_t>(shape.x));
    for (std::int64_t y = 0; y < shape.y; ++y) {
        const float* vector = flow.data() + 2 * y * shape.x;
        std::uint8_t* pixel = result.picture.data() + 3 * y * shape.x;
        for (std::size_t x = 0; x < row.size(); ++x)
            row[x] = polar(vector[2 * x], vector[2 * x + 1]);
        for (std::size_t x = 0; x < row.size(); ++x) {
            if (!is_known(vector[2 * x], vector[2 * x + 1])) continue;
            const auto share = static_cast<float>(row[x].length / result.max_motion);
            const Rgb color = color_of(wheel, row[x].turn, share);
            std::copy(color.begin(), color.end(), pixel + 3 * x);
        }
    }
    return result;
}

}  // namespace tesela
