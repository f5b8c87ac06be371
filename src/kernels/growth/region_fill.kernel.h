// Flood fill of a mask from seeds by one item, as suits a processor with few threads. Rows are
// words of 64 points; a run of a row is taken at once, by additions that carry through it. The work
// list has words with points on the frontier: taken, but with neighbors that were not examined yet.
#define T_FILE region_fill
#include "kernels/begin.h"
#include "kernels/growth/region_bits.h"

// The bits of up to 32 bytes that are 0 or 1; what is behind `length` is 0.
T_FUNCTION u32 region_pack_points(T_GLOBAL_PTR(const u8) mask, const i32 length) {
    u32 bits = 0;
    T_SIMD_FOR(b, 0, length) bits |= (u32)mask[b] << b;
    return bits;
}

// `words` a row, the last one with zeros behind the row's end.
T_KERNEL(region_pack_mask, (T_IN(u8) mask, const i32 nx, const i32 words, T_OUT(u64) bits)) {
    T_INDEX2(w, row);
    const i32 x = w * region_word;
    T_GLOBAL_PTR(const u8) first = mask + ((i64)row * nx + x);
    const u64 low = region_pack_points(first, T_CLAMP(nx - x, 0, region_half_word));
    const u64 high = region_pack_points(first + region_half_word,
                                        T_CLAMP(nx - x - region_half_word, 0, region_half_word));
    bits[(i64)row * words + w] = high << region_half_word | low;
}

// The image, and the seeds first..end-1 that it is filled from. Neighbors differ along at most
// `axes` of the four axes.
typedef struct {
    i32 n[4];  // points along x, y, z and t
    i32 axes, first, end;
    i32 paints;  // labels are written
} region_fill_job;

typedef struct {
    T_GLOBAL_PTR(u64) open;      // in the mask, and in no region yet
    T_GLOBAL_PTR(u64) frontier;  // words of the list are not 0
    T_GLOBAL_PTR(u32) list;      // a ring with room for every word
    u32 room;
    u32 head;
    u32 waiting;
    i32 words;  // of a row
} region_Fill;

// `start` and the points of `open` that follow it without a gap: the carry of the sum runs through
// them. Points of `start` are open.
T_FUNCTION u64 region_fill_up(const u64 start, const u64 open) {
    return (((open + start) ^ open) & open) | start;
}
T_FUNCTION u64 region_fill_down(u64 start, u64 open) {
    T_UNROLL
    for (i32 k = 1; k < region_word; k *= 2) {
        start |= open & start >> k;
        open &= open >> k;
    }
    return start;
}

T_FUNCTION void region_take_points(region_Fill* fill, const u32 word, const u64 points) {
    fill->open[word] &= ~points;
    if (fill->frontier[word] == 0) {
        const u32 place = fill->head + fill->waiting;
        fill->list[place < fill->room ? place : place - fill->room] = word;
        ++fill->waiting;
    }
    fill->frontier[word] |= points;
}

// Labels half a word of points, of which the first is at x of a row.
T_FUNCTION void region_label_points(T_GLOBAL_PTR(u32) labels, const u32 points, const i32 x,
                                    const i32 nx, const u32 label) {
    const i32 length = T_MIN(region_half_word, nx - x);
    T_SIMD_FOR(b, 0, length) {
        const u32 before = labels[b];
        labels[b] = points >> b & 1u ? label : before;
    }
}

// Whether a word is the first of a row.
T_FUNCTION i32 region_begins_row(const region_Fill* fill, const u32 word) {
    return word % (u32)fill->words == 0 ? 1 : 0;
}

// Takes the runs of a word in which the points of `start` stand, and what goes on of them in the
// words to both sides.
T_FUNCTION void region_take_runs(region_Fill* fill, const u32 word, const u64 start) {
    const u64 open = fill->open[word];
    const u64 runs = region_fill_up(region_fill_down(start, open), open);
    region_take_points(fill, word, runs);
    u64 part = runs;
    for (u32 w = word + 1u; part >> (region_word - 1) != 0 && !region_begins_row(fill, w); ++w) {
        const u64 next = fill->open[w];
        part = region_fill_up(next & 1u, next);
        if (part != 0) region_take_points(fill, w, part);
    }
    part = runs;
    for (u32 w = word; (part & 1u) != 0 && !region_begins_row(fill, w); --w) {
        const u64 next = fill->open[w - 1u];
        part = region_fill_down(next & (u64)1 << (region_word - 1), next);
        if (part != 0) region_take_points(fill, w - 1u, part);
    }
}

