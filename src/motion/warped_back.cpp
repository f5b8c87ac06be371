#include <algorithm>
#include <cmath>
#include <limits>

#include "motion/frames.h"
#include "tesela/flow_picture.h"

namespace tesela {
namespace {

// Where a position falls between two neighboring pixels of an axis.
struct Between {
    std::int64_t first = 0, second = 0;
    double part = 0;  // of the way to the second

    // `position` is at most half a pixel outside 0..length - 1.
    Between(double position, std::int64_t length) {
        position = std::clamp(position, 0.0, static_cast<double>(length - 1));
        first = static_cast<std::int64_t>(position);
        second = std::min(first + 1, length - 1);
        part = position - static_cast<double>(first);
    }
};

bool inside(double position, std::int64_t length) {
    return position >= -0.5 && position <= static_cast<double>(length) - 0.5;
}

// A neighbor of no weight has no influence, not even one that is infinite or NaN.
double mix(double first, double second, double part) {
    return part == 0 ? first : first + part * (second - first);
}

template <class T>
T rounded(double value) {
    if constexpr (std::is_floating_point_v<T>)
        return static_cast<T>(value);
    else
        return static_cast<T>(std::floor(value + 0.5));
}

template <class T>
Image<T> warped(const PixelView<T>& second, const FlowView& flow) {
    const Shape& shape = second.shape();
    Image<T> result(shape, second.geometry);
    result.has_alpha = second.has_alpha;
    const float* vector = flow.data();
    T* out = result.data();
    for (std::int64_t y = 0; y < shape.y; ++y)
        for (std::int64_t x = 0; x < shape.x; ++x, vector += 2, out += shape.channels) {
            const double from_x = static_cast<double>(x) + double{vector[0]};
            const double from_y = static_cast<double>(y) + double{vector[1]};
            if (!inside(from_x, shape.x) || !inside(from_y, shape.y)) continue;
            const Between columns(from_x, shape.x), rows(from_y, shape.y);
            const auto pixel = [&](std::int64_t column, std::int64_t row) {
                return second.data() + (row * shape.x + column) * shape.channels;
            };
            const T* const corners[] = {
                pixel(columns.first, rows.first), pixel(columns.second, rows.first),
                pixel(columns.first, rows.second), pixel(columns.second, rows.second)};
            for (int c = 0; c < shape.channels; ++c) {
                const auto value = [&](int corner) {
                    return static_cast<double>(corners[corner][c]);
                };
                out[c] = rounded<T>(mix(mix(value(0), value(1), columns.part),
                                        mix(value(2), value(3), columns.part), rows.part));
            }
        }
    return result;
}

}  // namespace

AnyImage warped_back(const AnyImageView& second, const FlowView& flow) {
    motion::check_frame(second, flow);
    return second.visit([&](const auto& image) -> AnyImage { return warped(image, flow); });
}

}  // namespace tesela
