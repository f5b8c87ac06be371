// Pixels in another order.
#define T_FILE rearrange
#include "kernels/begin.h"

// Elements of the image: the first one, and the way to the next along each axis of the result.
typedef struct {
    i64 first, x, y, z, t;
    i32 nx, ny, nz, channels;
} rearrange_steps;

#define REARRANGE_ELEMENT u8
#include "kernels/pixels/rearrange.body.h"
#undef REARRANGE_ELEMENT
#define REARRANGE_ELEMENT u16
#include "kernels/pixels/rearrange.body.h"
#undef REARRANGE_ELEMENT
#define REARRANGE_ELEMENT i16
#include "kernels/pixels/rearrange.body.h"
#undef REARRANGE_ELEMENT
#define REARRANGE_ELEMENT u32
#include "kernels/pixels/rearrange.body.h"
#undef REARRANGE_ELEMENT
#define REARRANGE_ELEMENT f32
#include "kernels/pixels/rearrange.body.h"
#undef REARRANGE_ELEMENT

#include "kernels/end.h"
