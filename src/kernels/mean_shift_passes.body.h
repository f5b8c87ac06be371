// The passes of the climb for one channel count; mean_shift.kernel.h sets T_CHANNELS.
//
// The members of a climb are points first to first + count - 1, taken in bands. Those that still
// move after a pass are listed, with their `position` in planes of `count` and their features in
// `mode`. The next pass takes them from the list, and finds the marks that they left.
#define T_NAMED(name) T_JOIN(name, T_CHANNELS)
#define T_MARK_WORDS(axes) (1 + (axes) + T_CHANNELS)

// Point i of the lattice at its own place.
T_FUNCTION void T_NAMED(t_start_)(const t_window* w, T_GLOBAL_PTR(const i32) features, i32 i,
                                  i32* point) {
    const i32 row = i / w->nx;
    const i32 x = i - row * w->nx;
    const i64 at = (i64)row * w->pitch + x;
    const i32 slice = row / w->ny;
    const i32 frame = slice / w->nz;
    point[0] = x * w->step_x;
    point[1] = (row - slice * w->ny) * w->step_y;
    point[2] = (slice - frame * w->nz) * w->step_z;
    point[3] = frame * w->step_t;
    point[4] = features[at];
    point[5] = T_CHANNELS == 3 ? features[at + w->plane] : 0;
    point[6] = T_CHANNELS == 3 ? features[at + 2 * w->plane] : 0;
}

// A member, point i of the lattice, where it was when it was listed.
T_FUNCTION void T_NAMED(t_resume_)(T_GLOBAL_PTR(const i32) mode, T_GLOBAL_PTR(const i32) position,
                                   i64 points, i32 i, i32 axes, i32 count, i32 member, i32* point) {
    for (i32 c = 0; c < 4; ++c) point[c] = c < axes ? position[(i64)c * count + member] : 0;
    for (i32 c = 0; c < 3; ++c) point[4 + c] = c < T_CHANNELS ? mode[c * points + i] : 0;
}

// Who left a mark at the state in which `member` is, or -1 where nobody else is found.
T_FUNCTION i32 T_NAMED(t_leader_)(T_GLOBAL_PTR(const u32) marks, i32 room, i32 axes, i32 member,
                                  const i32* point) {
    if (room == 0) return -1;
    const u32 hash = t_hash(point);
    i32 slot = (i32)T_MUL_HIGH(hash, (u32)room);
    for (i32 probe = 0; probe < t_probes; ++probe) {
        T_GLOBAL_PTR(const u32) mark = marks + (i64)slot * T_MARK_WORDS(axes);
        const u32 name = mark[0];
        if (name == T_NO_MARK) return -1;
        if (name >> t_number_bits == t_mark_name(hash, 0) >> t_number_bits) {
            i32 equal = 1;
            for (i32 c = 0; c < axes; ++c) equal = equal & ((i32)mark[1 + c] == point[c]);
            for (i32 c = 0; c < T_CHANNELS; ++c)
                equal = equal & ((i32)mark[1 + axes + c] == point[4 + c]);
            const i32 leader = (i32)(name & ((1u << t_number_bits) - 1u));
            if (equal) return leader == member ? -1 : leader;
        }
        slot = slot + 1 == room ? 0 : slot + 1;
    }
    return -1;
}

// Leaves a mark, where there is room. Of all states about `keep` of 1024 are marked, chosen by
// their hash, so that marks are as dense in all parts of an image.
T_FUNCTION void T_NAMED(t_mark_)(T_GLOBAL_PTR(u32) marks, i32 room, i32 keep, i32 axes, i32 member,
                                 const i32* point) {
    const u32 hash = t_hash(point);
    if ((i32)(hash >> 6 & 1023u) >= keep) return;
    i32 slot = (i32)T_MUL_HIGH(hash, (u32)room);
    for (i32 probe = 0; probe < t_probes; ++probe) {
        T_GLOBAL_PTR(u32) mark = marks + (i64)slot * T_MARK_WORDS(axes);
        if (T_ATOMIC_CAS(mark, T_NO_MARK, t_mark_name(hash, member)) == T_NO_MARK) {
            for (i32 c = 0; c < axes; ++c) mark[1 + c] = (u32)point[c];
            for (i32 c = 0; c < T_CHANNELS; ++c) mark[1 + axes + c] = (u32)point[4 + c];
            return;
        }
        slot = slot + 1 == room ? 0 : slot + 1;
    }
}

