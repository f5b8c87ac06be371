// Points that an item of a kernel takes, so that it asks for several before it waits for one. On a
// GPU items that run together have points side by side, on a CPU an item has.
#ifndef TESELA_KERNELS_ITEM_POINTS_H
#define TESELA_KERNELS_ITEM_POINTS_H

#include "kernels/vectors.h"

enum { t_item_points = 4, t_item_lanes = 32 };

// From one point of an item to its next.
T_FUNCTION u32 t_item_step(void) { return V_WIDTH > 1 ? 1u : (u32)t_item_lanes; }
T_FUNCTION u32 t_item_first(const i32 item) {
    const u32 step = t_item_step();
    return (u32)item / step * (step * (u32)t_item_points) + (u32)item % step;
}

#endif
