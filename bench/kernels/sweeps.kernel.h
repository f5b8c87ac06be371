// Group kernels that do several steps of a stencil on one reading of the image.
#define T_FILE sweeps
#include "kernels/begin.h"

#define T_SWEEPS 2
#include "sweeps.body.h"
#undef T_SWEEPS
#define T_SWEEPS 3
#include "sweeps.body.h"
#undef T_SWEEPS
#define T_SWEEPS 4
#include "sweeps.body.h"
#undef T_SWEEPS

#include "kernels/end.h"
