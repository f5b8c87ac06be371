#include "tesela/image_view.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <string>

#include "tesela/error.h"

namespace tesela::detail {
namespace {

struct Axis {
    std::int64_t length, stride;
};

std::string strides_text(const std::int64_t (&strides)[5]) {
    std::string text;
    for (const std::int64_t stride : strides)
        text += (text.empty() ? "" : ", ") + std::to_string(stride);
    return text;
}

}  // namespace

// Sorted by stride, each axis has to step over all that the finer ones reach.
void check_view(const void* data, const Shape& shape, const std::int64_t (&strides)[5]) {
    validate(shape);
    if (!data) throw InvalidArgument("the view's pointer to pixels is null");
    std::array<Axis, 5> axes{{{shape.x, strides[0]},
                              {shape.y, strides[1]},
                              {shape.z, strides[2]},
                              {shape.t, strides[3]},
                              {shape.channels, strides[4]}}};
    for (Axis& axis : axes) {
        if (axis.length == 1) axis.stride = 0;
        if (axis.stride == std::numeric_limits<std::int64_t>::min()) axis.stride += 1;
        axis.stride = std::abs(axis.stride);
    }
    std::sort(axes.begin(), axes.end(),
              [](const Axis& a, const Axis& b) { return a.stride < b.stride; });
    std::int64_t reach = 0;  // of the finer axes, in elements
    for (const Axis& axis : axes) {
        if (axis.length == 1) continue;
        std::int64_t further = 0;
        if (axis.stride <= reach)
            throw InvalidArgument(
                "the view's strides overlap: of x, y, z, t and channel they are " +
                strides_text(strides) + " elements, and two pixels would share memory");
        if (__builtin_mul_overflow(axis.stride, axis.length - 1, &further) ||
            __builtin_add_overflow(reach, further, &reach))
            throw InvalidArgument("the view's strides, " + strides_text(strides) +
                                  ", reach beyond any memory");
    }
}

bool is_contiguous(const Shape& shape, const std::int64_t (&strides)[5]) {
    const std::int64_t lengths[5] = {shape.channels, shape.x, shape.y, shape.z, shape.t};
    const std::int64_t given[5] = {strides[4], strides[0], strides[1], strides[2], strides[3]};
    std::int64_t expected = 1;
    for (int axis = 0; axis < 5; ++axis) {
        if (lengths[axis] > 1 && given[axis] != expected) return false;
        expected *= lengths[axis];
    }
    return true;
}

}  // namespace tesela::detail
