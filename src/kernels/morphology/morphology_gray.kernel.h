// Flat dilation and erosion of gray images by runs along x. Points beyond the border do not count.
#define T_FILE morphology_gray
#include "kernels/begin.h"
#include "kernels/morphology/morphology_grid.h"

// What both take: the higher of two values where is_max is 1, else the lower.
#define MORPHOLOGY_PICK(a, b) (is_max ? T_MAX(a, b) : T_MIN(a, b))

// The rows of an image as lines of a strip: `lines` are neighbors along an axis, `stride` apart;
// there are `others` such planes, `stride_other` apart. A group of the CPU takes `strip` lines at a
// time, for which it has memory of (strip + 2 reach + 2) lines of `pitch` values.
typedef struct {
    i64 stride, stride_other, words;  // memory of a group
    i32 n, lines, others;             // points of a line
    i32 half_length, reach;           // of the box, along lines and across
    i32 strip, pitch, is_max;
} morphology_strips;

// MORPHOLOGY_LOADED(v) is a value as it is compared; of single precision both zeros are +0, so that
// results do not hang on the order of equal values.
#define MORPHOLOGY_VALUE u8
#define MORPHOLOGY_LOWEST 0
#define MORPHOLOGY_HIGHEST 255
#define MORPHOLOGY_OF(name) T_JOIN(name, _u8)
#define MORPHOLOGY_LOADED(v) (v)
#include "kernels/morphology/morphology_gray.body.h"

#define MORPHOLOGY_VALUE u16
#define MORPHOLOGY_LOWEST 0
#define MORPHOLOGY_HIGHEST 65535
#define MORPHOLOGY_OF(name) T_JOIN(name, _u16)
#define MORPHOLOGY_LOADED(v) (v)
#include "kernels/morphology/morphology_gray.body.h"

#define MORPHOLOGY_VALUE i16
#define MORPHOLOGY_LOWEST (-32768)
#define MORPHOLOGY_HIGHEST 32767
#define MORPHOLOGY_OF(name) T_JOIN(name, _i16)
#define MORPHOLOGY_LOADED(v) (v)
#include "kernels/morphology/morphology_gray.body.h"

#define MORPHOLOGY_VALUE f32
#define MORPHOLOGY_LOWEST (-3.402823466e38f)
#define MORPHOLOGY_HIGHEST 3.402823466e38f
#define MORPHOLOGY_OF(name) T_JOIN(name, _f32)
#define MORPHOLOGY_LOADED(v) ((v) + 0.0f)
#include "kernels/morphology/morphology_gray.body.h"

#include "kernels/end.h"
