// Mean shift with a flat window over fixed-point features (Martin Gaspar 2011, sections 2.1, 4.1
// and 4.2; docs/mean-shift.md).
//
// Positions and features are integers, means are rounded quotients of integer sums, and which
// samples are in the window follows from integer comparisons (space, time) and from IEEE
// single-precision products and sums in one fixed order (range): no result depends on order, vector
// width, number of threads or device.
#define T_FILE mean_shift
#include "kernels/begin.h"
#include "kernels/vectors.h"

// The image as a lattice of points along x, y, z and t, whose rows stand `pitch` values apart, and
// the window. Axis a has steps of step[a] units, and the window a radius of radius[a] steps; limits
// are squares of the bandwidths in units. Radii and inverses of steps and of the spatial radius are
// estimates.
typedef struct {
    i64 points;
    i64 plane;  // values from channel to channel
    i64 spatial_limit2, time_limit2;
    i32 n[4], step[4];
    i32 rows, pitch;
    f32 inverse_step[4], radius[4];
    f32 inverse_radius;
    f32 range_limit2, inverse_spatial2, inverse_time2, inverse_range2, epsilon2;
} mean_shift_window;

// Those along which points move.
T_FUNCTION i32 t_axes(const mean_shift_window* w) { return w->n[3] > 1 ? 4 : w->n[2] > 1 ? 3 : 2; }

// Where a point is: x, y, z, t and up to three features, in this order.
enum { t_coordinates = 7 };
// Sums over the samples of a window: their count, then the coordinates as differences: places to
// the lattice point that t_nearby gives, features to the point's.
enum { t_sums = 8 };

T_FUNCTION i64 t_square(i32 a) { return (i64)a * a; }
T_FUNCTION f32 t_square_f32(i32 a) { return (f32)a * (f32)a; }

// sum / count, rounded to the nearest, halves up. Where the division of 64-bit integers is slow,
// single precision divides what is left over once more.
T_FUNCTION i32 t_mean(i64 sum, i64 count) {
    const i64 denominator = 2 * count;
    i64 rest = 2 * sum + count;
    i64 quotient = 0;
    if (V_WIDTH > 1) {
        quotient = rest / denominator;
        rest -= quotient * denominator;
    } else {
        const f32 inverse = T_RECIPROCAL_ROUGH((f32)denominator);
        T_UNROLL for (i32 i = 0; i < 2; ++i) {
            const i64 part = (i64)((f32)rest * inverse);
            quotient += part;
            rest -= part * denominator;
        }
    }
    // What is left over now is less than two denominators.
    T_UNROLL for (i32 i = 0; i < 2; ++i) {
        if (rest < 0) {
            --quotient;
            rest += denominator;
        }
    }
    if (rest >= denominator) ++quotient;
    return (i32)quotient;
}

// The lattice point at `center` or next to it.
T_FUNCTION i32 t_nearby(i32 center, f32 inverse_step) { return (i32)((f32)center * inverse_step); }

// Where a window of this radius may reach on an axis: all lattice points inside it, and at times
// one that is not, counted from `beside`; the point is `beyond` units behind that.
typedef struct {
    i32 beside, beyond, first, last;
} t_span;
T_FUNCTION t_span t_reach(i32 center, i32 step, f32 inverse_step, i32 count, f32 radius) {
    t_span span;
    span.beside = t_nearby(center, inverse_step);
    span.beyond = center - span.beside * step;
    const f32 fraction = (f32)span.beyond * inverse_step;
    const f32 reach = radius * (1.0f + 1.0f / 1048576.0f) + 1.0f / 1024.0f;
    span.first = T_MAX(-span.beside, -(i32)T_FLOOR(reach - fraction));
    span.last = T_MIN(count - 1 - span.beside, (i32)T_FLOOR(reach + fraction));
    return span;
}
// About the distance of lattice point i of a span from the point, in radii.
T_FUNCTION f32 t_distance(i32 i, f32 inverse_radius, i32 step, i32 beyond) {
    return (f32)(i * step - beyond) * inverse_radius;
}

// Whether lattice point i of an axis is inside the open interval around `center`.
T_FUNCTION i32 t_inside(i32 i, i32 step, i32 center, i64 limit2) {
    const i64 d = (i64)i * step - center;
    return d * d < limit2;
}

