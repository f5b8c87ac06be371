// Co-occurrence matrices: how often a pixel of level i has one of level j at an offset (R. M.
// Haralick, K. Shanmugam, I. Dinstein, IEEE Transactions on SMC 3(6), 1973). Counts are integers,
// so that their order does not show.
#define T_FILE cooccurrence
#include "kernels/begin.h"

enum { cooccurrence_most_offsets = 64, cooccurrence_local_cells = 8192 };

// Matrix k of plane p has its `levels`^2 counts at (p * all_offsets + first_offset + k) of them.
typedef struct {
    i32 x[cooccurrence_most_offsets], y[cooccurrence_most_offsets];
    i32 offsets, first_offset, all_offsets;
    i32 levels, nx, ny, rows;
    i32 channels;  // planes that share a mask
    i32 masked;    // 0: all pixels count
    i32 planes;
} cooccurrence_job;

T_FUNCTION i64 cooccurrence_cell(const cooccurrence_job job, const i64 plane, const i32 offset) {
    return (plane * job.all_offsets + job.first_offset + offset) * job.levels * job.levels;
}
T_FUNCTION i32 cooccurrence_has_partner(const cooccurrence_job job, const i32 x, const i32 y,
                                        const i32 k) {
    const i32 to_x = x + job.x[k];
    const i32 to_y = y + job.y[k];
    return to_x >= 0 && to_x < job.nx && to_y >= 0 && to_y < job.ny;
}
T_FUNCTION i32 cooccurrence_is_inside(const cooccurrence_job job, T_GLOBAL_PTR(const u8) mask,
                                      const i64 at, const i64 to) {
    return !job.masked || (mask[at] != 0 && mask[to] != 0);
}
// Pixels of a row that have a partner `step` further on.
T_FUNCTION i32 cooccurrence_first(const i32 step) { return T_MAX(-step, 0); }
T_FUNCTION i32 cooccurrence_end(const i32 step, const i32 n) { return T_MIN(n - step, n); }

// A group counts `rows` rows of a plane, all matrices in its own memory; it adds to `counts`.
T_GROUP_KERNEL(cooccurrence_local, 32, 8, 1,
               (T_IN(u8) levels, T_IN(u8) mask, T_GLOBAL_PTR(u32) counts,
                const cooccurrence_job job)) {
    T_LOCAL(u32, own, cooccurrence_local_cells);
    const i32 square = job.levels * job.levels;
    const i32 cells = job.offsets * square;
    const i32 first = T_GX * job.rows;
    const i32 end = T_MIN(first + job.rows, job.ny);
    const i64 points = (i64)job.nx * job.ny;
    T_GLOBAL_PTR(const u8) plane = levels + T_GY * points;
    T_GLOBAL_PTR(const u8) inside = mask + (job.masked ? T_GY / job.channels * points : 0);
    T_PHASE {
        for (i32 c = T_LI; c < cells; c += 256) own[c] = 0;
    }
    T_PHASE {
        for (i32 y = first + T_LY; y < end; y += 8) {
            for (i32 x = T_LX; x < job.nx; x += 32) {
                const i64 at = (i64)y * job.nx + x;
                const i32 row = plane[at] * job.levels;
                for (i32 k = 0; k < job.offsets; ++k) {
                    const i64 to = at + (i64)job.y[k] * job.nx + job.x[k];
                    if (cooccurrence_has_partner(job, x, y, k) &&
                        cooccurrence_is_inside(job, inside, at, to))
                        T_ATOMIC_ADD(&own[k * square + row + plane[to]], 1u);
                }
            }
        }
    }
    T_PHASE {
        for (i32 c = T_LI; c < cells; c += 256) {
            if (own[c] != 0) T_ATOMIC_ADD(counts + cooccurrence_cell(job, T_GY, 0) + c, own[c]);
        }
    }
}

// An item a pixel, for matrices that are larger than the memory of a group: as above.
T_KERNEL(cooccurrence_pixels,
         (T_IN(u8) levels, T_IN(u8) mask, T_GLOBAL_PTR(u32) counts, const cooccurrence_job job)) {
    T_INDEX3(x, y, p);
    const i64 points = (i64)job.nx * job.ny;
    T_GLOBAL_PTR(const u8) plane = levels + p * points;
    T_GLOBAL_PTR(const u8) inside = mask + (job.masked ? p / job.channels * points : 0);
    const i64 at = (i64)y * job.nx + x;
    for (i32 k = 0; k < job.offsets; ++k) {
        const i64 to = at + (i64)job.y[k] * job.nx + job.x[k];
        if (!cooccurrence_has_partner(job, x, y, k) || !cooccurrence_is_inside(job, inside, at, to))
            continue;
        const i64 cell = cooccurrence_cell(job, p, k);
        T_ATOMIC_ADD(counts + (cell + plane[at] * job.levels + plane[to]), 1u);
    }
}

// An item counts `rows` rows for an offset in a matrix that nobody else writes: matrices of any
// number of levels, and no atomics, which cost a CPU more than the counting. `parts` holds all
// matrices once for each piece of rows, and begins as zeros.
T_KERNEL(cooccurrence_rows,
         (T_IN(u8) levels, T_IN(u8) mask, T_OUT(u32) parts, const cooccurrence_job job)) {
    T_INDEX3(k, piece, p);
    const i32 dx = job.x[k];
    const i32 dy = job.y[k];
    const i64 points = (i64)job.nx * job.ny;
    T_GLOBAL_PTR(const u8) plane = levels + p * points;
    T_GLOBAL_PTR(const u8) inside = mask + (job.masked ? p / job.channels * points : 0);
    T_GLOBAL_PTR(u32) own = parts + cooccurrence_cell(job, (i64)piece * job.planes + p, k);
    const i32 first = T_MAX(piece * job.rows, cooccurrence_first(dy));
    const i32 end = T_MIN((piece + 1) * job.rows, cooccurrence_end(dy, job.ny));
    for (i32 y = first; y < end; ++y) {
        const i64 from = (i64)y * job.nx;
        const i64 to = from + (i64)dy * job.nx + dx;
        for (i32 x = cooccurrence_first(dx); x < cooccurrence_end(dx, job.nx); ++x) {
            if (!cooccurrence_is_inside(job, inside, from + x, to + x)) continue;
            own[plane[from + x] * job.levels + plane[to + x]] += 1u;
        }
    }
}

#include "kernels/end.h"
