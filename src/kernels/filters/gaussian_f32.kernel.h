// Smoothing by a Gaussian of images of f32, planes one after the other. Borders are mirrored.
#define T_FILE gaussian_f32
#include "kernels/begin.h"
#include "kernels/filters/borders.h"

// Pixel `at` of a line smoothed, whose pixels are `step` apart. Sums of differences keep constant
// images as they are.
T_FUNCTION f32 gaussian_of_line(T_GLOBAL_PTR(const f32) line, const i64 step, const i32 length,
                                const i32 at, T_GLOBAL_PTR(const f32) weight, const i32 radius) {
    T_GLOBAL_PTR(const f32) here = line + at * step;
    const f32 center = here[0];
    f32 sum = 0;
    if (at >= radius && at + radius < length) {
        for (i32 k = -radius; k <= radius; ++k)
            sum += weight[k + radius] * (here[k * step] - center);
    } else {
        for (i32 k = -radius; k <= radius; ++k)
            sum +=
                weight[k + radius] * (here[(border_mirrored(at + k, length) - at) * step] - center);
    }
    return center + sum;
}

// Smoothed along x or along y.
T_KERNEL(gaussian_f32, (T_IN(f32) source, T_IN(f32) weight, T_OUT(f32) target, const i32 width,
                        const i32 height, const i32 along_y, const i32 radius)) {
    T_INDEX3(x, y, plane);
    T_GLOBAL_PTR(const f32)
    line = source + (i64)plane * width * height + (along_y ? (i64)x : (i64)y * width);
    target[((i64)plane * height + y) * width + x] = gaussian_of_line(
        line, along_y ? width : 1, along_y ? height : width, along_y ? y : x, weight, radius);
}

enum {
    gaussian_tile_columns = 32,  // of pixels of a group
    gaussian_tile_rows = 8,
    gaussian_tile_radius = 20,  // at most
    gaussian_tile_values = 32 * 48
};

// Along x and then along y, with the same bits: a group keeps the rows in between to itself.
T_GROUP_KERNEL(gaussian_tile_f32, 32, 8, 1,
               (T_IN(f32) source, T_IN(f32) weight, T_OUT(f32) target, const i32 width,
                const i32 height, const i32 radius)) {
    T_LOCAL(f32, rows, gaussian_tile_values);
    const i32 top = T_GY * gaussian_tile_rows;
    const i64 plane = (i64)T_GZ * width * height;
    T_PHASE {
        const i32 x = T_MIN(T_GX * gaussian_tile_columns + T_LX, width - 1);
        for (i32 n = T_LY; n < gaussian_tile_rows + 2 * radius; n += gaussian_tile_rows) {
            const i32 y = border_mirrored(top - radius + n, height);
            rows[n * gaussian_tile_columns + T_LX] =
                gaussian_of_line(source + plane + (i64)y * width, 1, width, x, weight, radius);
        }
    }
    T_PHASE {
        const i32 x = T_GX * gaussian_tile_columns + T_LX;
        const i32 y = top + T_LY;
        if (x < width && y < height) {
            T_LOCAL_PTR(const f32) begin = rows + T_LY * gaussian_tile_columns + T_LX;
            const f32 center = begin[radius * gaussian_tile_columns];
            f32 sum = 0;
            for (i32 k = 0; k <= 2 * radius; ++k)
                sum += weight[k] * (begin[k * gaussian_tile_columns] - center);
            target[plane + (i64)y * width + x] = center + sum;
        }
    }
}

#include "kernels/end.h"
