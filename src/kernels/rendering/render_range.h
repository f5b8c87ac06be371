// What is kept of the values of a block.
#ifndef TESELA_KERNELS_RENDER_RANGE_H
#define TESELA_KERNELS_RENDER_RANGE_H

// Widened by a little more than rounding can change a value. A block without finite voxels has its
// lowest value above its highest.
T_FUNCTION void render_write_range(const f32 lowest, const f32 highest, const i64 block,
                                   T_GLOBAL_PTR(f32) ranges) {
    const f32 more = lowest < highest ? (highest - lowest) * (1.0f / 256.0f) : 0.0f;
    ranges[2 * block] = lowest - more;
    ranges[2 * block + 1] = highest + more;
}

#endif
