// The format of wavelet chunks as decoders on a device need it: rANS streams (J. Duda, "Asymmetric
// numeral systems", arXiv:1311.2540, 2013) of the residuals of an S transform (A. Said, W. A.
// Pearlman, IEEE Transactions on Image Processing 5(9), 1996). docs/volume-files.md specifies it to
// the byte; src/core/brick_model.h is the host's version, which the encoder uses.
#ifndef TESELA_KERNELS_BRICK_MODEL_H
#define TESELA_KERNELS_BRICK_MODEL_H

enum {
    brick_max_streams = 64,  // one for each item of a group
    brick_contexts = 16,
    brick_symbols = 52,
    brick_lookup_size = 256,  // of 4096 slots, every 16th
    brick_probability_bits = 12,
    brick_probability_one = 4096,
    brick_lowest_state = 65536,
    brick_table_bytes_at = 2,
    brick_tables_at = brick_table_bytes_at + brick_contexts,
    brick_max_shift = 31,
    brick_first_long_symbol = 16,
    brick_details = 7,
    brick_activities = 64,
    brick_numbers = 5  // of a brick: x, y, z, plane, and the step of brick_paste between voxels
};

// A level of the volume.
typedef struct {
    i32 size[3];  // voxels
    i32 side;     // voxels of a brick
    i32 channels, level;
} brick_level;

// Details in coding order. Bits of a detail's number are the axes of its differences.
T_CONSTANT(i32, brick_order, brick_details) = {4, 2, 1, 6, 5, 3, 7};
// 48 / k: weight of the sum of the first k magnitudes of a cell in the activity of the next.
T_CONSTANT(i32, brick_known_weight, brick_details) = {0, 48, 24, 16, 12, 10, 8};
T_CONSTANT(u8, brick_context_of_activity, brick_activities) = {
    0,  1,  2,  3,  4,  5,  6,  6,  7,  7,  8,  8,  9,  9,  9,  10, 10, 10, 11, 11, 11, 11,
    12, 12, 12, 12, 12, 13, 13, 13, 13, 13, 13, 14, 14, 14, 14, 14, 14, 14, 15, 15, 15, 15,
    15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15};

// The rANS decode table of a context: cumulative frequencies of the symbols, and the symbol at
// every 16th slot, from which the search for a slot's symbol starts.
typedef struct {
    u16 cumulative[brick_symbols + 1];
    u8 lookup[brick_lookup_size];
} brick_table;

// A rANS decoder: its state, and the words that it has not read yet.
typedef struct {
    u32 state;
    i32 next, end;
} brick_stream;

// Past the end words are 0, but `next` keeps counting.
T_FUNCTION u32 brick_word(T_GLOBAL_PTR(const u16) words, brick_stream* stream) {
    const u32 word = stream->next < stream->end ? (u32)words[stream->next] : 0u;
    ++stream->next;
    return word;
}
// Renormalization: brings the state back to at least 2^16.
T_FUNCTION void brick_refill(T_GLOBAL_PTR(const u16) words, brick_stream* stream) {
    if (stream->state < brick_lowest_state)
        stream->state = stream->state << 16 | brick_word(words, stream);
}
T_FUNCTION brick_stream brick_begin_stream(T_GLOBAL_PTR(const u16) words, const i32 begin,
                                           const i32 end) {
    brick_stream stream;
    stream.next = begin;
    stream.end = end;
    stream.state = brick_word(words, &stream) << 16;
    stream.state |= brick_word(words, &stream);
    return stream;
}

// Whether a stream has too few or too many words for what was decoded.
T_FUNCTION i32 brick_stream_is_incomplete(const brick_stream* stream) {
    return stream->next != stream->end || stream->state != brick_lowest_state ? 1 : 0;
}

// Bits without a model.
T_FUNCTION u32 brick_decode_bits(T_GLOBAL_PTR(const u16) words, brick_stream* stream,
                                 const i32 count) {
    const u32 bits = stream->state & ((1u << count) - 1u);
    stream->state >>= count;
    brick_refill(words, stream);
    return bits;
}
// A step of rANS: the symbol at the slot in the low bits of the state, which the step then removes.
T_FUNCTION i32 brick_decode_symbol(T_GLOBAL_PTR(const u16) words,
                                   T_LOCAL_PTR(const brick_table) table, brick_stream* stream) {
    const u32 slot = stream->state & (brick_probability_one - 1);
    i32 symbol = table->lookup[slot >> 4];
    while (slot >= table->cumulative[symbol + 1]) ++symbol;
    const u32 start = table->cumulative[symbol];
    stream->state =
        (table->cumulative[symbol + 1] - start) * (stream->state >> brick_probability_bits) + slot -
        start;
    brick_refill(words, stream);
    return symbol;
}
// Symbols from 16 on stand for the two highest bits of a number, as in exponential-Golomb codes;
// the other bits follow without a model. The number is the zigzag code of the residual.
T_FUNCTION i32 brick_decode_residual(T_GLOBAL_PTR(const u16) words,
                                     T_LOCAL_PTR(const brick_table) table, brick_stream* stream) {
    const i32 symbol = brick_decode_symbol(words, table, stream);
    u32 number = (u32)symbol;
    if (symbol >= brick_first_long_symbol) {
        const i32 extra = 3 + (symbol - brick_first_long_symbol) / 2;
        const i32 low = T_MIN(extra, brick_probability_bits);
        number = (u32)(2 + (symbol & 1)) << extra;
        number += brick_decode_bits(words, stream, low);
        if (extra > low) number += brick_decode_bits(words, stream, extra - low) << low;
    }
    return (i32)(number >> 1) ^ -(i32)(number & 1u);
}

