// Images of f32 between their pixels: linear samples (sampling.body.h) and cubic ones.
#ifndef TESELA_KERNELS_FILTERS_SAMPLING_F32_H
#define TESELA_KERNELS_FILTERS_SAMPLING_F32_H

#include "kernels/filters/borders.h"

#define SAMPLING_REAL f32
#define SAMPLING_OF(name) T_JOIN(name, _f32)
#include "kernels/filters/sampling.body.h"
#undef SAMPLING_OF
#undef SAMPLING_REAL

// Where pixel `at` of a line of `new_length` lies in the line of `length` that it is made of.
T_FUNCTION f32 sampling_place(const i32 at, const i32 new_length, const i32 length) {
    const f32 place = ((f32)at + 0.5f) * ((f32)length / (f32)new_length) - 0.5f;
    return T_CLAMP(place, 0.0f, (f32)(length - 1));
}

// The four pixels around a place, with the weights of the right and of the lower ones. A place
// outside counts as the nearest one inside.
typedef struct {
    i32 x0, x1, y0, y1;
    f32 wx, wy;
    i32 is_inside;
} sampling_cell;
T_FUNCTION sampling_cell sampling_cell_at(const f32 to_x, const f32 to_y, const i32 width,
                                          const i32 height) {
    const f32 x = T_MAX(0.0f, T_MIN((f32)(width - 1), to_x));  // in this order never NaN
    const f32 y = T_MAX(0.0f, T_MIN((f32)(height - 1), to_y));
    const i32 x0 = (i32)x;
    const i32 y0 = (i32)y;
    const sampling_cell cell = {
        x0,          T_MIN(x0 + 1, width - 1), y0, T_MIN(y0 + 1, height - 1), x - (f32)x0,
        y - (f32)y0, x == to_x && y == to_y};
    return cell;
}
T_FUNCTION f32 linear_in_cell(T_GLOBAL_PTR(const f32) image, const i32 width,
                              const sampling_cell cell) {
    return linear_at_f32(image, width, cell.x0, cell.x1, cell.y0, cell.y1, cell.wx, cell.wy);
}

// Weights of the samples at -1, 0, 1 and 2 for a place t in 0..1: E. Catmull, R. Rom, "A class of
// local interpolating splines", Computer Aided Geometric Design, 1974.
T_FUNCTION void cubic_weights(const f32 t, f32* weight) {
    weight[0] = ((-0.5f * t + 1.0f) * t - 0.5f) * t;
    weight[1] = (1.5f * t - 2.5f) * t * t + 1.0f;
    weight[2] = ((-1.5f * t + 2.0f) * t + 0.5f) * t;
    weight[3] = (0.5f * t - 0.5f) * t * t;
}
// Borders are replicated.
T_FUNCTION f32 cubic_in_cell(T_GLOBAL_PTR(const f32) image, const i32 width, const i32 height,
                             const sampling_cell cell) {
    f32 weight_x[4], weight_y[4];
    cubic_weights(cell.wx, weight_x);
    cubic_weights(cell.wy, weight_y);
    f32 sum = 0;
    T_UNROLL
    for (i32 j = 0; j < 4; ++j) {
        T_GLOBAL_PTR(const f32)
        row = image + (i64)border_repeated(cell.y0 + j - 1, height) * width;
        f32 row_sum = 0;
        T_UNROLL
        for (i32 k = 0; k < 4; ++k)
            row_sum += weight_x[k] * row[border_repeated(cell.x0 + k - 1, width)];
        sum += weight_y[j] * row_sum;
    }
    return sum;
}

#endif
