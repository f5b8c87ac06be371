// The passes that seek the modes, for one channel count; mean_shift.kernel.h sets
// MEAN_SHIFT_CHANNELS.
//
// Members that still move after a pass are listed, with their `position` in planes of `count` and
// their features in `mode`. The next pass takes them from the list, and finds the checkpoints that
// they left.
#define MEAN_SHIFT_OF(name) T_JOIN(T_JOIN(name, _), MEAN_SHIFT_CHANNELS)
#define MEAN_SHIFT_STATE_WORDS(axes) ((axes) + MEAN_SHIFT_CHANNELS)

// Point i of the lattice at its own place.
T_FUNCTION void MEAN_SHIFT_OF(t_first_state)(const mean_shift_window* w,
                                             T_GLOBAL_PTR(const i32) features, i32 i, i32* point) {
    const i32 row = i / w->n[0];
    const i32 x = i - row * w->n[0];
    T_GLOBAL_PTR(const i32)
    sample =
        features + t_row_at(row, w->pitch, MEAN_SHIFT_CHANNELS) + t_in_row(x, MEAN_SHIFT_CHANNELS);
    const i32 slice = row / w->n[1];
    const i32 frame = slice / w->n[2];
    point[0] = x * w->step[0];
    point[1] = (row - slice * w->n[1]) * w->step[1];
    point[2] = (slice - frame * w->n[2]) * w->step[2];
    point[3] = frame * w->step[3];
    for (i32 c = 0; c < 3; ++c)
        point[4 + c] = c < MEAN_SHIFT_CHANNELS ? sample[t_to_channel(c, w->plane)] : 0;
}

// A member, point i of the lattice, where it was when it was listed.
T_FUNCTION void MEAN_SHIFT_OF(t_load_state)(const mean_shift_window* w,
                                            T_GLOBAL_PTR(const i32) mode,
                                            T_GLOBAL_PTR(const i32) position, i32 i, i32 count,
                                            i32 member, i32* point) {
    const i32 axes = t_axes(w);
    for (i32 c = 0; c < 4; ++c) point[c] = c < axes ? position[(i64)c * count + member] : 0;
    for (i32 c = 0; c < 3; ++c)
        point[4 + c] = c < MEAN_SHIFT_CHANNELS ? mode[c * w->points + i] : 0;
}

// The slot of a checkpoint at the state in which `member` is, or -1 where nobody else's is found.
T_FUNCTION i32 MEAN_SHIFT_OF(t_find_checkpoint)(T_GLOBAL_PTR(const u32) checkpoints, i32 room,
                                                i32 keep, i32 axes, i32 member, const i32* point) {
    const u32 hash = t_hash(point);
    if (!t_is_checkpoint(hash, keep)) return -1;
    i32 slot = (i32)T_MUL_HIGH(hash, (u32)room);
    for (i32 probe = 0; probe < t_probes; ++probe) {
        const u32 key = checkpoints[slot];
        if (key == MEAN_SHIFT_NO_CHECKPOINT) return -1;
        if (key >> t_member_bits == t_checkpoint_key(hash, 0) >> t_member_bits) {
            T_GLOBAL_PTR(const u32)
            state = checkpoints + room + (i64)slot * MEAN_SHIFT_STATE_WORDS(axes);
            i32 equal = 1;
            for (i32 c = 0; c < axes; ++c) equal = equal & ((i32)state[c] == point[c]);
            for (i32 c = 0; c < MEAN_SHIFT_CHANNELS; ++c)
                equal = equal & ((i32)state[axes + c] == point[4 + c]);
            if (equal) return t_checkpoint_member(checkpoints, slot) == member ? -1 : slot;
        }
        slot = slot + 1 == room ? 0 : slot + 1;
    }
    return -1;
}

