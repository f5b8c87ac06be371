// A grid that holds both images.
#include <algorithm>
#include <array>
#include <cmath>

#include "tesela/registration.h"

namespace tesela {
namespace {

struct Box {
    std::array<double, 3> low, high;
};

// Pixels of the fixed image that the moving one lies on, from points all over it.
Box covered(const Transform& transform) {
    const ImageGrid &fixed = *transform.fixed, &moving = *transform.moving;
    const LinearMap placed = placement(moving), to_pixels = placement(fixed).inverse();
    Box box{{0, 0, 0},
            {static_cast<double>(fixed.shape.x - 1), static_cast<double>(fixed.shape.y - 1),
             static_cast<double>(fixed.shape.z - 1)}};
    constexpr int samples = 16;
    const auto at = [](int step, std::int64_t length) {
        return static_cast<double>(length - 1) * step / samples;
    };
    for (int k = 0; k <= (moving.shape.z > 1 ? samples : 0); ++k)
        for (int j = 0; j <= samples; ++j)
            for (int i = 0; i <= samples; ++i) {
                const SpacePoint pixel{at(i, moving.shape.x), at(j, moving.shape.y),
                                       at(k, moving.shape.z)};
                const SpacePoint there = to_pixels(transform.inverse_of(placed(pixel)));
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    box.low[axis] = std::min(box.low[axis], std::floor(there[axis] + 0.01));
                    box.high[axis] = std::max(box.high[axis], std::ceil(there[axis] - 0.01));
                }
            }
    return box;
}

}  // namespace

UnionCanvas union_canvas(const Transform& transform, double most) {
    const ImageGrid& fixed = *transform.fixed;
    const Box box = covered(transform);
    double size = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) size *= box.high[axis] - box.low[axis] + 1;
    const double share = size / static_cast<double>(fixed.shape.points());
    if (!(share <= most))
        throw InvalidArgument(
            "the canvas of both images is " + detail::shown(std::round(10 * share) / 10) +
            " times as large as the fixed image; give --canvas fixed, or a larger "
            "--max-canvas");
    const auto length = [&](std::size_t axis) {
        return static_cast<std::int64_t>(box.high[axis] - box.low[axis]) + 1;
    };
    UnionCanvas canvas{{{length(0), length(1), length(2)}, fixed.geometry}, transform, transform};
    canvas.to_fixed.steps.clear();
    canvas.to_fixed.moving = fixed;
    if (fixed.geometry.known()) {
        canvas.grid.geometry.unit = Unit::millimeter;
        canvas.grid.geometry.spacing = fixed.geometry.spacing_mm();
        canvas.grid.geometry.origin = placement(fixed)(box.low);
    } else {
        const LinearMap offset{LinearKind::rigid, LinearMap{}.matrix, box.low};
        canvas.to_moving.steps.insert(canvas.to_moving.steps.begin(), offset);
        canvas.to_fixed.steps.emplace_back(offset);
    }
    canvas.to_moving.fixed = canvas.to_fixed.fixed = canvas.grid;
    return canvas;
}

}  // namespace tesela
