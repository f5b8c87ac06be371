// Part of distance.kernel.h: the lines of a processor, one after the other in memory of their own.
// A run of points of one class depends on itself and on the two points beside it alone, which are
// at distance 0: what is beyond them is farther. So a line takes one pass for both classes.
#ifndef TESELA_KERNELS_DISTANCE_LINE_H
#define TESELA_KERNELS_DISTANCE_LINE_H

// The points whose parabolas are part of the envelope, and their heights; the last two of each.
typedef struct {
    T_GLOBAL_PTR(i32) sites;
    T_GLOBAL_PTR(f32) heights;
    i32 count, last, before;
    f32 last_height, before_height;
} distance_envelope;

T_FUNCTION distance_envelope distance_with(const distance_envelope of, const i32 row,
                                           const f32 height, const f32 step2) {
    distance_envelope envelope = of;
    while (envelope.count > 1 &&
           !distance_stays(envelope.before, envelope.before_height, envelope.last,
                           envelope.last_height, row, height, step2)) {
        --envelope.count;
        envelope.last = envelope.before;
        envelope.last_height = envelope.before_height;
        const i32 below = T_MAX(envelope.count - 2, 0);
        envelope.before = envelope.sites[below];
        envelope.before_height = envelope.heights[below];
    }
    envelope.sites[envelope.count] = row;
    envelope.heights[envelope.count] = height;
    ++envelope.count;
    envelope.before = envelope.last;
    envelope.before_height = envelope.last_height;
    envelope.last = row;
    envelope.last_height = height;
    return envelope;
}

// Replaces the squares of the points first..end-1 by those to the lowest parabolas.
T_FUNCTION void distance_evaluate(const distance_envelope envelope, T_GLOBAL_PTR(f32) line,
                                  const f32 sign, const i32 first, const i32 end, const f32 step2) {
    i32 place = 0;
    i32 site = envelope.sites[0];
    f32 height = envelope.heights[0];
    for (i32 row = first; row < end; ++row) {
        f32 lowest = distance_parabola(height, row - site, step2);
        while (place + 1 < envelope.count) {
            const i32 next = envelope.sites[place + 1];
            const f32 next_height = envelope.heights[place + 1];
            const f32 value = distance_parabola(next_height, row - next, step2);
            if (value > lowest) break;
            lowest = value;
            site = next;
            height = next_height;
            ++place;
        }
        line[row] = sign * lowest;
    }
}

// The end of the run that begins at `first`.
T_FUNCTION i32 distance_run_end(T_GLOBAL_PTR(const f32) line, const i32 first, const i32 rows) {
    i32 end = first + 1;
    while (end < rows && (line[end] < 0) == (line[first] < 0)) ++end;
    return end;
}

// A line in place. Runs of the class that is not wanted stay as they are.
T_FUNCTION void distance_along_line(T_GLOBAL_PTR(f32) line, T_GLOBAL_PTR(i32) sites,
                                    T_GLOBAL_PTR(f32) heights, const i32 rows, const f32 step2,
                                    const i32 side) {
    i32 end = 0;
    for (i32 first = 0; first < rows; first = end) {
        const f32 sign = line[first] < 0 ? -1.0f : 1.0f;
        end = distance_run_end(line, first, rows);
        if (side == (sign < 0 ? distance_outside : distance_inside)) continue;
        distance_envelope envelope = {sites, heights, 0, 0, 0, 0.0f, 0.0f};
        if (first > 0) envelope = distance_with(envelope, first - 1, 0.0f, step2);
        for (i32 row = first; row < end; ++row) {
            const f32 height = sign * line[row];
            if (height < DISTANCE_NONE) envelope = distance_with(envelope, row, height, step2);
        }
        if (end < rows) envelope = distance_with(envelope, end, 0.0f, step2);
        if (envelope.count > 0) distance_evaluate(envelope, line, sign, first, end, step2);
    }
}

#endif
