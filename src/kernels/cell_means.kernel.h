// Mean shift over means of cells, the fast preset. An image is cut into bricks of pixels, and the
// pixels of a brick that fall into one cell of the range are replaced by one sample, their mean,
// with their number as its weight. Each sample climbs among the samples and gives its mode to its
// pixels.
//
// After J. Jang, H. Jiang, "MeanShift++: extremely fast mode-seeking with applications to
// segmentation and object tracking", CVPR 2021, who take means of cells for the samples of a
// window, too; here the cells are smaller, the samples rest, and the window is that of the exact
// method. All sums are of integers, so no result depends on order.
//
// Samples stand brick by brick, bricks in raster order, so that those of neighboring bricks of a
// row follow one another; `starts` says where each brick's begin, and last how many there are.
// Their positions are in 2^-k pixels, their colors in 2^s units of the features.
#define T_FILE cell_means
#include "kernels/begin.h"
#include "kernels/rounded_mean.h"

enum { T_BRICK_PIXELS = 256, T_BRICK_ITEMS = 32 };

// Keeps features, which are in -2^30 to 2^30, above zero for the division into cells.
enum { T_RANGE_BIAS = 1 << 30 };

// Samples that are summed in 32 bits: weights are at most 2^8, differences inside a window 2^13.
enum { T_SEGMENT = 512 };

// One brick: its first pixel, its widths, and the lengths of the image, along x, y, z and t.
typedef struct {
    i32 first[4], wide[4], n[4];
} t_brick;

// The brick whose first pixel is at (x, y, z, t); those at the image's end are narrower.
T_FUNCTION t_brick t_brick_from(i32 x, i32 y, i32 z, i32 t, i32 wide_x, i32 wide_y, i32 wide_z,
                                i32 wide_t, i32 nx, i32 ny, i32 nz, i32 nt) {
    const t_brick b = {{x, y, z, t},
                       {T_MIN(wide_x, nx - x), T_MIN(wide_y, ny - y), T_MIN(wide_z, nz - z),
                        T_MIN(wide_t, nt - t)},
                       {nx, ny, nz, nt}};
    return b;
}

T_FUNCTION i32 t_pixels(const t_brick* b) {
    return b->wide[0] * b->wide[1] * b->wide[2] * b->wide[3];
}

// The index in the image of the brick's pixel k, whose place in the brick is `offset`.
T_FUNCTION i32 t_pixel(const t_brick* b, i32 k, i32* offset) {
    i32 rest = k;
    i32 index = 0;
    T_UNROLL for (i32 a = 0; a < 4; ++a) {
        offset[a] = rest % b->wide[a];
        rest = rest / b->wide[a];
    }
    T_UNROLL for (i32 a = 3; a >= 0; --a) { index = index * b->n[a] + b->first[a] + offset[a]; }
    return index;
}

// Number of bits before bit k of a mask of words.
T_FUNCTION i32 t_bits_before(T_LOCAL_PTR(const u32) mask, i32 k) {
    i32 count = T_POPCOUNT(mask[k / 32] & ((1u << (k & 31)) - 1u));
    for (i32 word = 0; word < k / 32; ++word) count += T_POPCOUNT(mask[word]);
    return count;
}

// The grid of bricks along x, y, z and t, and the window, in units of the samples.
typedef struct {
    i64 points;
    i32 brick[4], bricks[4];  // units from brick to brick; number of bricks
    i32 hull[4];              // units from a brick's first pixel to its last
    f32 scale[4];             // units along the axis to those of distances: 1 for equal spacing
    f32 spatial_limit2, time_limit2, range_limit2;  // squares of the bandwidths
} t_cells;

// The brick of an axis that holds the position, moved into the image.
T_FUNCTION i32 t_brick_at(const t_cells* g, i32 axis, i64 at) {
    const i32 brick = (i32)T_CLAMP(at, (i64)0, (i64)0x7fffffff) / g->brick[axis];
    return T_MIN(brick, g->bricks[axis] - 1);
}

// First and last brick that a window of radius^2 `limit2` around the point reaches. Some more do no
// harm.
T_FUNCTION void t_reach(const t_cells* g, i32 axis, i32 center, f32 limit2, i32* first, i32* last) {
    const i64 reach = (i64)(T_SQRT(limit2) / g->scale[axis] * 1.0001f) + 2;
    *first = t_brick_at(g, axis, center - reach);
    *last = t_brick_at(g, axis, center + reach);
}

// The square of a difference along an axis, in units of distances.
T_FUNCTION f32 t_square(const t_cells* g, i32 axis, i32 difference) {
    const f32 scaled = (f32)difference * g->scale[axis];
    return scaled * scaled;
}

// The square of how far the brick's pixels are from the point along one axis; zero within them.
T_FUNCTION f32 t_apart2(const t_cells* g, i32 axis, i32 brick, i32 center) {
    const i32 first = brick * g->brick[axis];
    const i32 outside = T_MAX(T_MAX(first - center, center - first - g->hull[axis]), 0);
    return t_square(g, axis, outside);
}

#define T_CHANNELS 1
#include "kernels/cell_means_bricks.body.h"
#define T_AXES 2
#include "kernels/cell_means.body.h"
#undef T_AXES
#define T_AXES 4
#include "kernels/cell_means.body.h"
#undef T_AXES
#undef T_CHANNELS

#define T_CHANNELS 3
#include "kernels/cell_means_bricks.body.h"
#define T_AXES 2
#include "kernels/cell_means.body.h"
#undef T_AXES
#define T_AXES 4
#include "kernels/cell_means.body.h"
#undef T_AXES
#undef T_CHANNELS

// Gives each pixel the mode of its sample.
T_KERNEL(cell_means_scatter,
         (T_IN(u32) starts, T_IN(u8) sample_of, T_IN(i32) modes, T_OUT(i32) features, i64 points,
          i32 channels, i32 nx, i32 ny, i32 nz, i32 brick_x, i32 brick_y, i32 brick_z, i32 brick_t,
          i32 bricks_x, i32 bricks_y, i32 bricks_z, i32 color_unit)) {
    T_INDEX1(i);
    const i32 row = i / nx;
    const i32 slice = row / ny;
    const i32 t = slice / nz;
    const i32 brick = ((t / brick_t * bricks_z + (slice - t * nz) / brick_z) * bricks_y +
                       (row - slice * ny) / brick_y) *
                          bricks_x +
                      (i - row * nx) / brick_x;
    const i64 sample = (i64)starts[brick] + sample_of[i];
    for (i32 c = 0; c < channels; ++c)
        features[c * points + i] = modes[c * points + sample] * color_unit;
}

#include "kernels/end.h"
