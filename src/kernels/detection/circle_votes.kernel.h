// The circle Hough transform of one radius as a correlation (Ruiz Sanchez 2015, eq. 3.2, inverted):
// each accumulator cell counts the edges on its ring. Edges are one string of bits, row after row
// with zeros between them, so that a point of the ring is the same distance along the string for
// all cells. 32 cells are counted at once in bit-sliced (vertical) counters: bit b of plane p is
// bit p of the count of cell b. Carry-save adders add eight words before the carry ripples through
// the planes (Harley and Seal; H. S. Warren, "Hacker's Delight", chapter 5).
#define T_FILE circle_votes
#include "kernels/begin.h"
#include "kernels/detection/circle_grid.h"
#include "kernels/detection/circle_inside.h"

// Makes the string of bits, of edges that are not 0, and counts them.
T_KERNEL(circle_pack,
         (T_IN(u8) edges, T_OUT(u32) bits, T_GLOBAL_PTR(u32) count, const circle_grid grid)) {
    T_INDEX3(w, row, slice);
    const i32 y = row - grid.margin_y;
    const i32 first = w * 32 - grid.margin_x;
    u32 word = 0;
    if (y >= 0 && y < grid.ny) {
        T_GLOBAL_PTR(const u8) line = edges + ((i64)slice * grid.ny + y) * grid.nx;
        const i32 begin = T_MAX(0, -first);
        const i32 end = T_MIN(32, grid.nx - first);
        for (i32 b = begin; b < end; ++b) word |= (line[first + b] != 0 ? 1u : 0u) << b;
    }
    bits[grid.pad_words + ((i64)slice * grid.slice_rows + row) * grid.words + w] = word;
    if (word != 0) T_ATOMIC_ADD(count, (u32)T_POPCOUNT(word));
}

// Edges of half the size: an edge where any of four pixels is one.
T_KERNEL(circle_halve, (T_IN(u8) edges, T_OUT(u8) halved, const i32 nx, const i32 ny)) {
    T_INDEX3(x, y, slice);
    const i32 end_x = T_MIN(2 * x + 2, nx), end_y = T_MIN(2 * y + 2, ny);
    i32 any = 0;
    for (i32 row = 2 * y; row < end_y; ++row) {
        T_GLOBAL_PTR(const u8) line = edges + ((i64)slice * ny + row) * nx;
        for (i32 column = 2 * x; column < end_x; ++column) any |= line[column];
    }
    halved[((i64)slice * ((ny + 1) / 2) + y) * ((nx + 1) / 2) + x] = (u8)(any != 0 ? 255 : 0);
}

// Words of an entry of a ring: the distance along the string from the cell to the point, in whole
// words (an i32 rounded down, often negative), and the bits that are left, 0 to 31. In entries that
// pad a ring the latter is 32: they count nothing.
enum { circle_entry_words = 2, circle_batch = 8 };
enum { circle_group = 64 };

// The 32 bits of the string from bit `entry` of bits[0] on; 0 where `entry` is 32.
T_FUNCTION u32 circle_word(T_GLOBAL_PTR(const u32) bits, const u32 entry) {
    const u32 shift = entry & 31u, mask = (entry >> 5) - 1u;
    // In two steps, because a shift by 32 is undefined.
    return ((bits[0] >> shift) | ((bits[1] << 1) << (31u - shift))) & mask;
}
// A full adder for each bit.
typedef struct {
    u32 sum, carry;
} circle_sum;
T_FUNCTION circle_sum circle_add(const u32 a, const u32 b, const u32 c) {
    const u32 either = a ^ b;
    const circle_sum result = {either ^ c, (a & b) | (either & c)};
    return result;
}

// Up to 2047 and up to 65535 votes in a cell.
#define CIRCLE_PLANES 8
#define CIRCLE_VOTES circle_votes_11
#include "kernels/detection/circle_votes.body.h"
#define CIRCLE_PLANES 13
#define CIRCLE_VOTES circle_votes_16
#include "kernels/detection/circle_votes.body.h"

// The highest number of votes of any radius.
T_SIMD_KERNEL(circle_most_votes, (T_IN(u16) votes, T_OUT(u16) most)) {
    T_INDEX1(i);
    most[i] = T_MAX(most[i], votes[i]);
}
// Votes of the image's own cells.
T_KERNEL(circle_image_votes, (T_IN(u16) votes, T_OUT(u16) image, const circle_grid grid)) {
    T_INDEX3(x, y, slice);
    image[((i64)slice * grid.ny + y) * grid.nx + x] =
        votes[circle_cell(grid, x + grid.margin_x, y + grid.margin_y, slice)];
}

