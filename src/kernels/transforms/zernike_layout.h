// How Zernike moments and the pixels that they are sums of stand in buffers.
#ifndef TESELA_KERNELS_TRANSFORMS_ZERNIKE_LAYOUT_H
#define TESELA_KERNELS_TRANSFORMS_ZERNIKE_LAYOUT_H

enum {
    zernike_items = 32,  // of a group
    zernike_lanes = 8,   // points that an item holds
    zernike_chunk = zernike_items * zernike_lanes,
    zernike_step = 8,                   // radial polynomials between two sums over the group
    zernike_pitch = zernike_items + 2,  // of rows that are summed up, without bank conflicts
    zernike_total_items = 32,           // numbers that a group of zernike_totals adds up
    zernike_total_parts = 8,            // items that share one of these
    zernike_folded = 10,                // numbers of a point for eight pixels: x, y, eight sums
    zernike_plain = 3                   // of one for a single pixel: x, y, value
};

// Rows of pixels around a center. Twice its coordinates are whole numbers where pixels are folded.
typedef struct {
    i64 capacity;              // points from one number of a point to the next
    i32 width, height;         // of the image
    i32 center_x2, center_y2;  // twice the center
    i32 first_row;             // of the image, or of the octant
    i32 parity;                // of twice the coordinates, less twice the center
} zernike_rows;

typedef struct {
    i64 capacity;    // as above
    i64 components;  // numbers of a chunk: 2 for each moment
    i32 order;
    i32 is_folded;
} zernike_sum_settings;

// The value of a pixel, of which x and y are twice the coordinates from the center, y up; 0 beyond
// the image.
T_FUNCTION f32 zernike_pixel(T_GLOBAL_PTR(const f32) image, const zernike_rows place, const i32 x,
                             const i32 y) {
    const i32 column = (place.center_x2 + x) >> 1, row = (place.center_y2 - y) >> 1;
    if (column < 0 || column >= place.width || row < 0 || row >= place.height) return 0;
    return image[(i64)row * place.width + column];
}

// Moments are in the order of q, then p: the first of those with repetition q.
T_FUNCTION i32 zernike_slot(const i32 order, const i32 q) {
    const i32 left = order - q;
    return order * order / 4 - left * left / 4 + q;
}

#endif
