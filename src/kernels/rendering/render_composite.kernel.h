// Volumes composited front to back.
#define T_FILE render_composite
#include "kernels/begin.h"
#include "kernels/rendering/render_light.h"
#include "kernels/rendering/render_ray.h"

#define RENDER_BODY "kernels/rendering/render_composite.body.h"
#include "kernels/rendering/render_all.body.h"
#undef RENDER_BODY

#include "kernels/end.h"
