// Squared Euclidean distances to the nearest point of the other class, axis by axis: along each
// line the lowest of the parabolas that stand on its points (P. F. Felzenszwalb, D. P.
// Huttenlocher, "Distance transforms of sampled functions", Theory of Computing 8, 2012). The sign
// is the class: negative inside.
//
// From row to row, the point whose parabola is lowest never moves back, but for rounding (A.
// Aggarwal and others, "Geometric applications of a matrix-searching algorithm", Algorithmica 2,
// 1987). So it is sought in every 4^k-th row first, and then, with k falling, only between those of
// the rows on both sides.
#define T_FILE distance
#include "kernels/begin.h"

#include "kernels/vectors.h"

// Squared: none of the other class is known yet. Sums of what is below stay finite.
#define DISTANCE_NONE 1.0e37f
// Above all squares that are known.
#define DISTANCE_UNKNOWN 0.9e37f

// With the label 0 all labels are the object.
T_FUNCTION u8 distance_is_inside(const u32 value, const u32 label) {
    return (label == 0 ? value != 0 : value == label) ? 1 : 0;
}
T_SIMD_KERNEL(distance_inside_u8, (T_IN(u8) labels, T_OUT(u8) inside, const u32 label)) {
    T_INDEX1(i);
    inside[i] = distance_is_inside(labels[i], label);
}
T_SIMD_KERNEL(distance_inside_u16, (T_IN(u16) labels, T_OUT(u8) inside, const u32 label)) {
    T_INDEX1(i);
    inside[i] = distance_is_inside(labels[i], label);
}
T_SIMD_KERNEL(distance_inside_u32, (T_IN(u32) labels, T_OUT(u8) inside, const u32 label)) {
    T_INDEX1(i);
    inside[i] = distance_is_inside(labels[i], label);
}

T_FUNCTION f32 distance_parabola(const f32 height, const i32 away, const f32 step2) {
    return height + step2 * (f32)away * (f32)away;
}

// Distances from squared ones, `most` at most, times a factor for each class.
T_FUNCTION f32 distance_root(const f32 squared, const f32 most, const f32 inside_factor,
                             const f32 outside_factor) {
    const f32 root = T_SQRT(squared < 0 ? -squared : squared);
    return (squared < 0 ? inside_factor : outside_factor) * T_MIN(root, most);
}
T_SIMD_KERNEL(distance_roots, (T_OUT(f32) squared, const f32 most, const f32 inside_factor,
                               const f32 outside_factor)) {
    T_INDEX1(i);
    squared[i] = distance_root(squared[i], most, inside_factor, outside_factor);
}

#include "kernels/transforms/distance_row.h"

// ---- The first axis ----------------------------------------------------------------------------

// On a processor an item takes a row of the image, run by run.
T_KERNEL(distance_runs, (T_IN(u8) inside, T_OUT(f32) squared, const f32 step2, const i32 nx)) {
    T_INDEX1(row);
    T_GLOBAL_PTR(const u8) own = inside + (i64)row * nx;
    T_GLOBAL_PTR(f32) result = squared + (i64)row * nx;
    i32 end = 0;
    for (i32 first = 0; first < nx; first = end) {
        end = first + 1;
        while (end < nx && (own[end] != 0) == (own[first] != 0)) ++end;
        const f32 sign = own[first] != 0 ? -1.0f : 1.0f;
        const i32 has_left = first > 0 ? 1 : 0;
        const i32 has_right = end < nx ? 1 : 0;
        T_SIMD_FOR(x, first, end) {
            const i32 left = has_left ? x - first + 1 : 0x7fffffff;
            const i32 away = T_MIN(left, has_right ? end - x : 0x7fffffff);
            const f32 square = distance_parabola(0.0f, away, step2);
            result[x] = sign * (has_left | has_right ? square : DISTANCE_NONE);
        }
    }
}

// On a GPU the classes of 32 neighboring points become the bits of a word. The last point of a row
// stands for what is behind it.
T_KERNEL(distance_bits, (T_IN(u8) inside, T_OUT(u32) bits, const i32 nx)) {
    T_INDEX2(word, row);
    T_GLOBAL_PTR(const u8) own = inside + (i64)row * nx;
    u32 found = 0;
    for (i32 bit = 0; bit < 32; ++bit)
        found |= (own[T_MIN(32 * word + bit, nx - 1)] != 0 ? 1u : 0u) << bit;
    bits[(i64)row * ((nx + 31) / 32) + word] = found;
}

