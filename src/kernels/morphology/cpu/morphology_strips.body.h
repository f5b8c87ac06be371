// Strips of lines on a processor, in memory of a group that stays in its cache. Part of
// morphology_gray.body.h.

typedef T_GLOBAL_PTR(MORPHOLOGY_VALUE) MORPHOLOGY_OF(morphology_line);
typedef T_GLOBAL_PTR(const MORPHOLOGY_VALUE) MORPHOLOGY_OF(morphology_source);

T_FUNCTION void MORPHOLOGY_OF(morphology_pick)(const MORPHOLOGY_OF(morphology_line) result,
                                               const MORPHOLOGY_OF(morphology_source) a,
                                               const MORPHOLOGY_OF(morphology_source) b,
                                               const i32 n, const i32 is_max) {
    if (is_max) {
        T_SIMD_FOR(i, 0, n) result[i] = T_MAX(a[i], b[i]);
    } else {
        T_SIMD_FOR(i, 0, n) result[i] = T_MIN(a[i], b[i]);
    }
}
T_FUNCTION void MORPHOLOGY_OF(morphology_copy)(const MORPHOLOGY_OF(morphology_line) result,
                                               const MORPHOLOGY_OF(morphology_source) a,
                                               const i32 n) {
    T_SIMD_FOR(i, 0, n) result[i] = MORPHOLOGY_LOADED(a[i]);
}
// With the value that is never picked.
T_FUNCTION void MORPHOLOGY_OF(morphology_clear)(const MORPHOLOGY_OF(morphology_line) result,
                                                const i32 n, const i32 is_max) {
    const MORPHOLOGY_VALUE value = is_max ? MORPHOLOGY_LOWEST : MORPHOLOGY_HIGHEST;
    T_SIMD_FOR(i, 0, n) result[i] = value;
}

// Windows of 2 half + 1 points of a line: those of 1, 2, 4, ... points, then two of them that
// overlap. `a` and `b` have room for n + 2 half values.
T_FUNCTION void MORPHOLOGY_OF(morphology_window)(const MORPHOLOGY_OF(morphology_line) result,
                                                 const MORPHOLOGY_OF(morphology_source) line,
                                                 const MORPHOLOGY_OF(morphology_line) room_a,
                                                 const MORPHOLOGY_OF(morphology_line) room_b,
                                                 const i32 n, const i32 half_length,
                                                 const i32 is_max) {
    MORPHOLOGY_OF(morphology_line) a = room_a;
    MORPHOLOGY_OF(morphology_line) b = room_b;
    MORPHOLOGY_OF(morphology_clear)(a, half_length, is_max);
    MORPHOLOGY_OF(morphology_copy)(a + half_length, line, n);
    MORPHOLOGY_OF(morphology_clear)(a + half_length + n, half_length, is_max);
    i32 count = n + 2 * half_length;
    i32 window = 1;
    for (; 2 * window <= 2 * half_length + 1; window *= 2) {
        count -= window;
        MORPHOLOGY_OF(morphology_pick)(b, a, a + window, count, is_max);
        const MORPHOLOGY_OF(morphology_line) other = a;
        a = b;
        b = other;
    }
    MORPHOLOGY_OF(morphology_pick)(result, a, a + (2 * half_length + 1 - window), n, is_max);
}

// Windows of a box: along lines, then across them.
T_GROUP_KERNEL(MORPHOLOGY_OF(morphology_box), 1, 1, 1,
               (T_IN(MORPHOLOGY_VALUE) values, T_OUT(MORPHOLOGY_VALUE) picked,
                T_GLOBAL_PTR(MORPHOLOGY_VALUE) memory, const morphology_strips job)) {
    T_PHASE {
        MORPHOLOGY_OF(morphology_line) rows = memory + T_GX * job.words;
        MORPHOLOGY_OF(morphology_line)
        room = rows + (i64)(job.strip + 2 * job.reach) * job.pitch;
        const i32 strips = (job.lines + job.strip - 1) / job.strip;
        for (i32 part = T_GX; part < strips * job.others; part += T_GROUPS_X) {
            const i64 plane = part / strips * job.stride_other;
            const i32 first = part % strips * job.strip;
            const i32 lines = T_MIN(job.strip, job.lines - first);
            i32 count = lines + 2 * job.reach;
            for (i32 k = 0; k < count; ++k) {
                const i32 at = first - job.reach + k;
                if (at >= 0 && at < job.lines) MORPHOLOGY_OF(morphology_window)
                (rows + (i64)k * job.pitch, values + plane + at * job.stride, room,
                 room + job.pitch, job.n, job.half_length, job.is_max);
                else MORPHOLOGY_OF(morphology_clear)(rows + (i64)k * job.pitch, job.n, job.is_max);
            }
            i32 window = 1;
            for (; 2 * window <= 2 * job.reach + 1; window *= 2) {
                count -= window;
                for (i32 k = 0; k < count; ++k) MORPHOLOGY_OF(morphology_pick)
                (rows + (i64)k * job.pitch, rows + (i64)k * job.pitch,
                 rows + (i64)(k + window) * job.pitch, job.n, job.is_max);
            }
            for (i32 k = 0; k < lines; ++k) MORPHOLOGY_OF(morphology_pick)
            (picked + plane + (first + k) * job.stride, rows + (i64)k * job.pitch,
             rows + (i64)(k + 2 * job.reach + 1 - window) * job.pitch, job.n, job.is_max);
        }
    }
}

