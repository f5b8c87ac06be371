// The normalized gradient field of an image, as products of its components, and the equations of
// motion between two of them (docs/registration.md).
//
// E. Haber, J. Modersitzki, "Intensity gradient based registration and fusion of multi-modal
// images", Methods Inf. Med. 46(3), 2007.
#define T_FILE gradient_field
#include "kernels/begin.h"

#include "kernels/registration/equation_blocks.h"

typedef struct {
    i32 size[3];
    i32 dimensions;  // 2 or 3
    f32 scale[3];    // from differences of neighbors along an axis to those per unit of length
    f32 edge;        // squared gradient length with a weight of one half
} field_grid;

typedef struct {
    i32 size[3];
    i32 factor[3];  // 1 or 2
} halved_grid;

// The next coarser level: means over pixels of the finer one.
T_KERNEL(halve_level, (T_IN(f32) image, T_OUT(f32) coarse, halved_grid g, i32 nx, i32 ny)) {
    T_INDEX3(x, y, z);
    f32 sum = 0;
    for (i32 k = 0; k < g.factor[2]; ++k)
        for (i32 j = 0; j < g.factor[1]; ++j)
            for (i32 i = 0; i < g.factor[0]; ++i) {
                const i32 px = T_MIN(x * g.factor[0] + i, g.size[0] - 1);
                const i32 py = T_MIN(y * g.factor[1] + j, g.size[1] - 1);
                const i32 pz = T_MIN(z * g.factor[2] + k, g.size[2] - 1);
                sum += image[((i64)pz * g.size[1] + py) * g.size[0] + px];
            }
    coarse[((i64)z * ny + y) * nx + x] = sum / (f32)(g.factor[0] * g.factor[1] * g.factor[2]);
}

// The weighted mean over slices z - radius to z + radius; the outermost slices are repeated.
T_KERNEL(smooth_slices, (T_IN(f32) image, T_IN(f32) weights, T_OUT(f32) smoothed, i32 nz,
                         i32 radius, i64 slice, i64 first)) {
    T_INDEX2(i, z);
    f32 sum = 0;
    for (i32 k = -radius; k <= radius; ++k)
        sum += weights[k + radius] * image[first + T_CLAMP(z + k, 0, nz - 1) * slice + i];
    smoothed[first + z * slice + i] = sum;
}

// Gradient lengths times a weight.
T_KERNEL(weigh_gradient, (T_IN(f32) image, T_IN(f32) weight, T_OUT(f32) lengths, field_grid g)) {
    T_INDEX3(x, y, z);
    const i64 row = g.size[0], slice = row * g.size[1], i = z * slice + y * row + x;
    const f32 gx = g.scale[0] * slope_at(image, i, x, g.size[0], 1);
    const f32 gy = g.scale[1] * slope_at(image, i, y, g.size[1], row);
    const f32 gz = g.scale[2] * slope_at(image, i, z, g.size[2], slice);
    lengths[i] = weight[i] * T_SQRT(gx * gx + gy * gy + gz * gz);
}

// Products of the components of the normalized gradient: xx, xy, yy, and xz, yz, zz of volumes.
// Mixed ones count twice in a product of matrices, and are multiplied by the root of 2.
T_KERNEL(gradient_products, (T_IN(f32) image, T_OUT(f32) products, field_grid g)) {
    T_INDEX3(x, y, z);
    const i64 row = g.size[0], slice = row * g.size[1], count = slice * g.size[2];
    const i64 i = z * slice + y * row + x;
    const f32 root = 1.41421356f;
    const f32 gx = g.scale[0] * slope_at(image, i, x, g.size[0], 1);
    const f32 gy = g.scale[1] * slope_at(image, i, y, g.size[1], row);
    const f32 gz = g.scale[2] * slope_at(image, i, z, g.size[2], slice);
    const f32 share = 1.0f / (gx * gx + gy * gy + gz * gz + g.edge);
    products[i] = gx * gx * share;
    products[count + i] = root * gx * gy * share;
    products[2 * count + i] = gy * gy * share;
    if (g.dimensions == 3) {
        products[3 * count + i] = root * gx * gz * share;
        products[4 * count + i] = root * gy * gz * share;
        products[5 * count + i] = gz * gz * share;
    }
}

