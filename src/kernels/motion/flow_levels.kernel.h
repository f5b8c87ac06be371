// Levels of a pyramid and what stands on them: smaller images, their derivatives and larger flows
// (docs/optical-flow.md). Planes of one kind stand one behind the other; the third
// index of a range counts them. Planes of flows are u, v, u, v, ... behind flow_margin elements.
#define T_FILE flow_levels
#include "kernels/begin.h"
#include "kernels/filters/sampling_f32.h"
#include "kernels/motion/flow_margin.h"

// Taps of a smoothed cubic sample: four, and at most four to either side of each.
enum { flow_shrink_taps = 12, flow_smoothing_taps = 9 };

// Weights of the pixels from the one returned on: a cubic sample at `place` of a line smoothed by
// `smoothing`, weights from -radius to radius.
T_FUNCTION i32 flow_smooth_cubic(const f32 place, T_GLOBAL_PTR(const f32) smoothing,
                                 const i32 radius, f32* weight) {
    const i32 whole = (i32)place;
    f32 cubic[4], smooth[flow_smoothing_taps];
    cubic_weights(place - (f32)whole, cubic);
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

// The sample of a line whose pixels are `step` apart, with weights of those from `first` on.
// Sums of differences keep constant images as they are.
T_FUNCTION f32 flow_shrunk(T_GLOBAL_PTR(const f32) line, const i32 step, const i32 length,
                           const i32 first, const i32 radius, const f32* weight) {
    const f32 center = line[(i64)border_mirrored(first + 1 + radius, length) * step];
    f32 sum = 0;
    if (first >= 0 && first + flow_shrink_taps <= length) {
        T_GLOBAL_PTR(const f32) begin = line + (i64)first * step;
        T_UNROLL
        for (i32 k = 0; k < flow_shrink_taps; ++k)
            sum += weight[k] * (begin[(i64)k * step] - center);
    } else {
        T_UNROLL
        for (i32 k = 0; k < flow_shrink_taps; ++k)
            sum += weight[k] * (line[(i64)border_mirrored(first + k, length) * step] - center);
    }
    return center + sum;
}

// The next smaller level, along x or along y: smoothed against aliasing, sampled by cubic
// interpolation. `length` and `new_length` are along that axis.
T_KERNEL(flow_shrink, (T_IN(f32) source, T_IN(f32) smoothing, T_OUT(f32) target, const i32 width,
                       const i32 height, const i32 new_width, const i32 new_height,
                       const i32 along_y, const i32 radius)) {
    T_INDEX3(x, y, plane);
    const i32 at = along_y ? y : x;
    const i32 length = along_y ? height : width;
    const i32 step = along_y ? width : 1;
    f32 weight[flow_shrink_taps];
    const i32 first = flow_smooth_cubic(
        sampling_place(at, along_y ? new_height : new_width, length), smoothing, radius, weight);
    T_GLOBAL_PTR(const f32)
    line = source + (i64)plane * width * height + (along_y ? (i64)x : (i64)y * width);
    target[((i64)plane * new_height + y) * new_width + x] =
        flow_shrunk(line, step, length, first, radius, weight);
}

enum {
    flow_shrink_columns = 32,  // of pixels of a group
    flow_shrink_rows = 8,
    flow_shrink_sources = 32,  // most rows of the larger level that they are made of
    flow_shrink_values = 32 * 32
};

// Along x and then along y, with the same bits: a group keeps the rows in between to itself.
T_GROUP_KERNEL(flow_shrink_tile, 32, 8, 1,
               (T_IN(f32) source, T_IN(f32) smoothing, T_OUT(f32) target, const i32 width,
                const i32 height, const i32 new_width, const i32 new_height, const i32 radius)) {
    T_LOCAL(f32, narrow, flow_shrink_values);
    const i32 top = T_GY * flow_shrink_rows;
    const i32 bottom = T_MIN(top + flow_shrink_rows, new_height) - 1;
    const i32 first_row = (i32)sampling_place(top, new_height, height) - 1 - radius;
    const i32 end_row =
        (i32)sampling_place(bottom, new_height, height) - 1 - radius + flow_shrink_taps;
    T_PHASE {
        const i32 x = T_MIN(T_GX * flow_shrink_columns + T_LX, new_width - 1);
        f32 weight[flow_shrink_taps];
        const i32 first =
            flow_smooth_cubic(sampling_place(x, new_width, width), smoothing, radius, weight);
        for (i32 row = first_row + T_LY; row < end_row; row += flow_shrink_rows) {
            const i64 line = (i64)T_GZ * height + border_mirrored(row, height);
            narrow[(row - first_row) * flow_shrink_columns + T_LX] =
                flow_shrunk(source + line * width, 1, width, first, radius, weight);
        }
    }
    T_PHASE {
        const i32 x = T_GX * flow_shrink_columns + T_LX;
        const i32 y = top + T_LY;
        if (x < new_width && y < new_height) {
            f32 weight[flow_shrink_taps];
            const i32 first =
                flow_smooth_cubic(sampling_place(y, new_height, height), smoothing, radius, weight);
            T_LOCAL_PTR(const f32)
            begin = narrow + (first - first_row) * flow_shrink_columns + T_LX;
            const f32 center = begin[(1 + radius) * flow_shrink_columns];
            f32 sum = 0;
            T_UNROLL
            for (i32 k = 0; k < flow_shrink_taps; ++k)
                sum += weight[k] * (begin[k * flow_shrink_columns] - center);
            target[((i64)T_GZ * new_height + y) * new_width + x] = center + sum;
        }
    }
}

// Derivatives along x and y of an image at (x, y), to two planes: (1, -8, 0, 8, -1) / 12.
T_FUNCTION void flow_differentiate(T_GLOBAL_PTR(const f32) image, T_GLOBAL_PTR(f32) gradients,
                                   const i32 x, const i32 y, const i32 width, const i32 height) {
    T_GLOBAL_PTR(const f32) row = image + (i64)y * width;
    const f32 near_x = row[border_mirrored(x + 1, width)] - row[border_mirrored(x - 1, width)];
    const f32 far_x = row[border_mirrored(x + 2, width)] - row[border_mirrored(x - 2, width)];
    const f32 near_y = image[(i64)border_mirrored(y + 1, height) * width + x] -
                       image[(i64)border_mirrored(y - 1, height) * width + x];
    const f32 far_y = image[(i64)border_mirrored(y + 2, height) * width + x] -
                      image[(i64)border_mirrored(y - 2, height) * width + x];
    T_GLOBAL_PTR(f32) out = gradients + (i64)y * width + x;
    out[0] = (8.0f * near_x - far_x) * (1.0f / 12);
    out[(i64)width * height] = (8.0f * near_y - far_y) * (1.0f / 12);
}

// What a level begins with: the derivatives of its images, and the flow of the level before it, of
// old_width x old_height pixels: bilinear, its components scaled with the lengths. The third index
// counts the images and then the planes of the flow.
T_KERNEL(flow_begin, (T_IN(f32) images, T_IN(f32) flow, T_OUT(f32) gradients, T_OUT(f32) larger,
                      const i32 width, const i32 height, const i32 old_width, const i32 old_height,
                      const i32 count)) {
    T_INDEX3(x, y, k);
    const i64 points = (i64)width * height;
    if (k < count) {
        flow_differentiate(images + k * points, gradients + 2 * k * points, x, y, width, height);
    } else {
        const i32 plane = k - count;
        const f32 found = linear_sample_f32(
            flow + flow_margin + (i64)plane * old_width * old_height, old_width, old_height,
            sampling_place(x, width, old_width), sampling_place(y, height, old_height), 0);
        const f32 scale =
            plane % 2 == 0 ? (f32)width / (f32)old_width : (f32)height / (f32)old_height;
        larger[flow_margin + plane * points + (i64)y * width + x] = found * scale;
    }
}

#include "kernels/end.h"
