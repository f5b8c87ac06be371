// Areas, boxes and sums of coordinates of components, and the choice and renumbering of those that
// stay. Labels are 1..N in the order of the components' first points; 0 is none.
//
// A component has a record of 1 + 4 * axes words: its area and, for each axis, n - 1 - lowest,
// highest, and the low and the high word of the sum of coordinates; so all words of a component of
// no points are 0 and grow. Sums of integers and maxima do not depend on the order of points.
#define T_FILE component_statistics
#include "kernels/begin.h"

enum {
    // A tile has 32 rows of 32 points: 32 x 1 along y and z, or 8 x 4. An item takes 4 rows.
    statistics_tile_x = 32,
    statistics_tile_rows_log2 = 5,
    statistics_item_rows = 4,
    // Places for the components of a tile, of which there are no more than points.
    statistics_places_log2 = 10,
    statistics_places = 1 << statistics_places_log2,
    // Records of a tile that are written together, an item a word, so that neighbors write
    // neighbors.
    statistics_batch = 64,
    statistics_record_words = 17,  // at most
    // A slab adds up as many components of earlier slabs by itself, each in an entry: its label and
    // a record.
    statistics_kept = 256,
    statistics_entry_words = statistics_record_words + 1
};

// ---- Records -----------------------------------------------------------------------------------

T_FUNCTION T_GLOBAL_PTR(u32)
    statistics_record(T_GLOBAL_PTR(u32) statistics, const i32 axes, const u32 label) {
    return statistics + (i64)(label - 1u) * (1 + 4 * axes);
}

// Adds what other items add to as well. Most extremes are known already.
T_FUNCTION void statistics_add_axis(T_GLOBAL_PTR(u32) words, const u32 low_reach, const u32 high,
                                    const u64 sum) {
    if (T_LOAD(u32, words) < low_reach) T_ATOMIC_MAX(words, low_reach);
    if (T_LOAD(u32, words + 1) < high) T_ATOMIC_MAX(words + 1, high);
    const u32 low_word = (u32)sum;
    const u32 carry = T_ATOMIC_ADD(words + 2, low_word) + low_word < low_word ? 1u : 0u;
    const u32 high_word = (u32)(sum >> 32) + carry;
    if (high_word != 0) T_ATOMIC_ADD(words + 3, high_word);
}

T_FUNCTION void statistics_store_axis(T_GLOBAL_PTR(u32) words, const u32 low_reach, const u32 high,
                                      const u64 sum) {
    words[0] = low_reach;
    words[1] = high;
    words[2] = (u32)sum;
    words[3] = (u32)(sum >> 32);
}

// ---- Tiles, each by a group, as suits a GPU ----------------------------------------------------

// Adds `count` points of a column to a component of the tile, in a hash table of labels. `sums`:
// the area above bit 16 and the sum of x below; `row_sums`: the sums of z above bit 16 and of y.
// `columns` and `rows`: bits of those it stands in. `list`: the places that are taken.
T_FUNCTION void statistics_hand_over(T_LOCAL_PTR(u32) keys, T_LOCAL_PTR(u32) sums,
                                     T_LOCAL_PTR(u32) row_sums, T_LOCAL_PTR(u32) columns,
                                     T_LOCAL_PTR(u32) rows, T_LOCAL_PTR(u16) list,
                                     T_LOCAL_PTR(u32) listed, const u32 label, const i32 x,
                                     const i32 row, const i32 count, const i32 shift_y) {
    u32 place = label * 2654435761u >> (32 - statistics_places_log2);
    for (u32 key = keys[place]; key != label; key = keys[place]) {
        if (key == 0) {
            key = T_ATOMIC_CAS(&keys[place], 0u, label);
            if (key == 0) list[T_ATOMIC_ADD(listed, 1u)] = (u16)place;
        }
        if (key == 0 || key == label) break;
        place = (place + 1u) % statistics_places;
    }
    const i32 y = row & ((1 << shift_y) - 1);
    const i32 z = row >> shift_y;
    const u32 column_bit = 1u << x;
    const u32 row_bits = ((1u << count) - 1u) << row;
    T_ATOMIC_ADD(&sums[place], (u32)(count << 16 | count * x));
    T_ATOMIC_ADD(&row_sums[place],
                 (u32)((count * z) << 16 | (count * y + count * (count - 1) / 2)));
    if ((columns[place] & column_bit) == 0) T_ATOMIC_OR(&columns[place], column_bit);
    if ((rows[place] & row_bits) != row_bits) T_ATOMIC_OR(&rows[place], row_bits);
}

T_FUNCTION i32 statistics_lowest_bit(const u32 bits) { return T_HIGHEST_BIT(bits & (0u - bits)); }