// An image, followed by its squares.
T_KERNEL(gray_and_squares, (T_IN(f32) image, T_OUT(f32) both, i64 count)) {
    T_INDEX1(i);
    both[i] = image[i];
    both[count + i] = image[i] * image[i];
}

// Subtracts the local mean and divides by the local standard deviation; `means` are those of the
// image and of its squares. `noise` is a variance that is added to keep flat regions at 0.
T_KERNEL(normalize_around,
         (T_IN(f32) image, T_IN(f32) means, T_OUT(f32) normalized, f32 noise, i64 count)) {
    T_INDEX1(i);
    const f32 mean = means[i], variance = T_MAX(means[count + i] - mean * mean, 0.0f);
    normalized[i] = (image[i] - mean) / T_SQRT(variance + noise);
}

// Sums for each block of pixels, over pixels and channels: the products of slopes (terms 0 to 5:
// xx, xy, xz, yy, yz, zz), slopes times the difference fixed - moving (6 to 8: x, y, z), the
// squared difference (9), the squares of fixed and moving (10, 11), the weight (12), and the
// squares of the difference of traces and of the traces of fixed and moving (13 to 15). A slope is
// the mean of those of both images: S. Benhimane, E. Malis, "Real-time image-based tracking of
// planes using efficient second-order minimization", IROS 2004.
T_KERNEL(motion_equations, (T_IN(f32) fixed, T_IN(f32) moving, T_IN(f32) weight, T_OUT(f32) sums,
                            i32 nx, i32 ny, i32 nz, i32 channels)) {
    T_INDEX3(bx, by, bz);
    const equation_points points = equation_points_of(bx, by, bz, nx, ny, nz);
    const i64 slice = (i64)nx * ny, count = slice * nz;
    f32 term[equation_terms];
    for (i32 k = 0; k < equation_terms; ++k) term[k] = 0;
    for (i32 z = points.z0; z < points.z1; ++z)
        for (i32 y = points.y0; y < points.y1; ++y)
            for (i32 x = points.x0; x < points.x1; ++x) {
                const i64 i = z * slice + (i64)y * nx + x;
                const f32 w = weight[i];
                if (w == 0) continue;
                term[12] += w;
                const i64 last = (i64)(channels - 1) * count + i;  // yy, or zz of volumes
                f32 fixed_trace = fixed[i] + fixed[last], moving_trace = moving[i] + moving[last];
                if (channels == 6) {
                    fixed_trace += fixed[2 * count + i];
                    moving_trace += moving[2 * count + i];
                }
                term[13] += w * (fixed_trace - moving_trace) * (fixed_trace - moving_trace);
                term[14] += w * fixed_trace * fixed_trace;
                term[15] += w * moving_trace * moving_trace;
                for (i32 c = 0; c < channels; ++c) {
                    T_GLOBAL_PTR(const f32) f = fixed + c * count;
                    T_GLOBAL_PTR(const f32) m = moving + c * count;
                    const f32 sx = 0.5f * (slope_at(f, i, x, nx, 1) + slope_at(m, i, x, nx, 1));
                    const f32 sy = 0.5f * (slope_at(f, i, y, ny, nx) + slope_at(m, i, y, ny, nx));
                    const f32 sz =
                        0.5f * (slope_at(f, i, z, nz, slice) + slope_at(m, i, z, nz, slice));
                    const f32 difference = f[i] - m[i];
                    term[0] += w * sx * sx;
                    term[1] += w * sx * sy;
                    term[2] += w * sx * sz;
                    term[3] += w * sy * sy;
                    term[4] += w * sy * sz;
                    term[5] += w * sz * sz;
                    term[6] += w * sx * difference;
                    term[7] += w * sy * difference;
                    term[8] += w * sz * difference;
                    term[9] += w * difference * difference;
                    term[10] += w * f[i] * f[i];
                    term[11] += w * m[i] * m[i];
                }
            }
    for (i32 k = 0; k < equation_terms; ++k) sums[k * points.count + points.number] = term[k];
}

// One channel of an image.
T_KERNEL(take_channel, (T_IN(f32) pixels, T_OUT(f32) channel, i32 channels, i32 which)) {
    T_INDEX1(i);
    channel[i] = pixels[(i64)i * channels + which];
}

#include "kernels/end.h"
