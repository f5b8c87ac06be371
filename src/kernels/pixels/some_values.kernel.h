// The values of every so many points.
#define T_FILE some_values
#include "kernels/begin.h"

#define SOME_VALUES_PIXEL u16
#include "kernels/pixels/some_values.body.h"
#define SOME_VALUES_PIXEL i16
#include "kernels/pixels/some_values.body.h"
#define SOME_VALUES_PIXEL f32
#include "kernels/pixels/some_values.body.h"

#include "kernels/end.h"
