// Moments of the pixels of a region, as integers: their number, the sum of their values, and that
// of the squares. Each group adds up its part, and one group what these have.
#define T_FILE region_sums
#include "kernels/begin.h"
#include "kernels/growth/region_bits.h"
#include "kernels/vectors.h"

// Points of an item and of a group, and words of bits of an item. The sum of the values of an item
// of points, or of half a word, fits 32 bits.
enum { region_sums_item = 64, region_sums_part = 256 * region_sums_item, region_sums_words = 1024 };

typedef struct {
    i64 count, sum, squares;
} region_Sums;

T_FUNCTION i32 region_fixed_of_integer(const i32 value, const f32 offset, const f32 scale) {
    (void)offset;
    (void)scale;
    return value;
}
T_FUNCTION i32 region_fixed_of_float(const f32 value, const f32 offset, const f32 scale) {
    return T_ROUND((value - offset) * scale);
}

#define REGION_PIXEL u8
#define REGION_FIXED region_fixed_of_integer
#define REGION_NOTHING (REGION_PIXEL)0
#include "kernels/growth/region_sums.body.h"
#define REGION_PIXEL u16
#define REGION_FIXED region_fixed_of_integer
#define REGION_NOTHING (REGION_PIXEL)0
#include "kernels/growth/region_sums.body.h"
#define REGION_PIXEL i16
#define REGION_FIXED region_fixed_of_integer
#define REGION_NOTHING (REGION_PIXEL)0
#include "kernels/growth/region_sums.body.h"
#define REGION_PIXEL f32
#define REGION_FIXED region_fixed_of_float
#define REGION_NOTHING offset
#include "kernels/growth/region_sums.body.h"

T_GROUP_KERNEL(region_sum_of_parts, 256, 1, 1,
               (T_IN(i64) parts, const i32 count, T_OUT(i64) sums)) {
    T_LOCAL(i64, counts, 256);
    T_LOCAL(i64, values, 256);
    T_LOCAL(i64, squares, 256);
    T_PHASE {
        i64 number = 0;
        i64 sum = 0;
        i64 square = 0;
        for (i32 g = T_LX; g < count; g += 256) {
            number += parts[3 * g];
            sum += parts[3 * g + 1];
            square += parts[3 * g + 2];
        }
        counts[T_LX] = number;
        values[T_LX] = sum;
        squares[T_LX] = square;
    }
#include "kernels/growth/region_sums_tree.body.h"
}

#include "kernels/end.h"
