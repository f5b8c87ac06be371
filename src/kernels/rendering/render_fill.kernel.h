// Fills pages of the pool from bricks that were decoded, for volumes whose bricks come and go.
#define T_FILE render_fill
#include "kernels/begin.h"
#include "kernels/rendering/render_position.h"
#include "kernels/rendering/render_range.h"

enum {
    render_fill_numbers = 13,  // of a job: the page, and three for each of these
    render_fill_begin = 1,     // in voxels of the page, its border included
    render_fill_count = 4,
    render_fill_origin = 7,  // where the first voxel of the brick lies in the page
    render_fill_size = 10    // voxels of the brick
};

#define RENDER_BODY "kernels/rendering/render_fill.body.h"
#include "kernels/rendering/render_all.body.h"
#undef RENDER_BODY

#include "kernels/end.h"