// One pass, an item a point: from round `before` to `until`, of at most `cap`. Takes members from
// `from`, whose length stands in counters[source], or all where source is 0; `fresh` members start
// at their own place. Those that still move go to `list`, counted in counters[target], or are done
// where `until` is `cap`. `met` holds the marks of the pass before, if it has room for any.
T_KERNEL(T_NAMED(mean_shift_climb_pass_),
         (T_IN(i32) features, T_OUT(i32) mode, T_OUT(i32) position, T_OUT(u32) rounds,
          T_IN(u32) from, T_OUT(u32) list, T_IN(u32) met, T_OUT(u32) marks, T_OUT(u32) counters,
          T_WINDOW_PARAMETERS, i32 first, i32 count, i32 before, i32 until, i32 cap, i32 met_room,
          i32 source, i32 fresh, i32 target, i32 marks_room, i32 keep, i32 begin)) {
    T_INDEX1(k);
    const i32 entry = begin + k;
    if (source > 0 && (u32)entry >= T_LOAD(u32, counters + source)) return;
    const t_window w = T_WINDOW_VALUES;
    const i64 points = (i64)nx * ny * nz * nt;
    const i32 axes = nt > 1 ? 4 : nz > 1 ? 3 : 2;
    const i32 member = source > 0 ? (i32)from[entry] : entry;
    const i32 i = t_in_bands(&w, first + member);
    i32 point[t_coordinates];
    if (fresh) {
        T_NAMED(t_start_)(&w, features, i, point);
    } else {
        T_NAMED(t_resume_)(mode, position, points, i, axes, count, member, point);
    }
    i32 round = before;
    i32 goes_on = 1;
    i32 leader = T_NAMED(t_leader_)(met, met_room, axes, member, point);
    while (leader < 0 && goes_on && round < until) {
        goes_on = T_NAMED(t_round_)(&w, features, point);
        ++round;
        if (goes_on && round < until)
            leader = T_NAMED(t_leader_)(met, met_room, axes, member, point);
    }
    if (leader >= 0) {
        t_follow(position, rounds, count, member, leader, round - before);
        return;
    }
    for (i32 c = 0; c < T_CHANNELS; ++c) mode[c * points + i] = point[4 + c];
    if (!goes_on || until == cap) {
        rounds[member] = (u32)(round + goes_on);
        t_count_rounds(counters, member, round, goes_on);
    } else {
        list[T_ATOMIC_ADD(counters + target, 1u)] = (u32)member;
        for (i32 c = 0; c < axes; ++c) position[(i64)c * count + member] = point[c];
        T_NAMED(t_mark_)(marks, marks_room, keep, axes, member, point);
    }
}

