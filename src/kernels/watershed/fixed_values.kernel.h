// Pixels as steps of 16 bits, one plane a channel: 0 to 65534, and fixed_no_value where a pixel is
// NaN or infinite.
#define T_FILE fixed_values
#include "kernels/begin.h"
#include "kernels/watershed/fixed_values.h"

#define FIXED_PIXEL u8
#include "kernels/watershed/fixed_values.body.h"
#define FIXED_PIXEL u16
#include "kernels/watershed/fixed_values.body.h"
#define FIXED_PIXEL i16
#include "kernels/watershed/fixed_values.body.h"
#define FIXED_PIXEL f32
#include "kernels/watershed/fixed_values.body.h"

#include "kernels/end.h"
