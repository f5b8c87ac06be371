// What decoders of bricks on a device know of the format, which docs/volume-files.md has to the
// byte. The host's half, with the encoder: src/core/brick_model.h.
#ifndef TESELA_KERNELS_BRICK_MODEL_H
#define TESELA_KERNELS_BRICK_MODEL_H

enum {
    brick_lanes = 64,  // items of a group, which decode a lane each
    brick_contexts = 16,
    brick_tokens = 52,
    brick_hints = 256,
    brick_probability_bits = 12,
    brick_probability_one = 4096,
    brick_lowest_state = 65536,
    brick_table_bytes_at = 2,
    brick_tables_at = brick_table_bytes_at + brick_contexts,
    brick_most_shift = 31,
    brick_first_long_token = 16,
    brick_details = 7,
    brick_activities = 64,
    brick_place_numbers = 5  // of a brick: x, y, z, plane, and what brick_paste steps by
};

// A level of the volume, or what it is made from.
typedef struct {
    i32 size[3];  // voxels
    i32 side;     // voxels of a brick
    i32 channels, level;
} brick_level;

// Bits of a detail's number: the axes along which it is a difference. The order is that of coding.
T_CONSTANT(i32, brick_order, brick_details) = {4, 2, 1, 6, 5, 3, 7};
// 48 / k: how much the k magnitudes known of a cell say about the next.
T_CONSTANT(i32, brick_known_weight, brick_details) = {0, 48, 24, 16, 12, 10, 8};
T_CONSTANT(u8, brick_context_of_activity, brick_activities) = {
    0,  1,  2,  3,  4,  5,  6,  6,  7,  7,  8,  8,  9,  9,  9,  10, 10, 10, 11, 11, 11, 11,
    12, 12, 12, 12, 12, 13, 13, 13, 13, 13, 13, 14, 14, 14, 14, 14, 14, 14, 15, 15, 15, 15,
    15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15};

// How the tokens of a context lie in the interval of probabilities: where each begins, and which
// one is at each 16th place.
typedef struct {
    u16 first[brick_tokens + 1];
    u8 hints[brick_hints];
} brick_table;

// What is left of the words of a lane, and of those before.
typedef struct {
    u32 state;
    i32 next, end;
} brick_lane;

// Behind the end come zeros, and `next` is beyond it.
T_FUNCTION u32 brick_word(T_GLOBAL_PTR(const u16) words, brick_lane* lane) {
    const u32 word = lane->next < lane->end ? (u32)words[lane->next] : 0u;
    ++lane->next;
    return word;
}
T_FUNCTION void brick_refill(T_GLOBAL_PTR(const u16) words, brick_lane* lane) {
    if (lane->state < brick_lowest_state) lane->state = lane->state << 16 | brick_word(words, lane);
}
T_FUNCTION brick_lane brick_begin_lane(T_GLOBAL_PTR(const u16) words, const i32 begin,
                                       const i32 end) {
    brick_lane lane;
    lane.next = begin;
    lane.end = end;
    lane.state = brick_word(words, &lane) << 16;
    lane.state |= brick_word(words, &lane);
    return lane;
}

// Whether a lane at its end has words too few or too many.
T_FUNCTION i32 brick_lane_is_left(const brick_lane* lane) {
    return lane->next != lane->end || lane->state != brick_lowest_state ? 1 : 0;
}

T_FUNCTION u32 brick_bits(T_GLOBAL_PTR(const u16) words, brick_lane* lane, const i32 count) {
    const u32 bits = lane->state & ((1u << count) - 1u);
    lane->state >>= count;
    brick_refill(words, lane);
    return bits;
}
T_FUNCTION i32 brick_token(T_GLOBAL_PTR(const u16) words, T_LOCAL_PTR(const brick_table) table,
                           brick_lane* lane) {
    const u32 place = lane->state & (brick_probability_one - 1);
    i32 token = table->hints[place >> 4];
    while (place >= table->first[token + 1]) ++token;
    const u32 first = table->first[token];
    lane->state =
        (table->first[token + 1] - first) * (lane->state >> brick_probability_bits) + place - first;
    brick_refill(words, lane);
    return token;
}
// Tokens from 16 on have the two highest bits of a number, whose rest follows.
T_FUNCTION i32 brick_residual(T_GLOBAL_PTR(const u16) words, T_LOCAL_PTR(const brick_table) table,
                              brick_lane* lane) {
    const i32 token = brick_token(words, table, lane);
    u32 number = (u32)token;
    if (token >= brick_first_long_token) {
        const i32 extra = 3 + (token - brick_first_long_token) / 2;
        const i32 low = T_MIN(extra, brick_probability_bits);
        number = (u32)(2 + (token & 1)) << extra;
        number += brick_bits(words, lane, low);
        if (extra > low) number += brick_bits(words, lane, extra - low) << low;
    }
    return (i32)(number >> 1) ^ -(i32)(number & 1u);
}