// Windows of half length h become such of h + away, where away <= h + 1.
T_FUNCTION void MORPHOLOGY_OF(morphology_widen)(const MORPHOLOGY_OF(morphology_line) line,
                                                const MORPHOLOGY_OF(morphology_line) room,
                                                const i32 n, const i32 away, const i32 is_max) {
    if (away >= n) return;
    MORPHOLOGY_OF(morphology_copy)(room, line, n);
    MORPHOLOGY_OF(morphology_pick)(line, line, room + away, n - away, is_max);
    MORPHOLOGY_OF(morphology_pick)(line + away, line + away, room, n - away, is_max);
}

// The strip of plane z that begins at line `first`: the picked one of the points in `count` runs,
// which are sorted by z and then by their length. `rows` has room for its lines, those within the
// reach and one more.
T_FUNCTION void MORPHOLOGY_OF(morphology_strip)(const MORPHOLOGY_OF(morphology_source) values,
                                                T_GLOBAL_PTR(const i32) runs,
                                                const MORPHOLOGY_OF(morphology_line) picked,
                                                const MORPHOLOGY_OF(morphology_line) rows,
                                                const i32 count, const i32 z, const i32 first,
                                                const morphology_strips job) {
    MORPHOLOGY_OF(morphology_line) room = rows + (i64)(job.strip + 2 * job.reach) * job.pitch;
    const i32 last = T_MIN(first + job.strip, job.lines);
    const i32 lowest = T_MAX(first - job.reach, 0);
    const i32 end = T_MIN(last + job.reach, job.lines);
    const i64 plane = z * job.stride_other;
    for (i32 y = first; y < last; ++y) MORPHOLOGY_OF(morphology_copy)
    (picked + plane + y * job.stride, values + plane + y * job.stride, job.n);
    i32 half_length = 0;  // of the windows in `rows`
    i32 read = -1;        // the plane that `rows` was read from
    for (i32 r = 0; r < count; ++r) {
        T_GLOBAL_PTR(const i32) run = runs + r * morphology_run_words;
        const i32 away_y = run[morphology_y];
        const i32 at_z = z + run[morphology_z];
        if (at_z < 0 || at_z >= job.others) continue;
        if (read != at_z) {
            for (i32 y = lowest; y < end; ++y) MORPHOLOGY_OF(morphology_copy)
            (rows + (i64)(y - lowest) * job.pitch,
             values + at_z * job.stride_other + y * job.stride, job.n);
            read = at_z;
            half_length = 0;
        }
        while (half_length < run[morphology_half]) {
            const i32 away = T_MIN(run[morphology_half] - half_length, half_length + 1);
            for (i32 y = lowest; y < end; ++y) MORPHOLOGY_OF(morphology_widen)
            (rows + (i64)(y - lowest) * job.pitch, room, job.n, away, job.is_max);
            half_length += away;
        }
        for (i32 y = T_MAX(first, -away_y); y < T_MIN(last, job.lines - away_y); ++y) {
            const MORPHOLOGY_OF(morphology_line) target = picked + plane + y * job.stride;
            MORPHOLOGY_OF(morphology_pick)
            (target, target, rows + (i64)(y + away_y - lowest) * job.pitch, job.n, job.is_max);
        }
    }
}

T_GROUP_KERNEL(MORPHOLOGY_OF(morphology_runs), 1, 1, 1,
               (T_IN(MORPHOLOGY_VALUE) values, T_IN(i32) runs, T_OUT(MORPHOLOGY_VALUE) picked,
                T_GLOBAL_PTR(MORPHOLOGY_VALUE) memory, const i32 count,
                const morphology_strips job)) {
    T_PHASE {
        const i32 strips = (job.lines + job.strip - 1) / job.strip;
        for (i32 part = T_GX; part < strips * job.others; part += T_GROUPS_X)
            MORPHOLOGY_OF(morphology_strip)
        (values, runs, picked, memory + T_GX * job.words, count, part / strips,
         part % strips * job.strip, job);
    }
}
