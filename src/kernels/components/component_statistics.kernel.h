// Areas, boxes and sums of coordinates of labeled components, by slabs of rows. Labels are 1..N in
// the order of the components' first points; 0 is none.
#define T_FILE component_statistics
#include "kernels/begin.h"

#include "kernels/components/component_record.h"

enum {
    // Components of earlier slabs that a slab adds up apart, each in an entry: its label, its area,
    // and a record of four axes.
    statistics_kept = 256,
    statistics_entry_words = 1 + 1 + 4 * 4
};

// An image in slabs of `slab_rows` rows, and the layout of its records: each is for `axes` axes;
// the first area is at word `areas`, and areas are `area_step` words apart.
typedef struct {
    i64 areas, area_step;
    i32 axes;
    i32 nx, ny, nz, nt;
    i32 slab_rows;
} statistics_job;

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

// highest[s] = the highest label in slab s, which has `slab_rows` rows.
T_GROUP_KERNEL(component_statistics_highest, 1, 1, 1,
               (T_IN(u32) labels, const i32 nx, const i32 rows, const i32 slab_rows,
                T_OUT(u32) highest)) {
    T_PHASE {
        const i32 first = T_GX * slab_rows * nx;
        const i32 end = statistics_slab_end(T_GX, slab_rows, rows) * nx;
        u32 most = 0;
        T_SIMD_FOR(i, first, end)
        most = T_MAX(most, labels[i]);
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

// The same along all axes: the points first..end-1 of a row.
T_FUNCTION void statistics_add_run(const statistics_place place, const i32 first, const i32 end,
                                   const i32 row, const statistics_job job) {
    const u64 count = (u64)(end - first);
    const i32 y = row % job.ny;
    const i32 z = row / job.ny % job.nz;
    const i32 t = row / job.ny / job.nz;
    const i32 high_bits = component_high_bits(job.nx, job.ny);
    *place.area += (u32)count;
    statistics_widen(place, 0, job.nx, first, end - 1, count * (u32)(first + (end - 1)) / 2,
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

// The end of the run of equal labels that begins at `first` of a row.
T_FUNCTION i32 statistics_run_end(T_GLOBAL_PTR(const u32) row, const i32 first, const i32 nx) {
    i32 end = first + 1;
    while (end < nx && row[end] == row[first]) ++end;
    return end;
}

// Makes the records of the components that begin in a slab, of their points in it. The records of
// other components belong to other slabs: the slab adds up its points of these apart, in `kept`.
// last_skipped[s]: the last row of the slab, counted from 1, with a component that did not fit
// there, or 0.
T_GROUP_KERNEL(component_statistics_own, 1, 1, 1,
               (T_IN(u32) labels, T_IN(u32) highest, const statistics_job job,
                T_GLOBAL_PTR(u32) statistics, T_GLOBAL_PTR(u32) kept, T_OUT(u32) last_skipped)) {
    T_PHASE {
        T_GLOBAL_PTR(u32) entries = kept + (i64)T_GX * (statistics_kept * statistics_entry_words);
        for (i32 k = 0; k < statistics_kept; ++k) entries[k * statistics_entry_words] = 0;
        const i32 end_row = statistics_slab_end(T_GX, job.slab_rows, job.ny * job.nz * job.nt);
        const u32 before = statistics_before(highest, T_GX);
        u32 newest = before;
        u32 last = 0;
        for (i32 row = T_GX * job.slab_rows; row < end_row; ++row) {
            T_GLOBAL_PTR(const u32) label = labels + (i64)row * job.nx;
            i32 end = 0;
            for (i32 first = 0; first < job.nx; first = end) {
                end = statistics_run_end(label, first, job.nx);
                const u32 key = label[first];
                T_GLOBAL_PTR(u32) entry = entries + key % statistics_kept * statistics_entry_words;
                if (key > before) {
                    const statistics_place record = statistics_of(statistics, job, key);
                    if (key > newest) {
                        newest = key;
                        statistics_clear(record, job.axes);
                    }
                    statistics_add_run(record, first, end, row, job);
                } else if (key != 0 && (entry[0] == 0 || entry[0] == key)) {
                    if (entry[0] == 0) {
                        entry[0] = key;
                        statistics_clear(statistics_of_entry(entry, job.axes), job.axes);
                    }
                    statistics_add_run(statistics_of_entry(entry, job.axes), first, end, row, job);
                } else if (key != 0) {
                    last = (u32)row + 1u;
                }
            }
        }
        last_skipped[T_GX] = last;
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
               (T_IN(u32) labels, T_IN(u32) highest, T_IN(u32) last_skipped,
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
        const statistics_place run = statistics_of_entry(entries, job.axes);
        const u32 before = statistics_before(highest, T_GX);
        for (i32 row = T_GX * job.slab_rows; row < (i32)last_skipped[T_GX]; ++row) {
            T_GLOBAL_PTR(const u32) label = labels + (i64)row * job.nx;
            i32 end = 0;
            for (i32 first = 0; first < job.nx; first = end) {
                end = statistics_run_end(label, first, job.nx);
                const u32 key = label[first];
                if (key != 0 && key <= before &&
                    entries[key % statistics_kept * statistics_entry_words] != key) {
                    statistics_clear(run, job.axes);
                    statistics_add_run(run, first, end, row, job);
                    statistics_merge(statistics_of(statistics, job, key), entries, job.axes,
                                     high_bits);
                }
            }
        }
    }
}

#include "kernels/end.h"
