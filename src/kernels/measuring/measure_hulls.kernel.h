// Convex hulls of the objects of a picture, from the ends of their rows.
//
// A pixel is a diamond: its hull is that of the middles of its four sides, as scikit-image has it.
// Indices are doubled, so that these are integers. Both sides of an object are seen outward: a
// pixel at x is nx - x pixels out on the left side, and x + 1 on the right one.
#define T_FILE measure_hulls
#include "kernels/begin.h"

#include "kernels/measuring/measure_tiles.h"

// Which rows an object has: `bases[n]` + y is its place among the rows of all, of those with
// numbers from `first` on, `end` excluded.
typedef struct {
    u32 first, end;
} measure_span;

// How far out the pixels of each row of the objects are, on the left and on the right side; 0
// before, and where an object has no pixel in a row.
T_KERNEL(measure_row_ends, (T_IN(u32) labels, T_IN(u32) present, T_IN(u32) before, T_IN(i32) bases,
                            const measure_map map, const measure_span span, T_GLOBAL_PTR(u32) left,
                            T_GLOBAL_PTR(u32) right)) {
    T_INDEX2(column, line);
    const measure_tile tile = measure_tile_of(map, column, line);
    for (i32 line_row = tile.first_row; line_row < tile.end_row; ++line_row) {
        const i32 y = measure_row(map, line_row);
        T_GLOBAL_PTR(const u32) points = labels + (i64)y * map.nx;
        i32 end = 0;
        for (i32 first = tile.first; first < tile.end; first = end) {
            end = measure_run_end(points, first, tile.end);
            if (points[first] == 0) continue;
            const u32 number = measure_number(present, before, points[first]);
            if (number < span.first || number >= span.end) continue;
            const i32 row = bases[number - span.first] + y;
            measure_raise(left + row, (u32)(map.nx - first));
            measure_raise(right + row, (u32)end);
        }
    }
}

// One side of an object of `rows` rows.
typedef struct {
    T_GLOBAL_PTR(const u32) out;
    i32 rows;
} hull_side;

// How far out, doubled, the side is at the doubled row `y`, from -1 to 2 rows - 1; 0 where it has
// no point. Between two rows it has those of both.
T_FUNCTION i64 hull_out(const hull_side side, const i32 y) {
    if (y % 2 == 0) {
        const u32 own = side.out[y / 2];
        return own == 0 ? 0 : 2 * (i64)own + 1;
    }
    const i32 below = (y + 1) / 2;
    const u32 upper = below > 0 ? side.out[below - 1] : 0;
    const u32 lower = below < side.rows ? side.out[below] : 0;
    return 2 * (i64)T_MAX(upper, lower);
}

// The rows of the corners of a side's hull, from above to below (A. M. Andrew, "Another efficient
// algorithm for convex hulls in two dimensions", 1979). Gives their number.
T_FUNCTION i32 hull_chain(const hull_side side, T_GLOBAL_PTR(i32) chain) {
    i32 count = 0;
    for (i32 y = -1; y < 2 * side.rows; ++y) {
        const i64 out = hull_out(side, y);
        if (out == 0) continue;
        while (count >= 2) {
            const i32 last = chain[count - 1];
            const i32 before = chain[count - 2];
            const i64 start = hull_out(side, before);
            const i64 middle = hull_out(side, last) - start;
            if (middle * (y - before) > (out - start) * (last - before)) break;
            --count;
        }
        chain[count++] = y;
    }
    return count;
}

// How far out the outermost pixel of each row in the hull is; the middle of a pixel is in it or on
// its border.
T_FUNCTION void hull_fill(const hull_side side, T_GLOBAL_PTR(const i32) chain,
                          T_GLOBAL_PTR(u32) filled) {
    i32 corner = 1;
    for (i32 row = 0; row < side.rows; ++row) {
        const i32 y = 2 * row;
        while (chain[corner] < y) ++corner;
        const i32 above = chain[corner - 1];
        const i32 height = chain[corner] - above;
        const i64 start = hull_out(side, above);
        const i64 out = start * height + (hull_out(side, chain[corner]) - start) * (y - above);
        filled[row] = (u32)(out / (2 * (i64)height));
    }
}

