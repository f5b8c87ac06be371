// Highest and mean values along rays.
#define T_FILE render_projection
#include "kernels/begin.h"
#include "kernels/rendering/render_light.h"
#include "kernels/rendering/render_ray.h"

// What a ray found. `t` is where the value was met first, -1 where there is none.
typedef struct {
    f32 value, t;
    f32 color[3];  // of volumes in colors
    i32 samples;
} render_projected;

#define RENDER_BODY "kernels/rendering/render_projection.body.h"
#include "kernels/rendering/render_all.body.h"
#undef RENDER_BODY

#include "kernels/end.h"
