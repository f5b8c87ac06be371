// Areas, boxes and sums of coordinates of labeled components, by slabs of rows. Labels are 1..N in
// the order of the components' first points; 0 is none. They are those of points, or those of runs,
// before they are painted (cpu/components_runs.h).
#define T_FILE component_statistics
#include "kernels/begin.h"

#include "kernels/components/component_record.h"

enum {
    // Components of earlier slabs that a slab adds up apart, each in an entry: its label, its area,
    // and a record of four axes.
    statistics_kept = 512,
    statistics_entry_words = 1 + 1 + 4 * 4
};

// What runs' labels may be marked with.
#define statistics_mark 0x80000000u

// An image in slabs of `slab_rows` rows, and the layout of its records: each is for `axes` axes;
// the first area is at word `areas`, and areas are `area_step` words apart. Labels are of points
// where there are 0 `run_words`, otherwise of runs, of which a row has that many words of bits.
typedef struct {
    i64 areas, area_step, run_words;
    i32 axes;
    i32 nx, ny, nz, nt;
    i32 slab_rows;
} statistics_job;

// A row: its labels, and, where these are of runs, pairs of words with the bits of points at which
// runs begin, and how many runs of the row begin before.
typedef struct {
    T_GLOBAL_PTR(const u32) labels;
    T_GLOBAL_PTR(const u32) runs;
} statistics_row;
T_FUNCTION statistics_row statistics_row_of(T_GLOBAL_PTR(const u32) labels,
                                            T_GLOBAL_PTR(const u32) runs, const i32 row,
                                            const statistics_job job) {
    const statistics_row result = {labels + (i64)row * job.nx, runs + row * 2 * job.run_words};
    return result;
}
T_FUNCTION u32 statistics_label(const statistics_row row, const i32 place) {
    return row.labels[place] & ~statistics_mark;
}
// How many labels a row has.
T_FUNCTION i32 statistics_labels(const statistics_row row, const statistics_job job) {
    if (job.run_words == 0) return job.nx;
    T_GLOBAL_PTR(const u32) last = row.runs + 2 * (job.run_words - 1);
    return (i32)last[1] + T_POPCOUNT(last[0]);
}

// The words of a record: its area, its extremes, and its sums.
typedef struct {
    T_GLOBAL_PTR(u32) area;
    T_GLOBAL_PTR(u32) box;
    T_GLOBAL_PTR(u32) sums;
} statistics_place;

T_FUNCTION statistics_place statistics_of(T_GLOBAL_PTR(u32) statistics, const statistics_job job,
                                          const u32 label) {
    const i64 c = (i64)label - 1;
    T_GLOBAL_PTR(u32) record = statistics + 4 * job.axes * c;
    const statistics_place place = {statistics + job.areas + job.area_step * c, record,
                                    record + 2 * job.axes};
    return place;
}
T_FUNCTION statistics_place statistics_of_entry(T_GLOBAL_PTR(u32) entry, const i32 axes) {
    const statistics_place place = {entry + 1, entry + 2, entry + 2 + 2 * axes};
    return place;
}

T_FUNCTION i32 statistics_slab_end(const i32 slab, const i32 slab_rows, const i32 rows) {
    return (i32)T_MIN((i64)rows, (i64)(slab + 1) * slab_rows);
}

// highest[s] = the highest label in slab s.
T_GROUP_KERNEL(component_statistics_highest, 1, 1, 1,
               (T_IN(u32) labels, T_IN(u32) runs, const statistics_job job, T_OUT(u32) highest)) {
    T_PHASE {
        const i32 end_row = statistics_slab_end(T_GX, job.slab_rows, job.ny * job.nz * job.nt);
        u32 most = 0;
        for (i32 row = T_GX * job.slab_rows; row < end_row; ++row) {
            const statistics_row own = statistics_row_of(labels, runs, row, job);
            const i32 count = statistics_labels(own, job);
            T_SIMD_FOR(i, 0, count)
            most = T_MAX(most, statistics_label(own, i));
        }
        highest[T_GX] = most;
    }
}

// The highest label in the slabs before this one: components with higher ones begin in it.
T_FUNCTION u32 statistics_before(T_GLOBAL_PTR(const u32) highest, const i32 slab) {
    u32 before = 0;
    for (i32 s = 0; s < slab; ++s) before = T_MAX(before, highest[s]);
    return before;
}

