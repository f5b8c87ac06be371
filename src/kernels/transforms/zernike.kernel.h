// Zernike moments in single precision, for devices that have no double, and what needs neither.
#define T_FILE zernike
#include "kernels/begin.h"
#include "kernels/transforms/zernike_layout.h"

#define ZERNIKE_VALUE f32
#define ZERNIKE_OF(name) T_JOIN(name, _f32)
#include "kernels/transforms/zernike.body.h"
#undef ZERNIKE_OF
#undef ZERNIKE_VALUE

// Objects from 0 on; the background's is the highest number.
T_SIMD_KERNEL(zernike_keys, (T_IN(u32) labels, T_OUT(u32) keys)) {
    T_INDEX1(i);
    keys[i] = labels[i] - 1;
}

// 1 for the first and the last pixel of an object in a row, of pixels in the order of their
// objects.
T_KERNEL(zernike_row_ends,
         (T_IN(u32) order, T_IN(u32) labels, T_OUT(u8) flags, i64 count, i32 width)) {
    T_INDEX1(i);
    const u32 pixel = order[i], row = pixel / (u32)width, label = labels[pixel];
    const u32 last = i > 0 ? order[i - 1] : pixel, next = i + 1 < count ? order[i + 1] : pixel;
    flags[i] = i == 0 || i + 1 == count || last / (u32)width != row || labels[last] != label ||
               next / (u32)width != row || labels[next] != label;
}

#include "kernels/end.h"
