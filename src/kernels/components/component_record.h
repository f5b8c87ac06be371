// The record of a component: its box, its sums of indices and its area, for two or for four axes.
// For each axis it has n - 1 - lowest and highest index, then come the sums: so all words of a
// component without points are 0, and only grow, and what another tile adds takes few operations of
// the cache. For two axes the low words of the sums come first, then a word with the bits above 32
// of both, then the area. For four axes each sum has a low and a high word. With three axes the low
// word of the fourth sum is the area; where all four are longer than one point, areas follow all
// records.
#ifndef TESELA_KERNELS_COMPONENT_RECORD_H
#define TESELA_KERNELS_COMPONENT_RECORD_H

// The places of the sum along an axis among the sums of a record: its low word, and the word with
// the bits above 32, from bit `shift` on.
typedef struct {
    i32 low, high, shift;
} component_sum;

// How many bits of the common high word of two axes are for x: those that its sum may have
// above 32. As images have fewer than 2^31 points, the others are enough for y.
T_FUNCTION i32 component_high_bits(const i32 nx, const i32 ny) {
    const u32 high = (u32)((u64)nx * (u64)nx * (u64)ny >> 32);
    return high != 0 ? T_HIGHEST_BIT(high) + 1 : 0;
}

// Along axis `a` of a record of two or four `axes`.
T_FUNCTION component_sum component_sum_of(const i32 axes, const i32 a, const i32 high_bits) {
    component_sum sum = {2 * a, 2 * a + 1, 0};
    if (axes == 2) {
        sum.low = a;
        sum.high = 2;
        sum.shift = a * high_bits;
    }
    return sum;
}

#endif
