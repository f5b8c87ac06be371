// Seeds of region growing and the components they stand in.
#define T_FILE region_seeds
#include "kernels/begin.h"
#include "kernels/growth/item_points.h"

// The mask also holds the seeds first, first + 1, ...
T_KERNEL(region_add_to_mask, (T_IN(u32) points, const i32 first, T_OUT(u8) mask)) {
    T_INDEX1(s);
    mask[points[first + s]] = 1;
}

// owners[c - 1] = the lowest label of the seeds first, first + 1, ... in component c of the mask.
T_KERNEL(region_mark_components, (T_IN(u32) points, T_IN(u32) seed_labels, const i32 first,
                                  T_IN(u8) mask, T_IN(u32) components, T_GLOBAL_PTR(u32) owners)) {
    T_INDEX1(s);
    const u32 point = points[first + s];
    if (mask[point]) T_ATOMIC_MIN(owners + (components[point] - 1u), seed_labels[first + s]);
}

// From components to the labels of their owners; what is off the mask or has no owner, whose entry
// is then `none`, gets 0.
T_KERNEL(region_take_components, (T_IN(u8) mask, T_IN(u32) owners, const u32 points, const u32 none,
                                  T_GLOBAL_PTR(u32) labels)) {
    T_INDEX1(item);
    const u32 first = t_item_first(item);
    u32 owner[t_item_points];
    T_UNROLL
    for (u32 k = 0; k < (u32)t_item_points; ++k) {
        const u32 i = T_MIN(first + k * t_item_step(), points - 1u);
        // Behind the last point another item may have written its owner already.
        const u32 component = first + k * t_item_step() < points ? labels[i] : 1u;
        owner[k] = mask[i] ? owners[component - 1u] : none;
    }
    T_UNROLL
    for (u32 k = 0; k < (u32)t_item_points; ++k) {
        const u32 i = first + k * t_item_step();
        if (i < points) labels[i] = owner[k] == none ? 0u : owner[k];
    }
}

// Where two regions meet, the one that is there stays.
T_SIMD_KERNEL(region_add_labels, (T_IN(u32) more, T_OUT(u32) labels)) {
    T_INDEX1(i);
    const u32 label = labels[i];
    const u32 other = more[i];
    labels[i] = label != 0u ? label : other;
}

#include "kernels/end.h"
