// The format of wavelet chunks, for the encoder, the decoder of the host and that of devices alike:
// rANS (J. Duda, "Asymmetric numeral systems", arXiv:1311.2540, 2013) of the residuals of an S
// transform (A. Said, W. A. Pearlman, IEEE Transactions on Image Processing 5(9), 1996).
// docs/volume-files.md specifies it to the byte.
#ifndef TESELA_KERNELS_BRICK_FORMAT_H
#define TESELA_KERNELS_BRICK_FORMAT_H

enum {
    brick_max_streams = 64,  // one for each item of a group
    brick_contexts = 16,
    brick_symbols = 52,
    brick_probability_bits = 12,
    brick_probability_one = 4096,
    brick_lowest_state = 65536,  // of rANS, which is renormalized by words of 16 bits
    brick_max_shift = 31,
    brick_first_long_symbol = 16,
    brick_details = 7,
    brick_activities = 64,

    // A chunk: number of streams and shift, bytes of each table, the tables, padding to an even
    // number of bytes, the number of words of each stream, and these words.
    brick_table_bytes_at = 2,
    brick_tables_at = brick_table_bytes_at + brick_contexts
};

// ---- Residuals -------------------------------------------------------------------------------

// A residual's number is its zigzag code: 0, -1, 1, -2 become 0, 1, 2, 3. Numbers below 16 are
// symbols; larger ones fall into buckets, as in exponential-Golomb codes: the symbol stands for the
// two highest bits, and the other bits follow without a model.
T_FUNCTION u32 brick_number_of(const i32 residual) {
    return (u32)residual << 1 ^ (u32)(residual >> 31);
}
T_FUNCTION i32 brick_residual_of(const u32 number) {
    return (i32)(number >> 1) ^ -(i32)(number & 1u);
}
T_FUNCTION i32 brick_symbol_of(const u32 number) {
    if (number < brick_first_long_symbol) return (i32)number;
    const i32 bit = T_HIGHEST_BIT(number);
    return brick_first_long_symbol + 2 * (bit - 4) + (i32)(number >> (bit - 1) & 1u);
}
T_FUNCTION i32 brick_extra_bits(const i32 symbol) {
    return symbol < brick_first_long_symbol ? 0 : 3 + (symbol - brick_first_long_symbol) / 2;
}
T_FUNCTION u32 brick_lowest_number(const i32 symbol) {
    return symbol < brick_first_long_symbol ? (u32)symbol
                                            : (u32)(2 + (symbol & 1)) << brick_extra_bits(symbol);
}

// ---- rANS ------------------------------------------------------------------------------------

// A symbol has the slots from `start`, `frequency` of 4096. Encoding puts it below what the state
// holds, at one of its slots; decoding finds the slot in the lowest bits and takes the symbol off.
// The quotient is that of a product: for f up to 2^12 and a state x below 2^20 f, as there is room
// for, floor(x ceil(2^44 / f) / 2^44) is floor(x / f), and the product is below 2^64 (after T.
// Granlund, P. L. Montgomery, PLDI 1994).
T_FUNCTION u64 brick_reciprocal_of(const u32 frequency) {
    return (((u64)1 << 44) + frequency - 1) / frequency;
}
T_FUNCTION u32 brick_encoded(const u32 state, const u32 start, const u32 frequency,
                             const u64 reciprocal) {
    const u32 quotient = (u32)(state * reciprocal >> 44);
    return (quotient << brick_probability_bits) + (state - quotient * frequency) + start;
}
T_FUNCTION u32 brick_slot(const u32 state) { return state & (brick_probability_one - 1); }
T_FUNCTION u32 brick_decoded(const u32 state, const u32 start, const u32 frequency) {
    return frequency * (state >> brick_probability_bits) + brick_slot(state) - start;
}

// ---- Cells -----------------------------------------------------------------------------------

// Details in coding order. Bits of a detail's number are the axes of its differences.
T_CONSTANT(i32, brick_order, brick_details) = {4, 2, 1, 6, 5, 3, 7};

// S transform of a cell, in place: sums and differences of pairs along x, then y, then z.
T_FUNCTION void brick_s_transform(i32* cell) {
    T_UNROLL
    for (i32 axis = 1; axis < 8; axis *= 2) {
        T_UNROLL
        for (i32 k = 0; k < 8; ++k)
            if ((k & axis) == 0) {
                const i32 difference = cell[k] - cell[k | axis];
                cell[k] = cell[k | axis] + (difference >> 1);
                cell[k | axis] = difference;
            }
    }
}
T_FUNCTION void brick_inverse_s_transform(i32* cell) {
    T_UNROLL
    for (i32 axis = 4; axis > 0; axis /= 2) {
        T_UNROLL
        for (i32 k = 0; k < 8; ++k)
            if ((k & axis) == 0) {
                const i32 second = cell[k] - (cell[k | axis] >> 1);
                cell[k] = second + cell[k | axis];
                cell[k | axis] = second;
            }
    }
}