// ---- Maxima ------------------------------------------------------------------------------------

// Non-maximum suppression: whether a neighbor of a cell with `votes` of `inside` points has a
// larger share of votes, or the same one and comes earlier. `other` has the votes of the radius
// `step` from the cell's, -1 to 1; tables and points are those of its ring.
T_FUNCTION i32 circle_is_suppressed(T_GLOBAL_PTR(const u16) other, T_GLOBAL_PTR(const i32) tables,
                                    const i32 points, const i32 step, const u32 votes,
                                    const u32 inside, const circle_place place,
                                    const circle_grid grid) {
    i32 beaten = 0;
    for (i32 dy = -1; dy <= 1; ++dy) {
        for (i32 dx = -1; dx <= 1; ++dx) {
            const i32 order = step * 9 + dy * 3 + dx;
            const i32 x = place.x + dx, y = place.y + dy;
            if (order == 0 || x < 0 || y < 0 || x >= grid.cells_x || y >= grid.cells_y) continue;
            const u32 its = other[circle_cell(grid, x, y, place.slice)];
            const u32 its_inside =
                (u32)circle_inside(tables, points, x - grid.margin_x, y - grid.margin_y, grid);
            const u32 own = votes * its_inside;
            beaten |= order < 0 ? its * inside >= own : its * inside > own;
        }
    }
    return beaten;
}

// At most as many points of a ring as are inside the image around any of 32 cells of a row. Where
// the image is wider than the ring, one side at a time cuts it, and the first or last cell has the
// fewest.
T_FUNCTION i32 circle_least_inside(T_GLOBAL_PTR(const i32) tables, const i32 points, const i32 x,
                                   const i32 y, const circle_grid grid) {
    if (grid.nx <= 2 * grid.reach) return 0;
    return T_MIN(circle_inside(tables, points, x, y, grid),
                 circle_inside(tables, points, x + 31, y, grid));
}

// Lists the cells whose share of votes is at least limits.share and the largest among their
// neighbors in place and radius, an item a word of cells. `smaller` and `larger` are the votes of
// the neighboring radii, if limits.neighbors says that there are any.
T_KERNEL(circle_maxima, (T_IN(u16) smaller, T_IN(u16) votes, T_IN(u16) larger, T_IN(i32) tables,
                         T_IN(i32) points, T_OUT(u32) maxima, T_GLOBAL_PTR(u32) count,
                         const circle_maxima_limits limits, const circle_grid grid)) {
    T_INDEX3(word, y, slice);
    T_GLOBAL_PTR(const u16) cells = votes + circle_cell(grid, 32 * word, y, slice);
    u32 most = 0;
    for (i32 b = 0; b < 32; ++b) most = T_MAX(most, (u32)cells[b]);
    if (most < limits.least_votes) return;
    const i32 q = limits.radius_index;
    const i32 table = 4 * (grid.reach + 1);
    T_GLOBAL_PTR(const i32) own_tables = tables + (i64)q * table;
    const i32 top = y - grid.margin_y;
    const u64 least_inside =
        (u64)circle_least_inside(own_tables, points[q], 32 * word - grid.margin_x, top, grid);
    if ((u64)most << 16 < limits.share * least_inside) return;
    for (i32 b = 0; b < T_MIN(32, grid.cells_x - 32 * word); ++b) {
        const u32 own = cells[b];
        if (own < limits.least_votes || (u64)own << 16 < limits.share * least_inside) continue;
        const i32 left = 32 * word + b - grid.margin_x;
        const u32 inside = (u32)circle_inside(own_tables, points[q], left, top, grid);
        if ((u64)own << 16 < (u64)limits.share * inside) continue;
        const circle_place place = {32 * word + b, y, slice};
        if (circle_is_suppressed(votes, own_tables, points[q], 0, own, inside, place, grid))
            continue;
        if ((limits.neighbors & circle_has_smaller) != 0 &&
            circle_is_suppressed(smaller, own_tables - table, points[q - 1], -1, own, inside, place,
                                 grid))
            continue;
        if ((limits.neighbors & circle_has_larger) != 0 &&
            circle_is_suppressed(larger, own_tables + table, points[q + 1], 1, own, inside, place,
                                 grid))
            continue;
        const u32 at = T_ATOMIC_ADD(count, 1u);
        if (at >= limits.capacity) continue;
        T_GLOBAL_PTR(u32) maximum = maxima + (i64)at * circle_maximum_words;
        maximum[0] = (u32)left;
        maximum[1] = (u32)top;
        maximum[2] = (u32)slice;
        maximum[3] = (u32)q;
        maximum[4] = own;
        maximum[5] = inside;
    }
}

#include "kernels/end.h"