// Leaves a checkpoint, where there is room, if the state is one of those that are kept.
T_FUNCTION void MEAN_SHIFT_OF(t_leave_checkpoint)(T_GLOBAL_PTR(u32) checkpoints, i32 room, i32 keep,
                                                  i32 axes, i32 member, const i32* point) {
    const u32 hash = t_hash(point);
    if (!t_is_checkpoint(hash, keep)) return;
    i32 slot = (i32)T_MUL_HIGH(hash, (u32)room);
    for (i32 probe = 0; probe < t_probes; ++probe) {
        if (T_ATOMIC_CAS(checkpoints + slot, MEAN_SHIFT_NO_CHECKPOINT,
                         t_checkpoint_key(hash, member)) == MEAN_SHIFT_NO_CHECKPOINT) {
            T_GLOBAL_PTR(u32) state = checkpoints + room + (i64)slot * MEAN_SHIFT_STATE_WORDS(axes);
            for (i32 c = 0; c < axes; ++c) state[c] = (u32)point[c];
            for (i32 c = 0; c < MEAN_SHIFT_CHANNELS; ++c) state[axes + c] = (u32)point[4 + c];
            return;
        }
        slot = slot + 1 == room ? 0 : slot + 1;
    }
}

// A member that is done after `round` rounds, the last of which moved it no more or was the last
// allowed. Its first position becomes the last place of its path.
T_FUNCTION void MEAN_SHIFT_OF(t_finish)(T_GLOBAL_PTR(i32) mode, T_GLOBAL_PTR(i32) position,
                                        T_GLOBAL_PTR(u32) rounds, T_GLOBAL_PTR(u32) counters,
                                        i64 points, i32 i, i32 member, const i32* point, i32 round,
                                        i32 moves, i32 path) {
    for (i32 c = 0; c < MEAN_SHIFT_CHANNELS; ++c) mode[c * points + i] = point[4 + c];
    position[member] = path;
    rounds[member] = (u32)(round + moves);
    t_count_rounds(counters, member, round, moves);
}

// Adds a state to a path, where there is room; the path's last place.
T_FUNCTION i32 MEAN_SHIFT_OF(t_extend_path)(T_GLOBAL_PTR(u32) paths, i32 room,
                                            T_GLOBAL_PTR(u32) counters, i32 axes, i32 path,
                                            i32 round, const i32* point) {
    const i32 place = (i32)T_ATOMIC_ADD(counters + t_counts_path_points, 1u);
    if (place >= room) return path;
    T_GLOBAL_PTR(u32) entry = paths + (i64)place * MEAN_SHIFT_PATH_WORDS(axes, MEAN_SHIFT_CHANNELS);
    entry[0] = (u32)path;
    entry[1] = (u32)round;
    for (i32 c = 0; c < axes; ++c) entry[2 + c] = (u32)point[c];
    for (i32 c = 0; c < MEAN_SHIFT_CHANNELS; ++c) entry[2 + axes + c] = (u32)point[4 + c];
    return place;
}

// The last state before round `cap` that was kept on the trajectory of `member`, parts of which are
// those of others, and the rounds of `member` there; 0 where there is none.
T_FUNCTION i32 MEAN_SHIFT_OF(t_restore_state)(const mean_shift_last_pass* pass, i32 axes,
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
        const u32 how = rounds[current];
        is_merged = how >= MEAN_SHIFT_MERGED;
        // Its path, as far as it went itself.
        i32 place =
            is_merged ? (i32)(how & ~MEAN_SHIFT_MERGED_AT_CHECKPOINT) - 1 : position[current];
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
            // The checkpoint where it was merged.
            lag += position[(i64)pass->count + current];
            if (how >= MEAN_SHIFT_MERGED_AT_CHECKPOINT && before + lag < cap &&
                before + lag > made) {
                made = before + lag;
                state = checkpoints + pass->checkpoints_room +
                        (i64)position[current] * MEAN_SHIFT_STATE_WORDS(axes);
            }
            current = t_merged_into(position, rounds, checkpoints, current);
        }
    }
    for (i32 c = 0; c < 4; ++c) point[c] = c < axes ? (i32)state[c] : 0;
    for (i32 c = 0; c < 3; ++c) point[4 + c] = c < MEAN_SHIFT_CHANNELS ? (i32)state[axes + c] : 0;
    return made;
}