// The last pass, from round `before` to `cap`, where few points take many rounds: each is climbed
// by `lanes` items, which share the rows of its window, and items that are done take the next point
// of `from`; counters[ticket] counts those taken.
T_GROUP_KERNEL(T_NAMED(mean_shift_climb_together_), 64, 1, 1,
               (T_IN(i32) features, T_OUT(i32) mode, T_OUT(i32) position, T_OUT(u32) rounds,
                T_IN(u32) from, T_IN(u32) met, T_OUT(u32) counters, T_WINDOW_PARAMETERS, i32 first,
                i32 count, i32 before, i32 cap, i32 met_room, i32 source, i32 fresh, i32 ticket,
                i32 lanes)) {
    T_LOCAL(i64, sums, 64 * 8);
    T_LOCAL(i32, point, 64 * 8);
    T_LOCAL(i32, shift, 64 * 8);
    T_LOCAL(i32, member, 64);
    T_LOCAL(i32, round, 64);
    T_LOCAL(i32, busy, 1);
    const t_window w = T_WINDOW_VALUES;
    const i64 points = (i64)nx * ny * nz * nt;
    const i32 total = (i32)counters[source];
    const i32 axes = nt > 1 ? 4 : nz > 1 ? 3 : 2;
    T_PHASE {
        if (T_LX == 0) busy[0] = 64 / lanes;
        round[T_LX] = -1;  // takes a point before its first round
        member[T_LX] = 0;
    }
    while (1) {
        // Points that are done make room for the next.
        T_PHASE {
            const i32 slot = T_LX;
            while (slot < 64 / lanes && member[slot] >= 0 && round[slot] < 0) {
                const i32 k = (i32)T_ATOMIC_ADD(counters + ticket, 1u);
                if (k >= total) {
                    member[slot] = -1;
                    T_ATOMIC_ADD(busy, -1);
                } else {
                    const i32 m = (i32)from[k];
                    const i32 i = t_in_bands(&w, first + m);
                    i32 here[t_coordinates];
                    if (fresh) {
                        T_NAMED(t_start_)(&w, features, i, here);
                    } else {
                        T_NAMED(t_resume_)(mode, position, points, i, axes, count, m, here);
                    }
                    const i32 leader = T_NAMED(t_leader_)(met, met_room, axes, m, here);
                    if (leader >= 0) {
                        t_follow(position, rounds, count, m, leader, 0);
                    } else {
                        for (i32 c = 0; c < t_coordinates; ++c) point[c * 64 + slot] = here[c];
                        member[slot] = m;
                        round[slot] = before;
                    }
                }
            }
        }
        T_PHASE {}
        if (busy[0] == 0) break;
        T_PHASE {
            const i32 slot = T_LX / lanes;
            if (member[slot] >= 0) {
                i32 here[t_coordinates];
                i64 part[t_sums];
                for (i32 c = 0; c < t_coordinates; ++c) here[c] = point[c * 64 + slot];
                T_NAMED(t_sum_window_)(&w, features, here, T_LX % lanes, lanes, part);
                for (i32 s = 0; s < 5 + T_CHANNELS; ++s) sums[s * 64 + T_LX] = part[s];
            }
        }
        T_PHASE {
            const i32 slot = T_LX / lanes;
            const i32 lane = T_LX % lanes;
            if (member[slot] >= 0) {
                i32 here[t_coordinates];
                for (i32 c = 0; c < t_coordinates; ++c) here[c] = point[c * 64 + slot];
                i64 samples = 0;
                for (i32 l = 0; l < lanes; ++l) samples += sums[slot * lanes + l];
                for (i32 c = lane; c < 4 + T_CHANNELS; c += lanes) {
                    i64 sum = 0;
                    for (i32 l = 0; l < lanes; ++l) sum += sums[(1 + c) * 64 + slot * lanes + l];
                    shift[c * 64 + slot] = T_NAMED(t_shift_)(&w, here, c, sum, samples);
                }
            }
        }
        T_PHASE {
            const i32 slot = T_LX;
            if (slot < 64 / lanes && member[slot] >= 0) {
                const i32 m = member[slot];
                i32 here[t_coordinates];
                i32 moved[t_coordinates];
                for (i32 c = 0; c < t_coordinates; ++c) {
                    moved[c] = c < 4 + T_CHANNELS ? shift[c * 64 + slot] : 0;
                    here[c] = point[c * 64 + slot] + moved[c];
                    point[c * 64 + slot] = here[c];
                }
                const i32 taken = ++round[slot];
                const i32 goes_on = T_NAMED(t_goes_on_)(&w, moved);
                const i32 leader =
                    goes_on && taken < cap ? T_NAMED(t_leader_)(met, met_room, axes, m, here) : -1;
                if (leader >= 0) {
                    t_follow(position, rounds, count, m, leader, taken - before);
                    round[slot] = -1;
                } else if (!goes_on || taken == cap) {
                    const i32 i = t_in_bands(&w, first + m);
                    for (i32 c = 0; c < T_CHANNELS; ++c) mode[c * points + i] = here[4 + c];
                    rounds[m] = (u32)(taken + goes_on);
                    t_count_rounds(counters, m, taken, goes_on);
                    round[slot] = -1;
                }
            }
        }
    }
}

// Gives members that follow others the mode of the last of those. Where that would take more than
// `cap` rounds, the point stops on the way: such members are listed, counted in counters[target].
T_KERNEL(T_NAMED(mean_shift_climb_follow_),
         (T_OUT(i32) mode, T_IN(i32) position, T_IN(u32) rounds, T_OUT(u32) list,
          T_OUT(u32) counters, T_WINDOW_PARAMETERS, i32 first, i32 count, i32 cap, i32 target)) {
    T_INDEX1(member);
    if (rounds[member] != T_FOLLOWS) return;
    const t_window w = T_WINDOW_VALUES;
    const i64 points = (i64)nx * ny * nz * nt;
    i32 leader = member;
    i32 behind = 0;
    while (rounds[leader] == T_FOLLOWS && behind <= cap) {
        behind += position[(i64)count + leader];
        leader = position[leader];
    }
    const i64 taken = (i64)behind + rounds[leader];
    if (behind > 0 && taken > cap) {
        list[T_ATOMIC_ADD(counters + target, 1u)] = (u32)member;
        return;
    }
    const i32 from = t_in_bands(&w, first + leader);
    const i32 to = t_in_bands(&w, first + member);
    for (i32 c = 0; c < T_CHANNELS; ++c) mode[c * points + to] = mode[c * points + from];
    t_count_rounds(counters, member, (i32)T_MIN(taken, (i64)cap), taken > cap);
}

#undef T_MARK_WORDS
#undef T_NAMED