// First and last lattice point of a row that the window holds; first > last where it holds none.
typedef struct {
    i32 first, last, doubtful;
} t_ends;
// `share` estimates the part of the squared radius that y and z leave to x.
T_FUNCTION t_ends t_ends_of_row(const mean_shift_window* w, i32 beside, f32 fraction, f32 share) {
    const f32 half_width = w->radius[0] * T_SQRT_ROUGH(T_MAX(share, 0.0f));
    const f32 low = half_width - fraction;
    const f32 high = half_width + fraction;
    const f32 before = T_FLOOR(low);
    const f32 behind = T_FLOOR(high);
    t_ends ends;
    ends.first = T_MAX(0, beside - (i32)before);
    ends.last = T_MIN(w->n[0] - 1, beside + (i32)behind);
    // Near a whole number, or where little is left, rounding could decide.
    const f32 rest = low - before;
    const f32 other_rest = high - behind;
    const f32 clearance = T_MIN(rest - rest * rest, other_rest - other_rest * other_rest);
    ends.doubtful = clearance < w->radius[0] * (1.0f / 65536.0f) || share < 1.0f / 4096.0f;
    return ends;
}
// Integers decide: the row is dy and dz units away.
T_FUNCTION void t_settle_ends(const mean_shift_window* w, i32 center, i32 dy, i32 dz,
                              t_ends* ends) {
    const i64 limit2 = w->spatial_limit2 - t_square(dz) - t_square(dy);
    i32 i = T_CLAMP(ends->first, 0, w->n[0] - 1);
    while (i > 0 && t_inside(i - 1, w->step[0], center, limit2)) --i;
    while (i < w->n[0] - 1 && (i64)i * w->step[0] < center &&
           !t_inside(i, w->step[0], center, limit2))
        ++i;
    const i32 holds_some = t_inside(i, w->step[0], center, limit2);
    ends->first = i;
    i = holds_some ? T_CLAMP(ends->last, i, w->n[0] - 1) : i - 1;
    while (holds_some && i + 1 < w->n[0] && t_inside(i + 1, w->step[0], center, limit2)) ++i;
    while (holds_some && !t_inside(i, w->step[0], center, limit2)) --i;
    ends->last = i;
}

// Points are taken in bands of this many rows, column by column: those that follow one another are
// close to one another, and their windows share samples.
enum { t_band = 4 };
T_FUNCTION i32 t_in_bands(const mean_shift_window* w, i32 k) {
    const i32 first_row = k / w->n[0] / t_band * t_band;
    const i32 height = T_MIN(t_band, w->rows - first_row);
    const i32 inside = k - first_row * w->n[0];
    return (first_row + inside % height) * w->n[0] + inside / height;
}

// Checkpoints: at some rounds points leave their number and their state in a hash table. A point
// that comes to a state in which another has been has the same trajectory from there: it stops, and
// the two are merged. An entry has a key, which holds the number and some bits of the state's hash,
// and the state; the keys come first, so that few lines of a cache are read where nothing is found.
#define MEAN_SHIFT_NO_CHECKPOINT 0xFFFFFFFFu
enum { t_member_bits = 26, t_probes = 4 };
// Paths: states on the trajectory of a point, for those that are merged with a part of it. An entry
// holds the place of the one before, or -1, its round and the state.
#define MEAN_SHIFT_PATH_WORDS(axes, channels) (2 + (axes) + (channels))
T_FUNCTION u32 t_hash(const i32* point) {
    u32 hash = 0;
    T_UNROLL for (i32 c = 0; c < t_coordinates; ++c) {
        hash = (hash ^ (u32)point[c]) * 0x9E3779B1u;
        hash ^= hash >> 15;
    }
    return hash;
}
// Of all states `keep` of 1024 are checkpoints, chosen by their hash, so that they are as dense in
// all parts of an image.
T_FUNCTION i32 t_is_checkpoint(u32 hash, i32 keep) { return (i32)(hash >> 6 & 1023u) < keep; }
T_FUNCTION u32 t_checkpoint_key(u32 hash, i32 member) {
    return hash << t_member_bits | (u32)member;
}

// A pass over a part of the image, whose members are points first to first + count - 1, taken in
// bands: from round `before` to `until`, of at most `cap`.
typedef struct {
    i32 first, count;
    i32 before, until, cap;
    i32 begin, end;                          // entries of the list that are taken
    i32 source, target;                      // counters of the lists that are read and written
    i32 checkpoints_room, checkpoints_keep;  // of those that the pass before left
    i32 new_room, new_keep;                  // of those that this one leaves
} mean_shift_pass;

// The last pass, from round `before` to `cap`, or the launch after it that `ends` the search.
typedef struct {
    i32 first, count;
    i32 before, cap;
    i32 source;
    i32 checkpoints_room, checkpoints_keep;
    i32 paths_room, stride;
    i32 lanes;  // items for a point
    i32 ends;
} mean_shift_last_pass;