// Whether first..last of an axis of n points touches neither end of a tile's begin..begin + size
// where the image goes on.
T_FUNCTION i32 statistics_is_inside(const i32 first, const i32 last, const i32 begin,
                                    const i32 size, const i32 n) {
    return (first > begin || begin == 0) && (last < begin + size - 1 || last == n - 1) ? 1 : 0;
}

T_FUNCTION void statistics_keep_axis(T_LOCAL_PTR(u32) words, const u32 low_reach, const u32 high,
                                     const u64 sum) {
    words[0] = low_reach;
    words[1] = high;
    words[2] = (u32)sum;
    words[3] = (u32)(sum >> 32);
}

// Makes the record of one component's part of a tile. Gives whether nobody else meets the
// component.
T_FUNCTION i32 statistics_keep(T_LOCAL_PTR(u32) record, const i32 axes, const i32 nx, const i32 ny,
                               const i32 nz, const i32 nt, const i32 x0, const i32 y0, const i32 z0,
                               const i32 t, const i32 shift_y, const u32 sums, const u32 row_sums,
                               const u32 columns, const u32 rows) {
    const i32 shift_z = statistics_tile_rows_log2 - shift_y;
    u32 folded = rows;  // its lowest 2^shift_y bits: which y
    for (i32 k = 1 << shift_y; k < (1 << statistics_tile_rows_log2); k *= 2) folded |= folded >> k;
    folded &= 0xffffffffu >> (32 - (1 << shift_y));
    const i32 low_x = x0 + statistics_lowest_bit(columns);
    const i32 high_x = x0 + T_HIGHEST_BIT(columns);
    const i32 low_y = y0 + statistics_lowest_bit(folded);
    const i32 high_y = y0 + T_HIGHEST_BIT(folded);
    const i32 low_z = z0 + (statistics_lowest_bit(rows) >> shift_y);
    const i32 high_z = z0 + (T_HIGHEST_BIT(rows) >> shift_y);
    const u32 area = sums >> 16;
    record[0] = area;
    statistics_keep_axis(record + 1, (u32)(nx - 1 - low_x), (u32)high_x,
                         (u64)area * (u32)x0 + (sums & 0xffffu));
    statistics_keep_axis(record + 5, (u32)(ny - 1 - low_y), (u32)high_y,
                         (u64)area * (u32)y0 + (row_sums & 0xffffu));
    if (axes > 2)
        statistics_keep_axis(record + 9, (u32)(nz - 1 - low_z), (u32)high_z,
                             (u64)area * (u32)z0 + (row_sums >> 16));
    if (axes > 3) statistics_keep_axis(record + 13, (u32)(nt - 1 - t), (u32)t, (u64)area * (u32)t);
    return nt == 1 && statistics_is_inside(low_x, high_x, x0, statistics_tile_x, nx) &&
                   statistics_is_inside(low_y, high_y, y0, 1 << shift_y, ny) &&
                   statistics_is_inside(low_z, high_z, z0, 1 << shift_z, nz)
               ? 1
               : 0;
}

// Adds to word w of a record, where others add too. Most extremes are known already.
T_FUNCTION void statistics_add_word(T_GLOBAL_PTR(u32) word, const i32 w, const u32 value) {
    const i32 kind = w == 0 ? 3 : (w - 1) % 4;
    if (kind < 2) {
        if (T_LOAD(u32, word) < value) T_ATOMIC_MAX(word, value);
    } else if (value != 0) {
        const u32 sum = T_ATOMIC_ADD(word, value) + value;
        if (kind == 2 && sum < value) T_ATOMIC_ADD(word + 1, 1u);
    }
}

