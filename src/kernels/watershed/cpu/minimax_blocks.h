// Blocks of minimax growth, each relaxed by one item with a queue, in memory that its cache holds.
#ifndef TESELA_KERNELS_MINIMAX_BLOCKS_H
#define TESELA_KERNELS_MINIMAX_BLOCKS_H

enum { minimax_block_points = 0x8000 };  // at most; lengths are powers of two
#define minimax_no_point 0xffffu
#define minimax_unlisted 0xfffeu  // a point's successor in a list, where it is in none
#define minimax_queued 0x8000000000000000ull

// An image in blocks of 2^shift_x x 2^shift_y x 2^shift_z points, and what stands before its
// weights (minimax.kernel.h), of which keys have no need.
typedef struct {
    i64 pitch, pad;
    i32 nx, ny, nz;
    i32 shift_x, shift_y, shift_z;
} minimax_blocks_job;

// A block of 2^shift_x x 2^shift_y x 2^shift_z points from x0, y0, z0 on, of which those beyond the
// image do not count. A point has a number in its block: the bits of its place there, x lowest.
typedef struct {
    i32 x0, y0, z0;
    i32 nx, ny, nz;
    i32 shift_x, shift_y, shift_z;
    i32 parts, parts_x, parts_y, part, round;
    T_GLOBAL_PTR(u32) lists;
    T_GLOBAL_PTR(u32) counters;
} minimax_block;

T_FUNCTION minimax_block minimax_block_of(const minimax_blocks_job job, const i32 round,
                                          const i32 entry, T_GLOBAL_PTR(u32) lists,
                                          T_GLOBAL_PTR(u32) counters) {
    minimax_block block;
    block.nx = job.nx;
    block.ny = job.ny;
    block.nz = job.nz;
    block.shift_x = job.shift_x;
    block.shift_y = job.shift_y;
    block.shift_z = job.shift_z;
    block.parts_x = ((job.nx - 1) >> job.shift_x) + 1;
    block.parts_y = ((job.ny - 1) >> job.shift_y) + 1;
    block.parts = block.parts_x * block.parts_y * (((job.nz - 1) >> job.shift_z) + 1);
    block.part = (i32)lists[(i64)(1 + round % 2) * block.parts + entry];
    block.x0 = block.part % block.parts_x << job.shift_x;
    block.y0 = block.part / block.parts_x % block.parts_y << job.shift_y;
    block.z0 = block.part / block.parts_x / block.parts_y << job.shift_z;
    block.round = round;
    block.lists = lists;
    block.counters = counters;
    return block;
}

// The place of a point of the block in the image.
T_FUNCTION i64 minimax_point(const minimax_block block, const i32 number) {
    const i32 x = number & ((1 << block.shift_x) - 1);
    const i32 y = (number >> block.shift_x) & ((1 << block.shift_y) - 1);
    const i32 z = number >> (block.shift_x + block.shift_y);
    return ((i64)(block.z0 + z) * block.ny + block.y0 + y) * block.nx + block.x0 + x;
}

// Bits: at which faces of its block a point stands; x first, the lower face first.
T_FUNCTION u32 minimax_faces(const minimax_block block, const i32 number) {
    const i32 last_x = (1 << block.shift_x) - 1;
    const i32 last_y = (1 << block.shift_y) - 1;
    const i32 last_z = (1 << block.shift_z) - 1;
    const i32 x = number & last_x;
    const i32 y = (number >> block.shift_x) & last_y;
    const i32 z = number >> (block.shift_x + block.shift_y);
    return (u32)(x == 0) | (u32)(x == last_x) << 1 | (u32)(y == 0) << 2 | (u32)(y == last_y) << 3 |
           (u32)(z == 0) << 4 | (u32)(z == last_z) << 5;
}

// The steps to all neighbors, onward and backward in one direction after the other: how far off
// they are in the image and in numbers of the block, where their weight stands, and at which faces
// they lead out of the block.
typedef struct {
    i64 offset[26];
    i64 weight[26];
    i32 number[26];
    u32 leaves[26];
} minimax_steps;

T_FUNCTION minimax_steps minimax_steps_of(const minimax_block block, const i32 first_direction,
                                          const i32 count, const i64 pitch) {
    minimax_steps steps;
    for (i32 k = 0; k < count; ++k) {
        const i32 direction = first_direction + k / 2;
        const i32 sign = 1 - k % 2 * 2;
        const i32 dx = sign * minimax_dx[direction];
        const i32 dy = sign * minimax_dy[direction];
        const i32 dz = sign * minimax_dz[direction];
        steps.offset[k] = sign * minimax_offset(direction, block.nx, block.ny);
        steps.weight[k] = k / 2 * pitch + (sign > 0 ? 0 : steps.offset[k]);
        steps.number[k] = (((dz << block.shift_y) + dy) << block.shift_x) + dx;
        steps.leaves[k] = (u32)(dx < 0) | (u32)(dx > 0) << 1 | (u32)(dy < 0) << 2 |
                          (u32)(dy > 0) << 3 | (u32)(dz < 0) << 4 | (u32)(dz > 0) << 5;
    }
    return steps;
}

// The block to which the k-th step leads from a point has to go on.
T_FUNCTION void minimax_list_beside(const minimax_block block, const i32 number,
                                    const i32 first_direction, const i32 k) {
    const i32 direction = first_direction + k / 2;
    const i32 sign = 1 - k % 2 * 2;
    const i32 x = (number & ((1 << block.shift_x) - 1)) + sign * minimax_dx[direction];
    const i32 y =
        ((number >> block.shift_x) & ((1 << block.shift_y) - 1)) + sign * minimax_dy[direction];
    const i32 z = (number >> (block.shift_x + block.shift_y)) + sign * minimax_dz[direction];
    const i32 part = block.part +
                     ((z >> block.shift_z) * block.parts_y + (y >> block.shift_y)) * block.parts_x +
                     (x >> block.shift_x);
    minimax_list_part(block.lists, block.counters, block.parts, part, block.round + 1);
}

