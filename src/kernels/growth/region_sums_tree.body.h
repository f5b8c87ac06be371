// Part of the kernels of region_sums.kernel.h: adds up the values of the group and writes the three
// sums to sums[3 g], ... of group g.
for (i32 width = 128; width > 0; width /= 2) {
    T_PHASE {
        if (T_LX < width) {
            counts[T_LX] += counts[T_LX + width];
            values[T_LX] += values[T_LX + width];
            squares[T_LX] += squares[T_LX + width];
        }
    }
}
T_PHASE {
    if (T_LX == 0) {
        sums[3 * T_GX] = counts[0];
        sums[3 * T_GX + 1] = values[0];
        sums[3 * T_GX + 2] = squares[0];
    }
}
