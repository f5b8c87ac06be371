// Levels of pixels, by which tables of speeds are indexed; points that objects may not occupy.
#define T_FILE level_set_levels
#include "kernels/begin.h"
#include "kernels/levelset/ftc_grid.h"

#define LEVEL_SET_VALUE u8
#define LEVEL_SET_OF(name) T_JOIN(name, _u8)
#include "kernels/levelset/level_set_levels.body.h"
#undef LEVEL_SET_OF
#undef LEVEL_SET_VALUE

#define LEVEL_SET_VALUE u16
#define LEVEL_SET_OF(name) T_JOIN(name, _u16)
#include "kernels/levelset/level_set_levels.body.h"
#undef LEVEL_SET_OF
#undef LEVEL_SET_VALUE

#define LEVEL_SET_VALUE i16
#define LEVEL_SET_OF(name) T_JOIN(name, _i16)
#include "kernels/levelset/level_set_levels.body.h"
#undef LEVEL_SET_OF
#undef LEVEL_SET_VALUE

#define LEVEL_SET_VALUE f32
#define LEVEL_SET_OF(name) T_JOIN(name, _f32)
#include "kernels/levelset/level_set_levels.body.h"
#undef LEVEL_SET_OF
#undef LEVEL_SET_VALUE

T_SIMD_KERNEL(level_set_mask, (T_IN(u8) mask, T_OUT(u16) levels)) {
    T_INDEX1(i);
    const u32 level = levels[i];
    levels[i] = (u16)(mask[i] != 0 ? level : (u32)ftc_outside);
}

T_KERNEL(level_set_place, (T_IN(u32) points, const u32 object, T_OUT(u8) objects)) {
    T_INDEX1(i);
    objects[points[i]] = (u8)object;
}

// Renumbers objects.
T_KERNEL(level_set_renumber, (T_IN(u32) numbers, T_OUT(u8) objects)) {
    T_INDEX1(i);
    objects[i] = (u8)numbers[objects[i]];
}

// The labels of users from the numbers of objects.
T_KERNEL(level_set_labels, (T_IN(u8) objects, T_IN(u32) names, T_OUT(u32) labels)) {
    T_INDEX1(i);
    labels[i] = names[objects[i]];
}

// The numbers of objects from the labels of users: places among their names, from 1, or 0.
// `at_border` is 1 for objects that have a point at the border of the image.
T_KERNEL(level_set_find, (T_IN(u32) labels, T_IN(u32) names, const i32 count, const i32 nx,
                          const i32 ny, const i32 nz, T_OUT(u32) numbers, T_OUT(u32) at_border)) {
    T_INDEX3(x, y, z);
    const i64 i = ((i64)z * ny + y) * nx + x;
    const u32 label = labels[i];
    i32 first = 0, end = label == 0u ? 0 : count;
    while (first < end) {
        const i32 middle = (first + end) / 2;
        if (names[middle] < label)
            first = middle + 1;
        else
            end = middle;
    }
    const u32 number = label == 0u ? 0u : (u32)first + 1u;
    numbers[i] = number;
    const i32 is_end =
        x == 0 || x + 1 == nx || y == 0 || y + 1 == ny || (nz > 1 && (z == 0 || z + 1 == nz));
    if (number != 0u && is_end) T_STORE(u32, at_border + number, 1u);
}

#include "kernels/end.h"
