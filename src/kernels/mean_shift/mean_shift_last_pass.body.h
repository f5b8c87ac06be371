// The last pass, where few members take many rounds, and the launch that resolves merged members,
// for one channel count: part of mean_shift_passes.body.h.

// ---- A round of the busy slots -----------------------------------------------------------------

// Items `width` * b and up share the rows of the window of busy slot b, or, where one slot has all
// items, halves of rows.
T_FUNCTION void MEAN_SHIFT_OF(ms_sum_slot)(const mean_shift_window* w,
                                           T_GLOBAL_PTR(const i32) features, const ms_slots slots,
                                           i32 width, i32 item) {
    if (item / width >= slots.busy_count[0]) return;
    const i32 slot = slots.busy[item / width];
    const i32 sides = width == ms_group ? 2 : 1;
    i32 point[ms_coordinates];
    for (i32 c = 0; c < ms_coordinates; ++c) point[c] = slots.point[c * ms_group + slot];
    MEAN_SHIFT_OF(ms_sum_window)
    (w, features, point, item % width / sides, width / sides, item % sides, sides,
     slots.sums + item);
}

// The slot's items add up their sums: each makes the shift of every `width`-th coordinate.
T_FUNCTION void MEAN_SHIFT_OF(ms_shift_slot)(const mean_shift_window* w, const ms_slots slots,
                                             i32 width, i32 item) {
    if (item / width >= slots.busy_count[0]) return;
    const i32 slot = slots.busy[item / width];
    const i32 begin = item / width * width;
    i32 point[ms_coordinates];
    for (i32 c = 0; c < ms_coordinates; ++c) point[c] = slots.point[c * ms_group + slot];
    i64 samples = 0;
    for (i32 l = 0; l < width; ++l) samples += slots.sums[begin + l];
    for (i32 c = item % width; c < 4 + MEAN_SHIFT_CHANNELS; c += width) {
        i64 sum = 0;
        for (i32 l = 0; l < width; ++l) sum += slots.sums[(1 + c) * ms_group + begin + l];
        slots.shift[c * ms_group + slot] = MEAN_SHIFT_OF(ms_shift)(w, point, c, sum, samples);
    }
}

// Moves the slot's member by its shift, to `point`. Returns whether it continues.
T_FUNCTION i32 MEAN_SHIFT_OF(ms_move_slot)(const mean_shift_window* w, const ms_slots slots,
                                           i32 slot, i32* point) {
    i32 shift[ms_coordinates];
    for (i32 c = 0; c < ms_coordinates; ++c) {
        shift[c] = c < 4 + MEAN_SHIFT_CHANNELS ? slots.shift[c * ms_group + slot] : 0;
        point[c] = slots.point[c * ms_group + slot] + shift[c];
        slots.point[c * ms_group + slot] = point[c];
    }
    ++slots.round[slot];
    return MEAN_SHIFT_OF(ms_continues)(w, shift);
}

// ---- The last pass -----------------------------------------------------------------------------

// Adds a state to a path, if it fits. Returns the path's last place.
T_FUNCTION i32 MEAN_SHIFT_OF(ms_extend_path)(T_GLOBAL_PTR(u32) paths, i32 room,
                                             T_GLOBAL_PTR(u32) counters, i32 axes, i32 path,
                                             i32 round, const i32* point) {
    const i32 place = (i32)T_ATOMIC_ADD(counters + ms_counts_path_points, 1u);
    if (place >= room) return path;
    T_GLOBAL_PTR(u32) entry = paths + (i64)place * MEAN_SHIFT_PATH_WORDS(axes, MEAN_SHIFT_CHANNELS);
    entry[0] = (u32)path;
    entry[1] = (u32)round;
    for (i32 c = 0; c < axes; ++c) entry[2 + c] = (u32)point[c];
    for (i32 c = 0; c < MEAN_SHIFT_CHANNELS; ++c) entry[2 + axes + c] = (u32)point[4 + c];
    return place;
}

