// Objects of masks and label maps, numbered from 1: their areas, which touch the border, and which
// stay. Tables have a word for each number, that of 0 included.
#define T_FILE objects
#include "kernels/begin.h"

enum { objects_segment = 64 };

// Adds up areas. An item takes a segment of a row, and adds run by run.
T_KERNEL(objects_areas, (T_IN(u32) objects, T_GLOBAL_PTR(u32) areas, const i32 nx)) {
    T_INDEX2(segment, row);
    T_GLOBAL_PTR(const u32) line = objects + (i64)row * nx;
    const i32 end = T_MIN((segment + 1) * objects_segment, nx);
    i32 first = segment * objects_segment;
    for (i32 x = first + 1; x <= end; ++x) {
        if (x < end && line[x] == line[first]) continue;
        if (line[first] != 0) T_ATOMIC_ADD(areas + line[first], (u32)(x - first));
        first = x;
    }
}

// touches[object] = 1 where a point of it is among the `margin` outermost of an axis of several
// points.
T_KERNEL(objects_at_border, (T_IN(u32) objects, T_GLOBAL_PTR(u32) touches, const i32 margin,
                             const i32 nx, const i32 ny, const i32 nz)) {
    T_INDEX3(x, y, z);
    const u32 object = objects[((i64)z * ny + y) * nx + x];
    const i32 near_x = nx > 1 && (x < margin || x >= nx - margin);
    const i32 near_y = ny > 1 && (y < margin || y >= ny - margin);
    const i32 near_z = nz > 1 && (z < margin || z >= nz - margin);
    if (object != 0 && (near_x || near_y || near_z)) T_STORE(u32, touches + object, 1u);
}

// top[0] = the highest number.
T_KERNEL(objects_top, (T_IN(u32) objects, T_GLOBAL_PTR(u32) top)) {
    T_INDEX1(i);
    if (objects[i] > T_LOAD(u32, top)) T_ATOMIC_MAX(top, objects[i]);
}

T_KERNEL(objects_kept, (T_IN(u32) objects, T_IN(u32) keep, T_OUT(u8) kept)) {
    T_INDEX1(i);
    kept[i] = (u8)keep[objects[i]];
}

// 255 where a value is 0, else 0.
T_SIMD_KERNEL(objects_invert_u8, (T_IN(u8) values, T_OUT(u8) inverse)) {
    T_INDEX1(i);
    inverse[i] = values[i] != 0 ? 0 : 255;
}
T_SIMD_KERNEL(objects_invert_u32, (T_IN(u32) values, T_OUT(u8) inverse)) {
    T_INDEX1(i);
    inverse[i] = values[i] != 0 ? 0 : 255;
}

T_SIMD_KERNEL(objects_widen, (T_IN(u8) values, T_OUT(u32) wide)) {
    T_INDEX1(i);
    wide[i] = values[i];
}
// 255 where a value is in one of `count` ranges: lowest and highest, both included.
T_KERNEL(objects_in_ranges, (T_IN(u32) values, T_IN(u32) ranges, T_OUT(u8) kept, const i32 count)) {
    T_INDEX1(i);
    u32 found = 0;
    for (i32 k = 0; k < count; ++k)
        found |= values[i] >= ranges[2 * k] && values[i] <= ranges[2 * k + 1];
    kept[i] = found ? 255 : 0;
}

// highest[object] = the largest distance of its points, as bits, which are ordered as distances
// from 0 on are.
T_KERNEL(objects_highest, (T_IN(u32) objects, T_IN(f32) distances, T_GLOBAL_PTR(u32) highest)) {
    T_INDEX1(i);
    const u32 bits = T_BITS(T_MAX(distances[i], 0.0f));
    T_GLOBAL_PTR(u32) most = highest + objects[i];
    if (objects[i] != 0 && T_LOAD(u32, most) < bits) T_ATOMIC_MAX(most, bits);
}
// A relief whose basins are objects.
T_SIMD_KERNEL(objects_relief, (T_IN(f32) distances, T_OUT(f32) relief)) {
    T_INDEX1(i);
    relief[i] = -distances[i];
}

#define OBJECTS_VALUE u8
#define OBJECTS_OF(name) T_JOIN(name, _u8)
#include "kernels/morphology/objects.body.h"

#define OBJECTS_VALUE u32
#define OBJECTS_OF(name) T_JOIN(name, _u32)
#include "kernels/morphology/objects.body.h"

#include "kernels/end.h"
