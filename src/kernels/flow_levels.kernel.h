// Levels of a pyramid and what stands on them: smaller images, their derivatives, larger flows, and
// medians of flows (docs/optical-flow.md). Planes of one kind stand one behind the other; the third
// index of a range counts them. Planes of flows are u, v, u, v, ... behind flow_margin elements.
#define T_FILE flow_levels
#include "kernels/begin.h"
#include "kernels/flow_cubic.h"
#include "kernels/flow_margin.h"
#include "kernels/flow_sampling_f32.h"

// Taps of a smoothed cubic sample: four, and at most four to either side of each.
enum { flow_shrink_taps = 12 };

// Smoothed along x or along y. Sums of differences keep constant images as they are.
T_KERNEL(flow_smooth, (T_IN(f32) source, T_IN(f32) weight, T_OUT(f32) target, const i32 width,
                       const i32 height, const i32 step_x, const i32 step_y, const i32 radius)) {
    T_INDEX3(x, y, plane);
    T_GLOBAL_PTR(const f32) image = source + (i64)plane * width * height;
    const f32 center = image[(i64)y * width + x];
    f32 sum = 0;
    for (i32 k = -radius; k <= radius; ++k)
        sum += weight[k + radius] * (image[(i64)flow_mirrored_f32(y + k * step_y, height) * width +
                                           flow_mirrored_f32(x + k * step_x, width)] -
                                     center);
    target[((i64)plane * height + y) * width + x] = center + sum;
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
    f32 cubic[4];
    flow_cubic_weights(place - (f32)whole, cubic);
    T_UNROLL
    for (i32 k = 0; k < flow_shrink_taps; ++k) {
        f32 sum = 0;
        T_UNROLL
        for (i32 j = 0; j < 4; ++j) {
            const i32 tap = k - j;
            if (tap >= 0 && tap <= 2 * radius) sum += cubic[j] * smoothing[tap];
        }
        weight[k] = sum;
    }
    return whole - 1 - radius;
}

