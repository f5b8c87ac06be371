// Mean shift's fast preset. Windows are not summed over all points of the image but over a lattice
// of samples, a fraction of the bandwidth apart, so that a window has the same few samples whatever
// the bandwidths; and points that are close in place and color share one trajectory: those of a
// brick of the image that fall into one cell of the range.
//
// Cells that share work are those of J. Jang, H. Jiang, "MeanShift++: extremely fast mode-seeking
// with applications to segmentation and object tracking", CVPR 2021; the longer steps of the first
// rounds are those of C. Shen, M. J. Brooks, A. van den Hengel, "Fast global kernel density mode
// seeking: applications to localization and tracking", IEEE TIP 16(5), 2007. All sums are of
// integers, so no result depends on order.
//
// Positions are in 2^-k points. Colors are levels, of 21 bits.
#define T_FILE mean_shift_fast
#include "kernels/begin.h"

// Features are in -2^30 to 2^30; a level is 2^10 of their units.
enum {
    mean_shift_level_bits = 10,
    mean_shift_level_bias = 1 << 30,
    mean_shift_highest_level = (1 << 21) - 1
};
// The level of samples beside the image, 22 bits long, which is in no window.
enum { mean_shift_no_level = 3 << 20 };
// With these bits above it a level is a float: 2^23 and the level.
enum { mean_shift_level_exponent = 0x4B000000 };

// A group has a tile of at most 64 points, whose cells it moves in eight slots, four items each.
enum { mean_shift_tile = 64, mean_shift_slots = 8, mean_shift_lanes = 4, mean_shift_items = 32 };
// Counters: the rounds taken in [0..6], their upper words in [7..13]; in [14] the trajectories that
// the cap stopped.
enum { mean_shift_counters = 15 };
// Rounds that go half as far again as the mean of the window.
enum { mean_shift_long_rounds = 8 };

T_FUNCTION u32 ms_fast_level(i32 feature) {
    const u32 level =
        ((u32)feature + (u32)mean_shift_level_bias + (1u << (mean_shift_level_bits - 1))) >>
        mean_shift_level_bits;
    return T_MIN(level, (u32)mean_shift_highest_level);
}

T_FUNCTION i32 ms_fast_feature(u32 level) {
    return (i32)((level << mean_shift_level_bits) - (u32)mean_shift_level_bias);
}

// The image cut into bricks, tiles of whole bricks, and a lattice of samples.
typedef struct {
    i64 points;  // of the image
    // Along x, y, z and t.
    i32 n[4];         // points of the image
    i32 tile[4];      // points of a tile
    i32 brick[4];     // points of a brick
    i32 pitch[4];     // units from sample to sample
    i32 samples[4];   // number of samples
    f32 per_unit[4];  // samples a unit
    f32 scale[4];     // units along the axis to those of distances: 1 for equal spacing, and for t
    // Squares of the bandwidths in units and in levels: space, time, range.
    f32 limit2[3], inverse_limit2[3];
    i32 units;          // of a position, from point to point
    i32 margin, width;  // of a row of the lattice: samples beside the image, and all
    u32 per_level;      // cells, times 2^32
} mean_shift_fast_lattice;

// The first and the last point along an axis of those that sample k is the mean of: at most three,
// around the middle of its part of the axis, and within that part. Returns the middle.
T_FUNCTION i32 ms_fast_sampled(const mean_shift_fast_lattice* lattice, i32 axis, i32 k, i32* first,
                               i32* last) {
    const i32 pitch = lattice->pitch[axis];
    const i32 middle = T_MIN((k * pitch + pitch / 2) / lattice->units, lattice->n[axis] - 1);
    const i32 begin = k * pitch / lattice->units;
    const i32 end = T_MIN((k + 1) * pitch / lattice->units, lattice->n[axis]);
    *first = T_CLAMP(begin, middle - 1, middle);
    *last = T_CLAMP(end - 1, middle, middle + 1);
    return middle;
}

// The first of the `window` samples that are the nearest to a position; some of them may be beside
// the image.
T_FUNCTION i32 ms_fast_first_sample(const mean_shift_fast_lattice* lattice, i32 axis, i32 window,
                                    i32 position) {
    const i32 from_edge =
        position + lattice->units / 2 + (window % 2 == 0 ? lattice->pitch[axis] / 2 : 0);
    const i32 k = (i32)T_FLOOR((f32)from_edge * lattice->per_unit[axis]);
    return T_CLAMP(k, 0, lattice->samples[axis]) - window / 2;
}

// From a position to that of sample k.
T_FUNCTION i32 ms_fast_to_sample(const mean_shift_fast_lattice* lattice, i32 axis, i32 k,
                                 i32 position) {
    return k * lattice->pitch[axis] + lattice->pitch[axis] / 2 - lattice->units / 2 - position;
}

// numerator / denominator, rounded to the nearest, halves up, for whole numbers below 2^23.
T_FUNCTION i32 ms_fast_rounded(f32 numerator, f32 denominator) {
    f32 quotient = T_FLOOR(numerator * T_RECIPROCAL_ROUGH(denominator) + 0.5f);
    const f32 rest = 2.0f * (numerator - quotient * denominator);
    quotient += rest >= denominator ? 1.0f : rest < -denominator ? -1.0f : 0.0f;
    return (i32)quotient;
}

// A box of points: its first point, its widths, and the lengths of the image, along x, y, z and t.
// Only the first `axes` of them count below; along the others there is one point.
typedef struct {
    i32 first[4], wide[4], n[4];
} ms_fast_box;