// And there an item takes a point, from which it looks to both sides, word by word.
T_KERNEL(distance_beside, (T_IN(u32) bits, T_OUT(f32) squared, const f32 step2, const i32 nx)) {
    T_INDEX2(x, row);
    const i32 words = (nx + 31) / 32, own_word = x / 32, bit = x % 32;
    T_GLOBAL_PTR(const u32) line = bits + (i64)row * words;
    const u32 own = 0u - (line[own_word] >> bit & 1u);  // all or none of the bits
    const u32 before = (1u << bit) - 1u;
    i32 away = 0x7fffffff;

    i32 word = own_word;
    u32 others = (line[word] ^ own) & before;
    while (others == 0 && word > 0) others = line[--word] ^ own;
    if (others != 0) away = x - 32 * word - T_HIGHEST_BIT(others);

    word = own_word;
    others = (line[word] ^ own) & ~before;
    const i32 farthest = away == 0x7fffffff ? words - 1 : T_MIN(words - 1, (x + away) / 32);
    while (others == 0 && word < farthest) others = line[++word] ^ own;
    if (others != 0) away = T_MIN(away, 32 * word + T_HIGHEST_BIT(others & (0u - others)) - x);

    const f32 square = away == 0x7fffffff ? DISTANCE_NONE : distance_parabola(0.0f, away, step2);
    squared[(i64)row * nx + x] = own != 0 ? -square : square;
}

// ---- The other axes ----------------------------------------------------------------------------

// lines_j times, `stride_j` apart, lines_i lines beside one another. `side`: of which distances are
// wanted. The last axis takes roots, `most` at most; of the others `most` is 0.
typedef struct {
    i64 stride, stride_j;
    i32 lines_i, lines_j, rows;
    i32 side;
    f32 step2, most, inside_factor, outside_factor;
} distance_job;

T_FUNCTION f32 distance_of_job(const f32 squared, const distance_job job) {
    return job.most > 0 ? distance_root(squared, job.most, job.inside_factor, job.outside_factor)
                        : squared;
}

T_FUNCTION i32 distance_slots(const i32 rows) { return distance_slot(rows - 1) + 1; }

T_FUNCTION distance_lines distance_lines_of(T_GLOBAL_PTR(const f32) heights,
                                            T_GLOBAL_PTR(i32) first, T_GLOBAL_PTR(i32) last,
                                            const i64 stride, const i64 pitch, const i32 widest,
                                            const distance_job job) {
    const distance_lines lines = {heights,  first,  last,     stride,   pitch,
                                  job.rows, widest, job.side, job.step2};
    return lines;
}

// On a GPU an item takes a point of a row that is a multiple of `spacing`, in launches from the
// widest one down to 4, or the last one.
T_KERNEL(distance_along, (T_IN(f32) squared, T_OUT(f32) result, T_OUT(i32) first, T_OUT(i32) last,
                          const i32 spacing, const i32 widest, const distance_job job)) {
    T_INDEX3(i, k, j);
    const i64 line = i + j * job.stride_j;
    const i64 bounds = (i64)j * distance_slots(job.rows) * job.lines_i + i;
    const distance_lines lines = distance_lines_of(squared + line, first + bounds, last + bounds,
                                                   job.stride, job.lines_i, widest, job);
    if (!distance_is_due(lines, k * spacing, spacing)) return;
    const i32 row = T_MIN(k * spacing, job.rows - 1);
    result[line + row * job.stride] =
        distance_of_job(V_LANE(distance_of_row(lines, row, spacing), 0), job);
}

// And at last the three points between.
T_KERNEL(distance_rest, (T_IN(f32) squared, T_OUT(f32) result, T_OUT(i32) first, T_OUT(i32) last,
                         const i32 widest, const distance_job job)) {
    T_INDEX3(i, k, j);
    const i32 row = 4 * k;
    const i64 line = i + j * job.stride_j;
    const i64 bounds = (i64)j * distance_slots(job.rows) * job.lines_i + i;
    const distance_lines lines = distance_lines_of(squared + line, first + bounds, last + bounds,
                                                   job.stride, job.lines_i, widest, job);
    const distance_three found = distance_of_three(lines, row);
    T_GLOBAL_PTR(f32) to = result + line + row * job.stride;
    if (row + 1 < job.rows - 1) to[job.stride] = distance_of_job(V_LANE(found.a, 0), job);
    if (row + 2 < job.rows - 1) to[2 * job.stride] = distance_of_job(V_LANE(found.b, 0), job);
    if (row + 3 < job.rows - 1) to[3 * job.stride] = distance_of_job(V_LANE(found.c, 0), job);
}

