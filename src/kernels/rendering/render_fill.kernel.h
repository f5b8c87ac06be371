// Fills pages of the pool from bricks that were decoded, for volumes whose bricks come and go.
#define T_FILE render_fill
#include "kernels/begin.h"
#include "kernels/rendering/render_position.h"
#include "kernels/rendering/render_range.h"

// The first and the last page along an axis that have a voxel, their borders included.
T_FUNCTION i32 render_first_page(const i32 voxel) {
    return T_MAX(voxel - render_brick_border, 0) / render_brick_side;
}
T_FUNCTION i32 render_last_page(const i32 voxel, const i32 count) {
    return T_MIN((voxel + render_brick_border) / render_brick_side, count - 1);
}

#define RENDER_BODY "kernels/rendering/render_fill.body.h"
#include "kernels/rendering/render_all.body.h"
#undef RENDER_BODY

#include "kernels/end.h"
