// Windows of slides, and where each lies best within a larger one
// (src/registration/window_matcher.h).
#define T_FILE window_match
#include "kernels/begin.h"
#include "kernels/registration/equation_blocks.h"

// Square windows, all of one size. Where their pixels lie is known at nodes `cell` pixels apart.
typedef struct {
    i32 side, nodes;  // pixels, nodes along a side
    i32 cell;
    i32 samples;  // of which a pixel is the mean, along each axis
} window_form;

// Shifts of a template: those of one row, rows, and how far from a peak the next one is looked for.
typedef struct {
    i32 across, down, apart;
} shift_form;

// Between four pixels; beyond the box its border is repeated.
T_FUNCTION f32 box_value(T_GLOBAL_PTR(const u16) box, const i32 width, const i32 height,
                         const f32 x, const f32 y) {
    const f32 inside_x = T_CLAMP(x, 0.0f, (f32)(width - 1));
    const f32 inside_y = T_CLAMP(y, 0.0f, (f32)(height - 1));
    const i32 x0 = (i32)inside_x, y0 = (i32)inside_y;
    const i32 x1 = T_MIN(x0 + 1, width - 1), y1 = T_MIN(y0 + 1, height - 1);
    const f32 wx = inside_x - (f32)x0, wy = inside_y - (f32)y0;
    T_GLOBAL_PTR(const u16) upper = box + (i64)y0 * width;
    T_GLOBAL_PTR(const u16) lower = box + (i64)y1 * width;
    const f32 above = (f32)upper[x0] + wx * ((f32)upper[x1] - (f32)upper[x0]);
    const f32 below = (f32)lower[x0] + wx * ((f32)lower[x1] - (f32)lower[x0]);
    return above + wy * (below - above);
}

// The position of a pixel in its box, linear between nodes: all x of a window, then all y.
T_FUNCTION f32 node_value(T_GLOBAL_PTR(const f32) nodes, const window_form form, const f32 x,
                          const f32 y) {
    const f32 cells = 1.0f / (f32)form.cell;
    const i32 i = T_CLAMP((i32)T_FLOOR(x * cells), 0, form.nodes - 2);
    const i32 j = T_CLAMP((i32)T_FLOOR(y * cells), 0, form.nodes - 2);
    const f32 wx = x * cells - (f32)i, wy = y * cells - (f32)j;
    T_GLOBAL_PTR(const f32) upper = nodes + j * form.nodes + i;
    T_GLOBAL_PTR(const f32) lower = upper + form.nodes;
    const f32 above = upper[0] + wx * (upper[1] - upper[0]);
    const f32 below = lower[0] + wx * (lower[1] - lower[0]);
    return above + wy * (below - above);
}

// Windows from boxes of pixels, which lie one behind the other: `firsts` is where each begins,
// `sizes` its width and height.
T_KERNEL(sample_windows, (T_IN(u16) pixels, T_IN(i64) firsts, T_IN(i32) sizes, T_IN(f32) nodes,
                          T_OUT(f32) windows, window_form form)) {
    T_INDEX3(x, y, window);
    T_GLOBAL_PTR(const u16) box = pixels + firsts[window];
    const i32 width = sizes[2 * window], height = sizes[2 * window + 1];
    const i32 plane = form.nodes * form.nodes;
    T_GLOBAL_PTR(const f32) own = nodes + (i64)window * 2 * plane;
    const f32 step = 1.0f / (f32)form.samples;
    f32 sum = 0;
    for (i32 j = 0; j < form.samples; ++j)
        for (i32 i = 0; i < form.samples; ++i) {
            const f32 at_x = (f32)x - 0.5f + step * ((f32)i + 0.5f);
            const f32 at_y = (f32)y - 0.5f + step * ((f32)j + 0.5f);
            sum += box_value(box, width, height, node_value(own, form, at_x, at_y),
                             node_value(own + plane, form, at_x, at_y));
        }
    windows[((i64)window * form.side + y) * form.side + x] = sum * step * step;
}

