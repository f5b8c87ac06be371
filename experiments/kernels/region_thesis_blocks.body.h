// Part of region_thesis_experiments.kernel.h: kernel 0 by groups that are square blocks of
// BLOCKS_SIDE, whose items, BLOCKS_SIDE by BLOCKS_ROWS, have one or more rows each. BLOCKS_KERNEL
// is the kernel's name; BLOCKS_STEP is 1 for three planes, one a component, and 3 for interleaved
// components.

T_GROUP_KERNEL(BLOCKS_KERNEL, BLOCKS_SIDE, BLOCKS_ROWS, 1,
               (T_IN(u8) rgb, T_OUT(u8) ycc, i32 pitch, i32 width, i32 height)) {
    T_PHASE {
        const i64 next = BLOCKS_STEP == 1 ? (i64)pitch * height : 1;
        const i32 x = T_GX * BLOCKS_SIDE + T_LX;
        for (i32 y = T_LY; y < BLOCKS_SIDE; y += BLOCKS_ROWS) {
            const i32 row = T_GY * BLOCKS_SIDE + y;
            if (x < width && row < height) {
                const i64 at = ((i64)row * pitch + x) * BLOCKS_STEP;
                i32 found[3];
                region_thesis_to_ycc(rgb[at], rgb[at + next], rgb[at + 2 * next], 0, found);
                for (i32 c = 0; c < 3; ++c) ycc[at + c * next] = (u8)found[c];
            }
        }
    }
}

#undef BLOCKS_KERNEL
#undef BLOCKS_SIDE
#undef BLOCKS_ROWS
#undef BLOCKS_STEP
