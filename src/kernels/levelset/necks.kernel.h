// Removal of parts behind necks by a geodesic opening: an object is eroded to its core, and the
// core components with seeds are dilated within the object. Objects are processed one by one, each
// in its bounding box.
#define T_FILE necks
#include "kernels/begin.h"
#include "kernels/levelset/ftc_grid.h"

enum {
    neck_points = 64,   // of a row, for an item
    neck_items = 4096,  // that share a list whose length only the device knows

    // Data of an object, in words that are 0 at first and only grow.
    neck_box = 0,               // along each axis: length - 1 - lowest index, highest index
    neck_count = 6,             // points
    neck_seeded = 7,            // whether a core component has seeds
    neck_largest = 8,           // the size of the largest core component, if none has
    neck_first_of_largest = 9,  // ~ the first component of that size
    neck_gone = 10,             // removed points, sums of their indices, two words each
    neck_words = 18
};

// The bounding box of an object with a margin of one point, where the image has one.
typedef struct {
    i32 object;
    i32 nx, ny;  // of the image
    i32 first[3], length[3];
} neck_grid;

T_FUNCTION T_GLOBAL_PTR(u32) neck_own(T_GLOBAL_PTR(u32) known, const neck_grid grid) {
    return known + grid.object * neck_words;
}

T_FUNCTION i64 neck_in_image(const i32 x, const i32 y, const i32 z, const neck_grid grid) {
    return ((i64)(grid.first[2] + z) * grid.ny + grid.first[1] + y) * grid.nx + grid.first[0] + x;
}
T_FUNCTION i64 neck_in_box(const i32 x, const i32 y, const i32 z, const neck_grid grid) {
    return ((i64)z * grid.length[1] + y) * grid.length[0] + x;
}

T_FUNCTION void neck_raise(T_GLOBAL_PTR(u32) word, const u32 value) {
    if (T_LOAD(u32, word) < value) T_ATOMIC_MAX(word, value);
}

// The boxes and the points of objects 1 to `count`. `known` has neck_words for each, from object 0
// on; further objects of the image are ignored.
T_KERNEL(neck_boxes, (T_IN(u8) objects, T_OUT(u32) known, const i32 count, const i32 nx,
                      const i32 ny, const i32 nz)) {
    T_INDEX3(part, y, z);
    T_GLOBAL_PTR(const u8) row = objects + ((i64)z * ny + y) * nx;
    const i32 begin = part * neck_points;
    const i32 end = begin + T_MIN(nx - begin, (i32)neck_points);
    for (i32 x = begin; x < end;) {
        const i32 first = x;
        const u32 object = row[first];
        while (x < end && row[x] == object) ++x;
        if (object == 0 || object > (u32)count) continue;
        T_GLOBAL_PTR(u32) own = known + object * neck_words;
        neck_raise(own + neck_box, (u32)(nx - 1 - first));
        neck_raise(own + neck_box + 1, (u32)(x - 1));
        neck_raise(own + neck_box + 2, (u32)(ny - 1 - y));
        neck_raise(own + neck_box + 3, (u32)y);
        neck_raise(own + neck_box + 4, (u32)(nz - 1 - z));
        neck_raise(own + neck_box + 5, (u32)z);
        T_ATOMIC_ADD(own + neck_count, (u32)(x - first));
    }
}

T_KERNEL(neck_inside, (T_IN(u8) objects, T_OUT(u8) inside, const neck_grid grid)) {
    T_INDEX3(x, y, z);
    inside[neck_in_box(x, y, z, grid)] =
        (u8)(objects[neck_in_image(x, y, z, grid)] == grid.object ? 1 : 0);
}

// Points at least `radius` inside. Depths are negative there.
T_SIMD_KERNEL(neck_core, (T_IN(f32) depth, const f32 radius, T_OUT(u8) core)) {
    T_INDEX1(i);
    core[i] = (u8)(-depth[i] >= radius ? 1 : 0);
}

// Marks core components with seeds, which are bits of the image's points.
T_KERNEL(neck_find_seeds, (T_IN(u32) seeds, T_IN(u8) core, T_IN(u32) parts, T_GLOBAL_PTR(u32) sizes,
                           T_GLOBAL_PTR(u32) known, const neck_grid grid)) {
    T_INDEX1(word);
    for (u32 left = seeds[word]; left != 0; left &= left - 1u) {
        const i32 bit = T_HIGHEST_BIT(left & (~left + 1u));
        const i64 point = (i64)word * 32 + bit;
        const i64 row = point / grid.nx;
        const i32 x = (i32)(point - row * grid.nx) - grid.first[0];
        const i32 y = (i32)(row % grid.ny) - grid.first[1];
        const i32 z = (i32)(row / grid.ny) - grid.first[2];
        if (x < 0 || x >= grid.length[0] || y < 0 || y >= grid.length[1] || z < 0 ||
            z >= grid.length[2])
            continue;
        const i64 i = neck_in_box(x, y, z, grid);
        if (core[i] == 0) continue;
        T_STORE(u32, sizes + parts[i], 1u);
        T_STORE(u32, neck_own(known, grid) + neck_seeded, 1u);
    }
}