// The next smaller level: smoothed against aliasing, sampled by cubic interpolation. Differences
// are summed, as above.
T_KERNEL(flow_shrink,
         (T_IN(f32) source, T_IN(f32) smoothing, T_OUT(f32) target, const i32 width,
          const i32 height, const i32 new_width, const i32 new_height, const i32 radius)) {
    T_INDEX3(x, y, plane);
    f32 weight_x[flow_shrink_taps], weight_y[flow_shrink_taps];
    const i32 x0 = flow_smooth_cubic(flow_place(x, new_width, width), smoothing, radius, weight_x);
    const i32 y0 =
        flow_smooth_cubic(flow_place(y, new_height, height), smoothing, radius, weight_y);
    T_GLOBAL_PTR(const f32) image = source + (i64)plane * width * height;
    const f32 center = image[(i64)flow_mirrored_f32(y0 + 1 + radius, height) * width +
                             flow_mirrored_f32(x0 + 1 + radius, width)];
    f32 sum = 0;
    for (i32 j = 0; j < 4 + 2 * radius; ++j) {
        T_GLOBAL_PTR(const f32) row = image + (i64)flow_mirrored_f32(y0 + j, height) * width;
        f32 row_sum = 0;
        for (i32 k = 0; k < 4 + 2 * radius; ++k)
            row_sum += weight_x[k] * (row[flow_mirrored_f32(x0 + k, width)] - center);
        sum += weight_y[j] * row_sum;
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

// ---- Medians -----------------------------------------------------------------------------------

T_FUNCTION void flow_order(f32* low, f32* high) {
    const f32 lower = T_MIN(*low, *high);
    *high = T_MAX(*low, *high);
    *low = lower;
}

// Orders value[0], value[5], ..., value[20].
T_FUNCTION void flow_order_column(f32* value) {
    flow_order(value + 0, value + 5);
    flow_order(value + 15, value + 20);
    flow_order(value + 10, value + 20);
    flow_order(value + 10, value + 15);
    flow_order(value + 5, value + 20);
    flow_order(value + 0, value + 15);
    flow_order(value + 0, value + 10);
    flow_order(value + 5, value + 15);
    flow_order(value + 5, value + 10);
}

// Of five columns of five rows, each column in order. Rows are ordered as far as it matters; then
// six values are below the median for certain, and six above; the others, from the lower left to
// the upper right, are ordered as far as it matters. Found by search, and proven on all columns of
// zeros and ones (D. E. Knuth, "The Art of Computer Programming", volume 3, section 5.3.4).
T_FUNCTION f32 flow_median_of_columns(f32* value) {
    flow_order(value + 0, value + 1);
    flow_order(value + 3, value + 4);
    flow_order(value + 2, value + 3);
    flow_order(value + 1, value + 4);
    flow_order(value + 0, value + 3);
    flow_order(value + 1, value + 3);
    flow_order(value + 5, value + 6);
    flow_order(value + 8, value + 9);
    flow_order(value + 7, value + 9);
    flow_order(value + 7, value + 8);
    flow_order(value + 6, value + 9);
    flow_order(value + 5, value + 8);
    flow_order(value + 6, value + 8);
    flow_order(value + 6, value + 7);
    flow_order(value + 10, value + 11);
    flow_order(value + 13, value + 14);
    flow_order(value + 12, value + 14);
    flow_order(value + 12, value + 13);
    flow_order(value + 11, value + 14);
    flow_order(value + 10, value + 13);
    flow_order(value + 10, value + 12);
    flow_order(value + 11, value + 13);
    flow_order(value + 11, value + 12);
    flow_order(value + 15, value + 16);
    flow_order(value + 18, value + 19);
    flow_order(value + 17, value + 18);
    flow_order(value + 16, value + 19);
    flow_order(value + 15, value + 18);
    flow_order(value + 15, value + 17);
    flow_order(value + 16, value + 18);
    flow_order(value + 16, value + 17);
    flow_order(value + 20, value + 21);
    flow_order(value + 23, value + 24);
    flow_order(value + 22, value + 24);
    flow_order(value + 22, value + 23);
    flow_order(value + 20, value + 23);
    flow_order(value + 20, value + 22);
    flow_order(value + 21, value + 22);
    flow_order(value + 7, value + 11);
    flow_order(value + 4, value + 12);
    flow_order(value + 15, value + 3);
    flow_order(value + 13, value + 20);
    flow_order(value + 8, value + 16);
    flow_order(value + 21, value + 17);
    flow_order(value + 11, value + 4);
    flow_order(value + 3, value + 13);
    flow_order(value + 11, value + 3);
    flow_order(value + 4, value + 13);
    flow_order(value + 4, value + 15);
    flow_order(value + 12, value + 3);
    flow_order(value + 16, value + 9);
    flow_order(value + 3, value + 13);
    flow_order(value + 21, value + 16);
    flow_order(value + 15, value + 8);
    flow_order(value + 3, value + 21);
    flow_order(value + 12, value + 3);
    flow_order(value + 13, value + 8);
    flow_order(value + 3, value + 13);
    return value[13];
}

// The pixel at x of a row; beyond the border the row goes on.
T_FUNCTION f32 flow_in_row(T_GLOBAL_PTR(const f32) row, const i32 x, const i32 width) {
    const f32 first = row[0];
    const f32 last = row[width - 1];
    const f32 here = row[x];
    return x < 0 ? first : x >= width ? last : here;
}

// Five pixels of a row, or of the first or last one where it is beyond the border.
T_FUNCTION void flow_five_of_row(T_GLOBAL_PTR(const f32) plane, const i32 x, const i32 y,
                                 const i32 width, const i32 height, f32* value) {
    T_GLOBAL_PTR(const f32) row = plane + (i64)T_CLAMP(y, 0, height - 1) * width;
    value[0] = flow_in_row(row, x - 2, width);
    value[1] = flow_in_row(row, x - 1, width);
    value[2] = row[x];
    value[3] = flow_in_row(row, x + 1, width);
    value[4] = flow_in_row(row, x + 2, width);
}

// Median of 5 x 5 pixels. Straight on, because a loop inside that over x keeps it from vectorizing.
T_SIMD_KERNEL(flow_median,
              (T_IN(f32) flow, T_OUT(f32) filtered, const i32 width, const i32 height)) {
    T_INDEX3(x, y, plane);
    const i64 begin = flow_margin + (i64)plane * width * height;
    f32 value[25];
    flow_five_of_row(flow + begin, x, y - 2, width, height, value);
    flow_five_of_row(flow + begin, x, y - 1, width, height, value + 5);
    flow_five_of_row(flow + begin, x, y, width, height, value + 10);
    flow_five_of_row(flow + begin, x, y + 1, width, height, value + 15);
    flow_five_of_row(flow + begin, x, y + 2, width, height, value + 20);
    flow_order_column(value);
    flow_order_column(value + 1);
    flow_order_column(value + 2);
    flow_order_column(value + 3);
    flow_order_column(value + 4);
    filtered[begin + (i64)y * width + x] = flow_median_of_columns(value);
}

#include "kernels/end.h"
