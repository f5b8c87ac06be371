// Global thresholds of pixels that are levels themselves, integers of one channel, as suits a
// processor: they are counted and compared as they are.
#define T_FILE own_levels
#include "kernels/begin.h"

#define LEVELS_PIXEL u8
#define LEVELS_OF(v) ((i32)(v))
#define LEVELS_COUNT 256
#define LEVELS_TABLES 4
#include "kernels/thresholds/cpu/own_levels.body.h"

#define LEVELS_PIXEL u16
#define LEVELS_OF(v) ((i32)(v))
#define LEVELS_COUNT 65536
#define LEVELS_TABLES 1
#include "kernels/thresholds/cpu/own_levels.body.h"

#define LEVELS_PIXEL i16
#define LEVELS_OF(v) ((i32)(v) + 32768)
#define LEVELS_COUNT 65536
#define LEVELS_TABLES 1
#include "kernels/thresholds/cpu/own_levels.body.h"

// counts[level] = the sum of what all tables have.
T_KERNEL(own_levels_add,
         (T_IN(u32) tables, const i32 number, const i32 levels, T_OUT(u32) counts)) {
    T_INDEX1(level);
    u32 sum = 0;
    for (i32 t = 0; t < number; ++t) sum += tables[(i64)t * levels + level];
    counts[level] = sum;
}

#include "kernels/end.h"
