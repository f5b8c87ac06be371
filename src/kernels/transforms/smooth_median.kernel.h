// Medians of the values in a box around each point of images, channel by channel. Borders are
// replicated.
#define T_FILE smooth_median
#include "kernels/begin.h"
#include "kernels/filters/borders.h"

// Planes of `row` values by `ny`, `nz` to a volume; neighbors along a row are `channels` apart.
// Medians are of radius `rx`, `ry`, `rz`. Of each row the `inside` values whose neighbors along the
// row all exist are left out, or are the only ones. Items of median_points begin at `first_row`
// of `first_plane`.
typedef struct {
    i32 row, ny, nz, channels;
    i32 rx, ry, rz, inside;
    i32 first_plane, first_row;
} median_box;

enum { median_strip = 128 };  // values of a row that an item of the CPU takes

// Values are compared as unsigned integers of the same order, MEDIAN_KEY of MEDIAN_BITS bits.
// MEDIAN_COUNT counts up to 65,535 of them, and has as many bits where that makes vectors equal.
#define MEDIAN_PIXEL u8
#define MEDIAN_KEY u8
#define MEDIAN_COUNT u16
#define MEDIAN_BITS 8
#define MEDIAN_OF(name) T_JOIN(name, _u8)
#define MEDIAN_KEY_OF(v) (v)
#define MEDIAN_PIXEL_OF(k) (k)
#include "kernels/transforms/smooth_median.body.h"

#define MEDIAN_PIXEL u16
#define MEDIAN_KEY u16
#define MEDIAN_COUNT u16
#define MEDIAN_BITS 16
#define MEDIAN_OF(name) T_JOIN(name, _u16)
#define MEDIAN_KEY_OF(v) (v)
#define MEDIAN_PIXEL_OF(k) (k)
#include "kernels/transforms/smooth_median.body.h"

#define MEDIAN_PIXEL i16
#define MEDIAN_KEY u16
#define MEDIAN_COUNT u16
#define MEDIAN_BITS 16
#define MEDIAN_OF(name) T_JOIN(name, _i16)
#define MEDIAN_KEY_OF(v) ((u16)((v) ^ 0x8000))
#define MEDIAN_PIXEL_OF(k) ((i16)((k) ^ 0x8000))
#include "kernels/transforms/smooth_median.body.h"

T_FUNCTION u32 median_key_of_f32(const f32 value) {
    const u32 bits = T_BITS(value + 0.0f);  // both zeros are +0
    return bits ^ ((u32)((i32)bits >> 31) | 0x80000000u);
}
T_FUNCTION f32 median_f32_of_key(const u32 key) {
    return T_FROM_BITS(key ^ ((u32)((i32)~key >> 31) | 0x80000000u));
}

#define MEDIAN_PIXEL f32
#define MEDIAN_KEY u32
#define MEDIAN_COUNT u32
#define MEDIAN_BITS 32
#define MEDIAN_OF(name) T_JOIN(name, _f32)
#define MEDIAN_KEY_OF(v) median_key_of_f32(v)
#define MEDIAN_PIXEL_OF(k) median_f32_of_key(k)
#include "kernels/transforms/smooth_median.body.h"

#include "kernels/end.h"