// Inverse S transform: sums and differences of pairs along z, then y, then x, back to values.
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

T_FUNCTION i32 brick_byte(T_GLOBAL_PTR(const u16) chunk, const i32 at) {
    return chunk[at >> 1] >> (8 * (at & 1)) & 255;
}

// Reads where the tables and the streams of a chunk of `length` words begin, its number of streams
// and its shift; gives 0 where the chunk is damaged.
T_FUNCTION i32 brick_read_head(T_GLOBAL_PTR(const u16) chunk, const i32 length,
                               T_LOCAL_PTR(i32) head, T_LOCAL_PTR(i32) table_starts,
                               T_LOCAL_PTR(i32) stream_starts) {
    head[0] = head[1] = 0;
    if (2 * length < brick_tables_at) return 0;
    const i32 streams = brick_byte(chunk, 0);
    head[0] = streams;
    head[1] = brick_byte(chunk, 1);
    if (streams < 1 || streams > brick_max_streams || head[1] > brick_max_shift) return 0;
    i32 at = brick_tables_at;
    for (i32 context = 0; context < brick_contexts; ++context) {
        table_starts[context] = at;
        at += brick_byte(chunk, brick_table_bytes_at + context);
        if (at > 2 * length) return 0;
    }
    table_starts[brick_contexts] = at;
    const i32 lengths_at = (at + 1) / 2;
    if (streams > length - lengths_at) return 0;
    i32 next = lengths_at + streams;
    for (i32 stream = 0; stream < streams; ++stream) {
        stream_starts[stream] = next;
        next += chunk[lengths_at + stream];
    }
    stream_starts[streams] = next;
    return next == length ? 1 : 0;
}

// Reads a context's table; gives 0 where it is damaged. With an empty one all symbols are 0.
T_FUNCTION i32 brick_read_table(T_GLOBAL_PTR(const u16) chunk, const i32 begin, const i32 end,
                                T_LOCAL_PTR(brick_table) table) {
    i32 sum = 0, symbol = 0, at = begin;
    while (at < end && symbol < brick_symbols) {
        i32 frequency = brick_byte(chunk, at++);
        if (frequency >= 128) {
            if (at == end) return 0;
            frequency = (frequency & 127) << 8 | brick_byte(chunk, at++);
        }
        table->cumulative[symbol++] = (u16)sum;
        sum += frequency;
    }
    if (begin == end) {
        table->cumulative[symbol++] = 0;
        sum = brick_probability_one;
    }
    for (; symbol <= brick_symbols; ++symbol) table->cumulative[symbol] = (u16)sum;
    return at == end && sum == brick_probability_one ? 1 : 0;
}
// Fills one of the four parts of a table's lookup.
T_FUNCTION void brick_fill_lookup(T_LOCAL_PTR(brick_table) table, const i32 part) {
    const i32 begin = part * (brick_lookup_size / 4);
    i32 symbol = 0;
    for (i32 k = begin; k < begin + brick_lookup_size / 4; ++k) {
        while (table->cumulative[symbol + 1] <= 16 * k) ++symbol;
        table->lookup[k] = (u8)symbol;
    }
}

// A brick in a level and in the next coarser one: where its first voxel is in each, the steps
// between voxels in memory, and its cells and voxels along each axis.
typedef struct {
    i64 coarse_at, fine_at;
    i64 coarse_step[3], fine_step[3];
    i32 cells[3], voxels[3];
    i32 shift, rounding;  // of activities; of means
} brick_box;

T_FUNCTION brick_box brick_box_of(const brick_level level, const i32 shift,
                                  T_GLOBAL_PTR(const i32) brick) {
    brick_box box;
    box.shift = shift;
    box.rounding = 4 - (level.level & 1);
    i64 coarse_step = level.channels, fine_step = level.channels;
    const i32 plane = brick[3];
    box.coarse_at = box.fine_at = plane % level.channels;
    T_UNROLL
    for (i32 axis = 0; axis < 3; ++axis) {
        const i32 first = brick[axis] * level.side;
        const i32 coarse_size = (level.size[axis] + 1) / 2;
        box.voxels[axis] = T_MIN(level.side, level.size[axis] - first);
        box.cells[axis] = (box.voxels[axis] + 1) / 2;
        box.coarse_step[axis] = coarse_step;
        box.fine_step[axis] = fine_step;
        box.coarse_at += first / 2 * coarse_step;
        box.fine_at += first * fine_step;
        coarse_step *= coarse_size;
        fine_step *= level.size[axis];
    }
    box.coarse_at += plane / level.channels * coarse_step;
    box.fine_at += plane / level.channels * fine_step;
    return box;
}

#endif
