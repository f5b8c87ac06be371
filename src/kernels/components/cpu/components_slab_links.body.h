// Part of components.body.h: the links between the points of two rows, by their values.

#if COMPONENTS_EQUAL  // so that the loop works on bytes
    #define COMPONENTS_LINK_BYTE(i, j) (u8)(values[i] == values[j])
#else
    #define COMPONENTS_LINK_BYTE(i, j) (u8) COMPONENTS_OF(components_linked_at_)(values, job, i, j)
#endif

// Whether points x of two rows are linked.
T_FUNCTION u32 COMPONENTS_OF(components_linked_across_)(T_GLOBAL_PTR(const COMPONENTS_VALUE) values,
                                                        const components_job job, const i32 row,
                                                        const i32 other, const i32 x) {
    return COMPONENTS_OF(components_linked_at_)(values, job, row * job.nx + x, other * job.nx + x);
}

// Bits: which of the points x + k of a row are linked to the points x + k + dx of the row `other`,
// first <= k < end.
T_FUNCTION void COMPONENTS_OF(components_link_bits_)(T_GLOBAL_PTR(const COMPONENTS_VALUE) values,
                                                     const components_job job, const i32 row,
                                                     const i32 other, const i32 x, const i32 dx,
                                                     const i32 first, const i32 end, u32* bits) {
    u64 chunk[components_chunk / 8];
    u8* bytes = (u8*)chunk;
    const i32 i = row * job.nx + x;
    const i32 j = other * job.nx + x + dx;
    for (i32 k = 0; k < components_chunk / 8; ++k) chunk[k] = 0;
    T_SIMD_FOR(k, first, end)
    bytes[k] = COMPONENTS_LINK_BYTE(i + k, j + k);
    components_chunk_to_bits(chunk, bits);
}

// Looking for what is implied would take as long as following it.
T_FUNCTION u32 COMPONENTS_OF(components_implied_)(T_GLOBAL_PTR(const COMPONENTS_VALUE) values,
                                                  const components_job job, const i32 row,
                                                  const i32 other, const i32 reason,
                                                  const i32 word) {
    (void)values, (void)job, (void)row, (void)other, (void)reason, (void)word;
    return 0;
}

#if COMPONENTS_CHANNELS == 1
T_FUNCTION u32 COMPONENTS_OF(components_value_)(T_GLOBAL_PTR(const COMPONENTS_VALUE) values,
                                                const i32 nx, const i32 row, const i32 x) {
    return (u32)values[row * nx + x];
}
#endif

#undef COMPONENTS_LINK_BYTE
