// Reading a wavelet chunk, on devices and on the host: its head, its tables and its rANS streams.
// A chunk is read as words of 16 bits. Nothing beyond it is read, whatever it holds.
#ifndef TESELA_KERNELS_BRICK_CHUNK_H
#define TESELA_KERNELS_BRICK_CHUNK_H

#include "kernels/volumes/brick_format.h"

enum {
    brick_lookup_size = 256,  // of 4096 slots, every 16th
    brick_lookup_parts = 4
};

// The head of a chunk, and where tables and streams begin, those in bytes and these in words; the
// last one ends where one more would begin.
typedef struct {
    i32 streams, shift;
    i32 is_sound, has_sound_tables;  // for the items of a group
    i32 table_starts[brick_contexts + 1];
    i32 stream_starts[brick_max_streams + 1];
} brick_head;

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

T_FUNCTION i32 brick_byte(T_GLOBAL_PTR(const u16) chunk, const i32 at) {
    return chunk[at >> 1] >> (8 * (at & 1)) & 255;
}

// Reads the head of a chunk of `length` words; gives 0 where it is damaged.
T_FUNCTION i32 brick_read_head(T_GLOBAL_PTR(const u16) chunk, const i32 length,
                               T_LOCAL_PTR(brick_head) head) {
    if (2 * length < brick_tables_at) return 0;
    head->streams = brick_byte(chunk, 0);
    head->shift = brick_byte(chunk, 1);
    if (head->streams < 1 || head->streams > brick_max_streams || head->shift > brick_max_shift)
        return 0;
    i32 at = brick_tables_at;
    for (i32 context = 0; context < brick_contexts; ++context) {
        head->table_starts[context] = at;
        at += brick_byte(chunk, brick_table_bytes_at + context);
        if (at > 2 * length) return 0;
    }
    head->table_starts[brick_contexts] = at;
    const i32 lengths_at = (at + 1) / 2;
    if (head->streams > length - lengths_at) return 0;
    i32 next = lengths_at + head->streams;
    for (i32 stream = 0; stream < head->streams; ++stream) {
        head->stream_starts[stream] = next;
        next += chunk[lengths_at + stream];
    }
    head->stream_starts[head->streams] = next;
    return next == length ? 1 : 0;
}
// Where all residuals are 0, a chunk has no tables and no words.
T_FUNCTION i32 brick_is_flat(T_LOCAL_PTR(const brick_head) head) {
    return head->table_starts[brick_contexts] == brick_tables_at ? 1 : 0;
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
    const i32 begin = part * (brick_lookup_size / brick_lookup_parts);
    i32 symbol = 0;
    for (i32 k = begin; k < begin + brick_lookup_size / brick_lookup_parts; ++k) {
        while (table->cumulative[symbol + 1] <= 16 * k) ++symbol;
        table->lookup[k] = (u8)symbol;
    }
}

// Past the end words are 0, but `next` keeps counting.
T_FUNCTION u32 brick_word(T_GLOBAL_PTR(const u16) chunk, brick_stream* stream) {
    const u32 word = stream->next < stream->end ? (u32)chunk[stream->next] : 0u;
    ++stream->next;
    return word;
}
// Renormalization: brings the state back to at least 2^16.
T_FUNCTION void brick_refill(T_GLOBAL_PTR(const u16) chunk, brick_stream* stream) {
    if (stream->state < brick_lowest_state)
        stream->state = stream->state << 16 | brick_word(chunk, stream);
}
T_FUNCTION brick_stream brick_begin_stream(T_GLOBAL_PTR(const u16) chunk, const i32 begin,
                                           const i32 end) {
    brick_stream stream;
    stream.next = begin;
    stream.end = end;
    stream.state = brick_word(chunk, &stream) << 16;
    stream.state |= brick_word(chunk, &stream);
    return stream;
}
// Whether a stream has too few or too many words for what was decoded.
T_FUNCTION i32 brick_stream_is_incomplete(const brick_stream* stream) {
    return stream->next != stream->end || stream->state != brick_lowest_state ? 1 : 0;
}

// Bits without a model.
T_FUNCTION u32 brick_decode_bits(T_GLOBAL_PTR(const u16) chunk, brick_stream* stream,
                                 const i32 count) {
    const u32 bits = stream->state & ((1u << count) - 1u);
    stream->state >>= count;
    brick_refill(chunk, stream);
    return bits;
}
T_FUNCTION i32 brick_decode_symbol(T_GLOBAL_PTR(const u16) chunk,
                                   T_LOCAL_PTR(const brick_table) table, brick_stream* stream) {
    const u32 slot = brick_slot(stream->state);
    i32 symbol = table->lookup[slot >> 4];
    while (slot >= table->cumulative[symbol + 1]) ++symbol;
    const u32 start = table->cumulative[symbol];
    stream->state = brick_decoded(stream->state, start, table->cumulative[symbol + 1] - start);
    brick_refill(chunk, stream);
    return symbol;
}
T_FUNCTION i32 brick_decode_residual(T_GLOBAL_PTR(const u16) chunk,
                                     T_LOCAL_PTR(const brick_table) table, brick_stream* stream) {
    const i32 symbol = brick_decode_symbol(chunk, table, stream);
    u32 number = brick_lowest_number(symbol);
    if (symbol >= brick_first_long_symbol) {
        const i32 extra = brick_extra_bits(symbol);
        const i32 low = T_MIN(extra, brick_probability_bits);
        number += brick_decode_bits(chunk, stream, low);
        if (extra > low) number += brick_decode_bits(chunk, stream, extra - low) << low;
    }
    return brick_residual_of(number);
}
// The next detail of a cell, which has it.
T_FUNCTION i32 brick_decode_detail(T_GLOBAL_PTR(const u16) chunk,
                                   T_LOCAL_PTR(const brick_table) tables, const i32 shift,
                                   brick_stream* stream, brick_cell* cell, const i32 detail) {
    const i32 context = brick_context(brick_activity(cell), shift);
    const i32 residual = brick_decode_residual(chunk, tables + context, stream);
    brick_take(cell, residual);
    return residual + brick_predicted(cell, detail);
}

#endif