// Adds to records that are 0.
T_GROUP_KERNEL(component_statistics_tiles, 32, 8, 1,
               (T_IN(u32) labels, const i32 axes, const i32 nx, const i32 ny, const i32 nz,
                const i32 nt, const i32 shift_y, T_GLOBAL_PTR(u32) statistics)) {
    T_LOCAL(u32, keys, statistics_places);
    T_LOCAL(u32, sums, statistics_places);
    T_LOCAL(u32, row_sums, statistics_places);
    T_LOCAL(u32, columns, statistics_places);
    T_LOCAL(u32, rows, statistics_places);
    T_LOCAL(u16, list, statistics_places);
    T_LOCAL(u32, listed, 1);
    T_LOCAL(u32, records, statistics_batch * statistics_record_words);
    T_LOCAL(u32, owners, statistics_batch);  // labels, and bit 31 where nobody else meets one
    const i32 words = 1 + 4 * axes;
    const i32 shift_z = statistics_tile_rows_log2 - shift_y;
    const i32 tiles_z = ((nz - 1) >> shift_z) + 1;
    const i32 x0 = T_GX * statistics_tile_x;
    const i32 y0 = T_GY << shift_y;
    const i32 z0 = (T_GZ % tiles_z) << shift_z;
    const i32 t = T_GZ / tiles_z;
    T_PHASE {
        if (T_LI == 0) listed[0] = 0;
        for (i32 k = T_LI; k < statistics_places; k += 256) {
            keys[k] = 0;
            sums[k] = 0;
            row_sums[k] = 0;
            columns[k] = 0;
            rows[k] = 0;
        }
    }
    T_PHASE {
        const i32 row = T_LY * statistics_item_rows;
        const i32 x = x0 + T_LX;
        const i32 y = y0 + (row & ((1 << shift_y) - 1));
        const i32 z = z0 + (row >> shift_y);
        const i32 count = x < nx && z < nz ? T_MIN(statistics_item_rows, ny - y) : 0;
        const i32 i = ((t * nz + z) * ny + y) * nx + x;
        u32 label[statistics_item_rows + 1];
        T_UNROLL
        for (i32 k = 0; k < statistics_item_rows; ++k)
            label[k] = k < count ? labels[i + k * nx] : 0u;
        label[statistics_item_rows] = 0;
        i32 first = 0;
        T_UNROLL
        for (i32 k = 0; k < statistics_item_rows; ++k) {
            if (label[k] != label[k + 1] || k == statistics_item_rows - 1) {
                if (label[k] != 0)
                    statistics_hand_over(keys, sums, row_sums, columns, rows, list, listed,
                                         label[k], T_LX, row + first, k + 1 - first, shift_y);
                first = k + 1;
            }
        }
    }
    T_PHASE {}
    const i32 count = (i32)listed[0];
    for (i32 first = 0; first < count; first += statistics_batch) {
        const i32 batch = T_MIN(statistics_batch, count - first);
        T_PHASE {
            if (T_LI < batch) {
                const i32 place = list[first + T_LI];
                const i32 is_own = statistics_keep(records + T_LI * words, axes, nx, ny, nz, nt, x0,
                                                   y0, z0, t, shift_y, sums[place], row_sums[place],
                                                   columns[place], rows[place]);
                owners[T_LI] = keys[place] | (u32)is_own << 31;
            }
        }
        T_PHASE {
            for (i32 k = T_LI; k < batch * words; k += 256) {
                const u32 owner = owners[k / words];
                T_GLOBAL_PTR(u32)
                word = statistics_record(statistics, axes, owner & 0x7fffffffu) + k % words;
                if (owner >> 31)
                    *word = records[k];
                else
                    statistics_add_word(word, k % words, records[k]);
            }
        }
    }
}

// ---- Slabs of rows, each by one item, as suits a processor with few threads --------------------

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

T_FUNCTION void statistics_widen(T_GLOBAL_PTR(u32) words, const u32 low_reach, const u32 high,
                                 const u64 sum) {
    const u64 total = ((u64)words[3] << 32 | words[2]) + sum;
    statistics_store_axis(words, T_MAX(words[0], low_reach), T_MAX(words[1], high), total);
}

// Adds the points first..end-1 of a row to a record that nobody else looks at.
T_FUNCTION void statistics_add_run(T_GLOBAL_PTR(u32) record, const i32 axes, const i32 first,
                                   const i32 end, const i32 row, const i32 nx, const i32 ny,
                                   const i32 nz, const i32 nt) {
    const u32 count = (u32)(end - first);
    const i32 y = row % ny;
    const i32 z = row / ny % nz;
    const i32 t = row / ny / nz;
    record[0] += count;
    statistics_widen(record + 1, (u32)(nx - 1 - first), (u32)(end - 1),
                     (u64)count * (u32)(first + (end - 1)) / 2);
    statistics_widen(record + 5, (u32)(ny - 1 - y), (u32)y, (u64)count * (u32)y);
    if (axes > 2) statistics_widen(record + 9, (u32)(nz - 1 - z), (u32)z, (u64)count * (u32)z);
    if (axes > 3) statistics_widen(record + 13, (u32)(nt - 1 - t), (u32)t, (u64)count * (u32)t);
}

T_FUNCTION void statistics_clear(T_GLOBAL_PTR(u32) record, const i32 axes) {
    for (i32 k = 0; k < 1 + 4 * axes; ++k) record[k] = 0;
}

// The end of the run of equal labels that begins at `first` of a row.
T_FUNCTION i32 statistics_run_end(T_GLOBAL_PTR(const u32) row, const i32 first, const i32 nx) {
    i32 end = first + 1;
    while (end < nx && row[end] == row[first]) ++end;
    return end;
}

