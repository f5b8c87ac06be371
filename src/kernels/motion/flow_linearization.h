// What two frames say about the motion of a pixel, where a flow so far has taken it.
#ifndef TESELA_KERNELS_FLOW_LINEARIZATION_H
#define TESELA_KERNELS_FLOW_LINEARIZATION_H

#include "kernels/filters/sampling_f32.h"

// Warps the second image of a pair, which stands behind the first, by the flow (u, v): the means of
// both images' derivatives, and the difference of the images. Images are interpolated by cubics,
// their derivatives, which stand likewise, linearly. Gives 0 where the flow leaves the image.
T_FUNCTION i32 flow_warp(T_GLOBAL_PTR(const f32) first, T_GLOBAL_PTR(const f32) first_gradient,
                         const i32 width, const i32 height, const i32 x, const i32 y, const f32 u,
                         const f32 v, f32* ix, f32* iy, f32* iz) {
    const i64 points = (i64)width * height;
    const i64 i = (i64)y * width + x;
    T_GLOBAL_PTR(const f32) second_gradient = first_gradient + 2 * points;
    const sampling_cell cell = sampling_cell_at((f32)x + u, (f32)y + v, width, height);
    const f32 dx = linear_in_cell(second_gradient, width, cell);
    const f32 dy = linear_in_cell(second_gradient + points, width, cell);
    *ix = 0.5f * (first_gradient[i] + dx);
    *iy = 0.5f * (first_gradient[points + i] + dy);
    *iz = cubic_in_cell(first + points, width, height, cell) - first[i];
    return cell.is_inside;
}

// What a warp by (u, v) leaves to be explained, linearized (Diaz Morgado and Gomez Blanco 2016,
// section 3.3, for the whole flow): p, q, r, so that a step takes the means of neighbors (u, v) to
// (u - p s, v - q s), s = p u + q v + r. Where the flow leaves the image, p = q = r = 0: only
// neighbors tell the flow.
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
