#include <algorithm>
#include <array>
#include <cmath>

#include "motion/frames.h"
#include "tesela/flow_picture.h"

namespace tesela {
namespace {

using Hue = std::array<double, 3>;  // red, green, blue in 0..1

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

// Rounded to whole steps of 1/255, as the benchmark's are.
std::array<Hue, hue_count> color_wheel() {
    std::array<Hue, hue_count> wheel{};
    auto hue = wheel.begin();
    for (const Ramp& ramp : ramps)
        for (int i = 0; i < ramp.hues; ++i, ++hue) {
            const double step =
                255 * i / ramp.hues / 255.0;  // an integer division, then a real one
            for (std::size_t c = 0; c < 3; ++c)
                (*hue)[c] = ramp.from[c] + (ramp.to[c] - ramp.from[c]) * step;
        }
    return wheel;
}

// (u, v) as a share of the largest motion.
Rgb color_of(double u, double v) {
    static const std::array<Hue, hue_count> wheel = color_wheel();
    // The wheel begins with motion to the right and turns through motion downward. Without the
    // zeros a component of -0 would be taken for the other end of the wheel.
    const double turn = (std::atan2(-(v + 0.0), -(u + 0.0)) / std::acos(-1.0) + 1) / 2;
    const double place = turn * static_cast<double>(hue_count - 1);
    const auto first = static_cast<std::size_t>(place);
    const double part = place - static_cast<double>(first);
    const double length = std::hypot(u, v);
    constexpr double darkening = 0.75;
    Rgb color{};
    for (std::size_t c = 0; c < 3; ++c) {
        const double hue = (1 - part) * wheel[first][c] + part * wheel[(first + 1) % hue_count][c];
        const double value = length <= 1 ? 1 - length * (1 - hue) : darkening * hue;
        color[c] = static_cast<std::uint8_t>(std::lround(255 * value));
    }
    return color;
}

}  // namespace

FlowPicture flow_colors(const FlowField& flow, double max_motion) {
    check_flow(flow, "the flow");
    const Shape& shape = flow.shape();
    FlowPicture result{Image<std::uint8_t>({shape.x, shape.y, 1, 1, 3}, flow.geometry),
                       motion::max_motion(flow, max_motion)};
    const float* vector = flow.data();
    std::uint8_t* pixel = result.picture.data();
    for (std::int64_t i = 0; i < shape.points(); ++i, vector += 2, pixel += 3) {
        if (!is_known(vector[0], vector[1])) continue;
        const Rgb color = color_of(vector[0] / result.max_motion, vector[1] / result.max_motion);
        std::copy(color.begin(), color.end(), pixel);
    }
    return result;
}

}  // namespace tesela