// Added to the sum of 8 voxels before it is divided by 8. Halves are rounded up at even levels and
// down at odd ones, so that rounding errors do not add up.
T_FUNCTION i32 brick_rounding(const i32 level) { return 4 - (level & 1); }

// From the details of a cell and its mean to its voxels, in place; the first value is 0 before.
T_FUNCTION void brick_restore_voxels(i32* values, const i32 mean, const i32 rounding) {
    brick_inverse_s_transform(values);
    i32 sum = rounding;
    T_UNROLL
    for (i32 k = 0; k < 8; ++k) sum += values[k];
    const i32 lowest = mean - (sum >> 3);
    T_UNROLL
    for (i32 k = 0; k < 8; ++k) values[k] += lowest;
}

// ---- Model -----------------------------------------------------------------------------------

// What is known of a cell before its next detail is coded.
typedef struct {
    i32 mean;
    i32 missing;       // axes that the border cuts, a bit each: they have no difference
    i32 predicted[3];  // differences along the axes
    i32 surroundings;  // activity around the cell
    i32 known, sum;    // details so far, and the sum of the magnitudes of their residuals
} brick_cell;

T_FUNCTION brick_cell brick_begin_cell(const i32 mean) {
    brick_cell cell;
    cell.mean = mean;
    cell.missing = cell.surroundings = cell.known = cell.sum = 0;
    T_UNROLL
    for (i32 axis = 0; axis < 3; ++axis) cell.predicted[axis] = 0;
    return cell;
}
// The means of the cells on both sides along an axis; beyond the border that of the cell itself.
T_FUNCTION void brick_see_neighbors(brick_cell* cell, const i32 axis, const i32 low, const i32 high,
                                    const i32 is_at_border) {
    const i32 slope = low - high, bend = low + high - 2 * cell->mean;
    cell->surroundings += T_ABS(slope) + T_ABS(bend);
    // At the border only half of the slope is known.
    cell->predicted[axis] = ((is_at_border ? 2 * slope : slope) + 2) >> 2;
}
// `previous` is the sum of the previous cell in the row.
T_FUNCTION void brick_see_previous(brick_cell* cell, const i32 previous) {
    cell->surroundings = (cell->surroundings >> 1) + (previous * 11 >> 4);
}

T_FUNCTION i32 brick_has(const brick_cell* cell, const i32 detail) {
    return (detail & cell->missing) == 0 ? 1 : 0;
}
T_FUNCTION i32 brick_predicted(const brick_cell* cell, const i32 detail) {
    return detail == 1   ? cell->predicted[0]
           : detail == 2 ? cell->predicted[1]
           : detail == 4 ? cell->predicted[2]
                         : 0;
}
// Takes note of a detail's residual.
T_FUNCTION void brick_take(brick_cell* cell, const i32 residual) {
    cell->sum += T_ABS(residual);
    ++cell->known;
}

// 48 / k: weight of the sum of the first k magnitudes of a cell in the activity of the next.
T_CONSTANT(i32, brick_known_weight, brick_details) = {0, 48, 24, 16, 12, 10, 8};
T_FUNCTION i32 brick_activity(const brick_cell* cell) {
    const i32 together = cell->surroundings + (cell->sum * brick_known_weight[cell->known] >> 4);
    return together >> (cell->known > 0 ? 1 : 0);
}

// Contexts are finer for low activities.
T_CONSTANT(u8, brick_context_of_activity, brick_activities) = {
    0,  1,  2,  3,  4,  5,  6,  6,  7,  7,  8,  8,  9,  9,  9,  10, 10, 10, 11, 11, 11, 11,
    12, 12, 12, 12, 12, 13, 13, 13, 13, 13, 13, 14, 14, 14, 14, 14, 14, 14, 15, 15, 15, 15,
    15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15};
// The context of an activity, of which the lowest `shift` bits are dropped.
T_FUNCTION i32 brick_context(const i32 activity, const i32 shift) {
    return brick_context_of_activity[T_MIN(activity >> shift, brick_activities - 1)];
}

#endif