// Directions of gradients, whichever side is dark: the cosine and, behind those of all windows, the
// sine of twice their angle, times the root of their length.
T_KERNEL(window_directions, (T_IN(f32) windows, T_OUT(f32) directions, i32 side, i64 count)) {
    T_INDEX3(x, y, window);
    const i64 i = ((i64)window * side + y) * side + x;
    const f32 dx = slope_at(windows, i, x, side, 1), dy = slope_at(windows, i, y, side, side);
    const f32 length = T_SQRT(dx * dx + dy * dy);
    const f32 share = length > 0 ? 1.0f / (length * T_SQRT(length)) : 0.0f;
    directions[i] = (dx * dx - dy * dy) * share;
    directions[count + i] = 2.0f * dx * dy * share;
}

// In steps, 0 in the middle. Roots of all gradients fit but of those from black to white within two
// pixels.
T_KERNEL(direction_steps, (T_IN(f32) directions, T_OUT(u16) steps)) {
    T_INDEX1(i);
    steps[i] = (u16)(32768.5f + 175.0f * T_CLAMP(directions[i], -187.0f, 187.0f));
}

// The part of each window, `cut_side` pixels wide, that begins at shift number `at`, of both
// channels of `count` windows.
T_KERNEL(cut_windows,
         (T_IN(u16) windows, T_IN(i32) at, T_OUT(u16) cut, i32 side, i32 cut_side, i32 count)) {
    T_INDEX3(x, y, window);
    const i32 across = side - cut_side + 1, shift = at[window % count];
    const i32 left = shift % across, top = shift / across;
    cut[((i64)window * cut_side + y) * cut_side + x] =
        windows[((i64)window * side + top + y) * side + left + x];
}

// Means of the scores of both channels.
T_KERNEL(mean_scores, (T_OUT(f32) scores, i64 count)) {
    T_INDEX1(i);
    scores[i] = 0.5f * (scores[i] + scores[count + i]);
}

// The highest score of each row, the first of equal ones, at least `apart` from shift number
// `around` of its window; all where that is negative. -2 where there is none.
T_KERNEL(best_of_rows,
         (T_IN(f32) scores, T_IN(i32) around, T_OUT(f32) best, T_OUT(i32) at, shift_form form)) {
    T_INDEX2(y, window);
    T_GLOBAL_PTR(const f32) row = scores + ((i64)window * form.down + y) * form.across;
    const i32 peak = around[window];
    const i32 peak_x = peak % form.across, peak_y = peak / form.across;
    const i32 is_near = peak >= 0 && T_ABS(y - peak_y) < form.apart;
    f32 highest = -2.0f;
    i32 found = 0;
    for (i32 x = 0; x < form.across; ++x)
        if (row[x] > highest && !(is_near && T_ABS(x - peak_x) < form.apart)) {
            highest = row[x];
            found = x;
        }
    best[(i64)window * form.down + y] = highest;
    at[(i64)window * form.down + y] = y * form.across + found;
}

// The highest of all rows of a window.
T_KERNEL(best_of_windows,
         (T_IN(f32) rows, T_IN(i32) row_at, T_OUT(f32) best, T_OUT(i32) at, i32 down)) {
    T_INDEX1(window);
    f32 highest = -3.0f;
    i32 found = 0;
    for (i32 y = 0; y < down; ++y) {
        const f32 score = rows[(i64)window * down + y];
        if (score > highest) {
            highest = score;
            found = row_at[(i64)window * down + y];
        }
    }
    best[window] = highest;
    at[window] = found;
}

// Of a parabola through three values at -1, 0 and 1.
T_FUNCTION f32 top_between(const f32 before, const f32 here, const f32 after) {
    const f32 bend = before - 2.0f * here + after;
    return bend < 0 ? T_CLAMP((before - after) / (2.0f * bend), -0.5f, 0.5f) : 0.0f;
}

// The peak of each window between its shifts, x and y; 0 along an axis where it lies at the border.
T_KERNEL(peaks_between, (T_IN(f32) scores, T_IN(i32) at, T_OUT(f32) parts, shift_form form)) {
    T_INDEX1(window);
    const i32 x = at[window] % form.across, y = at[window] / form.across;
    T_GLOBAL_PTR(const f32) here = scores + ((i64)window * form.down + y) * form.across + x;
    const i32 has_x = x > 0 && x + 1 < form.across, has_y = y > 0 && y + 1 < form.down;
    parts[2 * window] = has_x ? top_between(here[-1], here[0], here[1]) : 0.0f;
    parts[2 * window + 1] =
        has_y ? top_between(here[-form.across], here[0], here[form.across]) : 0.0f;
}

#include "kernels/end.h"
