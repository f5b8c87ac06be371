// Part of distance.kernel.h: the lowest parabola over rows of lines that lie side by side, V_WIDTH
// of them.
#ifndef TESELA_KERNELS_DISTANCE_ROW_H
#define TESELA_KERNELS_DISTANCE_ROW_H

enum { distance_both, distance_inside, distance_outside };  // of which distances are wanted

// A vector of lines has the points of row r at heights[r * stride]. Of every fourth row and of the
// last one `first` and `last` have, at [distance_slot(r) * pitch], the first and the last of the
// rows whose parabolas are lowest there; first is behind last where there is none.
typedef struct {
    T_GLOBAL_PTR(const f32) heights;
    T_GLOBAL_PTR(i32) first;
    T_GLOBAL_PTR(i32) last;
    i64 stride, pitch;
    i32 rows, widest, side;  // widest: the spacing of the rows that come first, a power of 4
    f32 step2;
} distance_lines;

// What is known of the lowest parabola over a row: it stands between two rows, of which the first
// is behind the last where nothing is sought. `sign` is that of the class.
typedef struct {
    V_F32 own, sign, lowest;
    V_I32 first, last;
} distance_search;

T_FUNCTION i32 distance_slot(const i32 row) { return (row + 3) / 4; }

// Whether a row that is a multiple of the spacing has its turn: not with a wider spacing too. The
// last row stands for what is behind it, and comes with the widest.
T_FUNCTION i32 distance_is_due(const distance_lines lines, const i32 row, const i32 spacing) {
    if (spacing == lines.widest) return row < lines.rows - 1 + spacing;
    return row < lines.rows - 1 && (row & (4 * spacing - 1)) != 0;
}

// Between the lowest parabolas of the rows on both sides that are multiples of `apart`, a power of
// 4. Where a point there is of the other class, it is its own lowest.
T_FUNCTION distance_search distance_between(const distance_lines lines, const i32 row,
                                            const i32 apart) {
    distance_search search;
    search.own = V_READ(V_F32, lines.heights + row * lines.stride);
    search.sign = search.own < 0 ? V_OF(V_F32, -1.0f) : V_OF(V_F32, 1.0f);
    search.lowest = V_OF(V_F32, DISTANCE_UNKNOWN);
    search.first = V_OF(V_I32, 0);
    search.last = V_OF(V_I32, lines.rows - 1);
    if (apart <= lines.widest) {
        const i32 before = row & ~(apart - 1);
        const i32 after = T_MIN(before + apart, lines.rows - 1);
        const V_F32 height = V_READ(V_F32, lines.heights + before * lines.stride);
        const V_F32 next = V_READ(V_F32, lines.heights + after * lines.stride);
        const V_I32 first = V_READ(V_I32, lines.first + distance_slot(before) * lines.pitch);
        const V_I32 last = V_READ(V_I32, lines.last + distance_slot(after) * lines.pitch);
        const V_I32 from = height * search.sign < 0 ? V_OF(V_I32, before) : first;
        const V_I32 to = next * search.sign < 0 ? V_OF(V_I32, after) : last;
        // Rounded squares may move it back where two are as low by turns. Nothing was found before
        // where nothing is.
        const V_I32 is_known = from < lines.rows;
        search.first = is_known ? T_MIN(from, to) : from;
        search.last = is_known ? T_MAX(from, to) : to;
    }
    if (lines.side != distance_both) {
        const f32 wanted = lines.side == distance_inside ? -1.0f : 1.0f;
        search.first = search.sign == wanted ? search.first : V_OF(V_I32, lines.rows);
        search.last = search.sign == wanted ? search.last : V_OF(V_I32, 0);
    }
    return search;
}

// The lowest and the highest of all lanes.
T_FUNCTION i32 distance_lowest_lane(const V_I32 v) {
    V_I32 lowest = v;
    T_UNROLL for (i32 apart = V_WIDTH / 2; apart > 0; apart /= 2) {
        const V_I32 other = V_AFTER(lowest, lowest, apart);
        lowest = T_MIN(lowest, other);
    }
    return V_LANE(lowest, 0);
}
T_FUNCTION i32 distance_highest_lane(const V_I32 v) { return -distance_lowest_lane(-v); }

// The parabola of a row, `rise` higher than there. Points of the other class are at height 0: their
// squares have the other sign.
T_FUNCTION V_F32 distance_value(const distance_search search, const V_F32 squared, const f32 rise) {
    const V_F32 height = squared * search.sign;
    return T_MAX(height, V_OF(V_F32, 0.0f)) + rise;
}
T_FUNCTION V_I32 distance_is_between(const distance_search search, const i32 row) {
    return (search.first <= row) & (search.last >= row);
}
T_FUNCTION V_F32 distance_result(const distance_search search) {
    const V_I32 is_found = (search.lowest > 0) & (search.lowest < DISTANCE_UNKNOWN);
    return is_found ? search.lowest * search.sign : search.own;
}

