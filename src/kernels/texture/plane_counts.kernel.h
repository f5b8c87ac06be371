// Histograms of planes of bytes.
#define T_FILE plane_counts
#include "kernels/begin.h"

// A plane of nx x ny values, where a mask is wider by `margin` pixels on each side; `rows` rows
// make a piece.
typedef struct {
    i32 nx, ny, rows, margin;
    i32 channels;  // planes that share a mask
    i32 masked;    // 0: all values count
    i32 planes;
} plane_counts_job;

T_FUNCTION i64 plane_counts_mask_at(const plane_counts_job job, const i32 plane, const i32 y) {
    const i32 nx = job.nx + 2 * job.margin;
    const i32 ny = job.ny + 2 * job.margin;
    return job.masked ? ((i64)(plane / job.channels) * ny + y + job.margin) * nx + job.margin : 0;
}

// A group counts a piece in its own memory and adds to the 256 counts of the plane.
T_GROUP_KERNEL(plane_counts_local, 32, 8, 1,
               (T_IN(u8) values, T_IN(u8) mask, T_GLOBAL_PTR(u32) counts,
                const plane_counts_job job)) {
    T_LOCAL(u32, own, 256);
    const i32 first = T_GX * job.rows;
    const i32 end = T_MIN(first + job.rows, job.ny);
    T_PHASE { own[T_LI] = 0; }
    T_PHASE {
        for (i32 y = first + T_LY; y < end; y += 8) {
            const i64 at = ((i64)T_GY * job.ny + y) * job.nx;
            const i64 inside = plane_counts_mask_at(job, T_GY, y);
            for (i32 x = T_LX; x < job.nx; x += 32) {
                if (!job.masked || mask[inside + x] != 0) T_ATOMIC_ADD(&own[values[at + x]], 1u);
            }
        }
    }
    T_PHASE {
        if (own[T_LI] != 0) T_ATOMIC_ADD(counts + ((i64)T_GY * 256 + T_LI), own[T_LI]);
    }
}

// An item counts a piece in counts that nobody else writes (see cooccurrence_rows).
T_KERNEL(plane_counts_rows,
         (T_IN(u8) values, T_IN(u8) mask, T_OUT(u32) parts, const plane_counts_job job)) {
    T_INDEX2(piece, plane);
    T_GLOBAL_PTR(u32) own = parts + ((i64)piece * job.planes + plane) * 256;
    for (i32 y = piece * job.rows; y < T_MIN((piece + 1) * job.rows, job.ny); ++y) {
        const i64 at = ((i64)plane * job.ny + y) * job.nx;
        const i64 inside = plane_counts_mask_at(job, plane, y);
        for (i32 x = 0; x < job.nx; ++x) {
            if (!job.masked || mask[inside + x] != 0) own[values[at + x]] += 1u;
        }
    }
}

// counts = the sum over all pieces.
T_KERNEL(counts_sum, (T_IN(u32) parts, T_OUT(u32) counts, const i64 cells, const i32 pieces)) {
    T_INDEX1(i);
    u32 sum = 0;
    for (i32 piece = 0; piece < pieces; ++piece) sum += parts[piece * cells + i];
    counts[i] = sum;
}

#include "kernels/end.h"