// The two uses of a member's entry in `rounds`: how many it took, one more than allowed where it
// still moves; or that it is merged with another, whose number, or in the last pass whose
// checkpoint's slot, and the rounds it lags behind stand in the first two planes of `position`. In
// the last pass a member may have a path: the place of its last state, or -1, stands in the lower
// bits of `rounds`, one more, where the member is merged, and else in the first plane.
#define MEAN_SHIFT_MERGED 0x80000000u
#define MEAN_SHIFT_MERGED_AT_CHECKPOINT 0xC0000000u
enum { t_group = 64 };  // items of a group
T_FUNCTION void t_merge(T_GLOBAL_PTR(i32) position, T_GLOBAL_PTR(u32) rounds, i32 count, i32 member,
                        i32 other, i32 lag, u32 how) {
    position[member] = other;
    position[(i64)count + member] = lag;
    rounds[member] = how;
}
T_FUNCTION i32 t_checkpoint_member(T_GLOBAL_PTR(const u32) checkpoints, i32 slot) {
    return (i32)(checkpoints[slot] & ((1u << t_member_bits) - 1u));
}
T_FUNCTION i32 t_merged_into(T_GLOBAL_PTR(const i32) position, T_GLOBAL_PTR(const u32) rounds,
                             T_GLOBAL_PTR(const u32) checkpoints, i32 member) {
    const i32 other = position[member];
    return rounds[member] >= MEAN_SHIFT_MERGED_AT_CHECKPOINT
               ? t_checkpoint_member(checkpoints, other)
               : other;
}

// Counters: [0] points taken by groups, [1] states of paths, [2] points that still move in the end,
// [3] and up the lengths of lists, [16] and up the rounds of all points, to be added up, and [8]
// how often one of these has passed 2^32.
enum {
    t_counts_path_points = 1,
    t_counts_moving = 2,
    t_counts_carried = 8,
    t_counts_rounds = 16,
    t_round_counters = 32
};
T_FUNCTION void t_count_rounds(T_GLOBAL_PTR(u32) counters, i32 member, i32 taken, i32 moves) {
    const u32 before =
        T_ATOMIC_ADD(counters + t_counts_rounds + member % t_round_counters, (u32)taken);
    if (before + (u32)taken < before) T_ATOMIC_ADD(counters + t_counts_carried, 1u);
    if (moves) T_ATOMIC_ADD(counters + t_counts_moving, 1u);
}

// Where samples stand: on a CPU in planes, one for each channel, whose rows are `pitch` values
// apart. On a GPU in rows of `pitch` samples; in a row the first block of each channel, then the
// next ones: what is read together is close together, and rows begin at different banks.
T_FUNCTION i64 t_row_at(i64 row, i32 pitch, i32 channels) {
    return row * pitch * (V_WIDTH > 1 ? 1 : channels);
}
T_FUNCTION i32 t_in_row(i32 x, i32 channels) {
    return V_WIDTH > 1 ? x : x / V_BLOCK * V_BLOCK * channels + x % V_BLOCK;
}
T_FUNCTION i64 t_to_channel(i32 channel, i64 plane) {
    return channel * (V_WIDTH > 1 ? plane : (i64)V_BLOCK);
}

// Takes features, planes of points, to their places as samples.
T_KERNEL(mean_shift_arrange_samples,
         (T_IN(i32) features, T_OUT(i32) samples, i32 nx, i32 rows, i32 channels, i32 pitch)) {
    T_INDEX2(x, line);
    const i32 channel = line / rows;
    const i32 row = line - channel * rows;
    samples[t_row_at(row, pitch, channels) + t_in_row(x, channels) +
            t_to_channel(channel, (i64)pitch * rows)] = features[(i64)line * nx + x];
}

#define MEAN_SHIFT_CHANNELS 1
#include "kernels/mean_shift/mean_shift.body.h"
#include "kernels/mean_shift/mean_shift_passes.body.h"
#undef MEAN_SHIFT_CHANNELS
#define MEAN_SHIFT_CHANNELS 3
#include "kernels/mean_shift/mean_shift.body.h"
#include "kernels/mean_shift/mean_shift_passes.body.h"
#undef MEAN_SHIFT_CHANNELS

#undef MEAN_SHIFT_NO_CHECKPOINT
#undef MEAN_SHIFT_PATH_WORDS
#undef MEAN_SHIFT_MERGED
#undef MEAN_SHIFT_MERGED_AT_CHECKPOINT
#include "kernels/end.h"
