// Thinning of pictures of one bit a point (morphology_bits.kernel.h): T. Y. Zhang, C. Y. Suen, "A
// fast parallel algorithm for thinning digital patterns", Communications of the ACM 27(3), 1984.
#define T_FILE morphology_thinning
#include "kernels/begin.h"
#include "kernels/morphology/morphology_grid.h"

// Word w of row y, and the words of the points to the west and to the east of its points; beyond
// the image 0.
typedef struct {
    u64 west, own, east;
} morphology_row;
T_FUNCTION morphology_row morphology_row_at(T_GLOBAL_PTR(const u64) bits, const i32 w, const i32 y,
                                            const morphology_grid grid) {
    morphology_row row = {0, 0, 0};
    if (y < 0 || y >= grid.ny) return row;
    T_GLOBAL_PTR(const u64) line = bits + (i64)y * grid.pitch;
    const u64 before = w > 0 ? line[w - 1] : 0u;
    const u64 after = w + 1 < grid.pitch ? line[w + 1] : 0u;
    row.own = line[w];
    row.west = row.own << 1 | before >> 63;
    row.east = row.own >> 1 | after << 63;
    return row;
}

// Points at which at least one, and at least two of several planes are set.
typedef struct {
    u64 one, two;
} morphology_count;
T_FUNCTION morphology_count morphology_with(const morphology_count count, const u64 plane) {
    morphology_count more;
    more.one = count.one | plane;
    more.two = count.two | (count.one & plane);
    return more;
}

// A pass: points go whose removal leaves their neighbors connected, on the south-east side of
// objects, or on the north-west side (`second`). changed[0] becomes 1 where one goes.
T_KERNEL(morphology_thin, (T_IN(u64) bits, T_OUT(u64) thinned, T_GLOBAL_PTR(u32) changed,
                           const i32 second, const morphology_grid grid)) {
    T_INDEX2(w, y);
    const morphology_row north = morphology_row_at(bits, w, y - 1, grid);
    const morphology_row here = morphology_row_at(bits, w, y, grid);
    const morphology_row south = morphology_row_at(bits, w, y + 1, grid);
    // Around the point: north, north-east, east, ...
    const u64 around[8] = {north.own, north.east, here.east, south.east,
                           south.own, south.west, here.west, north.west};
    morphology_count set = {0, 0};
    morphology_count unset = {0, 0};
    morphology_count steps = {0, 0};  // from a point that is not set to one that is
    T_UNROLL for (i32 k = 0; k < 8; ++k) {
        set = morphology_with(set, around[k]);
        unset = morphology_with(unset, ~around[k]);
        steps = morphology_with(steps, ~around[k] & around[(k + 1) % 8]);
    }
    const u64 kept_sides = second ? (around[0] & around[6] & (around[2] | around[4]))
                                  : (around[2] & around[4] & (around[0] | around[6]));
    const u64 gone = here.own & set.two & unset.two & steps.one & ~steps.two & ~kept_sides;
    thinned[(i64)y * grid.pitch + w] = here.own & ~gone;
    if (gone != 0) T_STORE(u32, changed, 1u);
}

#include "kernels/end.h"