// One pass, an item a point. Takes the members from `begin` to `end` of `from`, whose length stands
// in counters[source], or all members, at their own places, where source is 0. Those that still
// move go to `list`, counted in counters[target], or are done where `until` is `cap`. The
// pass before left `checkpoints`, if any were kept.
T_GROUP_KERNEL(MEAN_SHIFT_OF(mean_shift_seek_modes), 64, 1, 1,
               (T_IN(i32) features, T_OUT(i32) mode, T_OUT(i32) position, T_OUT(u32) rounds,
                T_IN(u32) from, T_OUT(u32) list, T_IN(u32) checkpoints, T_OUT(u32) new_checkpoints,
                T_OUT(u32) counters, mean_shift_window w, mean_shift_pass pass)) {
    T_LOCAL(i64, sums, 64 * 8);
    const i32 axes = t_axes(&w);
    const i32 count = pass.count;
    const i32 length =
        pass.source > 0 ? T_MIN(pass.end, (i32)T_LOAD(u32, counters + pass.source)) : pass.end;
    T_PHASE {
        const i32 entry = pass.begin + T_GX * t_group + T_LX;
        if (entry < length) {
            const i32 member = pass.source > 0 ? (i32)from[entry] : entry;
            const i32 i = t_in_bands(&w, pass.first + member);
            i32 point[t_coordinates];
            if (pass.source == 0) {
                MEAN_SHIFT_OF(t_first_state)(&w, features, i, point);
            } else {
                MEAN_SHIFT_OF(t_load_state)(&w, mode, position, i, count, member, point);
            }
            i32 round = pass.before;
            i32 moves = 1;
            i32 slot = MEAN_SHIFT_OF(t_find_checkpoint)(checkpoints, pass.checkpoints_room,
                                                        pass.checkpoints_keep, axes, member, point);
            while (slot < 0 && moves && round < pass.until) {
                moves = MEAN_SHIFT_OF(t_round)(&w, features, point, sums + T_LX);
                ++round;
                if (moves && round < pass.until)
                    slot = MEAN_SHIFT_OF(t_find_checkpoint)(checkpoints, pass.checkpoints_room,
                                                            pass.checkpoints_keep, axes, member,
                                                            point);
            }
            if (slot >= 0) {
                const i32 other = t_checkpoint_member(checkpoints, slot);
                t_merge(position, rounds, count, member, other, round - pass.before,
                        MEAN_SHIFT_MERGED);
            } else if (!moves || round == pass.cap) {
                MEAN_SHIFT_OF(t_finish)
                (mode, position, rounds, counters, w.points, i, member, point, round, moves, -1);
            } else {
                for (i32 c = 0; c < MEAN_SHIFT_CHANNELS; ++c) mode[c * w.points + i] = point[4 + c];
                for (i32 c = 0; c < axes; ++c) position[(i64)c * count + member] = point[c];
                MEAN_SHIFT_OF(t_leave_checkpoint)
                (new_checkpoints, pass.new_room, pass.new_keep, axes, member, point);
                list[T_ATOMIC_ADD(counters + pass.target, 1u)] = (u32)member;
            }
        }
    }
}

// Gives a member that is merged with others the mode of the last of those; whether it could, and
// does not stop before, because the trajectory is more than `cap` rounds long.
T_FUNCTION i32 MEAN_SHIFT_OF(t_take_merged_mode)(
    const mean_shift_window* w, const mean_shift_last_pass* pass, T_GLOBAL_PTR(i32) mode,
    T_GLOBAL_PTR(const i32) position, T_GLOBAL_PTR(const u32) rounds,
    T_GLOBAL_PTR(const u32) checkpoints, T_GLOBAL_PTR(u32) counters, i32 member) {
    const i32 cap = pass->cap;
    i32 other = member;
    i32 lag = 0;
    // Cut short in a circle.
    while (rounds[other] >= MEAN_SHIFT_MERGED && lag <= cap) {
        lag += position[(i64)pass->count + other];
        other = t_merged_into(position, rounds, checkpoints, other);
    }
    const i64 taken = (i64)lag + rounds[other];
    if (lag > 0 && taken > cap) return 0;
    const i32 from = t_in_bands(w, pass->first + other);
    const i32 to = t_in_bands(w, pass->first + member);
    for (i32 c = 0; c < MEAN_SHIFT_CHANNELS; ++c)
        mode[c * w->points + to] = mode[c * w->points + from];
    t_count_rounds(counters, member, (i32)T_MIN(taken, (i64)cap), taken > cap);
    return 1;
}

