// Pixels of the type PROJECT_PIXEL, line by line, by strips of PROJECT_LINES lines, and those along
// x. Part of project.kernel.h.
#define PROJECT_LINES 1
#define PROJECT_OF(name) T_JOIN(name, T_JOIN(_lines_, PROJECT_PIXEL))
#include "kernels/transforms/project_extremes.body.h"
#if PROJECT_IS_FLOAT
    #include "kernels/transforms/project_float_sums.body.h"
#else
    #include "kernels/transforms/project_whole_sums.body.h"
#endif
#undef PROJECT_OF
#undef PROJECT_LINES

#define PROJECT_LINES project_strip
#define PROJECT_OF(name) T_JOIN(name, T_JOIN(_strips_, PROJECT_PIXEL))
#include "kernels/transforms/project_extremes.body.h"
#if PROJECT_IS_FLOAT
    #include "kernels/transforms/project_float_sums.body.h"
#else
    #include "kernels/transforms/project_whole_sums.body.h"
#endif
#undef PROJECT_OF
#undef PROJECT_LINES

#include "kernels/transforms/project_lanes.body.h"
#include "kernels/transforms/project_tiles.body.h"

#undef PROJECT_PIXEL
