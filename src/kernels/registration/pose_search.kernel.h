// Gradient directions at many poses, and their agreement at every shift
// (tesela/registration_search.h).
#define T_FILE pose_search
#include "kernels/begin.h"

// Planes of an image: its mask, the squared weights of gradients, and real and imaginary part of z.
// Sums for each shift of a pose: agreement, energy of both images in the overlap, area of the
// overlap.
enum { pose_planes = 4, pose_sums = 4, pose_group = 256 };

typedef struct {
    i32 width, height;  // of the moving image
    i32 side;           // of the square that it is rotated in
    i32 grid;           // of the transform, along x and y
} pose_grid;

// Only pixels that are inside the mask together with their neighbors have a gradient.
T_KERNEL(pose_directions, (T_IN(f32) gray, T_IN(f32) mask, T_OUT(f32) planes, const i32 width,
                           const i32 height, const f32 edge, const i32 grid)) {
    T_INDEX2(x, y);
    const i64 at = (i64)y * width + x, to = (i64)y * grid + x, plane = (i64)grid * grid;
    f32 re = 0, im = 0;
    if (x > 0 && y > 0 && x + 1 < width && y + 1 < height && mask[at] > 0 && mask[at - 1] > 0 &&
        mask[at + 1] > 0 && mask[at - width] > 0 && mask[at + width] > 0) {
        const f32 gx = 0.5f * (gray[at + 1] - gray[at - 1]);
        const f32 gy = 0.5f * (gray[at + width] - gray[at - width]);
        const f32 share = 1.0f / (gx * gx + gy * gy + edge);
        re = share * (gx * gx - gy * gy);
        im = share * 2 * gx * gy;
    }
    planes[to] = mask[at];
    planes[to + plane] = re * re + im * im;
    planes[to + 2 * plane] = re;
    planes[to + 3 * plane] = im;
}

// The moving image's planes rotated to each pose. A pose has six numbers: the matrix from the
// rotated square to the moving image, about the centers of both, and the rotation of z as cosine
// and sine. A negative determinant mirrors.
T_KERNEL(pose_turned,
         (T_IN(f32) moving, T_IN(f32) poses, T_OUT(f32) turned, const pose_grid grid)) {
    T_INDEX3(x, y, pose);
    const i64 plane = (i64)grid.grid * grid.grid;
    T_GLOBAL_PTR(const f32) m = poses + 6 * pose;
    const f32 dx = (f32)x - 0.5f * (f32)(grid.side - 1), dy = (f32)y - 0.5f * (f32)(grid.side - 1);
    const f32 at_x = m[0] * dx + m[1] * dy + 0.5f * (f32)(grid.width - 1);
    const f32 at_y = m[2] * dx + m[3] * dy + 0.5f * (f32)(grid.height - 1);
    const f32 floor_x = T_FLOOR(at_x), floor_y = T_FLOOR(at_y);
    f32 value[pose_planes];
    T_UNROLL for (i32 p = 0; p < pose_planes; ++p) value[p] = 0;
    if (x < grid.side && y < grid.side && floor_x >= -1 && floor_y >= -1 &&
        floor_x < (f32)grid.width && floor_y < (f32)grid.height) {
        const i32 left = (i32)floor_x, top = (i32)floor_y;
        for (i32 corner = 0; corner < 4; ++corner) {
            const i32 cx = left + corner % 2, cy = top + corner / 2;
            if (cx < 0 || cy < 0 || cx >= grid.width || cy >= grid.height) continue;
            const f32 share = (corner % 2 ? at_x - floor_x : 1 - (at_x - floor_x)) *
                              (corner / 2 ? at_y - floor_y : 1 - (at_y - floor_y));
            const i64 at = (i64)cy * grid.grid + cx;
            T_UNROLL for (i32 p = 0; p < pose_planes; ++p) value[p] +=
                share * moving[at + p * plane];
        }
    }
    const f32 sign = m[0] * m[3] - m[1] * m[2] < 0 ? -1.0f : 1.0f;
    const f32 re = m[4] * value[2] - m[5] * value[3];
    const f32 im = sign * (m[4] * value[3] + m[5] * value[2]);
    T_GLOBAL_PTR(f32) to = turned + (i64)pose * pose_planes * plane + (i64)y * grid.grid + x;
    to[0] = value[0];
    to[plane] = re * re + im * im;
    to[2 * plane] = re;
    to[3 * plane] = im;
}

