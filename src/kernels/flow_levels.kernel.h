// Levels of a pyramid and what stands on them: smaller images, their derivatives and larger flows
// (docs/optical-flow.md). Planes of one kind stand one behind the other; the third
// index of a range counts them. Planes of flows are u, v, u, v, ... behind flow_margin elements.
#define T_FILE flow_levels
#include "kernels/begin.h"
#include "kernels/flow_cubic.h"
#include "kernels/flow_margin.h"
#include "kernels/flow_sampling_f32.h"

// Taps of a smoothed cubic sample: four, and at most four to either side of each.
enum { flow_shrink_taps = 12, flow_smoothing_taps = 9 };

// Smoothed along x or along y. Sums of differences keep constant images as they are.
T_KERNEL(flow_smooth, (T_IN(f32) source, T_IN(f32) weight, T_OUT(f32) target, const i32 width,
                       const i32 height, const i32 along_y, const i32 radius)) {
    T_INDEX3(x, y, plane);
    const i32 at = along_y ? y : x;
    const i32 length = along_y ? height : width;
    const i64 step = along_y ? width : 1;
    const i64 i = ((i64)plane * height + y) * width + x;
    T_GLOBAL_PTR(const f32) here = source + i;
    const f32 center = here[0];
    f32 sum = 0;
    if (at >= radius && at + radius < length) {
        for (i32 k = -radius; k <= radius; ++k)
            sum += weight[k + radius] * (here[k * step] - center);
    } else {
        for (i32 k = -radius; k <= radius; ++k)
            sum += weight[k + radius] *
                   (here[(flow_mirrored_f32(at + k, length) - at) * step] - center);
    }
    target[i] = center + sum;
}

// Where pixel `at` of `new_length` lies in a line of `length`.
T_FUNCTION f32 flow_place(const i32 at, const i32 new_length, const i32 length) {
    const f32 place = ((f32)at + 0.5f) * ((f32)length / (f32)new_length) - 0.5f;
    return T_CLAMP(place, 0.0f, (f32)(length - 1));
}

// Weights of the pixels from the one returned on: a cubic sample at `place` of a line smoothed by
// `smoothing`, weights from -radius to radius.
T_FUNCTION i32 flow_smooth_cubic(const f32 place, T_GLOBAL_PTR(const f32) smoothing,
                                 const i32 radius, f32* weight) {
    const i32 whole = (i32)place;
    f32 cubic[4], smooth[flow_smoothing_taps];
    flow_cubic_weights(place - (f32)whole, cubic);
    T_UNROLL
    for (i32 tap = 0; tap < flow_smoothing_taps; ++tap)
        smooth[tap] = tap <= 2 * radius ? smoothing[tap] : 0.0f;
    T_UNROLL
    for (i32 k = 0; k < flow_shrink_taps; ++k) {
        f32 sum = 0;
        T_UNROLL
        for (i32 j = 0; j < 4; ++j) {
            const i32 tap = k - j;
            if (tap >= 0 && tap < flow_smoothing_taps) sum += cubic[j] * smooth[tap];
        }
        weight[k] = sum;
    }
    return whole - 1 - radius;
}

// The next smaller level, along x or along y: smoothed against aliasing, sampled by cubic
// interpolation. `length` and `new_length` are along that axis; differences are summed, as above.
T_KERNEL(flow_shrink, (T_IN(f32) source, T_IN(f32) smoothing, T_OUT(f32) target, const i32 width,
                       const i32 height, const i32 new_width, const i32 new_height,
                       const i32 along_y, const i32 radius)) {
    T_INDEX3(x, y, plane);
    const i32 at = along_y ? y : x;
    const i32 length = along_y ? height : width;
    const i32 step = along_y ? width : 1;
    f32 weight[flow_shrink_taps];
    const i32 first = flow_smooth_cubic(flow_place(at, along_y ? new_height : new_width, length),
                                        smoothing, radius, weight);
    T_GLOBAL_PTR(const f32)
    line = source + (i64)plane * width * height + (along_y ? (i64)x : (i64)y * width);
    const f32 center = line[(i64)flow_mirrored_f32(first + 1 + radius, length) * step];
    f32 sum = 0;
    if (first >= 0 && first + flow_shrink_taps <= length) {
        T_GLOBAL_PTR(const f32) begin = line + (i64)first * step;
        T_UNROLL
        for (i32 k = 0; k < flow_shrink_taps; ++k)
            sum += weight[k] * (begin[(i64)k * step] - center);
    } else {
        T_UNROLL
        for (i32 k = 0; k < flow_shrink_taps; ++k)
            sum += weight[k] * (line[(i64)flow_mirrored_f32(first + k, length) * step] - center);
    }
    target[((i64)plane * new_height + y) * new_width + x] = center + sum;
}

// Derivatives along x and y of each image, one plane behind the other: (1, -8, 0, 8, -1) / 12.
T_KERNEL(flow_gradient,
         (T_IN(f32) images, T_OUT(f32) gradients, const i32 width, const i32 height)) {
    T_INDEX3(x, y, plane);
    const i64 points = (i64)width * height;
    T_GLOBAL_PTR(const f32) image = images + plane * points;
    T_GLOBAL_PTR(const f32) row = image + (i64)y * width;
    const f32 near_x = row[flow_mirrored_f32(x + 1, width)] - row[flow_mirrored_f32(x - 1, width)];
    const f32 far_x = row[flow_mirrored_f32(x + 2, width)] - row[flow_mirrored_f32(x - 2, width)];
    const f32 near_y = image[(i64)flow_mirrored_f32(y + 1, height) * width + x] -
                       image[(i64)flow_mirrored_f32(y - 1, height) * width + x];
    const f32 far_y = image[(i64)flow_mirrored_f32(y + 2, height) * width + x] -
                      image[(i64)flow_mirrored_f32(y - 2, height) * width + x];
    T_GLOBAL_PTR(f32) out = gradients + 2 * plane * points + (i64)y * width + x;
    out[0] = (8.0f * near_x - far_x) * (1.0f / 12);
    out[points] = (8.0f * near_y - far_y) * (1.0f / 12);
}

// The flow of the next larger level: bilinear, its components scaled with the lengths.
T_KERNEL(flow_enlarge, (T_IN(f32) source, T_OUT(f32) target, const i32 width, const i32 height,
                        const i32 new_width, const i32 new_height)) {
    T_INDEX3(x, y, plane);
    const f32 found =
        flow_sample_f32(source + flow_margin + (i64)plane * width * height, width, height,
                        flow_place(x, new_width, width), flow_place(y, new_height, height));
    const f32 scale = plane % 2 == 0 ? (f32)new_width / (f32)width : (f32)new_height / (f32)height;
    target[flow_margin + ((i64)plane * new_height + y) * new_width + x] = found * scale;
}

#include "kernels/end.h"