// The sizes of the core components, if none has seeds.
T_KERNEL(neck_sizes, (T_IN(u8) core, T_IN(u32) parts, T_IN(u32) known, T_GLOBAL_PTR(u32) sizes,
                      const neck_grid grid)) {
    T_INDEX3(part, y, z);
    if (known[grid.object * neck_words + neck_seeded] != 0) return;
    const i64 row = neck_in_box(0, y, z, grid);
    const i32 begin = part * neck_points;
    const i32 end = begin + T_MIN(grid.length[0] - begin, (i32)neck_points);
    for (i32 x = begin; x < end;) {
        const i32 first = x;
        const u32 label = parts[row + first];
        while (x < end && parts[row + x] == label) ++x;
        if (core[row + first] != 0) T_ATOMIC_ADD(sizes + label, (u32)(x - first));
    }
}

// The size of the largest one of components 1 to count[0].
T_KERNEL(neck_find_largest,
         (T_IN(u32) sizes, T_IN(u32) count, T_GLOBAL_PTR(u32) known, const neck_grid grid)) {
    T_INDEX1(item);
    T_GLOBAL_PTR(u32) own = neck_own(known, grid);
    if (T_LOAD(u32, own + neck_seeded) != 0) return;
    for (u32 k = (u32)item + 1u; k <= count[0]; k += neck_items)
        neck_raise(own + neck_largest, sizes[k]);
}

// The first one of that size.
T_KERNEL(neck_find_first,
         (T_IN(u32) sizes, T_IN(u32) count, T_GLOBAL_PTR(u32) known, const neck_grid grid)) {
    T_INDEX1(item);
    T_GLOBAL_PTR(u32) own = neck_own(known, grid);
    if (T_LOAD(u32, own + neck_seeded) != 0) return;
    const u32 largest = T_LOAD(u32, own + neck_largest);
    for (u32 k = (u32)item + 1u; k <= count[0]; k += neck_items)
        if (sizes[k] == largest) neck_raise(own + neck_first_of_largest, ~k);
}

// Keeps the core components with seeds, or else the largest one.
T_KERNEL(neck_keep, (T_IN(u8) core, T_IN(u32) parts, T_IN(u32) sizes, T_IN(u32) known,
                     T_OUT(u8) kept, const neck_grid grid)) {
    T_INDEX1(i);
    T_GLOBAL_PTR(const u32) own = known + grid.object * neck_words;
    const u32 is_kept = own[neck_seeded] != 0 ? sizes[parts[i]]
                                              : (parts[i] == ~own[neck_first_of_largest] ? 1u : 0u);
    kept[i] = (u8)(core[i] != 0 && is_kept != 0 ? 1 : 0);
}

// Counts the points of the object that are farther than `reach` from the kept core, and removes
// them if `cuts`. An object without a core is thinner than the neck everywhere, and stays.
T_KERNEL(neck_cut, (T_IN(u8) inside, T_IN(f32) away, const f32 reach, const i32 cuts,
                    T_OUT(u8) objects, T_GLOBAL_PTR(u32) known, const neck_grid grid)) {
    T_INDEX3(part, y, z);
    T_GLOBAL_PTR(u32) own = neck_own(known, grid);
    if ((T_LOAD(u32, own + neck_seeded) | T_LOAD(u32, own + neck_largest)) == 0) return;
    const i64 row = neck_in_box(0, y, z, grid);
    const i64 in_image = neck_in_image(0, y, z, grid);
    const i32 begin = part * neck_points;
    const i32 end = begin + T_MIN(grid.length[0] - begin, (i32)neck_points);
    u64 points = 0;
    u64 sum = 0;
    for (i32 x = begin; x < end; ++x) {
        if (inside[row + x] == 0 || away[row + x] <= reach) continue;
        if (cuts != 0) objects[in_image + x] = 0;
        ++points;
        sum += (u64)(grid.first[0] + x);
    }
    if (points == 0) return;
    ftc_add_wide(own + neck_gone, points);
    ftc_add_wide(own + neck_gone + 2, sum);
    ftc_add_wide(own + neck_gone + 4, points * (u64)(grid.first[1] + y));
    ftc_add_wide(own + neck_gone + 6, points * (u64)(grid.first[2] + z));
}

#include "kernels/end.h"