// Adds conj(a) b.
T_FUNCTION void pose_add_product(f32* sum, T_GLOBAL_PTR(const f32) a, T_GLOBAL_PTR(const f32) b) {
    sum[0] += a[0] * b[0] + a[1] * b[1];
    sum[1] += a[0] * b[1] - a[1] * b[0];
}

// Spectra of the sums for all shifts, from those of the planes (correlation theorem).
T_KERNEL(pose_products,
         (T_IN(f32) fixed, T_IN(f32) turned, T_OUT(f32) sums, const i32 frequencies)) {
    T_INDEX2(i, pose);
    const i64 plane = 2 * (i64)frequencies;
    T_GLOBAL_PTR(const f32) f = fixed + 2 * (i64)i;
    T_GLOBAL_PTR(const f32) m = turned + pose * pose_planes * plane + 2 * (i64)i;
    f32 sum[2 * pose_sums];
    T_UNROLL for (i32 s = 0; s < 2 * pose_sums; ++s) sum[s] = 0;
    pose_add_product(sum, m + 2 * plane, f + 2 * plane);
    pose_add_product(sum, m + 3 * plane, f + 3 * plane);
    pose_add_product(sum + 2, m, f + plane);
    pose_add_product(sum + 4, m + plane, f);
    pose_add_product(sum + 6, m, f);
    T_GLOBAL_PTR(f32) to = sums + pose * pose_sums * plane + 2 * (i64)i;
    T_UNROLL for (i32 s = 0; s < pose_sums; ++s) {
        to[s * plane] = sum[2 * s];
        to[s * plane + 1] = sum[2 * s + 1];
    }
}

// The best shift of each pose, the first of equal ones: its score, or -1 where no shift has the
// least overlap, and its index. Phases:
//   1. each item finds the best of its shifts;
//   2. a tree reduction finds the best of all items;
//   3. the first item writes it.
T_GROUP_KERNEL(pose_peaks, 256, 1, 1,
               (T_IN(f32) sums, T_IN(f32) least_areas, T_OUT(f32) scores, T_OUT(u32) shifts,
                const i32 grid)) {
    T_LOCAL(f32, best, pose_group);
    T_LOCAL(u32, where, pose_group);
    T_PHASE {
        const i32 plane = grid * grid;
        const f32 scale = 1.0f / (f32)plane;
        T_GLOBAL_PTR(const f32) own = sums + (i64)T_GX * pose_sums * plane;
        f32 score = -1;
        u32 shift = 0;
        for (i32 i = T_LX; i < plane; i += pose_group) {
            const f32 first = scale * own[i + plane], second = scale * own[i + 2 * plane];
            const i32 is_enough =
                scale * own[i + 3 * plane] >= least_areas[T_GX] && first > 1e-3f && second > 1e-3f;
            const f32 here = is_enough ? scale * own[i] / T_SQRT(first * second) : -1.0f;
            if (here > score) {
                score = here;
                shift = (u32)i;
            }
        }
        best[T_LX] = score;
        where[T_LX] = shift;
    }
    for (i32 step = pose_group / 2; step > 0; step /= 2) {
        T_PHASE {
            const i32 other = T_LX + step;
            if (T_LX < step && (best[other] > best[T_LX] ||
                                (best[other] == best[T_LX] && where[other] < where[T_LX]))) {
                best[T_LX] = best[other];
                where[T_LX] = where[other];
            }
        }
    }
    T_PHASE {
        if (T_LX == 0) {
            scores[T_GX] = best[0];
            shifts[T_GX] = where[0];
        }
    }
}

#include "kernels/end.h"