// A row whose lowest parabolas bound the search in others.
typedef struct {
    V_F32 lowest;
    V_I32 first, last;
} distance_found;

T_FUNCTION distance_found distance_with(const distance_found found, const V_F32 value,
                                        const V_I32 is_between, const i32 row) {
    const V_I32 is_lower = is_between & (value < found.lowest);
    const V_I32 is_equal = is_between & (value == found.lowest);
    const V_I32 here = V_OF(V_I32, row);
    distance_found with;
    with.lowest = is_lower ? value : found.lowest;
    with.first = is_lower ? here : is_equal ? T_MIN(found.first, here) : found.first;
    with.last = is_lower ? here : is_equal ? T_MAX(found.last, here) : found.last;
    return with;
}

// The squares of a row that is a multiple of `spacing`, or the last: from the row outward, as far
// as a parabola of height 0 is not above all that were found.
T_FUNCTION V_F32 distance_of_row(const distance_lines lines, const i32 row, const i32 spacing) {
    distance_search search = distance_between(lines, row, 4 * spacing);
    const i32 begin = distance_lowest_lane(search.first);
    const i32 end = distance_highest_lane(search.last);
    distance_found found = {search.lowest, V_OF(V_I32, lines.rows), V_OF(V_I32, 0)};
    found.lowest = search.first <= search.last ? search.lowest : V_OF(V_F32, -1.0f);
    for (i32 direction = -1; direction <= 1; direction += 2) {
        i32 site = direction < 0 ? T_MIN(row, end) : T_MAX(row + 1, begin);
        f32 away = (f32)((site - row) * direction);
        T_GLOBAL_PTR(const f32) height = lines.heights + site * lines.stride;
        for (; site >= begin && site <= end; site += direction) {
            const f32 rise = lines.step2 * away * away;
            if (!V_ANY(found.lowest >= rise)) break;
            const V_F32 value = distance_value(search, V_READ(V_F32, height), rise);
            found = distance_with(found, value, distance_is_between(search, site), site);
            height += direction * lines.stride;
            away += 1.0f;
        }
    }
    V_WRITE(V_I32, lines.first + distance_slot(row) * lines.pitch, found.first);
    V_WRITE(V_I32, lines.last + distance_slot(row) * lines.pitch, found.last);
    search.lowest = found.lowest;
    return distance_result(search);
}

typedef struct {
    V_F32 a, b, c;
} distance_three;

T_FUNCTION V_F32 distance_lower(const distance_search search, const V_F32 squared, const i32 site,
                                const f32 rise) {
    const V_F32 value = distance_value(search, squared, rise);
    const V_I32 is_lower = distance_is_between(search, site) & (value < search.lowest);
    return is_lower ? value : search.lowest;
}

// The squares of the three rows behind one that is a multiple of 4, of which those behind the last
// but one have no meaning. Their lowest parabolas are so near to one another that all are looked
// at.
T_FUNCTION distance_three distance_of_three(const distance_lines lines, const i32 row) {
    const i32 highest = lines.rows - 1;
    distance_search a = distance_between(lines, T_MIN(row + 1, highest), 4);
    distance_search b = distance_between(lines, T_MIN(row + 2, highest), 4);
    distance_search c = distance_between(lines, T_MIN(row + 3, highest), 4);
    V_I32 first = T_MIN(a.first, b.first), last = T_MAX(a.last, b.last);
    first = T_MIN(first, c.first);
    last = T_MAX(last, c.last);
    const i32 begin = distance_lowest_lane(first), end = distance_highest_lane(last);
    T_GLOBAL_PTR(const f32) height = lines.heights + begin * lines.stride;
    f32 away = (f32)(begin - row - 1);
    // A parabola rises by as much from a row to the next as from the one before to that.
    f32 rise_b = lines.step2 * (away - 1.0f) * (away - 1.0f);
    f32 rise_c = lines.step2 * (away - 2.0f) * (away - 2.0f);
    for (i32 site = begin; site <= end; ++site) {
        const f32 rise_a = lines.step2 * away * away;
        const V_F32 squared = V_READ(V_F32, height);
        a.lowest = distance_lower(a, squared, site, rise_a);
        b.lowest = distance_lower(b, squared, site, rise_b);
        c.lowest = distance_lower(c, squared, site, rise_c);
        rise_c = rise_b;
        rise_b = rise_a;
        height += lines.stride;
        away += 1.0f;
    }
    const distance_three found = {distance_result(a), distance_result(b), distance_result(c)};
    return found;
}

#endif