// The number of the first point from `number` on that counts, or of the first beyond the block;
// with `edge` only of those that may have a neighbor in another block.
T_FUNCTION i32 minimax_next(const minimax_block block, i32 number, const i32 edge) {
    const i32 end = 1 << (block.shift_x + block.shift_y + block.shift_z);
    const i32 last_x = (1 << block.shift_x) - 1;
    const i32 last_y = (1 << block.shift_y) - 1;
    const i32 last_z = (1 << block.shift_z) - 1;
    for (; number < end; ++number) {
        const i32 x = number & last_x;
        const i32 y = (number >> block.shift_x) & last_y;
        const i32 z = number >> (block.shift_x + block.shift_y);
        const i32 counts =
            block.x0 + x < block.nx && block.y0 + y < block.ny && block.z0 + z < block.nz;
        const i32 outermost = (block.nx > last_x + 1 && (x == 0 || x == last_x)) ||
                              (block.ny > last_y + 1 && (y == 0 || y == last_y)) ||
                              (block.nz > last_z + 1 && (z == 0 || z == last_z));
        if (counts && (!edge || outermost)) return number;
        // On to the far end of the row.
        if (!counts)
            number |= last_x;
        else if (x > 0 && x < last_x - 1)
            number += last_x - 1 - x;
    }
    return end;
}

// ---- Points by cost -----------------------------------------------------------------------------

// Lists of the points of each cost: `heads` has the first of a list, `filled` a bit for each that
// is not empty and a word that is not 0 once the block was visited, `neighbors` for each point its
// successor and its predecessor in the list.
enum { minimax_filled_words = 0x10000 / 32 + 1 };
typedef struct {
    T_GLOBAL_PTR(u16) neighbors;
    T_GLOBAL_PTR(u16) heads;
    T_GLOBAL_PTR(u32) filled;
} minimax_buckets;

T_FUNCTION void minimax_put(const minimax_buckets buckets, const u32 number, const u32 cost) {
    const u32 bit = 1u << (cost & 31u);
    const u32 word = buckets.filled[cost >> 5];
    const u32 head = word & bit ? buckets.heads[cost] : minimax_no_point;
    buckets.neighbors[2 * number] = (u16)head;
    buckets.neighbors[2 * number + 1] = minimax_no_point;
    if (head != minimax_no_point) buckets.neighbors[2 * head + 1] = (u16)number;
    buckets.heads[cost] = (u16)number;
    buckets.filled[cost >> 5] = word | bit;
}

T_FUNCTION void minimax_take_out(const minimax_buckets buckets, const u32 number, const u32 cost) {
    const u32 next = buckets.neighbors[2 * number];
    const u32 previous = buckets.neighbors[2 * number + 1];
    if (next != minimax_no_point) buckets.neighbors[2 * next + 1] = (u16)previous;
    if (previous != minimax_no_point) {
        buckets.neighbors[2 * previous] = (u16)next;
    } else {
        buckets.heads[cost] = (u16)next;
        if (next == minimax_no_point) buckets.filled[cost >> 5] &= ~(1u << (cost & 31u));
    }
}

// The lowest cost from `from` on of which there are points, or minimax_levels.
T_FUNCTION u32 minimax_lowest(const minimax_buckets buckets, const u32 from) {
    u32 word = from >> 5;
    u32 bits = buckets.filled[word] & 0xffffffffu << (from & 31u);
    while (bits == 0 && ++word < minimax_levels / 32) bits = buckets.filled[word];
    return bits == 0 ? minimax_levels : 32 * word + (u32)T_HIGHEST_BIT(bits & (0u - bits));
}

// Gives point q, of the block, a lower cost. Points of the cost `level` go to the front of the list
// at `top`; gives what stands there then.
T_FUNCTION u32 minimax_lower_cost(const minimax_buckets buckets, T_GLOBAL_PTR(u16) costs,
                                  const i64 q, const u32 number, const u32 cost, const u32 level,
                                  const u32 top) {
    if (buckets.neighbors[2 * number] != minimax_unlisted)
        minimax_take_out(buckets, number, costs[q]);
    T_STORE(u16, costs + q, (u16)cost);
    if (cost != level) {
        minimax_put(buckets, number, cost);
        return top;
    }
    buckets.neighbors[2 * number] = (u16)top;
    return number;
}

// ---- Points in the order in which they come -----------------------------------------------------

// A ring; it holds no point twice, of which the bit minimax_queued of its key tells.
typedef struct {
    T_GLOBAL_PTR(u16) points;
    u32 head, tail, last;  // tail - head points; `last`: the length, a power of two, less one
} minimax_fifo;

T_FUNCTION minimax_fifo minimax_push(minimax_fifo fifo, const u32 number) {
    fifo.points[fifo.tail & fifo.last] = (u16)number;
    ++fifo.tail;
    return fifo;
}

// Gives point q, of the block, a lower key.
T_FUNCTION minimax_fifo minimax_lower_key(minimax_fifo fifo, T_GLOBAL_PTR(u64) keys, const i64 q,
                                          const u32 number, const u64 key, const u64 offer) {
    T_STORE(u64, keys + q, offer | minimax_queued);
    return key & minimax_queued ? fifo : minimax_push(fifo, number);
}

#endif
