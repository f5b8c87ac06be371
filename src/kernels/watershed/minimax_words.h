// Tiles of pictures of which a row is a word (minimax_words.body.h).
#ifndef TESELA_KERNELS_MINIMAX_WORDS_H
#define TESELA_KERNELS_MINIMAX_WORDS_H

enum {
    minimax_word_items = 32,  // of a group, each of which has two rows
    minimax_word_rows = 64,
    minimax_word_columns = 32,
    minimax_word_pitch = 33,      // rows of keys begin in different banks of local memory
    minimax_word_mask_pitch = 9,  // and rows of masks, four of which stand in a word
    minimax_word_ring = 6,        // points of the ring, of an item
    minimax_word_looks = 4        // at points of a row in its turn
};

// Bit `bit` of the masks of a row.
T_FUNCTION u32 minimax_row_of_steps(T_LOCAL_PTR(const u32) masks, const i32 bit) {
    u32 row = 0;
    T_UNROLL
    for (i32 k = 0; k < minimax_word_columns / 4; ++k)
        row |= ((masks[k] >> bit & 0x01010101u) * 0x01020408u >> 24) << (4 * k);
    return row;
}

// What the neighbor at `place` offers, if a step leads from there. It is read in any case, so that
// no neighbor's key waits for another's.
T_FUNCTION u64 minimax_offer(T_LOCAL_PTR(const u64) place, const u32 leads) {
    const u64 key = *place;
    return leads != 0 ? key + minimax_hop : minimax_unreached;
}

// Whether a point of the ring offers less than one of the three beside it has that are not of the
// ring: `inner` and those `step` before and behind.
T_FUNCTION u32 minimax_could_lower(T_LOCAL_PTR(const u64) ring, T_LOCAL_PTR(const u64) inner,
                                   const i32 step) {
    const u64 offer = *ring + minimax_hop;
    return (u32)(offer < inner[-step]) | (u32)(offer < inner[0]) | (u32)(offer < inner[step]);
}

// Points of the ring, corners twice: the first and the last row, then two of each row.
T_FUNCTION i32 minimax_ring_x(const i32 number) {
    return number < 2 * minimax_word_columns ? number % minimax_word_columns
                                             : number % 2 * (minimax_word_columns - 1);
}

T_FUNCTION i32 minimax_ring_y(const i32 number) {
    return number < 2 * minimax_word_columns
               ? number / minimax_word_columns * (minimax_word_rows - 1)
               : number / 2 - minimax_word_columns;
}

#endif
