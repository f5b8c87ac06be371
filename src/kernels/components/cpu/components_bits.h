// Points of rows as bits.
#ifndef TESELA_KERNELS_COMPONENTS_BITS_H
#define TESELA_KERNELS_COMPONENTS_BITS_H

// Points of a row whose bits an item makes at once.
enum { components_chunk = 256, components_chunk_words = components_chunk / 32 };

// Bits: which of eight bytes are 1, not 0.
T_FUNCTION u32 components_bytes_to_bits(const u64 bytes) {
    return (u32)(bytes * 0x0102040810204080u >> 56);
}

// The same of a chunk, whose bytes are those of `chunk`.
T_FUNCTION void components_chunk_to_bits(const u64* chunk, u32* bits) {
    for (i32 w = 0; w < components_chunk_words; ++w) {
        bits[w] = 0;
        for (i32 b = 0; b < 4; ++b) bits[w] |= components_bytes_to_bits(chunk[4 * w + b]) << 8 * b;
    }
}

#endif