enum { distance_tile = 32 };  // lines, a multiple of V_WIDTH

// A row of a tile, in which the last line stands for those that are not there.
T_FUNCTION void distance_gather(T_GLOBAL_PTR(f32) tile, T_GLOBAL_PTR(const f32) row,
                                const i32 count) {
    if (count == distance_tile) {
        T_UNROLL for (i32 k = 0; k < distance_tile; ++k) tile[k] = row[k];
    } else {
        for (i32 k = 0; k < distance_tile; ++k) tile[k] = row[T_MIN(k, count - 1)];
    }
}

T_FUNCTION void distance_scatter(T_GLOBAL_PTR(f32) row, T_LOCAL_PTR(const f32) found,
                                 const i32 count, const distance_job job) {
    T_SIMD_FOR(k, 0, count) row[k] = distance_of_job(found[k], job);
}

// Rows of a tile: `found` takes a row that is a multiple of the spacing, or the three behind one.
T_FUNCTION void distance_of_tile(const distance_lines tile, const i32 row, const i32 spacing,
                                 T_LOCAL_PTR(f32) found) {
    for (i32 lane = 0; lane < distance_tile; lane += V_WIDTH) {
        distance_lines lines = tile;
        lines.heights += lane;
        lines.first += lane;
        lines.last += lane;
        if (spacing > 1) {
            V_WRITE(V_F32, found + lane, distance_of_row(lines, row, spacing));
        } else {
            const distance_three three = distance_of_three(lines, row);
            V_WRITE(V_F32, found + lane, three.a);
            V_WRITE(V_F32, found + distance_tile + lane, three.b);
            V_WRITE(V_F32, found + 2 * distance_tile + lane, three.c);
        }
    }
}

// On a processor a group gathers neighboring lines, tile after tile, so that cache lines are read
// and written as a whole.
T_GROUP_KERNEL(distance_tiles, 1, 1, 1,
               (T_OUT(f32) squared, T_OUT(f32) heights, T_OUT(i32) first, T_OUT(i32) last,
                const i32 widest, const distance_job job)) {
    T_LOCAL(f32, found, 3 * distance_tile);
    T_PHASE {
        T_GLOBAL_PTR(f32) own = heights + (i64)T_GX * job.rows * distance_tile;
        const i64 bounds = (i64)T_GX * distance_slots(job.rows) * distance_tile;
        const distance_lines lines = distance_lines_of(own, first + bounds, last + bounds,
                                                       distance_tile, distance_tile, widest, job);
        const i32 tiles_i = (job.lines_i + distance_tile - 1) / distance_tile;
        for (i32 tile = T_GX; tile < tiles_i * job.lines_j; tile += T_GROUPS_X) {
            const i32 begin = tile % tiles_i * distance_tile;
            const i32 count = T_MIN((i32)distance_tile, job.lines_i - begin);
            T_GLOBAL_PTR(f32)
            corner = squared + begin + tile / tiles_i * job.stride_j;
            for (i32 row = 0; row < job.rows; ++row)
                distance_gather(own + row * distance_tile, corner + row * job.stride, count);
            for (i32 spacing = widest; spacing > 1; spacing /= 4)
                for (i32 at = 0; at < job.rows - 1 + spacing; at += spacing)
                    if (distance_is_due(lines, at, spacing)) {
                        const i32 row = T_MIN(at, job.rows - 1);
                        distance_of_tile(lines, row, spacing, found);
                        distance_scatter(corner + row * job.stride, found, count, job);
                    }
            for (i32 row = 0; row < job.rows; row += 4) {
                distance_of_tile(lines, row, 1, found);
                for (i32 k = 1; k <= 3 && row + k < job.rows - 1; ++k)
                    distance_scatter(corner + (row + k) * job.stride,
                                     found + (k - 1) * distance_tile, count, job);
            }
        }
    }
}

#include "kernels/end.h"
