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

// The image as a lattice of points along x, y, z and t, whose rows are `pitch` values apart, and
// the window. The points of axis a are step[a] units apart, and the window's radius is radius[a]
// steps; limits are squares of the bandwidths in units. Radii and inverses of steps and of the
// spatial radius are estimates.
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

// The axes along which points move.
T_FUNCTION i32 ms_axes(const mean_shift_window* w) { return w->n[3] > 1 ? 4 : w->n[2] > 1 ? 3 : 2; }

enum {
    ms_group = 64,       // items
    ms_coordinates = 7,  // of a point: x, y, z, t and up to three features, in this order
    // Sums over the samples of a window: their count, then the coordinates as differences: of
    // places from the lattice point ms_nearby, of features from the point's.
    ms_sums = 8
};

T_FUNCTION i64 ms_square(i32 a) { return (i64)a * a; }
T_FUNCTION f32 ms_square_f32(i32 a) { return (f32)a * (f32)a; }

// sum / count, rounded to the nearest, halves up. On a GPU, where the division of 64-bit integers
// is slow, single precision divides twice, the second time what the first one left over.
T_FUNCTION i32 ms_mean(i64 sum, i64 count) {
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
T_FUNCTION i32 ms_nearby(i32 center, f32 inverse_step) { return (i32)((f32)center * inverse_step); }

// The lattice points of an axis that a window may reach: all inside it, and at times one that is
// not. They are counted from `beside`, the lattice point next to the center, which is `beyond`
// units farther along the axis.
typedef struct {
    i32 beside, beyond, first, last;
} ms_span;
T_FUNCTION ms_span ms_reach(i32 center, i32 step, f32 inverse_step, i32 count, f32 radius) {
    ms_span span;
    span.beside = ms_nearby(center, inverse_step);
    span.beyond = center - span.beside * step;
    const f32 fraction = (f32)span.beyond * inverse_step;
    const f32 reach = radius * (1.0f + 1.0f / 1048576.0f) + 1.0f / 1024.0f;
    span.first = T_MAX(-span.beside, -(i32)T_FLOOR(reach - fraction));
    span.last = T_MIN(count - 1 - span.beside, (i32)T_FLOOR(reach + fraction));
    return span;
}
// About the distance of lattice point i of a span from the center, in radii.
T_FUNCTION f32 ms_distance(i32 i, f32 inverse_radius, i32 step, i32 beyond) {
    return (f32)(i * step - beyond) * inverse_radius;
}

// Whether lattice point i of an axis is inside the open interval around `center`.
T_FUNCTION i32 ms_inside(i32 i, i32 step, i32 center, i64 limit2) {
    const i64 d = (i64)i * step - center;
    return d * d < limit2;
}

// First and last lattice point of a row inside the window; first > last where none is. `doubtful`:
// rounding may have decided.
typedef struct {
    i32 first, last, doubtful;
} ms_ends;
// `share` estimates the part of the squared radius that y and z leave to x.
T_FUNCTION ms_ends ms_ends_of_row(const mean_shift_window* w, i32 beside, f32 fraction, f32 share) {
    const f32 half_width = w->radius[0] * T_SQRT_ROUGH(T_MAX(share, 0.0f));
    const f32 low = half_width - fraction;
    const f32 high = half_width + fraction;
    const f32 before = T_FLOOR(low);
    const f32 after = T_FLOOR(high);
    ms_ends ends;
    ends.first = T_MAX(0, beside - (i32)before);
    ends.last = T_MIN(w->n[0] - 1, beside + (i32)after);
    // Near a whole number, or where little is left, rounding could decide.
    const f32 rest = low - before;
    const f32 other_rest = high - after;
    const f32 clearance = T_MIN(rest - rest * rest, other_rest - other_rest * other_rest);
    ends.doubtful = clearance < w->radius[0] * (1.0f / 65536.0f) || share < 1.0f / 4096.0f;
    return ends;
}
// Corrects the ends by integers. The row is dy and dz units from the center.
T_FUNCTION void ms_settle_ends(const mean_shift_window* w, i32 center, i32 dy, i32 dz,
                               ms_ends* ends) {
    const i64 limit2 = w->spatial_limit2 - ms_square(dz) - ms_square(dy);
    i32 i = T_CLAMP(ends->first, 0, w->n[0] - 1);
    while (i > 0 && ms_inside(i - 1, w->step[0], center, limit2)) --i;
    while (i < w->n[0] - 1 && (i64)i * w->step[0] < center &&
           !ms_inside(i, w->step[0], center, limit2))
        ++i;
    const i32 holds_some = ms_inside(i, w->step[0], center, limit2);
    ends->first = i;
    i = holds_some ? T_CLAMP(ends->last, i, w->n[0] - 1) : i - 1;
    while (holds_some && i + 1 < w->n[0] && ms_inside(i + 1, w->step[0], center, limit2)) ++i;
    while (holds_some && !ms_inside(i, w->step[0], center, limit2)) --i;
    ends->last = i;
}

// Points are processed in bands of this many rows, column by column: consecutive points are close
// to each other, and their windows share samples. Returns point number k in this order.
enum { ms_band = 4 };
T_FUNCTION i32 ms_in_bands(const mean_shift_window* w, i32 k) {
    const i32 first_row = k / w->n[0] / ms_band * ms_band;
    const i32 height = T_MIN(ms_band, w->rows - first_row);
    const i32 in_band = k - first_row * w->n[0];
    return (first_row + in_band % height) * w->n[0] + in_band / height;
}

// A member is a point of the block that this launch processes: member m is point first + m in band
// order (ms_in_bands). Its state is its position and features; its trajectory, the sequence of its
// states, depends on the state alone.
//
// Checkpoints: at the end of a pass members leave their number and their state in a hash table. A
// member that comes to the state of another one has the same trajectory from there: it stops, and
// is merged with the other. An entry has a key, which holds the number and some bits of the state's
// hash, and the state; the keys come first, so that few cache lines are read where nothing is
// found.
#define MEAN_SHIFT_NO_CHECKPOINT 0xFFFFFFFFu
enum { ms_member_bits = 26, ms_probes = 4 };
// Paths: states on the trajectory of a member, for those that are merged with it. An entry holds
// the place of the entry before it, or -1, its round and the state.
#define MEAN_SHIFT_PATH_WORDS(axes, channels) (2 + (axes) + (channels))
#define MEAN_SHIFT_STATE_WORDS(axes, channels) ((axes) + (channels))
T_FUNCTION u32 ms_hash(const i32* point) {
    u32 hash = 0;
    T_UNROLL for (i32 c = 0; c < ms_coordinates; ++c) {
        hash = (hash ^ (u32)point[c]) * 0x9E3779B1u;
        hash ^= hash >> 15;
    }
    return hash;
}
// Of all states `keep` of 1024 are checkpoints, chosen by their hash, so that they are equally
// dense in all parts of an image.
T_FUNCTION i32 ms_is_checkpoint(u32 hash, i32 keep) { return (i32)(hash >> 6 & 1023u) < keep; }
T_FUNCTION u32 ms_checkpoint_key(u32 hash, i32 member) {
    return hash << ms_member_bits | (u32)member;
}

// A pass over the `count` members of a block: from round `before` to `until`, of at most `cap`.
typedef struct {
    i32 first, count;
    i32 before, until, cap;
    i32 begin, end;                          // entries of the list that this launch takes
    i32 source, target;                      // counters of the lists that are read and written
    i32 checkpoints_room, checkpoints_keep;  // of those that the pass before left
    i32 new_room, new_keep;                  // of those that this one leaves
} mean_shift_pass;

// The last pass, from round `before` to `cap`, and the launch that resolves merged members.
typedef struct {
    i32 first, count;
    i32 before, cap;
    i32 source;
    i32 checkpoints_room, checkpoints_keep;
    i32 paths_room, stride;
    i32 lanes;  // items for a member, at least
} mean_shift_last_pass;

// While a member moves, position[c * count + m] is its coordinate c. After that rounds[m] tells:
//   r < 2^31      finished after r rounds, or, where r is cap + 1, still moving after `cap`;
//                 position[m] is the last place of its path, or -1
//   MERGED        merged with member position[m]; its lag is position[count + m]
//   MERGED_AT_CHECKPOINT + 1 + p
//                 the same in the last pass, but position[m] is the slot of the other member's
//                 checkpoint, and p is the last place of this member's own path, or -1
// Lag: by how many rounds the member reaches a state later than the other one does.
#define MEAN_SHIFT_MERGED 0x80000000u
#define MEAN_SHIFT_MERGED_AT_CHECKPOINT 0xC0000000u
T_FUNCTION i32 ms_is_merged(T_GLOBAL_PTR(const u32) rounds, i32 member) {
    return rounds[member] >= MEAN_SHIFT_MERGED;
}
T_FUNCTION i32 ms_is_merged_at_checkpoint(T_GLOBAL_PTR(const u32) rounds, i32 member) {
    return rounds[member] >= MEAN_SHIFT_MERGED_AT_CHECKPOINT;
}
T_FUNCTION i32 ms_lag(T_GLOBAL_PTR(const i32) position, i32 count, i32 member) {
    return position[(i64)count + member];
}
// The last place of the path of a member that moves no more, or -1.
T_FUNCTION i32 ms_path_place(T_GLOBAL_PTR(const u32) rounds, T_GLOBAL_PTR(const i32) position,
                             i32 member) {
    return ms_is_merged(rounds, member)
               ? (i32)(rounds[member] & ~MEAN_SHIFT_MERGED_AT_CHECKPOINT) - 1
               : position[member];
}
T_FUNCTION void ms_merge(T_GLOBAL_PTR(i32) position, T_GLOBAL_PTR(u32) rounds, i32 count,
                         i32 member, i32 other, i32 lag, u32 how) {
    position[member] = other;
    position[(i64)count + member] = lag;
    rounds[member] = how;
}
T_FUNCTION i32 ms_checkpoint_member(T_GLOBAL_PTR(const u32) checkpoints, i32 slot) {
    return (i32)(checkpoints[slot] & ((1u << ms_member_bits) - 1u));
}
T_FUNCTION i32 ms_merged_into(T_GLOBAL_PTR(const i32) position, T_GLOBAL_PTR(const u32) rounds,
                              T_GLOBAL_PTR(const u32) checkpoints, i32 member) {
    const i32 other = position[member];
    return ms_is_merged_at_checkpoint(rounds, member) ? ms_checkpoint_member(checkpoints, other)
                                                      : other;
}

// Counters: [0] members taken from the list in the last pass, [1] entries of paths, [2] members
// that still move in the end, [3] and up the lengths of lists, [16] and up the rounds of all
// members, spread over ms_round_counters sums, and [8] how often one of these has passed 2^32.
enum {
    ms_counts_path_points = 1,
    ms_counts_moving = 2,
    ms_counts_carried = 8,
    ms_counts_rounds = 16,
    ms_round_counters = 32
};
T_FUNCTION void ms_count_rounds(T_GLOBAL_PTR(u32) counters, i32 member, i32 taken, i32 moves) {
    const u32 before =
        T_ATOMIC_ADD(counters + ms_counts_rounds + member % ms_round_counters, (u32)taken);
    if (before + (u32)taken < before) T_ATOMIC_ADD(counters + ms_counts_carried, 1u);
    if (moves) T_ATOMIC_ADD(counters + ms_counts_moving, 1u);
}

// The order of samples in memory: on a CPU planes, one for each channel, whose rows are `pitch`
// values apart. On a GPU rows of `pitch` samples, in which the first block of each channel is
// followed by the second ones and so on: what is read together is close together, and rows begin at
// different banks.
T_FUNCTION i64 ms_row_at(i64 row, i32 pitch, i32 channels) {
    return row * pitch * (V_WIDTH > 1 ? 1 : channels);
}
T_FUNCTION i32 ms_in_row(i32 x, i32 channels) {
    return V_WIDTH > 1 ? x : x / V_BLOCK * V_BLOCK * channels + x % V_BLOCK;
}
T_FUNCTION i64 ms_to_channel(i32 channel, i64 plane) {
    return channel * (V_WIDTH > 1 ? plane : (i64)V_BLOCK);
}

// The slots of a group in the last pass, each of which moves a member, and its local memory: values
// of slots, but for the sums, which are those of items. Coordinates and sums are planes of
// ms_group.
typedef struct {
    T_LOCAL_PTR(i64) sums;
    T_LOCAL_PTR(i32) point;
    T_LOCAL_PTR(i32) shift;
    T_LOCAL_PTR(i32) member;      // -1: the slot is idle for good
    T_LOCAL_PTR(i32) round;       // of the member; -1: the slot takes the next member
    T_LOCAL_PTR(i32) busy;        // list of slots with a member
    T_LOCAL_PTR(i32) busy_count;  // their number
} ms_slots;

// A slot for `lanes` items: the first items of the group have one each.
T_FUNCTION void ms_open_slots(const ms_slots slots, i32 lanes, i32 item) {
    slots.round[item] = -1;
    slots.member[item] = item < ms_group / lanes ? 0 : -1;
}
T_FUNCTION i32 ms_takes_member(const ms_slots slots, i32 slot) {
    return slots.member[slot] >= 0 && slots.round[slot] < 0;
}
T_FUNCTION void ms_fill_slot(const ms_slots slots, i32 slot, i32 member, i32 round,
                             const i32* point) {
    for (i32 c = 0; c < ms_coordinates; ++c) slots.point[c * ms_group + slot] = point[c];
    slots.member[slot] = member;
    slots.round[slot] = round;
}
T_FUNCTION void ms_list_busy(const ms_slots slots, i32 lanes) {
    i32 found = 0;
    for (i32 slot = 0; slot < ms_group / lanes; ++slot)
        if (slots.member[slot] >= 0) slots.busy[found++] = slot;
    slots.busy_count[0] = found;
}
// How many items share the work of a busy slot: the fewer slots are busy, the more.
T_FUNCTION i32 ms_items_per_slot(const ms_slots slots, i32 lanes) {
    i32 width = lanes;
    while (width < ms_group && 2 * width * slots.busy_count[0] <= ms_group) width *= 2;
    return width;
}

// Copies features, planes of points, to their places as samples.
T_KERNEL(mean_shift_arrange_samples,
         (T_IN(i32) features, T_OUT(i32) samples, i32 nx, i32 rows, i32 channels, i32 pitch)) {
    T_INDEX2(x, line);
    const i32 channel = line / rows;
    const i32 row = line - channel * rows;
    samples[ms_row_at(row, pitch, channels) + ms_in_row(x, channels) +
            ms_to_channel(channel, (i64)pitch * rows)] = features[(i64)line * nx + x];
}

// A segment is a part of a row that is added up at once: two sums share a word, in the lower
// ms_place_bits the count of samples, above them the sum of their places in the segment.
enum {
    ms_segment = 256,  // samples
    ms_place_bits = 9,
    ms_place_unit = 1 << ms_place_bits,
    ms_most_samples = 2047 - ms_segment  // in partial sums before the next segment
};

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
#undef MEAN_SHIFT_STATE_WORDS
#undef MEAN_SHIFT_MERGED
#undef MEAN_SHIFT_MERGED_AT_CHECKPOINT
#include "kernels/end.h"
