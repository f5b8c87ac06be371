// Part of component_selection.kernel.h, once for each COMPONENTS_PIXEL: which values are not 0, as
// bytes and as bits, 256 points of a row an item.
T_SIMD_KERNEL(T_JOIN(component_mask_, COMPONENTS_PIXEL),
              (T_IN(COMPONENTS_PIXEL) pixels, T_OUT(u8) mask)) {
    T_INDEX1(i);
    mask[i] = pixels[i] != 0 ? 1 : 0;
}

T_KERNEL(T_JOIN(component_bits_, COMPONENTS_PIXEL),
         (T_IN(COMPONENTS_PIXEL) pixels, const i32 nx, T_OUT(u32) bits)) {
    T_INDEX2(part, row);
    u64 chunk[components_chunk / 8];
    u32 found[components_chunk_words];
    u8* bytes = (u8*)chunk;
    const i32 first = part * components_chunk;
    const i32 length = T_MIN(components_chunk, nx - first);
    T_GLOBAL_PTR(const COMPONENTS_PIXEL) points = pixels + (i64)row * nx + first;
    for (i32 k = 0; k < components_chunk / 8; ++k) chunk[k] = 0;
    T_SIMD_FOR(k, 0, length)
    bytes[k] = points[k] != 0 ? 1 : 0;
    components_chunk_to_bits(chunk, found);
    T_GLOBAL_PTR(u32) to = bits + (i64)row * ((nx + 31) / 32) + first / 32;
    for (i32 w = 0; w < (length + 31) / 32; ++w) to[w] = found[w];
}

#undef COMPONENTS_PIXEL
