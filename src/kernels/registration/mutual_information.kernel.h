// The mutual information of two volumes at sampled voxels, and the equations of the affine change
// of a map that raises it (docs/registration.md).
//
// D. Mattes, D. R. Haynor, H. Vesselle, T. K. Lewellen, W. Eubank, "PET-CT image registration in
// the chest using free-form deformations", IEEE Trans. Med. Imaging 22(1), 2003.
#define T_FILE mutual_information
#include "kernels/begin.h"

#include "kernels/registration/linear_map.h"
#include "kernels/registration/sampled_image.h"
#include "kernels/registration/spline_weights.h"

enum {
    information_bins = 32,
    information_cells = information_bins * information_bins,
    information_unit = 1024,  // that a sample adds, divided among four bins of the moving image
    information_group = 256,
    equation_group = 128,  // samples that are summed up side by side
    equation_lanes = 8,    // sums of a term that are added last
    // A column of the system: for each axis the slope times 1, x, y and z of the point, then 1.
    equation_entries = 13,
    equation_sums = equation_entries * (equation_entries + 1) / 2
};

// Boxes into which a level is divided, of which each gives one voxel.
typedef struct {
    i32 size[3], boxes[3];
    i32 is_weighted;  // otherwise all voxels are compared
} sample_boxes;

// A voxel of box `at` along an axis; `random` has ten bits.
T_FUNCTION i32 sampled_voxel(const i32 at, const i32 size, const i32 boxes, const u32 random) {
    const i32 first = (i32)((i64)at * size / boxes), next = (i32)((i64)(at + 1) * size / boxes);
    return first + (i32)(random * (u32)(next - first) >> 10);
}

// Values from 0 to 1 in boxes of the fixed image.
T_FUNCTION i32 fixed_bin(const f32 value) {
    return T_MIN((i32)(T_CLAMP(value, 0.0f, 1.0f) * (f32)information_bins), information_bins - 1);
}
// Those of the moving image lie between bins 1 and information_bins - 2, so that all four bins
// around them are there.
T_FUNCTION f32 moving_position(const f32 value) {
    return 1.0f + T_CLAMP(value, 0.0f, 1.0f) * (f32)(information_bins - 3);
}

// The samples of a level: their points, as all x, all y, all z, and the first cell of their fixed
// bin, or -1 where they are not compared.
T_KERNEL(take_samples, (T_IN(f32) fixed, T_IN(f32) weight, T_OUT(f32) points, T_OUT(i32) rows,
                        sample_boxes boxes, linear_map placed)) {
    T_INDEX3(bx, by, bz);
    const i64 count = (i64)boxes.boxes[0] * boxes.boxes[1] * boxes.boxes[2];
    const i64 i = ((i64)bz * boxes.boxes[1] + by) * boxes.boxes[0] + bx;
    u32 random = (u32)i;  // a hash of 32 bits whose every bit depends on every other
    random = (random ^ (random >> 16)) * 0x7feb352du;
    random = (random ^ (random >> 15)) * 0x846ca68bu;
    random ^= random >> 16;
    const i32 x = sampled_voxel(bx, boxes.size[0], boxes.boxes[0], random & 1023u);
    const i32 y = sampled_voxel(by, boxes.size[1], boxes.boxes[1], (random >> 10) & 1023u);
    const i32 z = sampled_voxel(bz, boxes.size[2], boxes.boxes[2], random >> 22);
    points[i] = linear_row(placed.row_x, (f32)x, (f32)y, (f32)z);
    points[count + i] = linear_row(placed.row_y, (f32)x, (f32)y, (f32)z);
    points[2 * count + i] = linear_row(placed.row_z, (f32)x, (f32)y, (f32)z);
    const i64 voxel = ((i64)z * boxes.size[1] + y) * boxes.size[0] + x;
    const i32 is_compared = !boxes.is_weighted || weight[voxel] >= 0.5f;
    rows[i] = is_compared ? fixed_bin(fixed[voxel]) * information_bins : -1;
}

