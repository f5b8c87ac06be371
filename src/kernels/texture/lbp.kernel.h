// Local binary patterns of planes of bytes: which neighbors are not darker than a pixel. Pixels
// nearer to the border than the radius have no code: planes of codes are as much smaller. Codes are
// those of each `step`th plane.
#define T_FILE lbp
#include "kernels/begin.h"
#include "kernels/texture/lbp_square.h"

// Codes of the eight neighbors.
T_SIMD_KERNEL(lbp_square,
              (T_IN(u8) planes, T_OUT(u8) codes, const i32 step, const i32 nx, const i32 ny)) {
    T_INDEX3(x, y, p);
    const i64 at = ((i64)p * step * ny + y + 1) * nx + x + 1;
    codes[((i64)p * (ny - 2) + y) * (nx - 2) + x] = LBP_SQUARE_CODE(planes, at, nx);
}

enum { lbp_most_points = 24, lbp_unit = 100000 };

// Samples on a circle: the four pixels around each as distances from the center in memory, and how
// far it lies right of and below the upper left one, in `lbp_unit`.
typedef struct {
    i32 upper_left[lbp_most_points], upper_right[lbp_most_points];
    i32 lower_left[lbp_most_points], lower_right[lbp_most_points];
    i32 right[lbp_most_points], below[lbp_most_points];
    i32 nx, ny, margin, step;
} lbp_circle;

#define LBP_POINTS 8
#include "kernels/texture/lbp_circle.body.h"
#undef LBP_POINTS
#define LBP_POINTS 16
#include "kernels/texture/lbp_circle.body.h"
#undef LBP_POINTS
#define LBP_POINTS 24
#include "kernels/texture/lbp_circle.body.h"
#undef LBP_POINTS

#include "kernels/end.h"
