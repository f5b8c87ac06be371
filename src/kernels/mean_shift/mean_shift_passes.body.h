// The passes that seek the modes, for one channel count; mean_shift.kernel.h sets
// MEAN_SHIFT_CHANNELS.
//
// Members that still move after a pass are listed, with their `position` in planes of `count` and
// their features in `mode`. The next pass takes them from the list, and finds the checkpoints that
// they left.
#define MEAN_SHIFT_OF(name) T_JOIN(T_JOIN(name, _), MEAN_SHIFT_CHANNELS)

// The state of point i of the lattice before its first round.
T_FUNCTION void MEAN_SHIFT_OF(ms_first_state)(const mean_shift_window* w,
                                              T_GLOBAL_PTR(const i32) features, i32 i, i32* point) {
    const i32 row = i / w->n[0];
    const i32 x = i - row * w->n[0];
    T_GLOBAL_PTR(const i32)
    sample = features + ms_row_at(row, w->pitch, MEAN_SHIFT_CHANNELS) +
             ms_in_row(x, MEAN_SHIFT_CHANNELS);
    const i32 slice = row / w->n[1];
    const i32 frame = slice / w->n[2];
    point[0] = x * w->step[0];
    point[1] = (row - slice * w->n[1]) * w->step[1];
    point[2] = (slice - frame * w->n[2]) * w->step[2];
    point[3] = frame * w->step[3];
    for (i32 c = 0; c < 3; ++c)
        point[4 + c] = c < MEAN_SHIFT_CHANNELS ? sample[ms_to_channel(c, w->plane)] : 0;
}

// The state of a member, point i of the lattice, when it was listed.
T_FUNCTION void MEAN_SHIFT_OF(ms_load_state)(const mean_shift_window* w,
                                             T_GLOBAL_PTR(const i32) mode,
                                             T_GLOBAL_PTR(const i32) position, i32 i, i32 count,
                                             i32 member, i32* point) {
    const i32 axes = ms_axes(w);
    for (i32 c = 0; c < 4; ++c) point[c] = c < axes ? position[(i64)c * count + member] : 0;
    for (i32 c = 0; c < 3; ++c)
        point[4 + c] = c < MEAN_SHIFT_CHANNELS ? mode[c * w->points + i] : 0;
}

// The slot of another member's checkpoint at the state `point` of `member`; -1 if none is found.
T_FUNCTION i32 MEAN_SHIFT_OF(ms_find_checkpoint)(T_GLOBAL_PTR(const u32) checkpoints, i32 room,
                                                 i32 keep, i32 axes, i32 member, const i32* point) {
    const u32 hash = ms_hash(point);
    if (!ms_is_checkpoint(hash, keep)) return -1;
    i32 slot = (i32)T_MUL_HIGH(hash, (u32)room);
    for (i32 probe = 0; probe < ms_probes; ++probe) {
        const u32 key = checkpoints[slot];
        if (key == MEAN_SHIFT_NO_CHECKPOINT) return -1;
        if (key >> ms_member_bits == ms_checkpoint_key(hash, 0) >> ms_member_bits) {
            T_GLOBAL_PTR(const u32)
            state =
                checkpoints + room + (i64)slot * MEAN_SHIFT_STATE_WORDS(axes, MEAN_SHIFT_CHANNELS);
            i32 equal = 1;
            for (i32 c = 0; c < axes; ++c) equal = equal & ((i32)state[c] == point[c]);
            for (i32 c = 0; c < MEAN_SHIFT_CHANNELS; ++c)
                equal = equal & ((i32)state[axes + c] == point[4 + c]);
            if (equal) return ms_checkpoint_member(checkpoints, slot) == member ? -1 : slot;
        }
        slot = slot + 1 == room ? 0 : slot + 1;
    }
    return -1;
}

// Leaves a checkpoint, if the state is one of those that are kept and finds a slot.
T_FUNCTION void MEAN_SHIFT_OF(ms_leave_checkpoint)(T_GLOBAL_PTR(u32) checkpoints, i32 room,
                                                   i32 keep, i32 axes, i32 member,
                                                   const i32* point) {
    const u32 hash = ms_hash(point);
    if (!ms_is_checkpoint(hash, keep)) return;
    i32 slot = (i32)T_MUL_HIGH(hash, (u32)room);
    for (i32 probe = 0; probe < ms_probes; ++probe) {
        if (T_ATOMIC_CAS(checkpoints + slot, MEAN_SHIFT_NO_CHECKPOINT,
                         ms_checkpoint_key(hash, member)) == MEAN_SHIFT_NO_CHECKPOINT) {
            T_GLOBAL_PTR(u32)
            state =
                checkpoints + room + (i64)slot * MEAN_SHIFT_STATE_WORDS(axes, MEAN_SHIFT_CHANNELS);
            for (i32 c = 0; c < axes; ++c) state[c] = (u32)point[c];
            for (i32 c = 0; c < MEAN_SHIFT_CHANNELS; ++c) state[axes + c] = (u32)point[4 + c];
            return;
        }
        slot = slot + 1 == room ? 0 : slot + 1;
    }
}