// Each member is moved by `lanes` items or more, which share the rows of its window, and slots
// whose member is done take the next one of the list `from`, whose length is counters[source];
// counters[0] counts the members that are taken. Every `stride` rounds the state of a member is
// added to its path, if it fits. Phases:
//   1. open the slots.
// Until no slot is busy:
//   2. free slots take members from the list; those at a checkpoint are merged at once;
//   3. list the busy slots;
//   4. (empty) a barrier before the number of busy slots is read;
//   5. sum the rows of windows;
//   6. sums become shifts;
//   7. move the members, which are merged, done, or continue.
T_GROUP_KERNEL(MEAN_SHIFT_OF(mean_shift_seek_last_modes), 64, 1, 1,
               (T_IN(i32) features, T_OUT(i32) mode, T_OUT(i32) position, T_OUT(u32) rounds,
                T_IN(u32) from, T_IN(u32) checkpoints, T_OUT(u32) paths, T_OUT(u32) counters,
                mean_shift_window w, mean_shift_last_pass pass)) {
    T_LOCAL(i64, sums, ms_group * ms_sums);
    T_LOCAL(i32, point, ms_group * ms_coordinates);
    T_LOCAL(i32, shift, ms_group * ms_coordinates);
    T_LOCAL(i32, member, ms_group);
    T_LOCAL(i32, round, ms_group);
    T_LOCAL(i32, path, ms_group);  // the last place of the member's path, or -1
    T_LOCAL(i32, busy, ms_group);
    T_LOCAL(i32, busy_count, 1);
    const ms_slots slots = {sums, point, shift, member, round, busy, busy_count};
    const i32 axes = ms_axes(&w);
    const i32 count = pass.count;
    const i32 listed = (i32)counters[pass.source];
    // Phase 1.
    T_PHASE { ms_open_slots(slots, pass.lanes, T_LX); }
    while (1) {
        // Phase 2.
        T_PHASE {
            const i32 slot = T_LX;
            while (ms_takes_member(slots, slot)) {
                const i32 k = (i32)T_ATOMIC_ADD(counters, 1u);
                if (k >= listed) {
                    member[slot] = -1;
                } else {
                    const i32 m = (i32)from[k];
                    i32 here[ms_coordinates];
                    MEAN_SHIFT_OF(ms_load_state)
                    (&w, mode, position, ms_in_bands(&w, pass.first + m), count, m, here);
                    const i32 found = MEAN_SHIFT_OF(ms_find_checkpoint)(
                        checkpoints, pass.checkpoints_room, pass.checkpoints_keep, axes, m, here);
                    if (found >= 0) {
                        ms_merge(position, rounds, count, m, found, 0,
                                 MEAN_SHIFT_MERGED_AT_CHECKPOINT);
                    } else {
                        ms_fill_slot(slots, slot, m, pass.before, here);
                        path[slot] = -1;
                    }
                }
            }
        }
        // Phase 3.
        T_PHASE {
            if (T_LX == 0) ms_list_busy(slots, pass.lanes);
        }
        // Phase 4.
        T_PHASE {}
        if (busy_count[0] == 0) break;
        const i32 width = ms_items_per_slot(slots, pass.lanes);
        // Phase 5.
        T_PHASE { MEAN_SHIFT_OF(ms_sum_slot)(&w, features, slots, width, T_LX); }
        // Phase 6.
        T_PHASE { MEAN_SHIFT_OF(ms_shift_slot)(&w, slots, width, T_LX); }
        // Phase 7.
        T_PHASE {
            const i32 slot = T_LX;
            const i32 m = member[slot];
            if (m >= 0) {
                i32 here[ms_coordinates];
                const i32 moves = MEAN_SHIFT_OF(ms_move_slot)(&w, slots, slot, here);
                const i32 taken = round[slot];
                const i32 found =
                    moves && taken < pass.cap
                        ? MEAN_SHIFT_OF(ms_find_checkpoint)(checkpoints, pass.checkpoints_room,
                                                            pass.checkpoints_keep, axes, m, here)
                        : -1;
                if (found >= 0) {
                    ms_merge(position, rounds, count, m, found, taken - pass.before,
                             MEAN_SHIFT_MERGED_AT_CHECKPOINT + (u32)(path[slot] + 1));
                    round[slot] = -1;
                } else if (!moves || taken == pass.cap) {
                    MEAN_SHIFT_OF(ms_finish)
                    (mode, position, rounds, counters, w.points, ms_in_bands(&w, pass.first + m), m,
                     here, taken, moves, path[slot]);
                    round[slot] = -1;
                } else if ((taken - pass.before) % pass.stride == 0) {
                    path[slot] = MEAN_SHIFT_OF(ms_extend_path)(paths, pass.paths_room, counters,
                                                               axes, path[slot], taken, here);
                }
            }
        }
    }
}