// Makes the records of the components that begin in a slab, of their points in it. Others meet at
// the same records, so that the slab adds them up apart, in `kept`. last_skipped[s]: the last row
// of the slab, counted from 1, with a component for which there is no place, or 0.
T_GROUP_KERNEL(component_statistics_own, 1, 1, 1,
               (T_IN(u32) labels, T_IN(u32) highest, const i32 axes, const i32 nx, const i32 ny,
                const i32 nz, const i32 nt, const i32 slab_rows, T_GLOBAL_PTR(u32) statistics,
                T_GLOBAL_PTR(u32) kept, T_OUT(u32) last_skipped)) {
    T_PHASE {
        T_GLOBAL_PTR(u32) entries = kept + (i64)T_GX * (statistics_kept * statistics_entry_words);
        for (i32 k = 0; k < statistics_kept; ++k) entries[k * statistics_entry_words] = 0;
        const i32 end_row = statistics_slab_end(T_GX, slab_rows, ny * nz * nt);
        const u32 before = statistics_before(highest, T_GX);
        u32 newest = before;
        u32 last = 0;
        for (i32 row = T_GX * slab_rows; row < end_row; ++row) {
            T_GLOBAL_PTR(const u32) label = labels + (i64)row * nx;
            i32 end = 0;
            for (i32 first = 0; first < nx; first = end) {
                end = statistics_run_end(label, first, nx);
                const u32 key = label[first];
                T_GLOBAL_PTR(u32) entry = entries + key % statistics_kept * statistics_entry_words;
                if (key > before) {
                    T_GLOBAL_PTR(u32) record = statistics_record(statistics, axes, key);
                    if (key > newest) {
                        newest = key;
                        statistics_clear(record, axes);
                    }
                    statistics_add_run(record, axes, first, end, row, nx, ny, nz, nt);
                } else if (key != 0 && (entry[0] == 0 || entry[0] == key)) {
                    if (entry[0] == 0) {
                        entry[0] = key;
                        statistics_clear(entry + 1, axes);
                    }
                    statistics_add_run(entry + 1, axes, first, end, row, nx, ny, nz, nt);
                } else if (key != 0) {
                    last = (u32)row + 1u;
                }
            }
        }
        last_skipped[T_GX] = last;
    }
}

T_FUNCTION void statistics_merge(T_GLOBAL_PTR(u32) record, T_GLOBAL_PTR(const u32) from,
                                 const i32 axes) {
    T_ATOMIC_ADD(record, from[0]);
    for (i32 w = 1; w < 1 + 4 * axes; w += 4)
        statistics_add_axis(record + w, from[w], from[w + 1], (u64)from[w + 3] << 32 | from[w + 2]);
}

// Adds what slabs have of components that began in earlier ones: what they kept apart, and, run by
// run, what they skipped.
T_GROUP_KERNEL(component_statistics_shared, 1, 1, 1,
               (T_IN(u32) labels, T_IN(u32) highest, T_IN(u32) last_skipped, const i32 axes,
                const i32 nx, const i32 ny, const i32 nz, const i32 nt, const i32 slab_rows,
                T_GLOBAL_PTR(u32) kept, T_GLOBAL_PTR(u32) statistics)) {
    T_PHASE {
        T_GLOBAL_PTR(u32) entries = kept + (i64)T_GX * (statistics_kept * statistics_entry_words);
        for (i32 k = 0; k < statistics_kept; ++k) {
            T_GLOBAL_PTR(u32) entry = entries + k * statistics_entry_words;
            if (entry[0] != 0)
                statistics_merge(statistics_record(statistics, axes, entry[0]), entry + 1, axes);
        }
        T_GLOBAL_PTR(u32) run = entries + 1;  // the first entry's record is done with
        const u32 before = statistics_before(highest, T_GX);
        for (i32 row = T_GX * slab_rows; row < (i32)last_skipped[T_GX]; ++row) {
            T_GLOBAL_PTR(const u32) label = labels + (i64)row * nx;
            i32 end = 0;
            for (i32 first = 0; first < nx; first = end) {
                end = statistics_run_end(label, first, nx);
                const u32 key = label[first];
                if (key != 0 && key <= before &&
                    entries[key % statistics_kept * statistics_entry_words] != key) {
                    statistics_clear(run, axes);
                    statistics_add_run(run, axes, first, end, row, nx, ny, nz, nt);
                    statistics_merge(statistics_record(statistics, axes, key), run, axes);
                }
            }
        }
    }
}

#include "kernels/end.h"
