// Images on another grid, which an affine map leads into the image.
#define T_FILE resample
#include "kernels/begin.h"
#include "kernels/filters/borders.h"
#include "kernels/registration/linear_map.h"
#include "kernels/registration/sampled_image.h"

typedef struct {
    i64 frame;    // values of the image at one time
    i32 size[3];  // of the grid
    i32 padding;
} resampling_grid;

// The four pixels around a position on an axis, borders replicated, and their weights: those of R.
// G. Keys, "Cubic convolution interpolation for digital image processing", IEEE TASSP 29(6), 1981,
// with a = -1/2.
T_FUNCTION void cubic_pixels(const f32 at, const i32 size, i32* pixel, f32* weight) {
    const f32 inside = T_CLAMP(at, 0.0f, (f32)(size - 1));
    const i32 first = (i32)inside;
    const f32 t = inside - (f32)first;
    for (i32 k = 0; k < 4; ++k) pixel[k] = border_repeated(first - 1 + k, size);
    weight[0] = ((1.0f - 0.5f * t) * t - 0.5f) * t;
    weight[1] = (1.5f * t - 2.5f) * t * t + 1.0f;
    weight[2] = ((2.0f - 1.5f * t) * t + 0.5f) * t;
    weight[3] = (0.5f * t - 0.5f) * t * t;
}

#define SAMPLE_PIXEL u8
#include "kernels/registration/resample.body.h"
#include "kernels/registration/resample_nearest.body.h"
#undef SAMPLE_PIXEL
#define SAMPLE_PIXEL u16
#include "kernels/registration/resample.body.h"
#include "kernels/registration/resample_nearest.body.h"
#undef SAMPLE_PIXEL
#define SAMPLE_PIXEL i16
#include "kernels/registration/resample.body.h"
#include "kernels/registration/resample_nearest.body.h"
#undef SAMPLE_PIXEL
#define SAMPLE_PIXEL f32
#include "kernels/registration/resample.body.h"
#include "kernels/registration/resample_nearest.body.h"
#undef SAMPLE_PIXEL

// Labels have no values between them.
#define SAMPLE_PIXEL u32
#include "kernels/registration/resample_nearest.body.h"
#undef SAMPLE_PIXEL

#include "kernels/end.h"