// Takes the open points of a word of another row that are beside those of `from`.
T_FUNCTION void region_take_beside(region_Fill* fill, const u32 word, const u64 from,
                                   const i32 is_diagonal) {
    const u64 beside = is_diagonal ? from | from << 1 | from >> 1 : from;
    const u64 start = beside & fill->open[word];
    if (start != 0) region_take_runs(fill, word, start);
    if (is_diagonal && from >> (region_word - 1) != 0 && !region_begins_row(fill, word + 1u) &&
        (fill->open[word + 1u] & 1u) != 0)
        region_take_runs(fill, word + 1u, 1u);
    if (is_diagonal && (from & 1u) != 0 && !region_begins_row(fill, word) &&
        fill->open[word - 1u] >> (region_word - 1) != 0)
        region_take_runs(fill, word - 1u, (u64)1 << (region_word - 1));
}

// The same in all rows beside a row.
T_FUNCTION void region_take_neighbors(region_Fill* fill, const region_fill_job* job, const u32 word,
                                      const u64 from, const i32 row) {
    const i32 ny = job->n[1];
    const i32 nz = job->n[2];
    const i32 nt = job->n[3];
    const i32 y = row % ny;
    const i32 z = row / ny % nz;
    const i32 t = row / ny / nz;
    for (i32 dt = t > 0 ? -1 : 0; dt <= (t < nt - 1 ? 1 : 0); ++dt)
        for (i32 dz = z > 0 ? -1 : 0; dz <= (z < nz - 1 ? 1 : 0); ++dz)
            for (i32 dy = y > 0 ? -1 : 0; dy <= (y < ny - 1 ? 1 : 0); ++dy) {
                const i32 moved = T_ABS(dt) + T_ABS(dz) + T_ABS(dy);
                const i32 rows = (dt * nz + dz) * ny + dy;
                if (moved > 0 && moved <= job->axes)
                    region_take_beside(fill, (u32)((i32)word + rows * fill->words), from,
                                       moved < job->axes);
            }
}

// Takes what hangs together with the seeds, in their order, which is not `open` then: what one seed
// takes is not open to the next. `frontier` is 0 before, as where no word is on the list, and so
// are labels that are written.
T_GROUP_KERNEL(region_fill_from_seeds, 1, 1, 1,
               (T_IN(u32) points, T_IN(u32) seed_labels, T_GLOBAL_PTR(u64) open,
                T_GLOBAL_PTR(u64) frontier, T_GLOBAL_PTR(u32) list, T_GLOBAL_PTR(u32) labels,
                const region_fill_job job)) {
    T_PHASE {
        const i32 nx = job.n[0];
        region_Fill fill;
        fill.open = open;
        fill.frontier = frontier;
        fill.list = list;
        fill.words = (nx - 1) / region_word + 1;
        fill.room = (u32)fill.words * (u32)job.n[1] * (u32)job.n[2] * (u32)job.n[3];
        fill.head = 0;
        fill.waiting = 0;
        for (i32 s = job.first; s < job.end; ++s) {
            const u32 label = seed_labels[s];
            const u32 x = points[s] % (u32)nx;
            const u32 seed_word = points[s] / (u32)nx * (u32)fill.words + x / region_word;
            const u64 seed = (u64)1 << x % region_word;
            if ((open[seed_word] & seed) != 0) region_take_runs(&fill, seed_word, seed);
            while (fill.waiting > 0) {
                const u32 word = list[fill.head];
                const u64 from = frontier[word];
                frontier[word] = 0;
                fill.head = fill.head + 1 < fill.room ? fill.head + 1 : 0;
                --fill.waiting;
                const i32 row = (i32)word / fill.words;
                const i32 x0 = ((i32)word - row * fill.words) * region_word;
                if (job.paints) {
                    T_GLOBAL_PTR(u32) at = labels + ((i64)row * nx + x0);
                    region_label_points(at, (u32)from, x0, nx, label);
                    region_label_points(at + region_half_word, (u32)(from >> region_half_word),
                                        x0 + region_half_word, nx, label);
                }
                region_take_neighbors(&fill, &job, word, from, row);
            }
        }
    }
}

// A region of one label from its bits: what was open before and is not any more.
T_FUNCTION void region_paint_points(T_GLOBAL_PTR(u32) labels, const u32 points, const i32 length,
                                    const u32 label) {
    T_SIMD_FOR(b, 0, length) labels[b] = points >> b & 1u ? label : 0u;
}
T_KERNEL(region_paint_bits, (T_IN(u64) mask, T_IN(u64) open, const i32 nx, const i32 words,
                             const u32 label, T_OUT(u32) labels)) {
    T_INDEX2(w, row);
    const i64 at = (i64)row * words + w;
    const u64 points = mask[at] & ~open[at];
    const i32 x = w * region_word;
    T_GLOBAL_PTR(u32) first = labels + ((i64)row * nx + x);
    region_paint_points(first, (u32)points, T_MIN(region_half_word, nx - x), label);
    region_paint_points(first + region_half_word, (u32)(points >> region_half_word),
                        T_MIN(region_half_word, nx - x - region_half_word), label);
}

#include "kernels/end.h"