T_FUNCTION i32 ms_fast_points(const ms_fast_box* b) {
    return b->wide[0] * b->wide[1] * b->wide[2] * b->wide[3];
}

// The index in the image of the box's point k, whose place in the box is `offset`.
T_FUNCTION i32 ms_fast_point(const ms_fast_box* b, i32 axes, i32 k, i32* offset) {
    i32 rest = k;
    i32 index = 0;
    T_UNROLL for (i32 a = 0; a < 4; ++a) {
        offset[a] = 0;
        if (a >= axes) continue;
        const i32 next = a + 1 < axes ? rest / b->wide[a] : 0;
        offset[a] = rest - next * b->wide[a];
        rest = next;
    }
    T_UNROLL for (i32 a = 3; a >= 0; --a) {
        if (a < axes) index = index * b->n[a] + b->first[a] + offset[a];
    }
    return index;
}

// The points of tile number `tile` of the image.
T_FUNCTION ms_fast_box ms_fast_tile_box(const mean_shift_fast_lattice* lattice, i32 axes,
                                        i32 tile) {
    ms_fast_box b;
    i32 rest = tile;
    T_UNROLL for (i32 a = 0; a < 4; ++a) {
        const i32 tiles = (lattice->n[a] + lattice->tile[a] - 1) / lattice->tile[a];
        const i32 next = a + 1 < axes ? rest / tiles : 0;
        b.n[a] = lattice->n[a];
        b.first[a] = a < axes ? (rest - next * tiles) * lattice->tile[a] : 0;
        b.wide[a] = T_MIN(lattice->tile[a], lattice->n[a] - b.first[a]);
        rest = next;
    }
    return b;
}

// The number of the brick at a place in a tile.
T_FUNCTION u32 ms_fast_brick(const i32* offset, i32 axes, const i32* brick) {
    i32 number = 0;
    T_UNROLL for (i32 a = 3; a >= 0; --a) {
        if (a < axes) number = number * mean_shift_tile + offset[a] / brick[a];
    }
    return (u32)number;
}

// The sum over the items of a slot.
T_FUNCTION i32 ms_fast_sum_of_lanes(T_LOCAL_PTR(const u32) part, i32 slot) {
    u32 sum = 0u;
    T_UNROLL for (i32 l = 0; l < mean_shift_lanes; ++l) {
        sum += part[slot * mean_shift_lanes + l];
    }
    return (i32)sum;
}

// The local memory of a group.
typedef struct {
    // Of points of the tile: words of their cell, in planes of mean_shift_tile; a hash of these,
    // for a quick comparison; the first point of their cell.
    T_LOCAL_PTR(u32) cell;
    T_LOCAL_PTR(u32) key;
    T_LOCAL_PTR(u32) first_of_cell;
    // Of cells: a list of their first points, in any order. At these points: the number of the
    // cell's points; their sums, then where the trajectory starts, then the color of the mode.
    T_LOCAL_PTR(i32) list;
    T_LOCAL_PTR(u32) weight;
    T_LOCAL_PTR(u32) state;
    // Of items: sums of rows, in planes of mean_shift_items.
    T_LOCAL_PTR(u32) part;
    // Of slots, in planes of mean_shift_slots: where the trajectory is, and its last shift; the
    // first point of the cell, or mean_shift_tile in an idle slot; the round, -1 in a free slot.
    T_LOCAL_PTR(i32) center;
    T_LOCAL_PTR(i32) shift;
    T_LOCAL_PTR(i32) cell_of_slot;
    T_LOCAL_PTR(i32) round;
    // Of the group: the next cell of the list, its length, slots that are not idle; rounds of all
    // cells, and trajectories that the limit of rounds stopped.
    T_LOCAL_PTR(i32) next_cell;
    T_LOCAL_PTR(i32) listed;
    T_LOCAL_PTR(i32) busy_slots;
    T_LOCAL_PTR(u32) total;
} ms_fast_tile;

#define MEAN_SHIFT_CHANNELS 1
#include "kernels/mean_shift/mean_shift_fast_samples.body.h"
#define MEAN_SHIFT_AXES 2
#include "kernels/mean_shift/mean_shift_fast.body.h"
#undef MEAN_SHIFT_AXES
#define MEAN_SHIFT_AXES 4
#include "kernels/mean_shift/mean_shift_fast.body.h"
#undef MEAN_SHIFT_AXES
#undef MEAN_SHIFT_SAMPLE
#undef MEAN_SHIFT_BITS_0
#undef MEAN_SHIFT_BITS_1
#undef MEAN_SHIFT_BITS_2
#undef MEAN_SHIFT_CHANNELS

#define MEAN_SHIFT_CHANNELS 3
#include "kernels/mean_shift/mean_shift_fast_samples.body.h"
#define MEAN_SHIFT_AXES 2
#include "kernels/mean_shift/mean_shift_fast.body.h"
#undef MEAN_SHIFT_AXES
#define MEAN_SHIFT_AXES 4
#include "kernels/mean_shift/mean_shift_fast.body.h"
#undef MEAN_SHIFT_AXES
#undef MEAN_SHIFT_SAMPLE
#undef MEAN_SHIFT_BITS_0
#undef MEAN_SHIFT_BITS_1
#undef MEAN_SHIFT_BITS_2
#undef MEAN_SHIFT_CHANNELS

#include "kernels/end.h"