// Sums and differences of pairs along z, then y, then x, back to values (S transform).
T_FUNCTION void brick_join(i32* cell) {
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

// Where the tables and the lanes of a chunk of `length` words begin, its number of lanes and its
// shift; 0 where these make no sense.
T_FUNCTION i32 brick_read_head(T_GLOBAL_PTR(const u16) chunk, const i32 length,
                               T_LOCAL_PTR(i32) head, T_LOCAL_PTR(i32) table_starts,
                               T_LOCAL_PTR(i32) lane_starts) {
    head[0] = head[1] = 0;
    if (2 * length < brick_tables_at) return 0;
    const i32 lanes = brick_byte(chunk, 0);
    head[0] = lanes;
    head[1] = brick_byte(chunk, 1);
    if (lanes < 1 || lanes > brick_lanes || head[1] > brick_most_shift) return 0;
    i32 at = brick_tables_at;
    for (i32 context = 0; context < brick_contexts; ++context) {
        table_starts[context] = at;
        at += brick_byte(chunk, brick_table_bytes_at + context);
        if (at > 2 * length) return 0;
    }
    table_starts[brick_contexts] = at;
    const i32 lengths_at = (at + 1) / 2;
    if (lanes > length - lengths_at) return 0;
    i32 next = lengths_at + lanes;
    for (i32 lane = 0; lane < lanes; ++lane) {
        lane_starts[lane] = next;
        next += chunk[lengths_at + lane];
    }
    lane_starts[lanes] = next;
    return next == length ? 1 : 0;
}

// A context's table from its bytes; 0 where these make no sense. Without any, all tokens are 0.
T_FUNCTION i32 brick_read_table(T_GLOBAL_PTR(const u16) chunk, const i32 begin, const i32 end,
                                T_LOCAL_PTR(brick_table) table) {
    i32 sum = 0, token = 0, at = begin;
    while (at < end && token < brick_tokens) {
        i32 frequency = brick_byte(chunk, at++);
        if (frequency >= 128) {
            if (at == end) return 0;
            frequency = (frequency & 127) << 8 | brick_byte(chunk, at++);
        }
        table->first[token++] = (u16)sum;
        sum += frequency;
    }
    if (begin == end) {
        table->first[token++] = 0;
        sum = brick_probability_one;
    }
    for (; token <= brick_tokens; ++token) table->first[token] = (u16)sum;
    return at == end && sum == brick_probability_one ? 1 : 0;
}
// A share of a table's hints, of four.
T_FUNCTION void brick_set_hints(T_LOCAL_PTR(brick_table) table, const i32 share) {
    const i32 begin = share * (brick_hints / 4);
    i32 token = 0;
    for (i32 k = begin; k < begin + brick_hints / 4; ++k) {
        while (table->first[token + 1] <= 16 * k) ++token;
        table->hints[k] = (u8)token;
    }
}

// A brick in a level, and what it is made from: cells and voxels along each axis, distances from
// one to the next in memory, and where the first ones are.
typedef struct {
    i64 coarse_at, fine_at;
    i64 coarse_step[3], fine_step[3];
    i32 cells[3], voxels[3];
    i32 shift, rounding;  // of activities, and of means
} brick_box;

T_FUNCTION brick_box brick_box_of(const brick_level level, const i32 shift,
                                  T_GLOBAL_PTR(const i32) place) {
    brick_box box;
    box.shift = shift;
    box.rounding = 4 - (level.level & 1);
    i64 coarse_step = level.channels, fine_step = level.channels;
    const i32 plane = place[3];
    box.coarse_at = box.fine_at = plane % level.channels;
    T_UNROLL
    for (i32 axis = 0; axis < 3; ++axis) {
        const i32 first = place[axis] * level.side;
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
