// Thin edges of one channel in one pass over memory, as suits a processor: a group goes down a band
// of rows in a strip of columns, and keeps the rows that each step needs of the one before it.
// Integers as those of gaussian.kernel.h, gradient.kernel.h and edges.kernel.h, to the bit.
#define T_FILE thin_bands
#include "kernels/begin.h"
#include "kernels/components/cpu/components_bits.h"
#include "kernels/filters/borders.h"
#include "kernels/filters/gradient.h"
#include "kernels/thresholds/edge_kinds.h"

enum {
    thin_taps = 8,                  // the largest radius of smoothing
    thin_strip = components_chunk,  // columns of a group
    thin_beside = 2,                // columns on either side whose smoothed levels it needs
    thin_smoothed = thin_strip + 2 * thin_beside,
    thin_squared = thin_strip + 2,
    thin_line = thin_smoothed + 2 * thin_taps,
    // Rows that are kept: powers of 2, of which the last of a row's number tell its place.
    thin_rows = 32,
    thin_few_rows = 4
};

typedef struct {
    i64 low, high;  // squares of thresholds
    i32 nx, ny;
    i32 band;                                                     // rows of a group
    i32 radius;                                                   // of smoothing
    u32 along_rows[thin_taps + 1], along_columns[thin_taps + 1];  // weights, 0 beyond the radius
} thin_job;

// Smoothing by weights at distances 0 to `taps` of row or column, as in gaussian.body.h.
T_FUNCTION void thin_smooth_row(T_LOCAL_PTR(const u16) line, T_LOCAL_PTR(u16) smoothed,
                                const thin_job job, const i32 taps) {
    T_SIMD_FOR(x, 0, thin_smoothed) {
        u32 sum = 32768u + job.along_rows[0] * line[x + thin_taps];
        T_UNROLL for (i32 k = 1; k <= taps; ++k) {
            const u32 both = (u32)line[x + thin_taps - k] + (u32)line[x + thin_taps + k];
            sum += job.along_rows[k] * both;
        }
        smoothed[x] = (u16)(sum >> 16);
    }
}
T_FUNCTION void thin_smooth_columns(T_LOCAL_PTR(const u16) rows, T_LOCAL_PTR(u16) smoothed,
                                    const thin_job job, const i32 y, const i32 taps) {
    i32 before[thin_taps + 1], behind[thin_taps + 1];
    T_UNROLL for (i32 k = 0; k <= taps; ++k) {
        const i32 away = T_MIN(k, job.radius);
        before[k] = (border_repeated(y - away, job.ny) & (thin_rows - 1)) * thin_smoothed;
        behind[k] = (border_repeated(y + away, job.ny) & (thin_rows - 1)) * thin_smoothed;
    }
    T_SIMD_FOR(x, 0, thin_smoothed) {
        u32 sum = 32768u + job.along_columns[0] * rows[before[0] + x];
        T_UNROLL for (i32 k = 1; k <= taps; ++k) {
            const u32 both = (u32)rows[before[k] + x] + (u32)rows[behind[k] + x];
            sum += job.along_columns[k] * both;
        }
        smoothed[x] = (u16)(sum >> 16);
    }
}

// Squares of the gradient by Sobel's masks times 4, and the direction: compared as they are, but
// for the last two bits.
T_FUNCTION void thin_square_row(T_LOCAL_PTR(const u16) above, T_LOCAL_PTR(const u16) here,
                                T_LOCAL_PTR(const u16) below, T_LOCAL_PTR(i64) squares) {
    T_SIMD_FOR(x, 0, thin_squared) {
        const i32 a0 = above[x], a1 = above[x + 1], a2 = above[x + 2];
        const i32 b0 = below[x], b1 = below[x + 1], b2 = below[x + 2];
        const gradient_vector v = {a2 - a0 + 2 * ((i32)here[x + 2] - (i32)here[x]) + b2 - b0,
                                   b0 + 2 * b1 + b2 - (a0 + 2 * a1 + a2)};
        squares[x] = 4 * gradient_square_of(v) + edges_direction(v);
    }
}

// The kinds that edges_kind gives. `low` and `high` are times 4, and `low` is not 0. Kinds are as
// wide as squares, so that vectors of both go together.
T_FUNCTION void thin_kinds(T_LOCAL_PTR(const i64) above, T_LOCAL_PTR(const i64) here,
                           T_LOCAL_PTR(const i64) below, T_LOCAL_PTR(i64) kinds, const i64 low,
                           const i64 high) {
    T_SIMD_FOR(x, 0, thin_strip) {
        const i64 own = here[x + 1], square = own | 3, direction = own & 3;
        const i64 slanting_up = direction == 1 ? above[x] : above[x + 2];
        const i64 straight_up = direction == 0 ? here[x] : above[x + 1];
        const i64 before = direction == 1 || direction == 3 ? slanting_up : straight_up;
        const i64 slanting_down = direction == 1 ? below[x + 2] : below[x];
        const i64 straight_down = direction == 0 ? here[x + 2] : below[x + 1];
        const i64 behind = direction == 1 || direction == 3 ? slanting_down : straight_down;
        const i64 kind_of_edge = own >= high ? edges_strong : edges_weak;
        const i32 stays = (own >= low) & (square > (before | 3)) & (square >= (behind | 3));
        kinds[x] = stays ? kind_of_edge : (i64)edges_none;
    }
}

// Which of the kinds are at least `least`, as bits.
T_FUNCTION void thin_bits(T_LOCAL_PTR(const i64) kinds, T_GLOBAL_PTR(u32) bits, const i32 least,
                          const i32 count) {
    u64 chunk[thin_strip / 8];
    u32 found[components_chunk_words];
    u8* bytes = (u8*)chunk;
    for (i32 k = 0; k < thin_strip / 8; ++k) chunk[k] = 0;
    T_SIMD_FOR(k, 0, count) { bytes[k] = kinds[k] >= least ? 1 : 0; }
    components_chunk_to_bits(chunk, found);
    for (i32 w = 0; w < (count + 31) / 32; ++w) bits[w] = found[w];
}

#define THIN_LEVEL u8
#include "kernels/thresholds/cpu/thin_bands.body.h"
#define THIN_LEVEL u32
#include "kernels/thresholds/cpu/thin_bands.body.h"

#include "kernels/end.h"