// Adds points whose indices along axis `a` go from `low` to `high` to a record that no other item
// uses.
T_FUNCTION void statistics_widen(const statistics_place place, const i32 a, const i32 n,
                                 const i32 low, const i32 high, const u64 sum,
                                 const component_sum words) {
    T_GLOBAL_PTR(u32) box = place.box + 2 * a;
    const u64 total = (u64)place.sums[words.low] + sum;
    box[0] = T_MAX(box[0], (u32)(n - 1 - low));
    box[1] = T_MAX(box[1], (u32)high);
    place.sums[words.low] = (u32)total;
    place.sums[words.high] += (u32)(total >> 32) << words.shift;
}

// Points of a component in a row, which are added at once: how many there are, the lowest and the
// highest index, and the sum of these.
typedef struct {
    u64 sum;
    u32 key, count;
    i32 low, high;
} statistics_points;

T_FUNCTION statistics_points statistics_with_run(const statistics_points before, const u32 key,
                                                 const i32 first, const i32 end) {
    statistics_points points = before;
    const u32 count = (u32)(end - first);
    if (key != before.key) {
        points.key = key;
        points.low = first;
        points.count = 0;
        points.sum = 0;
    }
    points.high = end - 1;
    points.count += count;
    points.sum += (u64)count * (u32)(first + (end - 1)) / 2;
    return points;
}

// The same along all axes: points of a row.
T_FUNCTION void statistics_add(const statistics_place place, const statistics_points points,
                               const i32 row, const statistics_job job) {
    const u64 count = points.count;
    const i32 y = row % job.ny;
    const i32 z = row / job.ny % job.nz;
    const i32 t = row / job.ny / job.nz;
    const i32 high_bits = component_high_bits(job.nx, job.ny);
    *place.area += points.count;
    statistics_widen(place, 0, job.nx, points.low, points.high, points.sum,
                     component_sum_of(job.axes, 0, high_bits));
    statistics_widen(place, 1, job.ny, y, y, count * (u32)y,
                     component_sum_of(job.axes, 1, high_bits));
    if (job.axes > 2)
        statistics_widen(place, 2, job.nz, z, z, count * (u32)z,
                         component_sum_of(job.axes, 2, high_bits));
    if (job.nt > 1)
        statistics_widen(place, 3, job.nt, t, t, count * (u32)t,
                         component_sum_of(job.axes, 3, high_bits));
}

T_FUNCTION void statistics_clear(const statistics_place place, const i32 axes) {
    *place.area = 0;
    for (i32 w = 0; w < 2 * axes; ++w) {
        place.box[w] = 0;
        place.sums[w] = 0;
    }
}

// The end of the run that begins at `first` of a row.
T_FUNCTION i32 statistics_run_end(const statistics_row row, const i32 first,
                                  const statistics_job job) {
    i32 end = first + 1;
    if (job.run_words == 0) {
        while (end < job.nx && row.labels[end] == row.labels[first]) ++end;
        return end;
    }
    i64 word = end / 32;
    if (word >= job.run_words) return job.nx;
    u32 starts = row.runs[2 * word] & 0xffffffffu << end % 32;
    while (starts == 0) {
        if (++word == job.run_words) return job.nx;
        starts = row.runs[2 * word];
    }
    return (i32)word * 32 + T_HIGHEST_BIT(starts & (0u - starts));
}

// What a slab adds to: the label before which components began in earlier slabs, the newest of its
// own, and the last row, counted from 1, with points that did not fit into its entries.
typedef struct {
    T_GLOBAL_PTR(u32) statistics;
    T_GLOBAL_PTR(u32) entries;
    u32 before, newest, last_skipped;
} statistics_slab;

T_FUNCTION void statistics_add_to_slab(statistics_slab* slab, const statistics_points points,
                                       const i32 row, const statistics_job job) {
    const u32 key = points.key;
    T_GLOBAL_PTR(u32) entry = slab->entries + key % statistics_kept * statistics_entry_words;
    if (key > slab->before) {
        const statistics_place record = statistics_of(slab->statistics, job, key);
        if (key > slab->newest) {
            slab->newest = key;
            statistics_clear(record, job.axes);
        }
        statistics_add(record, points, row, job);
    } else if (key != 0 && (entry[0] == 0 || entry[0] == key)) {
        if (entry[0] == 0) {
            entry[0] = key;
            statistics_clear(statistics_of_entry(entry, job.axes), job.axes);
        }
        statistics_add(statistics_of_entry(entry, job.axes), points, row, job);
    } else if (key != 0) {
        slab->last_skipped = (u32)row + 1u;
    }
}

