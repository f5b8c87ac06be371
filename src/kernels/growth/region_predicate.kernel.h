// Predicates of region growing: which pixels a region may take, as a mask of bytes.
#define T_FILE region_predicate
#include "kernels/begin.h"
#include "kernels/growth/item_points.h"

#define REGION_PIXEL u8
#define REGION_LIMIT i32
#include "kernels/growth/region_predicate.body.h"
#define REGION_PIXEL u16
#define REGION_LIMIT i32
#include "kernels/growth/region_predicate.body.h"
#define REGION_PIXEL i16
#define REGION_LIMIT i32
#include "kernels/growth/region_predicate.body.h"
#define REGION_PIXEL f32
#define REGION_LIMIT f32
#include "kernels/growth/region_predicate.body.h"

#include "kernels/end.h"
