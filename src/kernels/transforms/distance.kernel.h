// Squared Euclidean distances to the nearest point of the other class, axis by axis: of the points
// of a line the lower envelope of parabolas (P. F. Felzenszwalb, D. P. Huttenlocher, "Distance
// transforms of sampled functions", Theory of Computing 8, 2012). The sign is the class: negative
// inside.
#define T_FILE distance
#include "kernels/begin.h"

// Squared: none of the other class is known yet. Sums of what is below stay finite.
#define DISTANCE_NONE 1.0e37f

// With the label 0 all labels are the object.
T_FUNCTION f32 distance_class(const u32 value, const u32 label) {
    return (label == 0 ? value != 0 : value == label) ? -DISTANCE_NONE : DISTANCE_NONE;
}
T_SIMD_KERNEL(distance_classes_u8, (T_IN(u8) labels, T_OUT(f32) squared, const u32 label)) {
    T_INDEX1(i);
    squared[i] = distance_class(labels[i], label);
}
T_SIMD_KERNEL(distance_classes_u16, (T_IN(u16) labels, T_OUT(f32) squared, const u32 label)) {
    T_INDEX1(i);
    squared[i] = distance_class(labels[i], label);
}
T_SIMD_KERNEL(distance_classes_u32, (T_IN(u32) labels, T_OUT(f32) squared, const u32 label)) {
    T_INDEX1(i);
    squared[i] = distance_class(labels[i], label);
}

// The height of a point's parabola for points of a class: those of the other one are at distance 0.
T_FUNCTION f32 distance_height(const f32 squared, const i32 inside) {
    if ((squared < 0 ? 1 : 0) != inside) return 0;
    return squared < 0 ? -squared : squared;
}

T_FUNCTION f32 distance_parabola(const f32 height, const i32 away, const f32 step2) {
    return height + step2 * (f32)away * (f32)away;
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
            // The last parabola is nowhere lowest where it meets the one before it behind the place
            // at which the new one meets it.
            while (count > 1) {
                const f32 a = (f32)(last - before);
                const f32 b = (f32)(row - last);
                const f32 rise_before = last_height - before_height - step2 * a * a;
                const f32 rise = height - last_height + step2 * b * b;
                if (rise_before * b < rise * a) break;
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

// Distances from squared ones.
T_SIMD_KERNEL(distance_roots, (T_OUT(f32) squared, const f32 sign)) {
    T_INDEX1(i);
    const f32 value = squared[i];
    squared[i] = value < 0 ? -sign * T_SQRT(-value) : sign * T_SQRT(value);
}

#include "kernels/end.h"