// The last pass, where few points take many rounds: each is moved by `lanes` items or more, which
// share the rows of its window, and items that are done take the next point of `from`, whose length
// stands in counters[source]; counters[0] counts those taken. Every `stride` rounds the state of a
// point is added to its path, where there is room.
//
// A launch that `ends` the search gives merged members their modes, one an item. The few that the
// cap stops before are moved there, from the last state that was kept.
//
// Phases: slots are set up; merged members get their modes. Then, until no slot is busy: free slots
// take a point; busy slots are listed; items sum rows of windows; sums become shifts; points move,
// and are merged, done or go to the next round.
T_GROUP_KERNEL(MEAN_SHIFT_OF(mean_shift_seek_last_modes), 64, 1, 1,
               (T_IN(i32) features, T_OUT(i32) mode, T_OUT(i32) position, T_OUT(u32) rounds,
                T_IN(u32) from, T_IN(u32) checkpoints, T_OUT(u32) paths, T_OUT(u32) counters,
                mean_shift_window w, mean_shift_last_pass pass)) {
    T_LOCAL(i64, sums, 64 * 8);
    T_LOCAL(i32, point, 64 * 8);
    T_LOCAL(i32, shift, 64 * 8);
    T_LOCAL(i32, member, 64);
    T_LOCAL(i32, round, 64);
    T_LOCAL(i32, path, 64);
    T_LOCAL(i32, busy, 64);
    T_LOCAL(i32, busy_count, 1);
    T_LOCAL(i32, unresolved, 64);
    T_LOCAL(i32, unresolved_count, 2);  // and of those taken
    const i32 axes = t_axes(&w);
    const i32 count = pass.count;
    const i32 before = pass.before;
    const i32 ends = pass.ends;
    const i32 lanes = pass.lanes;
    T_PHASE {
        round[T_LX] = -1;  // takes a point before its first round
        member[T_LX] = T_LX < 64 / lanes ? 0 : -1;
        if (T_LX < 2) unresolved_count[T_LX] = 0;
    }
    T_PHASE {
        const i32 m = T_GX * t_group + T_LX;
        if (ends && m < count && rounds[m] >= MEAN_SHIFT_MERGED &&
            !MEAN_SHIFT_OF(t_take_merged_mode)(&w, &pass, mode, position, rounds, checkpoints,
                                               counters, m))
            unresolved[T_ATOMIC_ADD(unresolved_count, 1)] = m;
    }
    T_PHASE {}
    const i32 total = ends ? unresolved_count[0] : (i32)counters[pass.source];
    while (1) {
        // Points that are done make room for the next.
        T_PHASE {
            const i32 slot = T_LX;
            while (member[slot] >= 0 && round[slot] < 0) {
                const i32 k =
                    ends ? T_ATOMIC_ADD(unresolved_count + 1, 1) : (i32)T_ATOMIC_ADD(counters, 1u);
                if (k >= total) {
                    member[slot] = -1;
                } else {
                    const i32 m = ends ? unresolved[k] : (i32)from[k];
                    const i32 i = t_in_bands(&w, pass.first + m);
                    i32 here[t_coordinates];
                    i32 found = -1;
                    i32 made = before;
                    if (ends) {
                        made = MEAN_SHIFT_OF(t_restore_state)(&pass, axes, position, rounds,
                                                              checkpoints, paths, m, here);
                        if (made == 0) MEAN_SHIFT_OF(t_first_state)(&w, features, i, here);
                    } else {
                        MEAN_SHIFT_OF(t_load_state)(&w, mode, position, i, count, m, here);
                        found =
                            MEAN_SHIFT_OF(t_find_checkpoint)(checkpoints, pass.checkpoints_room,
                                                             pass.checkpoints_keep, axes, m, here);
                    }
                    if (found >= 0) {
                        t_merge(position, rounds, count, m, found, 0,
                                MEAN_SHIFT_MERGED_AT_CHECKPOINT);
                    } else {
                        for (i32 c = 0; c < t_coordinates; ++c) point[c * 64 + slot] = here[c];
                        member[slot] = m;
                        round[slot] = made;
                        path[slot] = -1;
                    }
                }
            }
        }
        T_PHASE {
            if (T_LX == 0) {
                i32 found = 0;
                for (i32 slot = 0; slot < 64 / lanes; ++slot)
                    if (member[slot] >= 0) busy[found++] = slot;
                busy_count[0] = found;
            }
        }
        T_PHASE {}
        if (busy_count[0] == 0) break;
        // The fewer points, the more items for each: a row's, or half a row's.
        i32 width = lanes;
        while (width < 64 && 2 * width * busy_count[0] <= 64) width *= 2;
        const i32 sides = width == 64 ? 2 : 1;
        T_PHASE {
            if (T_LX / width < busy_count[0]) {
                const i32 slot = busy[T_LX / width];
                i32 here[t_coordinates];
                for (i32 c = 0; c < t_coordinates; ++c) here[c] = point[c * 64 + slot];
                MEAN_SHIFT_OF(t_sum_window)
                (&w, features, here, T_LX % width / sides, width / sides, T_LX % sides, sides,
                 sums + T_LX);
            }
        }
        T_PHASE {
            if (T_LX / width < busy_count[0]) {
                const i32 slot = busy[T_LX / width];
                const i32 begin = T_LX / width * width;
                i32 here[t_coordinates];
                for (i32 c = 0; c < t_coordinates; ++c) here[c] = point[c * 64 + slot];
                i64 samples = 0;
                for (i32 l = 0; l < width; ++l) samples += sums[begin + l];
                for (i32 c = T_LX % width; c < 4 + MEAN_SHIFT_CHANNELS; c += width) {
                    i64 sum = 0;
                    for (i32 l = 0; l < width; ++l) sum += sums[(1 + c) * 64 + begin + l];
                    shift[c * 64 + slot] = MEAN_SHIFT_OF(t_shift)(&w, here, c, sum, samples);
                }
            }
        }
        T_PHASE {
            const i32 slot = T_LX;
            if (member[slot] >= 0) {
                const i32 m = member[slot];
                i32 here[t_coordinates];
                i32 moved[t_coordinates];
                for (i32 c = 0; c < t_coordinates; ++c) {
                    moved[c] = c < 4 + MEAN_SHIFT_CHANNELS ? shift[c * 64 + slot] : 0;
                    here[c] = point[c * 64 + slot] + moved[c];
                    point[c * 64 + slot] = here[c];
                }
                const i32 taken = ++round[slot];
                const i32 moves = MEAN_SHIFT_OF(t_goes_on)(&w, moved);
                const i32 found =
                    moves && taken < pass.cap && !ends
                        ? MEAN_SHIFT_OF(t_find_checkpoint)(checkpoints, pass.checkpoints_room,
                                                           pass.checkpoints_keep, axes, m, here)
                        : -1;
                if (found >= 0) {
                    t_merge(position, rounds, count, m, found, taken - before,
                            MEAN_SHIFT_MERGED_AT_CHECKPOINT + (u32)(path[slot] + 1));
                    round[slot] = -1;
                } else if (!moves || taken == pass.cap) {
                    if (ends) {
                        const i32 i = t_in_bands(&w, pass.first + m);
                        for (i32 c = 0; c < MEAN_SHIFT_CHANNELS; ++c)
                            mode[c * w.points + i] = here[4 + c];
                        t_count_rounds(counters, m, taken, moves);
                    } else {
                        MEAN_SHIFT_OF(t_finish)
                        (mode, position, rounds, counters, w.points, t_in_bands(&w, pass.first + m),
                         m, here, taken, moves, path[slot]);
                    }
                    round[slot] = -1;
                } else if (!ends && (taken - before) % pass.stride == 0) {
                    path[slot] = MEAN_SHIFT_OF(t_extend_path)(paths, pass.paths_room, counters,
                                                              axes, path[slot], taken, here);
                }
            }
        }
    }
}

#undef MEAN_SHIFT_STATE_WORDS
#undef MEAN_SHIFT_OF
