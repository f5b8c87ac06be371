// Squared Euclidean distances to the nearest point of the other class, axis by axis: of the points
// of a line the lower envelope of parabolas (P. F. Felzenszwalb, D. P. Huttenlocher, "Distance
// transforms of sampled functions", Theory of Computing 8, 2012). The sign is the class: negative
// inside.
#define T_FILE distance
#include "kernels/begin.h"

// Squared: none of the other class is known yet. Sums of what is below stay finite.
#define DISTANCE_NONE 1.0e37f

// With the label 0 all labels are the object.
T_FUNCTION u8 distance_is_inside(const u32 value, const u32 label) {
    return (label == 0 ? value != 0 : value == label) ? 1 : 0;
}
T_SIMD_KERNEL(distance_inside_u8, (T_IN(u8) labels, T_OUT(u8) inside, const u32 label)) {
    T_INDEX1(i);
    inside[i] = distance_is_inside(labels[i], label);
}
T_SIMD_KERNEL(distance_inside_u16, (T_IN(u16) labels, T_OUT(u8) inside, const u32 label)) {
    T_INDEX1(i);
    inside[i] = distance_is_inside(labels[i], label);
}
T_SIMD_KERNEL(distance_inside_u32, (T_IN(u32) labels, T_OUT(u8) inside, const u32 label)) {
    T_INDEX1(i);
    inside[i] = distance_is_inside(labels[i], label);
}

T_SIMD_KERNEL(distance_classes, (T_IN(u8) inside, T_OUT(f32) squared)) {
    T_INDEX1(i);
    squared[i] = inside[i] ? -DISTANCE_NONE : DISTANCE_NONE;
}

// The height of a point's parabola for points of a class: those of the other one are at distance 0.
T_FUNCTION f32 distance_height(const f32 squared, const i32 inside) {
    if ((squared < 0 ? 1 : 0) != inside) return 0;
    return squared < 0 ? -squared : squared;
}

T_FUNCTION f32 distance_parabola(const f32 height, const i32 away, const f32 step2) {
    return height + step2 * (f32)away * (f32)away;
}

// Whether the parabola of `last`, before which stands that of `before`, stays when that of `row`
// comes: it does not where it is nowhere lowest, as it meets the one before it behind the place at
// which the new one meets it.
T_FUNCTION i32 distance_stays(const i32 before, const f32 before_height, const i32 last,
                              const f32 last_height, const i32 row, const f32 height,
                              const f32 step2) {
    const f32 a = (f32)(last - before);
    const f32 b = (f32)(row - last);
    const f32 rise_before = last_height - before_height - step2 * a * a;
    const f32 rise = height - last_height + step2 * b * b;
    return rise_before * b < rise * a;
}

// An item takes a line of `rows` points that are `stride` apart, with parabolas of one class and
// then of the other. `sites` has the points whose parabolas are part of the envelope.
T_KERNEL(distance_along,
         (T_IN(f32) squared, T_OUT(i32) sites, T_OUT(f32) result, const f32 step2, const i32 rows,
          const i64 stride, const i64 stride_i, const i64 stride_j)) {
    T_INDEX2(i, j);
    const i64 first = i * stride_i + j * stride_j;
    T_GLOBAL_PTR(const f32) line = squared + first;
    T_GLOBAL_PTR(i32) stack = sites + first;
    for (i32 inside = 0; inside < 2; ++inside) {
        i32 count = 0;
        i32 before = 0, last = 0;  // the two on top of the stack, and their heights
        f32 before_height = 0, last_height = 0;
        for (i32 row = 0; row < rows; ++row) {
            const f32 height = distance_height(line[row * stride], inside);
            if (height >= DISTANCE_NONE) continue;
            while (count > 1 &&
                   !distance_stays(before, before_height, last, last_height, row, height, step2)) {
                --count;
                last = before;
                last_height = before_height;
                before = count > 1 ? stack[(count - 2) * stride] : 0;
                before_height = distance_height(line[before * stride], inside);
            }
            before = last;
            before_height = last_height;
            last = row;
            last_height = height;
            stack[count * stride] = row;
            ++count;
        }
        i32 place = 0;
        i32 site = count > 0 ? stack[0] : 0;
        f32 site_height = distance_height(line[site * stride], inside);
        for (i32 row = 0; row < rows; ++row) {
            const f32 own = line[row * stride];
            if ((own < 0 ? 1 : 0) != inside) continue;
            f32 lowest =
                count > 0 ? distance_parabola(site_height, row - site, step2) : DISTANCE_NONE;
            while (place + 1 < count) {
                const i32 next = stack[(place + 1) * stride];
                const f32 next_height = distance_height(line[next * stride], inside);
                const f32 value = distance_parabola(next_height, row - next, step2);
                if (value > lowest) break;
                lowest = value;
                site = next;
                site_height = next_height;
                ++place;
            }
            result[first + row * stride] = inside ? -lowest : lowest;
        }
    }
}

