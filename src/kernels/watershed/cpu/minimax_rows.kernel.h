// Minimax growth of pictures by rows (minimax_rows.h): what minimax.kernel.h says of costs, hops
// and labels holds here, too. `weights` holds one plane of points a direction, `pitch` apart, in
// the order of blocks: of the step from a point onward.
#define T_FILE minimax_rows
#include "kernels/begin.h"
#include "kernels/vectors.h"
#include "kernels/watershed/cpu/minimax_rows.h"

// ---- Into the order of blocks, and back ---------------------------------------------------------

// Items see to a row of a block each, also to those beyond the image.
T_FUNCTION i32 minimax_row_length(const i32 column, const i32 y, const i32 nx, const i32 ny) {
    const i32 rest = nx - column * minimax_row_points;
    return y < ny ? T_MIN(rest, (i32)minimax_row_points) : 0;
}

T_KERNEL(minimax_row_weights, (T_IN(u16) weights, const i64 pitch, const i64 pad, const i32 nx,
                               const i32 ny, const i64 row_pitch, T_OUT(u16) row_weights)) {
    T_INDEX3(column, y, k);
    const i32 length = minimax_row_length(column, y, nx, ny);
    T_GLOBAL_PTR(const u16)
    from = weights + k * pitch + pad + (i64)y * nx + column * minimax_row_points;
    T_GLOBAL_PTR(u16)
    to = row_weights + k * row_pitch +
         minimax_row_place(column * minimax_row_points, y, (nx - 1) / minimax_row_points + 1);
    for (i32 i = 0; i < length; ++i) to[i] = from[i];
    for (i32 i = length; i < minimax_row_points; ++i) to[i] = minimax_blocked;
}

// Points of seeds cost nothing, and their rows wait. Finds the highest label.
T_KERNEL(minimax_row_seeds, (T_IN(u32) seeds, const i32 nx, const i32 ny, T_OUT(u16) costs,
                             T_GLOBAL_PTR(u32) marks, T_GLOBAL_PTR(u32) counters)) {
    T_INDEX2(column, y);
    const i32 length = minimax_row_length(column, y, nx, ny);
    const i64 place =
        minimax_row_place(column * minimax_row_points, y, (nx - 1) / minimax_row_points + 1);
    T_GLOBAL_PTR(const u32) from = seeds + (i64)y * nx + column * minimax_row_points;
    u32 highest = 0;
    for (i32 i = 0; i < length; ++i) {
        const u32 seed = from[i];
        highest = T_MAX(highest, seed);
        costs[place + i] = (u16)(seed != 0 ? 0 : minimax_blocked);
    }
    for (i32 i = length; i < minimax_row_points; ++i) costs[place + i] = minimax_blocked;
    if (highest != 0) {
        minimax_mark_row(marks, place);
        T_ATOMIC_MAX(counters + minimax_row_label, highest);
    }
}

// Heights, as costs to begin with; all rows wait.
T_KERNEL(minimax_row_heights, (T_IN(u16) heights, const i32 nx, const i32 ny, T_OUT(u16) costs,
                               T_GLOBAL_PTR(u32) marks)) {
    T_INDEX2(column, y);
    const i32 length = minimax_row_length(column, y, nx, ny);
    const i64 place =
        minimax_row_place(column * minimax_row_points, y, (nx - 1) / minimax_row_points + 1);
    T_GLOBAL_PTR(const u16) from = heights + (i64)y * nx + column * minimax_row_points;
    for (i32 i = 0; i < length; ++i) costs[place + i] = from[i];
    for (i32 i = length; i < minimax_row_points; ++i) costs[place + i] = minimax_blocked;
    if (length > 0) minimax_mark_row(marks, place);
}

T_KERNEL(minimax_row_costs, (T_IN(u16) costs, const i32 nx, const i32 ny, T_OUT(u16) out)) {
    T_INDEX2(column, y);
    const i32 length = minimax_row_length(column, y, nx, ny);
    const i64 place =
        minimax_row_place(column * minimax_row_points, y, (nx - 1) / minimax_row_points + 1);
    T_GLOBAL_PTR(u16) to = out + (i64)y * nx + column * minimax_row_points;
    for (i32 i = 0; i < length; ++i) to[i] = costs[place + i];
}

#define MINIMAX_CELL u32
#include "kernels/watershed/cpu/minimax_row_keys.body.h"
#define MINIMAX_CELL u64
#include "kernels/watershed/cpu/minimax_row_keys.body.h"

// ---- By connectivity ----------------------------------------------------------------------------

#define MINIMAX_NEIGHBORS 4
#define MINIMAX_DIRECTIONS 2
#define MINIMAX_REACH 0  // of steps through the sides of a block, in rows
#include "kernels/watershed/cpu/minimax_rows.body.h"

#define MINIMAX_NEIGHBORS 8
#define MINIMAX_DIRECTIONS 4
#define MINIMAX_REACH 1
#include "kernels/watershed/cpu/minimax_rows.body.h"

#include "kernels/end.h"