// Ends the search of a member after `round` rounds. `moves`: it was stopped by the cap. `path` is
// the last place of its path.
T_FUNCTION void MEAN_SHIFT_OF(ms_finish)(T_GLOBAL_PTR(i32) mode, T_GLOBAL_PTR(i32) position,
                                         T_GLOBAL_PTR(u32) rounds, T_GLOBAL_PTR(u32) counters,
                                         i64 points, i32 i, i32 member, const i32* point, i32 round,
                                         i32 moves, i32 path) {
    for (i32 c = 0; c < MEAN_SHIFT_CHANNELS; ++c) mode[c * points + i] = point[4 + c];
    position[member] = path;
    rounds[member] = (u32)(round + moves);
    ms_count_rounds(counters, member, round, moves);
}

// One pass, one item per member. Takes the members from `begin` to `end` of the list `from`, whose
// length is counters[source]; if `source` is 0, members number `begin` to `end`, before their first
// round. Those that still move after round `until` are listed in `list`, counted in
// counters[target], and leave checkpoints in `new_checkpoints`; if `until` is `cap`, their search
// ends. `checkpoints` are those of the pass before.
T_GROUP_KERNEL(MEAN_SHIFT_OF(mean_shift_seek_modes), 64, 1, 1,
               (T_IN(i32) features, T_OUT(i32) mode, T_OUT(i32) position, T_OUT(u32) rounds,
                T_IN(u32) from, T_OUT(u32) list, T_IN(u32) checkpoints, T_OUT(u32) new_checkpoints,
                T_OUT(u32) counters, mean_shift_window w, mean_shift_pass pass)) {
    T_LOCAL(i64, sums, ms_group * ms_sums);
    const i32 axes = ms_axes(&w);
    const i32 count = pass.count;
    const i32 length =
        pass.source > 0 ? T_MIN(pass.end, (i32)T_LOAD(u32, counters + pass.source)) : pass.end;
    T_PHASE {
        const i32 entry = pass.begin + T_GX * ms_group + T_LX;
        if (entry < length) {
            const i32 member = pass.source > 0 ? (i32)from[entry] : entry;
            const i32 i = ms_in_bands(&w, pass.first + member);
            i32 point[ms_coordinates];
            if (pass.source == 0) {
                MEAN_SHIFT_OF(ms_first_state)(&w, features, i, point);
            } else {
                MEAN_SHIFT_OF(ms_load_state)(&w, mode, position, i, count, member, point);
            }
            i32 round = pass.before;
            i32 moves = 1;
            i32 slot = MEAN_SHIFT_OF(ms_find_checkpoint)(
                checkpoints, pass.checkpoints_room, pass.checkpoints_keep, axes, member, point);
            while (slot < 0 && moves && round < pass.until) {
                moves = MEAN_SHIFT_OF(ms_round)(&w, features, point, sums + T_LX);
                ++round;
                if (moves && round < pass.until)
                    slot = MEAN_SHIFT_OF(ms_find_checkpoint)(checkpoints, pass.checkpoints_room,
                                                             pass.checkpoints_keep, axes, member,
                                                             point);
            }
            if (slot >= 0) {
                const i32 other = ms_checkpoint_member(checkpoints, slot);
                ms_merge(position, rounds, count, member, other, round - pass.before,
                         MEAN_SHIFT_MERGED);
            } else if (!moves || round == pass.cap) {
                MEAN_SHIFT_OF(ms_finish)
                (mode, position, rounds, counters, w.points, i, member, point, round, moves, -1);
            } else {
                for (i32 c = 0; c < MEAN_SHIFT_CHANNELS; ++c) mode[c * w.points + i] = point[4 + c];
                for (i32 c = 0; c < axes; ++c) position[(i64)c * count + member] = point[c];
                MEAN_SHIFT_OF(ms_leave_checkpoint)
                (new_checkpoints, pass.new_room, pass.new_keep, axes, member, point);
                list[T_ATOMIC_ADD(counters + pass.target, 1u)] = (u32)member;
            }
        }
    }
}

#include "kernels/mean_shift/mean_shift_last_pass.body.h"

#undef MEAN_SHIFT_OF
