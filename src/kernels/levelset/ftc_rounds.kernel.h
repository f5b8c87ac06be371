// Decisions between the rounds of a run, on the device: when it ends, and speeds that adapt to the
// objects.
#define T_FILE ftc_rounds
#include "kernels/begin.h"
#include "kernels/levelset/ftc_grid.h"

// Moves `sums` to `last`, and clears them.
T_FUNCTION void ftc_take_sums(T_GLOBAL_PTR(u32) sums, T_GLOBAL_PTR(u32) last, const i32 objects) {
    for (i32 k = 0; k < objects * ftc_sum_words; ++k) {
        last[ftc_sum_words + k] = sums[ftc_sum_words + k];
        sums[ftc_sum_words + k] = 0;
    }
}

// Takes the sums of the initial state. All speeds are new then.
T_KERNEL(ftc_begin, (T_OUT(u32) control, T_OUT(u32) hash, T_OUT(u32) sums, T_OUT(u32) last,
                     const i32 objects)) {
    T_INDEX1(item);
    if (item > 0) return;
    ftc_take_sums(sums, last, objects);
    control[ftc_new_speeds] = 1;
    for (i32 k = 0; k < 2; ++k) hash[k] = 0;
}

// The end of a round. A run is stable if its last evolution step moved nothing and speeds did not
// change. A state whose hash is that of an earlier round begins a limit cycle.
T_KERNEL(ftc_end_round, (T_OUT(u32) control, T_OUT(u32) hash, T_OUT(u32) sums, T_OUT(u32) last,
                         const i32 round, const i32 steps, const i32 objects, const i64 most)) {
    T_INDEX1(item);
    if (item > 0 || control[ftc_stop] != 0) return;
    u32 reason = 0;
    ftc_take_sums(sums, last, objects);
    for (i32 k = 1; k <= objects; ++k) {
        const u64 points = (u64)last[k * ftc_sum_words + 1] << 32 | last[k * ftc_sum_words];
        if (points > (u64)most) reason = ftc_too_large;
    }
    const i32 slots = round < ftc_history ? round : ftc_history;
    for (i32 k = 0; k < slots && reason == 0; ++k) {
        T_GLOBAL_PTR(const u32) earlier = control + ftc_hashes + 2 * k;
        if (earlier[0] != hash[0] || earlier[1] != hash[1]) continue;
        reason = ftc_limit_cycle;
        const i32 slot = round % ftc_history;
        control[ftc_period] = (u32)(k < slot ? slot - k : slot - k + ftc_history);
    }
    if (control[ftc_step_moved + steps - 1] == 0 && (round == 0 || control[ftc_new_speeds] == 0))
        reason = ftc_stable;
    for (i32 k = 0; k < 2; ++k) {
        control[ftc_hashes + 2 * (round % ftc_history) + k] = hash[k];
        hash[k] = 0;
    }
    for (i32 k = 0; k < steps; ++k) control[ftc_step_moved + k] = 0;
    control[ftc_new_speeds] = 0;
    control[ftc_stop] = reason;
    control[ftc_stop_round] = (u32)round;
}

// Copies the words that the host reads.
T_KERNEL(ftc_copy_stop, (T_IN(u32) control, T_OUT(u32) known)) {
    T_INDEX1(item);
    if (item > 0) return;
    known[0] = control[ftc_stop];
    known[1] = control[ftc_stop_round];
    known[2] = control[ftc_period];
}

T_FUNCTION i64 ftc_root(const i64 v) {
    i64 root = 0;
    for (i64 bit = (i64)1 << 20; bit > 0; bit >>= 1)
        if ((root + bit) * (root + bit) <= v) root += bit;
    return root;
}

// Statistics of an object: mean and deviation of its current levels and of those of its seeds, in
// 1/16 of a level. A deviation of 0 means unknown: the object had neither seeds nor points.
enum {
    ftc_mean = 0,
    ftc_deviation = 1,
    ftc_seed_mean = 2,
    ftc_seed_deviation = 3,
    ftc_statistics = 4
};

// Updates them from the sums. The mean drifts by at most `drift` / 256 deviations of the seeds, the
// deviation by the factor 1 + `drift` / 256. In the first round they are those of the seeds, or of
// the object's points if no seeds are left.
T_KERNEL(ftc_update_statistics, (T_IN(u32) last, T_OUT(i32) statistics, T_OUT(u32) control,
                                 const i32 first, const i32 drift)) {
    T_INDEX1(item);
    const i32 object = item + 1;
    T_GLOBAL_PTR(const u32) sums = last + object * ftc_sum_words;
    T_GLOBAL_PTR(i32) own = statistics + object * ftc_statistics;
    const i64 points = (i64)((u64)sums[1] << 32 | sums[0]);
    if (control[ftc_stop] != 0 || points == 0) return;
    const i64 sum = (i64)((u64)sums[3] << 32 | sums[2]);
    const i64 squares = (i64)((u64)sums[5] << 32 | sums[4]);
    i64 mean = (16 * sum + points / 2) / points;
    const i64 variance = 256 * squares / points - mean * mean;
    const i64 least = 16;
    i64 deviation = ftc_root(T_MAX(variance, 0));
    deviation = T_MAX(deviation, least);
    if (first || own[ftc_seed_deviation] == 0) {
        own[ftc_seed_mean] = (i32)mean;
        own[ftc_seed_deviation] = (i32)deviation;
    } else {
        const i64 seed_mean = own[ftc_seed_mean];
        const i64 seed_deviation = own[ftc_seed_deviation];
        const i64 away = seed_deviation * drift / 256;
        mean = T_CLAMP(mean, seed_mean - away, seed_mean + away);
        const i64 lowest = seed_deviation * 256 / (256 + drift);
        deviation = T_CLAMP(deviation, lowest, seed_deviation + away);
    }
    if (first || own[ftc_mean] != (i32)mean || own[ftc_deviation] != (i32)deviation)
        T_STORE(u32, control + ftc_new_speeds, 1u);
    own[ftc_mean] = (i32)mean;
    own[ftc_deviation] = (i32)deviation;
}

// The speed of each object at each level, in 1/256: `multiplier` less the distance from its mean in
// deviations. An object with unknown statistics does not grow.
T_KERNEL(ftc_update_speeds,
         (T_IN(i32) statistics, T_IN(u32) control, T_OUT(i32) speeds, const i32 multiplier)) {
    T_INDEX2(level, item);
    if (control[ftc_new_speeds] == 0) return;
    const i32 object = item + 1;
    const i64 mean = statistics[object * ftc_statistics + ftc_mean];
    const i64 deviation = statistics[object * ftc_statistics + ftc_deviation];
    i32 speed = -(1 << 30);
    if (level != ftc_outside && deviation > 0) {
        const i64 away = 16 * level - mean;
        speed = multiplier - (i32)(256 * (away < 0 ? -away : away) / deviation);
    }
    speeds[object * ftc_levels + level] = speed;
}

// New speeds may move points of every tile.
T_KERNEL(ftc_activate_all,
         (T_IN(u32) control, T_OUT(u32) active, const i32 step, const i32 tiles)) {
    T_INDEX1(tile);
    if (control[ftc_new_speeds] != 0) active[ftc_active_now(step) * tiles + tile] = 1;
}

#include "kernels/end.h"
