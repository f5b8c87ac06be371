// The joint histogram of two images of one size, and the equations of motion that raise their
// mutual information (docs/registration.md).
#define T_FILE mutual_information
#include "kernels/begin.h"

#include "kernels/registration/equation_blocks.h"

// A point adds `information_unit`, divided between the two nearest bins of the moving image.
enum {
    information_bins = 32,
    information_cells = information_bins * information_bins,
    information_unit = 64,
    information_group = 256
};

T_FUNCTION f32 information_position(const f32 value) {
    return T_CLAMP(value, 0.0f, 1.0f) * (f32)(information_bins - 1);
}

// Adds every `step`-th compared point to `counts`, which are stored by fixed bin, then by moving
// bin. Values are between 0 and 1.
T_GROUP_KERNEL(joint_histogram, 256, 1, 1,
               (T_IN(f32) fixed, T_IN(f32) moving, T_IN(f32) weight, T_OUT(u32) counts,
                const i64 points, const i64 step)) {
    T_LOCAL(u32, own, information_cells);
    T_PHASE {
        for (i32 k = T_LX; k < information_cells; k += information_group) own[k] = 0;
    }
    T_PHASE {
        const i64 stride = step * information_group * T_GROUPS_X;
        for (i64 i = step * ((i64)T_GX * information_group + T_LX); i < points; i += stride) {
            const f32 position = information_position(moving[i]);
            const i32 bin = T_MIN((i32)position, information_bins - 2);
            const u32 all = weight[i] < 0.5f ? 0u : (u32)information_unit;
            const u32 second = (u32)T_ROUND((position - (f32)bin) * (f32)all);
            const i32 cell = T_ROUND(information_position(fixed[i])) * information_bins + bin;
            if (second < all) T_ATOMIC_ADD(&own[cell], all - second);
            if (second > 0) T_ATOMIC_ADD(&own[cell + 1], second);
        }
    }
    T_PHASE {
        for (i32 k = T_LX; k < information_cells; k += information_group)
            if (own[k] > 0) T_ATOMIC_ADD(counts + k, own[k]);
    }
}

// As motion_equations, with the slopes of the moving image times the derivative of the information
// of a point by its moving bin: `gains`, stored as counts are.
T_KERNEL(information_equations, (T_IN(f32) fixed, T_IN(f32) moving, T_IN(f32) weight,
                                 T_IN(f32) gains, T_OUT(f32) sums, i32 nx, i32 ny, i32 nz)) {
    T_INDEX3(bx, by, bz);
    const equation_points points = equation_points_of(bx, by, bz, nx, ny, nz);
    const i64 slice = (i64)nx * ny;
    f32 term[equation_terms];
    for (i32 k = 0; k < equation_terms; ++k) term[k] = 0;
    for (i32 z = points.z0; z < points.z1; ++z)
        for (i32 y = points.y0; y < points.y1; ++y)
            for (i32 x = points.x0; x < points.x1; ++x) {
                const i64 i = z * slice + (i64)y * nx + x;
                if (weight[i] < 0.5f) continue;
                const f32 position = information_position(moving[i]);
                const i32 bin = T_MIN((i32)position, information_bins - 2);
                T_GLOBAL_PTR(const f32)
                gain = gains + T_ROUND(information_position(fixed[i])) * information_bins + bin;
                const f32 share = position - (f32)bin;
                const f32 g = (gain[0] + share * (gain[1] - gain[0])) * (f32)(information_bins - 1);
                const f32 sx = g * slope_at(moving, i, x, nx, 1);
                const f32 sy = g * slope_at(moving, i, y, ny, nx);
                const f32 sz = g * slope_at(moving, i, z, nz, slice);
                term[0] += sx * sx;
                term[1] += sx * sy;
                term[2] += sx * sz;
                term[3] += sy * sy;
                term[4] += sy * sz;
                term[5] += sz * sz;
                term[6] += sx;
                term[7] += sy;
                term[8] += sz;
                term[12] += 1;
            }
    for (i32 k = 0; k < equation_terms; ++k) sums[k * points.count + points.number] = term[k];
}

#include "kernels/end.h"