// ---- Merged members ----------------------------------------------------------------------------

// Follows the chain of merges from `member` to the one that was not merged, and copies its mode.
// Returns 0, and copies nothing, if the trajectory of `member` is longer than `cap` rounds, so that
// it ends before that mode.
T_FUNCTION i32 MEAN_SHIFT_OF(ms_take_merged_mode)(
    const mean_shift_window* w, const mean_shift_last_pass* pass, T_GLOBAL_PTR(i32) mode,
    T_GLOBAL_PTR(const i32) position, T_GLOBAL_PTR(const u32) rounds,
    T_GLOBAL_PTR(const u32) checkpoints, T_GLOBAL_PTR(u32) counters, i32 member) {
    const i32 cap = pass->cap;
    i32 other = member;
    i32 lag = 0;
    // Members that are merged in a circle never end: their lag exceeds the cap.
    while (ms_is_merged(rounds, other) && lag <= cap) {
        lag += ms_lag(position, pass->count, other);
        other = ms_merged_into(position, rounds, checkpoints, other);
    }
    const i64 taken = (i64)lag + rounds[other];
    if (lag > 0 && taken > cap) return 0;
    const i32 from = ms_in_bands(w, pass->first + other);
    const i32 to = ms_in_bands(w, pass->first + member);
    for (i32 c = 0; c < MEAN_SHIFT_CHANNELS; ++c)
        mode[c * w->points + to] = mode[c * w->points + from];
    ms_count_rounds(counters, member, (i32)T_MIN(taken, (i64)cap), taken > cap);
    return 1;
}

// Follows the chain of merges from `member` to the last stored state, in a path or a checkpoint,
// that `member` reaches before round `cap`. Returns the round in which it does, 0 if no state is
// stored.
T_FUNCTION i32 MEAN_SHIFT_OF(ms_restore_state)(const mean_shift_last_pass* pass, i32 axes,
                                               T_GLOBAL_PTR(const i32) position,
                                               T_GLOBAL_PTR(const u32) rounds,
                                               T_GLOBAL_PTR(const u32) checkpoints,
                                               T_GLOBAL_PTR(const u32) paths, i32 member,
                                               i32* point) {
    const i32 before = pass->before;
    const i32 cap = pass->cap;
    T_GLOBAL_PTR(const u32) state = checkpoints;
    i32 made = 0;
    i32 lag = 0;
    i32 current = member;
    i32 is_merged = 1;
    while (is_merged && before + lag < cap) {
        is_merged = ms_is_merged(rounds, current);
        // The path of the current member, backward to the first state in time.
        i32 place = ms_path_place(rounds, position, current);
        i32 round_there = cap;
        while (place >= 0 && round_there + lag >= cap) {
            T_GLOBAL_PTR(const u32)
            entry = paths + (i64)place * MEAN_SHIFT_PATH_WORDS(axes, MEAN_SHIFT_CHANNELS);
            round_there = (i32)entry[1];
            if (round_there + lag > made && round_there + lag < cap) {
                made = round_there + lag;
                state = entry + 2;
            }
            place = (i32)entry[0];
        }
        if (is_merged) {
            // In the last pass, at a checkpoint that the other member left in round `before`.
            lag += ms_lag(position, pass->count, current);
            if (ms_is_merged_at_checkpoint(rounds, current) && before + lag < cap &&
                before + lag > made) {
                made = before + lag;
                state = checkpoints + pass->checkpoints_room +
                        (i64)position[current] * MEAN_SHIFT_STATE_WORDS(axes, MEAN_SHIFT_CHANNELS);
            }
            current = ms_merged_into(position, rounds, checkpoints, current);
        }
    }
    for (i32 c = 0; c < 4; ++c) point[c] = c < axes ? (i32)state[c] : 0;
    for (i32 c = 0; c < 3; ++c) point[4 + c] = c < MEAN_SHIFT_CHANNELS ? (i32)state[axes + c] : 0;
    return made;
}