// Looks up the samples in the moving image: `found` is the position between its bins, or -1 outside
// of it, and the slopes of that along x, y and z. Adds them to `counts`, which are stored by fixed
// bin, then by moving bin.
T_GROUP_KERNEL(find_samples, 256, 1, 1,
               (T_IN(f32) moving, T_IN(f32) points, T_IN(i32) rows, T_OUT(f32) found,
                T_OUT(u32) counts, linear_map map, sampled_image s)) {
    T_LOCAL(u32, own, information_cells);
    T_PHASE {
        for (i32 k = T_LX; k < information_cells; k += information_group) own[k] = 0;
    }
    T_PHASE {
        const i64 stride = (i64)information_group * T_GROUPS_X;
        for (i64 i = (i64)T_GX * information_group + T_LX; i < s.count; i += stride) {
            const f32 px = points[i], py = points[s.count + i], pz = points[2 * s.count + i];
            const f32 x = linear_row(map.row_x, px, py, pz);
            const f32 y = linear_row(map.row_y, px, py, pz);
            const f32 z = linear_row(map.row_z, px, py, pz);
            const i32 is_compared = rows[i] >= 0 && is_in_image(s, x, y, z);
            f32 position = -1.0f, slopes[3], weights[4];
            if (is_compared) {
                position = moving_position(linear_slopes(moving, s, x, y, z, slopes));
                const i32 first = spline_weights(position, information_bins, weights);
                u32 share[4];
                for (i32 k = 0; k < 4; ++k)
                    share[k] = (u32)T_ROUND(weights[k] * (f32)information_unit);
                share[1] = (u32)information_unit - share[0] - share[2] - share[3];
                for (i32 k = 0; k < 4; ++k)
                    if (share[k] > 0) T_ATOMIC_ADD(&own[rows[i] + first + k], share[k]);
                for (i32 a = 0; a < 3; ++a)
                    found[(a + 1) * s.count + i] = slopes[a] * (f32)(information_bins - 3);
            }
            found[i] = position;
        }
    }
    T_PHASE {
        for (i32 k = T_LX; k < information_cells; k += information_group)
            if (own[k] > 0) T_ATOMIC_ADD(counts + k, own[k]);
    }
}

// Sums over the samples of a group of the products of two entries of their columns (see
// equation_entries), by rows of the upper triangle. The slopes are those of the information that a
// sample gives: those of its position times the derivative of `gains`, a cubic B-spline over the
// moving bins of its fixed bin.
T_GROUP_KERNEL(information_equations, 128, 1, 1,
               (T_IN(f32) points, T_IN(i32) rows, T_IN(f32) found, T_IN(f32) gains, T_OUT(f32) sums,
                i64 count, i32 turns)) {
    T_LOCAL(f32, columns, equation_entries * equation_group);
    T_ITEM_ARRAY(f32, sum, equation_lanes);
    T_PHASE {
        for (i32 k = 0; k < equation_lanes; ++k) T_MY(sum)[k] = 0.0f;
    }
    for (i32 turn = 0; turn < turns; ++turn) {
        T_PHASE {
            const i64 i = ((i64)T_GX * turns + turn) * equation_group + T_LX;
            const i32 is_compared = i < count && found[T_MIN(i, count - 1)] >= 0.0f;
            f32 gain = 0;
            if (is_compared) {
                f32 weights[4], slopes[4];
                const i32 first = spline_weights(found[i], information_bins, weights);
                spline_slopes(found[i], first, slopes);
                for (i32 k = 0; k < 4; ++k) gain += slopes[k] * gains[rows[i] + first + k];
            }
            for (i32 a = 0; a < 3; ++a) {
                const f32 slope = is_compared ? gain * found[(a + 1) * count + i] : 0.0f;
                columns[(4 * a) * equation_group + T_LX] = slope;
                for (i32 b = 0; b < 3; ++b)
                    columns[(4 * a + b + 1) * equation_group + T_LX] =
                        is_compared ? slope * points[b * count + i] : 0.0f;
            }
            columns[(equation_entries - 1) * equation_group + T_LX] = is_compared ? 1.0f : 0.0f;
        }
        T_PHASE {
            if (T_LX < equation_sums) {
                i32 row = 0, column = T_LX;
                while (column >= equation_entries - row) column -= equation_entries - row++;
                column += row;
                for (i32 s = 0; s < equation_group; s += equation_lanes)
                    for (i32 k = 0; k < equation_lanes; ++k) T_MY(sum)
                [k] += columns[row * equation_group + s + k] *
                       columns[column * equation_group + s + k];
            }
        }
    }
    T_PHASE {
        if (T_LX < equation_sums) {
            f32 all = 0;
            for (i32 k = 0; k < equation_lanes; ++k) all += T_MY(sum)[k];
            sums[T_LX * T_GROUPS_X + T_GX] = all;
        }
    }
}

#include "kernels/end.h"
