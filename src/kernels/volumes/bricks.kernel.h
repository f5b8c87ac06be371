// Decodes compressed bricks into volumes: wavelet chunks, bricks that the host has decoded, and the
// stored values of coded numbers.
#define T_FILE bricks
#include "kernels/begin.h"
#include "kernels/volumes/brick_box.h"
#include "kernels/volumes/brick_chunk.h"

#define BRICK_VOXEL u8
#define BRICK_OF(name) T_JOIN(name, _u8)
#include "kernels/volumes/brick_details.body.h"
#include "kernels/volumes/brick_paste.body.h"
#undef BRICK_OF
#undef BRICK_VOXEL
#define BRICK_VOXEL u16
#define BRICK_OF(name) T_JOIN(name, _u16)
#include "kernels/volumes/brick_details.body.h"
#include "kernels/volumes/brick_paste.body.h"
#undef BRICK_OF
#undef BRICK_VOXEL
#define BRICK_VOXEL i8
#define BRICK_OF(name) T_JOIN(name, _i8)
#include "kernels/volumes/brick_paste.body.h"
#undef BRICK_OF
#undef BRICK_VOXEL
#define BRICK_VOXEL i16
#define BRICK_OF(name) T_JOIN(name, _i16)
#include "kernels/volumes/brick_paste.body.h"
#undef BRICK_OF
#undef BRICK_VOXEL
#define BRICK_VOXEL f32
#define BRICK_OF(name) T_JOIN(name, _f32)
#include "kernels/volumes/brick_paste.body.h"
#undef BRICK_OF
#undef BRICK_VOXEL

// The stored values of coded numbers; `values` has one for each number.
T_KERNEL(brick_values_u8_u8, (T_IN(u8) coded, T_IN(u8) values, T_OUT(u8) stored)) {
    T_INDEX1(i);
    stored[i] = values[coded[i]];
}
T_KERNEL(brick_values_u8_i8, (T_IN(u8) coded, T_IN(i8) values, T_OUT(i8) stored)) {
    T_INDEX1(i);
    stored[i] = values[coded[i]];
}
T_KERNEL(brick_values_u8_f32, (T_IN(u8) coded, T_IN(f32) values, T_OUT(f32) stored)) {
    T_INDEX1(i);
    stored[i] = values[coded[i]];
}
T_KERNEL(brick_values_u16_u16, (T_IN(u16) coded, T_IN(u16) values, T_OUT(u16) stored)) {
    T_INDEX1(i);
    stored[i] = values[coded[i]];
}
T_KERNEL(brick_values_u16_i16, (T_IN(u16) coded, T_IN(i16) values, T_OUT(i16) stored)) {
    T_INDEX1(i);
    stored[i] = values[coded[i]];
}
T_KERNEL(brick_values_u16_f32, (T_IN(u16) coded, T_IN(f32) values, T_OUT(f32) stored)) {
    T_INDEX1(i);
    stored[i] = values[coded[i]];
}

#include "kernels/end.h"
