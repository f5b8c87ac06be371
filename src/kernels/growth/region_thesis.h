// Definitions that the kernels of the thesis's region growing share (Barriuso Medrano 2011, chapter
// 5): the geometry of its tiles and the distance that decides.
#ifndef TESELA_KERNELS_REGION_THESIS_H
#define TESELA_KERNELS_REGION_THESIS_H

enum {
    region_thesis_items = 256,
    region_thesis_block = 20,  // the largest side of what a tile owns
    region_thesis_slots = 2,   // pixels of such a square, or regions of such a window, of an item
    region_thesis_tile = region_thesis_block + 2,
    region_thesis_tile_points = region_thesis_tile * region_thesis_tile,
    // Planes of the table of tiles: size, sums of the three components, iterations that added.
    region_thesis_columns = 5
};

// The largest squared distance to a mean at which a point of this color joins; below 0 there is
// none. The distance is |color - mean| / |color| (eq. 3.6), and it has to be below the threshold,
// which is given in millionths and squared: (d / |color|)^2 < limit / 10^12. A threshold is at most
// 4, so that nothing overflows: |color|^2 < 2^18.
T_FUNCTION i32 region_thesis_reach(const i32 y, const i32 cb, const i32 cr, const i64 limit) {
    const i64 norm2 = (i64)(y * y + cb * cb + cr * cr);
    if (norm2 == 0) return limit > 0 ? 0 : -1;
    return (i32)((limit * norm2 + 999999999999) / 1000000000000) - 1;
}

T_FUNCTION i32 region_thesis_distance2(const i32 y, const i32 cb, const i32 cr, const i32 mean_y,
                                       const i32 mean_cb, const i32 mean_cr) {
    const i32 a = y - mean_y;
    const i32 b = cb - mean_cb;
    const i32 c = cr - mean_cr;
    return a * a + b * b + c * c;
}

// The tile that owns a place along an axis, or -1. Tiles begin every `stride`, and own all but the
// first and the last of their places.
T_FUNCTION i32 region_thesis_owner(const i32 place, const i32 stride, const i32 block,
                                   const i32 tiles) {
    const i32 tile = (place - 1) / stride;
    return place >= 1 && tile < tiles && (place - 1) % stride < block ? tile : -1;
}

#endif