// Gives merged members their modes, one item per member. The few that the cap stops before are
// moved to round `cap`, from the last stored state of their trajectory. Phases:
//   1. open the slots;
//   2. merged members take the modes of others, or are listed as unresolved;
//   3. (empty) a barrier before the number of unresolved members is read.
// Then as in mean_shift_seek_last_modes, but for the list and where members end:
//   4. free slots take unresolved members;
//   5. list the busy slots;
//   6. (empty) a barrier before the number of busy slots is read;
//   7. sum the rows of windows;
//   8. sums become shifts;
//   9. move the members, which are done or continue.
T_GROUP_KERNEL(MEAN_SHIFT_OF(mean_shift_resolve_merged), 64, 1, 1,
               (T_IN(i32) features, T_OUT(i32) mode, T_IN(i32) position, T_IN(u32) rounds,
                T_IN(u32) checkpoints, T_IN(u32) paths, T_OUT(u32) counters, mean_shift_window w,
                mean_shift_last_pass pass)) {
    T_LOCAL(i64, sums, ms_group * ms_sums);
    T_LOCAL(i32, point, ms_group * ms_coordinates);
    T_LOCAL(i32, shift, ms_group * ms_coordinates);
    T_LOCAL(i32, member, ms_group);
    T_LOCAL(i32, round, ms_group);
    T_LOCAL(i32, busy, ms_group);
    T_LOCAL(i32, busy_count, 1);
    T_LOCAL(i32, unresolved, ms_group);
    T_LOCAL(i32, unresolved_count, 1);
    T_LOCAL(i32, unresolved_taken, 1);
    const ms_slots slots = {sums, point, shift, member, round, busy, busy_count};
    // Phase 1.
    T_PHASE {
        ms_open_slots(slots, pass.lanes, T_LX);
        if (T_LX == 0) {
            unresolved_count[0] = 0;
            unresolved_taken[0] = 0;
        }
    }
    // Phase 2.
    T_PHASE {
        const i32 m = T_GX * ms_group + T_LX;
        if (m < pass.count && ms_is_merged(rounds, m) &&
            !MEAN_SHIFT_OF(ms_take_merged_mode)(&w, &pass, mode, position, rounds, checkpoints,
                                                counters, m))
            unresolved[T_ATOMIC_ADD(unresolved_count, 1)] = m;
    }
    // Phase 3.
    T_PHASE {}
    const i32 listed = unresolved_count[0];
    while (1) {
        // Phase 4.
        T_PHASE {
            const i32 slot = T_LX;
            if (ms_takes_member(slots, slot)) {
                const i32 k = T_ATOMIC_ADD(unresolved_taken, 1);
                if (k >= listed) {
                    member[slot] = -1;
                } else {
                    const i32 m = unresolved[k];
                    i32 here[ms_coordinates];
                    const i32 made = MEAN_SHIFT_OF(ms_restore_state)(
                        &pass, ms_axes(&w), position, rounds, checkpoints, paths, m, here);
                    if (made == 0) MEAN_SHIFT_OF(ms_first_state)
                    (&w, features, ms_in_bands(&w, pass.first + m), here);
                    ms_fill_slot(slots, slot, m, made, here);
                }
            }
        }
        // Phase 5.
        T_PHASE {
            if (T_LX == 0) ms_list_busy(slots, pass.lanes);
        }
        // Phase 6.
        T_PHASE {}
        if (busy_count[0] == 0) break;
        const i32 width = ms_items_per_slot(slots, pass.lanes);
        // Phase 7.
        T_PHASE { MEAN_SHIFT_OF(ms_sum_slot)(&w, features, slots, width, T_LX); }
        // Phase 8.
        T_PHASE { MEAN_SHIFT_OF(ms_shift_slot)(&w, slots, width, T_LX); }
        // Phase 9.
        T_PHASE {
            const i32 slot = T_LX;
            const i32 m = member[slot];
            if (m >= 0) {
                i32 here[ms_coordinates];
                const i32 moves = MEAN_SHIFT_OF(ms_move_slot)(&w, slots, slot, here);
                if (!moves || round[slot] == pass.cap) {
                    const i32 i = ms_in_bands(&w, pass.first + m);
                    for (i32 c = 0; c < MEAN_SHIFT_CHANNELS; ++c)
                        mode[c * w.points + i] = here[4 + c];
                    ms_count_rounds(counters, m, round[slot], moves);
                    round[slot] = -1;
                }
            }
        }
    }
}