// Distances from squared ones, times a factor for each class.
T_FUNCTION f32 distance_root(const f32 squared, const f32 inside_factor, const f32 outside_factor) {
    const f32 root = T_SQRT(squared < 0 ? -squared : squared);
    return (squared < 0 ? inside_factor : outside_factor) * root;
}
T_SIMD_KERNEL(distance_roots,
              (T_OUT(f32) squared, const f32 inside_factor, const f32 outside_factor)) {
    T_INDEX1(i);
    squared[i] = distance_root(squared[i], inside_factor, outside_factor);
}

// ---- On a processor ----------------------------------------------------------------------------

// Lines `stride_i` and `stride_j` apart, of which the tiles of a group have `pitch` words each in
// its part of the memory for lines. `side`: of which distances are wanted. The last axis takes
// roots.
typedef struct {
    i64 stride, stride_i, stride_j;
    i32 lines_i, lines_j, rows, pitch;
    i32 side, is_last;
    f32 step2, inside_factor, outside_factor;
    i32 tile;  // lines that are gathered at once, at most distance_tile
} distance_job;
enum { distance_both, distance_inside, distance_outside };
enum { distance_tile = 16 };

#include "kernels/transforms/cpu/distance_line.h"

// The first axis: an item takes a row of the image, run by run.
T_KERNEL(distance_rows, (T_IN(u8) inside, T_OUT(f32) squared, const f32 step2, const i32 nx)) {
    T_INDEX1(row);
    T_GLOBAL_PTR(const u8) own = inside + (i64)row * nx;
    T_GLOBAL_PTR(f32) result = squared + (i64)row * nx;
    i32 end = 0;
    for (i32 first = 0; first < nx; first = end) {
        end = first + 1;
        while (end < nx && (own[end] != 0) == (own[first] != 0)) ++end;
        const f32 sign = own[first] != 0 ? -1.0f : 1.0f;
        const i32 has_left = first > 0 ? 1 : 0;
        const i32 has_right = end < nx ? 1 : 0;
        T_SIMD_FOR(x, first, end) {
            const i32 left = has_left ? x - first + 1 : 0x7fffffff;
            const i32 away = T_MIN(left, has_right ? end - x : 0x7fffffff);
            const f32 square = distance_parabola(0.0f, away, step2);
            result[x] = sign * (has_left | has_right ? square : DISTANCE_NONE);
        }
    }
}

// The other axes: a group gathers neighboring lines, tile after tile, so that cache lines are read
// and written as a whole, and works on them in place.
T_GROUP_KERNEL(distance_lines, 1, 1, 1,
               (T_GLOBAL_PTR(f32) squared, T_GLOBAL_PTR(f32) lines, T_GLOBAL_PTR(i32) sites,
                const distance_job job)) {
    T_PHASE {
        const i64 of_group = (i64)T_GX * (job.tile + 1) * job.pitch;
        T_GLOBAL_PTR(f32) own = lines + of_group;
        T_GLOBAL_PTR(f32) heights = own + (i64)job.tile * job.pitch;
        T_GLOBAL_PTR(i32) own_sites = sites + (i64)T_GX * job.pitch;
        const i32 tiles_i = (job.lines_i + job.tile - 1) / job.tile;
        for (i32 tile = T_GX; tile < tiles_i * job.lines_j; tile += T_GROUPS_X) {
            const i32 first = tile % tiles_i * job.tile;
            const i32 count = T_MIN(job.tile, job.lines_i - first);
            T_GLOBAL_PTR(f32)
            corner = squared + first * job.stride_i + tile / tiles_i * job.stride_j;
            for (i32 row = 0; row < job.rows; ++row)
                for (i32 k = 0; k < count; ++k)
                    own[k * job.pitch + row] = corner[row * job.stride + k * job.stride_i];
            for (i32 k = 0; k < count; ++k) {
                T_GLOBAL_PTR(f32) line = own + k * job.pitch;
                distance_along_line(line, own_sites, heights, job.rows, job.step2, job.side);
                if (job.is_last) {
                    T_SIMD_FOR(row, 0, job.rows)
                    line[row] = distance_root(line[row], job.inside_factor, job.outside_factor);
                }
            }
            for (i32 row = 0; row < job.rows; ++row)
                for (i32 k = 0; k < count; ++k)
                    corner[row * job.stride + k * job.stride_i] = own[k * job.pitch + row];
        }
    }
}

#include "kernels/end.h"
