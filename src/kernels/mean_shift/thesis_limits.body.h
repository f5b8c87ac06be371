// Part of a group kernel's body: reduces lowest[axis * 256 + item] and highest[...] of 256 items to
// item 0, for the three axes of the grid.
for (i32 width = 128; width > 0; width /= 2) {
    T_PHASE {
        if (T_LX < width) {
            for (i32 axis = 0; axis < 3; ++axis) {
                const i32 own = axis * 256 + T_LX;
                lowest[own] = T_MIN(lowest[own], lowest[own + width]);
                highest[own] = T_MAX(highest[own], highest[own + width]);
            }
        }
    }
}
