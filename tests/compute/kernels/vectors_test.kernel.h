// The words of vectors.h. Each kernel writes what vectors_test.cpp computes again on the host.
#define T_FILE vectors_test
#include "kernels/begin.h"
#include "kernels/vectors.h"

// Count, places and distances of those of in[begin..begin + length) of a row that are nearer to
// `center` than `limit`.
T_KERNEL(test_vectors, (T_IN(i32) in, T_OUT(i32) counts, T_OUT(i32) places, T_OUT(i32) distances,
                        i32 pitch, i32 begin, i32 length, i32 center, f32 limit)) {
    T_INDEX1(row);
    const i32 first = V_WIDTH > 1 ? begin : begin - begin % V_BLOCK;
    T_GLOBAL_PTR(const i32) values = in + (i64)row * pitch;
    V_I32 count = V_LANES - V_LANES;
    V_I32 place = count;
    V_I32 distance = count;
    for (i32 x = first; x < begin + length; x += V_BLOCK) {
        V_READ_BLOCK(value, values + x);
        T_UNROLL for (i32 k = 0; k < V_BLOCK / V_WIDTH; ++k) {
            const V_I32 here = V_LANES + (x + k);
            const V_I32 d = V_NEAR(value[k], center);
            const V_F32 f = V_NEAR_F32(d);
            V_I32 in_reach = f * f < limit * limit;
            in_reach = in_reach & V_AHEAD(here, begin, length);
            V_ADD_IF(count, in_reach, here - here + 1);
            V_ADD_IF(place, in_reach, here);
            V_ADD_NEAR_IF(distance, in_reach, d);
        }
    }
    counts[row] = (i32)V_SUM(count);
    places[row] = (i32)V_SUM(place);
    distances[row] = V_NEAR_SUM((i32)V_SUM(distance), counts[row]);
}
// Of rows of 32 values, the lower one of each and `ceiling`, lane by lane, and half of it in
// all 32.
T_KERNEL(test_one_lane, (T_IN(i32) in, i32 ceiling, T_OUT(i32) lower, T_OUT(f32) halves)) {
    T_INDEX1(row);
    for (i32 x = 0; x < 32; x += V_WIDTH) {
        const V_I32 here = V_READ(V_I32, in + 32 * row + x);
        const V_I32 low = T_MIN(here, V_OF(V_I32, ceiling));
        for (i32 i = 0; i < V_WIDTH; ++i) lower[32 * row + x + i] = V_LANE(low, i);
        V_WRITE(V_F32, halves + 32 * row + x, V_OF(V_F32, 0.5f * (f32)V_LANE(low, V_WIDTH - 1)));
    }
}
T_KERNEL(test_lanes, (T_OUT(i32) lanes)) {
    T_INDEX1(i);
    lanes[i] = V_WIDTH;
}
// Rows of 32 points: those where `mask` has a bit get the lower of what they have and what stands
// `distance` lanes, fewer than a vector has, behind; `any` tells whether a row changed.
T_KERNEL(test_rows, (T_IN(u32) in, T_IN(u32) masks, i32 distance, T_OUT(u32) out, T_OUT(u32) any)) {
    T_INDEX1(row);
    const i32 lanes = distance % V_WIDTH;
    V_U32 changed = V_OF(V_U32, 0);
    for (i32 x = 0; x < 32; x += V_WIDTH) {
        const V_U32 here = V_READ(V_U32, in + 32 * row + x);
        const V_U32 next = V_READ(V_U32, in + 32 * row + (x + V_WIDTH) % 32);
        const V_U32 behind = V_AFTER(here, next, lanes);
        const V_U32 lower = T_MIN(here, behind);
        const V_U32 result = V_WHERE(V_U32, masks[row] >> x) ? lower : here;
        V_WRITE(V_U32, out + 32 * row + x, result);
        changed = changed | (result ^ here);
    }
    any[row] = V_ANY(changed) ? 1u : 0u;
}
// The same of all points of rows, in the two other widths.
T_KERNEL(test_wide_rows, (T_IN(u16) in, T_IN(u64) in_64, T_OUT(u16) out, T_OUT(u64) out_64)) {
    T_INDEX1(row);
    for (i32 x = 0; x < 32; x += V_WIDTH_U16) {
        const V_U16 here = V_READ(V_U16, in + 32 * row + x);
        const V_U16 most = V_OF(V_U16, 0x8000u);
        V_WRITE(V_U16, out + 32 * row + x, T_MAX(here, most));
    }
    for (i32 x = 0; x < 32; x += V_WIDTH_U64) {
        const V_U64 here = V_READ(V_U64, in_64 + 32 * row + x);
        const V_U64 most = V_OF(V_U64, (u64)1 << 63);
        V_WRITE(V_U64, out_64 + 32 * row + x, T_MAX(here, most));
    }
}

#include "kernels/end.h"
