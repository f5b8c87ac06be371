// What two frames say about the motion of a pixel, where a flow so far has taken it.
#ifndef TESELA_KERNELS_FLOW_LINEARIZATION_H
#define TESELA_KERNELS_FLOW_LINEARIZATION_H

#include "kernels/flow_cubic.h"
#include "kernels/flow_sampling_f32.h"

// At (x0 + wx, y0 + wy), which is within the image.
T_FUNCTION f32 flow_sample_cubic(T_GLOBAL_PTR(const f32) image, const i32 width, const i32 height,
                                 const i32 x0, const i32 y0, const f32 wx, const f32 wy) {
    f32 weight_x[4], weight_y[4];
    flow_cubic_weights(wx, weight_x);
    flow_cubic_weights(wy, weight_y);
    f32 sum = 0;
    T_UNROLL
    for (i32 j = 0; j < 4; ++j) {
        T_GLOBAL_PTR(const f32) row = image + (i64)T_CLAMP(y0 + j - 1, 0, height - 1) * width;
        f32 row_sum = 0;
        T_UNROLL
        for (i32 k = 0; k < 4; ++k) row_sum += weight_x[k] * row[T_CLAMP(x0 + k - 1, 0, width - 1)];
        sum += weight_y[j] * row_sum;
    }
    return sum;
}

// Warps the second image of a pair, which stands behind the first, by the flow (u, v): the means of
// both images' derivatives, and the difference of the images. Images are interpolated by cubics,
// their derivatives, which stand likewise, linearly. Gives 0 where the flow leaves the image.
T_FUNCTION i32 flow_warp(T_GLOBAL_PTR(const f32) first, T_GLOBAL_PTR(const f32) first_gradient,
                         const i32 width, const i32 height, const i32 x, const i32 y, const f32 u,
                         const f32 v, f32* ix, f32* iy, f32* iz) {
    const i64 points = (i64)width * height;
    const i64 i = (i64)y * width + x;
    T_GLOBAL_PTR(const f32) second_gradient = first_gradient + 2 * points;
    const f32 to_x = (f32)x + u;
    const f32 to_y = (f32)y + v;
    const f32 at_x = T_MAX(0.0f, T_MIN((f32)(width - 1), to_x));  // in this order never NaN
    const f32 at_y = T_MAX(0.0f, T_MIN((f32)(height - 1), to_y));
    const i32 x0 = (i32)at_x;
    const i32 y0 = (i32)at_y;
    const i32 x1 = T_MIN(x0 + 1, width - 1);
    const i32 y1 = T_MIN(y0 + 1, height - 1);
    const f32 wx = at_x - (f32)x0;
    const f32 wy = at_y - (f32)y0;
    const f32 dx = flow_mean_of_four_f32(second_gradient, width, x0, x1, y0, y1, wx, wy);
    const f32 dy = flow_mean_of_four_f32(second_gradient + points, width, x0, x1, y0, y1, wx, wy);
    *ix = 0.5f * (first_gradient[i] + dx);
    *iy = 0.5f * (first_gradient[points + i] + dy);
    *iz = flow_sample_cubic(first + points, width, height, x0, y0, wx, wy) - first[i];
    return at_x == to_x && at_y == to_y;
}

// What a warp by (u, v) leaves to be explained, linearized (spec 2.8, for the whole flow): p, q, r,
// so that a step takes the means of neighbors (u, v) to (u - p s, v - q s), s = p u + q v + r.
// Where the flow leaves the image, p = q = r = 0: only neighbors tell the flow.
T_FUNCTION void flow_linearized(T_GLOBAL_PTR(const f32) images, T_GLOBAL_PTR(const f32) gradients,
                                const i32 x, const i32 y, const i32 pair, const i32 width,
                                const i32 height, const f32 alpha, const f32 u, const f32 v, f32* p,
                                f32* q, f32* r) {
    const i64 points = (i64)width * height;
    f32 ix, iy, iz;
    const i32 is_inside = flow_warp(images + pair * points, gradients + 2 * pair * points, width,
                                    height, x, y, u, v, &ix, &iy, &iz);
    const f32 scale = is_inside ? 1.0f / T_SQRT(alpha + ix * ix + iy * iy) : 0.0f;
    *p = ix * scale;
    *q = iy * scale;
    *r = (iz - ix * u - iy * v) * scale;
}

// The same to planes of the system, `plane` apart.
T_FUNCTION void flow_linearize_at(T_GLOBAL_PTR(const f32) images, T_GLOBAL_PTR(const f32) gradients,
                                  const i32 x, const i32 y, const i32 pair, const i32 width,
                                  const i32 height, const f32 alpha, const f32 u, const f32 v,
                                  T_GLOBAL_PTR(f32) system, const i64 plane) {
    f32 p, q, r;
    flow_linearized(images, gradients, x, y, pair, width, height, alpha, u, v, &p, &q, &r);
    system[0] = p;
    system[plane] = q;
    system[2 * plane] = r;
}

#endif
