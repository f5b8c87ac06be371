// The record of a component: its box, its sums of indices and its area. It has room for two or for
// four axes: for each of them n - 1 - lowest and highest, and then the sums, so that all words of a
// component of no points are 0 and grow, and so that what another tile adds takes few operations of
// the cache. Of two axes the sums' low words come first, one word of what is above 32 bits of both,
// and the area. Of four axes each has the low and the high word of its sum. Three axes have no need
// of the fourth sum: its low word is the area. Where all four are longer than one point, areas
// stand behind all records.
#ifndef TESELA_KERNELS_COMPONENT_RECORD_H
#define TESELA_KERNELS_COMPONENT_RECORD_H

// Where the sum along an axis stands among the sums of a record: its low word, and the word with
// what is above 32 bits, from bit `shift` on.
typedef struct {
    i32 low, high, shift;
} component_sum;

// How many bits of the high word of two axes are for x: as many as its sum may have above 32. As
// images have fewer than 2^31 points, the others are enough for y.
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
