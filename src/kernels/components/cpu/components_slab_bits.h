// Part of components.kernel.h: the links between the points of two rows of bits.
#ifndef TESELA_KERNELS_COMPONENTS_SLAB_BITS_H
#define TESELA_KERNELS_COMPONENTS_SLAB_BITS_H

T_FUNCTION u32 components_value_bits(T_GLOBAL_PTR(const u32) values, const i32 nx, const i32 row,
                                     const i32 x) {
    return values[row * components_row_words(nx) + x / 32] >> x % 32 & 1u;
}

T_FUNCTION u32 components_linked_across_bits(T_GLOBAL_PTR(const u32) values,
                                             const components_job job, const i32 row,
                                             const i32 other, const i32 x) {
    return components_value_bits(values, job.nx, row, x) ==
                   components_value_bits(values, job.nx, other, x)
               ? 1u
               : 0u;
}

// Bits: which of the points x + k of a row are linked to the points x + k + dx of the row `other`,
// first <= k < end.
T_FUNCTION void components_link_bits_bits(T_GLOBAL_PTR(const u32) values, const components_job job,
                                          const i32 row, const i32 other, const i32 x, const i32 dx,
                                          const i32 first, const i32 end, u32* bits) {
    const i32 words = components_row_words(job.nx);
    T_GLOBAL_PTR(const u32) own = values + row * words;
    T_GLOBAL_PTR(const u32) others = values + other * words;
    for (i32 w = 0; w < (end + 31) / 32; ++w) {
        const i32 at = x / 32 + w;
        u32 beside = others[at];
        if (dx < 0) beside = beside << 1 | (at > 0 ? others[at - 1] >> 31 : 0u);
        if (dx > 0) beside = beside >> 1 | (at + 1 < words ? others[at + 1] << 31 : 0u);
        u32 wanted = end - 32 * w < 32 ? 0xffffffffu >> (32 - (end - 32 * w)) : 0xffffffffu;
        if (w == 0) wanted &= 0xffffffffu << first;
        bits[w] = ~(own[at] ^ beside) & wanted;
    }
}

// Bits of a word: points of a row whose straight links to the row `other` are implied, and, where
// that is diagonal to it, the links beside them.
T_FUNCTION u32 components_implied_bits(T_GLOBAL_PTR(const u32) values, const components_job job,
                                       const i32 row, const i32 other, const i32 reason,
                                       const i32 word) {
    if (reason == components_not_implied) return 0;
    const i32 words = components_row_words(job.nx);
    const u32 own = values[row * words + word];
    const u32 slice_before = own ^ values[(row - job.ny) * words + word];
    if (reason == components_diagonal)
        return ~slice_before | ~(own ^ values[(other + job.ny) * words + word]);
    return ~(slice_before |
             (values[other * words + word] ^ values[(other - job.ny) * words + word]));
}

#endif