// Makes the records of the components that begin in a slab, of their points in it. The records of
// other components belong to other slabs: the slab adds up its points of these apart, in `kept`.
// last_skipped[s]: the last row of the slab, counted from 1, with a component that did not fit
// there, or 0. Runs of a row that follow one another but for the background are added at once.
T_GROUP_KERNEL(component_statistics_own, 1, 1, 1,
               (T_IN(u32) labels, T_IN(u32) runs, T_IN(u32) highest, const statistics_job job,
                T_GLOBAL_PTR(u32) statistics, T_GLOBAL_PTR(u32) kept, T_OUT(u32) last_skipped)) {
    T_PHASE {
        T_GLOBAL_PTR(u32) entries = kept + (i64)T_GX * (statistics_kept * statistics_entry_words);
        for (i32 k = 0; k < statistics_kept; ++k) entries[k * statistics_entry_words] = 0;
        const i32 end_row = statistics_slab_end(T_GX, job.slab_rows, job.ny * job.nz * job.nt);
        const u32 before = statistics_before(highest, T_GX);
        statistics_slab slab = {statistics, entries, before, before, 0};
        for (i32 row = T_GX * job.slab_rows; row < end_row; ++row) {
            const statistics_row own = statistics_row_of(labels, runs, row, job);
            statistics_points points = {0, 0, 0, 0, 0};
            i32 end = 0;
            i32 run = 0;
            for (i32 first = 0; first < job.nx; first = end, ++run) {
                end = statistics_run_end(own, first, job);
                const u32 key = statistics_label(own, job.run_words != 0 ? run : first);
                if (key != 0 && key != points.key) statistics_add_to_slab(&slab, points, row, job);
                if (key != 0) points = statistics_with_run(points, key, first, end);
            }
            statistics_add_to_slab(&slab, points, row, job);
        }
        last_skipped[T_GX] = slab.last_skipped;
    }
}

// Adds an entry to a record to which other items add as well. Most entries raise no extreme.
T_FUNCTION void statistics_merge(const statistics_place place, T_GLOBAL_PTR(const u32) entry,
                                 const i32 axes, const i32 high_bits) {
    T_ATOMIC_ADD(place.area, entry[1]);
    T_GLOBAL_PTR(const u32) box = entry + 2;
    T_GLOBAL_PTR(const u32) sums = box + 2 * axes;
    for (i32 w = 0; w < 2 * axes; ++w)
        if (T_LOAD(u32, place.box + w) < box[w]) T_ATOMIC_MAX(place.box + w, box[w]);
    for (i32 a = 0; a < axes; ++a) {
        const component_sum words = component_sum_of(axes, a, high_bits);
        const u32 low = sums[words.low];
        const u32 carry = T_ATOMIC_ADD(place.sums + words.low, low) + low < low ? 1u : 0u;
        // What two axes share is added with the first.
        const u32 high = (axes == 2 && a == 1 ? 0u : sums[words.high]) + (carry << words.shift);
        if (high != 0) T_ATOMIC_ADD(place.sums + words.high, high);
    }
}

// Adds the points of components that began in earlier slabs to their records: those that slabs
// added up apart, and, run by run, those that they skipped.
T_GROUP_KERNEL(component_statistics_shared, 1, 1, 1,
               (T_IN(u32) labels, T_IN(u32) runs, T_IN(u32) highest, T_IN(u32) last_skipped,
                const statistics_job job, T_GLOBAL_PTR(u32) kept, T_GLOBAL_PTR(u32) statistics)) {
    T_PHASE {
        T_GLOBAL_PTR(u32) entries = kept + (i64)T_GX * (statistics_kept * statistics_entry_words);
        const i32 high_bits = component_high_bits(job.nx, job.ny);
        for (i32 k = 0; k < statistics_kept; ++k) {
            T_GLOBAL_PTR(u32) entry = entries + k * statistics_entry_words;
            if (entry[0] != 0)
                statistics_merge(statistics_of(statistics, job, entry[0]), entry, job.axes,
                                 high_bits);
        }
        // The first entry is done with, and takes runs.
        const statistics_place of_run = statistics_of_entry(entries, job.axes);
        const u32 before = statistics_before(highest, T_GX);
        for (i32 row = T_GX * job.slab_rows; row < (i32)last_skipped[T_GX]; ++row) {
            const statistics_row own = statistics_row_of(labels, runs, row, job);
            i32 end = 0;
            i32 run = 0;
            for (i32 first = 0; first < job.nx; first = end, ++run) {
                end = statistics_run_end(own, first, job);
                const u32 key = statistics_label(own, job.run_words != 0 ? run : first);
                if (key != 0 && key <= before &&
                    entries[key % statistics_kept * statistics_entry_words] != key) {
                    statistics_clear(of_run, job.axes);
                    const statistics_points none = {0, 0, 0, 0, 0};
                    statistics_add(of_run, statistics_with_run(none, key, first, end), row, job);
                    statistics_merge(statistics_of(statistics, job, key), entries, job.axes,
                                     high_bits);
                }
            }
        }
    }
}

#include "kernels/end.h"