// A corner of a polygon in doubled pixels.
typedef struct {
    i64 x, y;
} hull_corner;

T_FUNCTION i64 hull_cross(const hull_corner a, const hull_corner b, const hull_corner c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

// Both sides with their chains: the corners of a polygon, down its left side and up its right one.
typedef struct {
    hull_side left, right;
    T_GLOBAL_PTR(const i32) left_chain;
    T_GLOBAL_PTR(const i32) right_chain;
    i32 left_count, right_count, nx;
} hull_polygon;

T_FUNCTION hull_corner hull_corner_of(const hull_polygon polygon, const i32 k) {
    const i32 count = polygon.left_count + polygon.right_count;
    const i32 at = k < count ? k : k - count;
    hull_corner corner;
    if (at < polygon.left_count) {
        corner.y = polygon.left_chain[at];
        corner.x = 2 * (i64)polygon.nx - hull_out(polygon.left, (i32)corner.y);
    } else {
        corner.y = polygon.right_chain[count - 1 - at];
        corner.x = hull_out(polygon.right, (i32)corner.y) - 2;
    }
    return corner;
}

// Squares of the spacing by which distances are compared.
typedef struct {
    f32 x, y;
} hull_weights;

T_FUNCTION f32 hull_square(const hull_corner a, const hull_corner b, const hull_weights weights) {
    const f32 x = (f32)(b.x - a.x);
    const f32 y = (f32)(b.y - a.y);
    return weights.x * x * x + weights.y * y * y;
}

// The words of what is found of an object: the low word of the pixels of its hull; from one end of
// the longest diameter of these pixels to the other; along the side from which the object's own
// width is least, and twice the area between that side and the corner opposite to it, in two words;
// the high word of the pixels. All but these in doubled pixels.
enum { measure_hull_words = 1 + 2 + 2 + 2 + 1 };

// The corner of a convex polygon that is farthest from the side behind corner `k`, from `corner`
// on.
T_FUNCTION i32 hull_opposite(const hull_polygon polygon, const i32 k, const i32 corner) {
    const i32 count = polygon.left_count + polygon.right_count;
    const hull_corner own = hull_corner_of(polygon, k);
    const hull_corner next = hull_corner_of(polygon, k + 1);
    i32 opposite = corner;
    i64 area = T_ABS(hull_cross(own, next, hull_corner_of(polygon, opposite)));
    for (i32 turns = 0; turns < count; ++turns) {
        const i32 ahead = opposite + 1 < count ? opposite + 1 : 0;
        const i64 further = T_ABS(hull_cross(own, next, hull_corner_of(polygon, ahead)));
        if (further < area) break;
        area = further;
        opposite = ahead;
    }
    return opposite;
}

// The longest diameter and the least width by rotating calipers (M. I. Shamos, "Computational
// geometry", 1978). Products of integers as floats are compared: the same on all devices.
T_FUNCTION void hull_longest(const hull_polygon polygon, const hull_weights weights,
                             T_GLOBAL_PTR(u32) found) {
    f32 longest = -1.0f;
    i32 opposite = 1;
    for (i32 k = 0; k < polygon.left_count + polygon.right_count; ++k) {
        const hull_corner own = hull_corner_of(polygon, k);
        const hull_corner next = hull_corner_of(polygon, k + 1);
        if (own.x == next.x && own.y == next.y) continue;
        opposite = hull_opposite(polygon, k, opposite);
        const hull_corner far = hull_corner_of(polygon, opposite);
        const f32 square = hull_square(own, far, weights);
        const f32 next_square = hull_square(next, far, weights);
        if (T_MAX(square, next_square) <= longest) continue;
        const hull_corner from = square >= next_square ? own : next;
        longest = T_MAX(square, next_square);
        found[1] = (u32)(far.x - from.x);
        found[2] = (u32)(far.y - from.y);
    }
}
T_FUNCTION void hull_narrowest(const hull_polygon polygon, const hull_weights weights,
                               T_GLOBAL_PTR(u32) found) {
    const f32 small = 1.0f / 1048576.0f;
    f32 least_area = 1.0f;
    f32 least_side = 0.0f;
    i32 opposite = 1;
    for (i32 k = 0; k < polygon.left_count + polygon.right_count; ++k) {
        const hull_corner own = hull_corner_of(polygon, k);
        const hull_corner next = hull_corner_of(polygon, k + 1);
        if (own.x == next.x && own.y == next.y) continue;
        opposite = hull_opposite(polygon, k, opposite);
        const i64 area = T_ABS(hull_cross(own, next, hull_corner_of(polygon, opposite)));
        const f32 height = (f32)area * small;
        const f32 side = hull_square(own, next, weights) * small;
        if (height * height * least_side >= least_area * side) continue;
        least_area = height * height;
        least_side = side;
        found[3] = (u32)(next.x - own.x);
        found[4] = (u32)(next.y - own.y);
        found[5] = (u32)area;
        found[6] = (u32)((u64)area >> 32);
    }
}

T_FUNCTION hull_polygon hull_around(const hull_side left, const hull_side right, const i32 nx,
                                    T_GLOBAL_PTR(i32) left_chain, T_GLOBAL_PTR(i32) right_chain) {
    const i32 left_count = hull_chain(left, left_chain);
    const i32 right_count = hull_chain(right, right_chain);
    const hull_polygon polygon = {left,       right,       left_chain, right_chain,
                                  left_count, right_count, nx};
    return polygon;
}

// Of each object of a span: `starts[k]` is where its rows begin among those of all.
T_KERNEL(measure_hull, (T_IN(u32) left, T_IN(u32) right, T_IN(u32) starts, const i32 nx,
                        const hull_weights weights, T_GLOBAL_PTR(u32) filled,
                        T_GLOBAL_PTR(i32) chains, T_GLOBAL_PTR(u32) found)) {
    T_INDEX1(k);
    const i64 start = starts[k];
    const i32 rows = (i32)(starts[k + 1] - starts[k]);
    T_GLOBAL_PTR(u32) to = found + (i64)k * measure_hull_words;
    // Each side has room for its pixels in the hull, and for the chain of all its corners.
    T_GLOBAL_PTR(u32) left_filled = filled + 2 * start;
    T_GLOBAL_PTR(u32) right_filled = left_filled + rows;
    T_GLOBAL_PTR(i32) left_chain = chains + 4 * start + 2 * (i64)k;
    T_GLOBAL_PTR(i32) right_chain = left_chain + 2 * rows + 1;
    const hull_side left_side = {left + start, rows};
    const hull_side right_side = {right + start, rows};
    hull_narrowest(hull_around(left_side, right_side, nx, left_chain, right_chain), weights, to);
    hull_fill(left_side, left_chain, left_filled);
    hull_fill(right_side, right_chain, right_filled);
    u64 pixels = 0;
    for (i32 row = 0; row < rows; ++row) {
        const i64 width = (i64)left_filled[row] + right_filled[row] - nx;
        if (width > 0) {
            pixels += (u64)width;
        } else {
            left_filled[row] = 0;
            right_filled[row] = 0;
        }
    }
    to[0] = (u32)pixels;
    to[7] = (u32)(pixels >> 32);
    const hull_side left_hull = {left_filled, rows};
    const hull_side right_hull = {right_filled, rows};
    hull_longest(hull_around(left_hull, right_hull, nx, left_chain, right_chain), weights, to);
}

#include "kernels/end.h"
