// One channel count's kernels; mean_shift.kernel.h sets T_CHANNELS.
#define T_NAMED(name) T_JOIN(name, T_CHANNELS)

// Running sums over a part of the window small enough for 32 bits; x and y as differences to the
// point's column and row.
#define T_PARTIAL T_NAMED(t_partial_)
typedef struct {
    T_VI32 count, x, y, c0;
#if T_CHANNELS == 3
    T_VI32 c1, c2;
#endif
} T_PARTIAL;

// Adds up the samples of a segment of a row, `length` from row[begin], that are in the window. A
// sample's place holds 1 in the upper half and its distance from row[0] in the lower; the segment
// ends before row[260], so that the sum of places keeps to its halves.
T_FUNCTION T_VI32 T_NAMED(t_add_segment_)(const t_window* w, T_GLOBAL_PTR(const i32) row,
                                          const i32* point, i32 begin, i32 length,
                                          T_PARTIAL* sums) {
    T_VI32 packed = T_V_LANES - T_V_LANES;
    T_VI32 place = T_V_LANES + 65536;
#if T_CHANNELS == 3
    T_GLOBAL_PTR(const i32) row1 = row + w->plane;
    T_GLOBAL_PTR(const i32) row2 = row1 + w->plane;
#endif
    const i32 end = begin + length;
    for (i32 x = 0; x < end; x += T_BLOCK) {
        T_V_BLOCK(sample0, row);
        row += T_BLOCK;
#if T_CHANNELS == 3
        T_V_BLOCK(sample1, row1);
        T_V_BLOCK(sample2, row2);
        row1 += T_BLOCK;
        row2 += T_BLOCK;
#endif
        T_UNROLL for (i32 k = 0; k < T_BLOCK / T_WIDTH; ++k) {
            const T_VI32 d0 = T_V_NEAR(sample0[k], point[4]);
            const T_VF32 f0 = T_V_NEAR_F32(d0);
            T_VF32 distance2 = f0 * f0;
#if T_CHANNELS == 3
            const T_VI32 d1 = T_V_NEAR(sample1[k], point[5]);
            const T_VI32 d2 = T_V_NEAR(sample2[k], point[6]);
            const T_VF32 f1 = T_V_NEAR_F32(d1);
            const T_VF32 f2 = T_V_NEAR_F32(d2);
            distance2 = distance2 + f1 * f1;
            distance2 = distance2 + f2 * f2;
#endif
            const T_VI32 here = place + k;
            T_VI32 in = distance2 < w->range_limit2;
            in = in & T_V_AHEAD(here, 65536 + begin, length);
            T_V_ADD_IF(packed, in, here);
            T_V_ADD_IF(sums->c0, in, T_V_NEAR_I32(d0));
#if T_CHANNELS == 3
            T_V_ADD_IF(sums->c1, in, T_V_NEAR_I32(d1));
            T_V_ADD_IF(sums->c2, in, T_V_NEAR_I32(d2));
#endif
        }
        place = place + T_BLOCK;
    }
    return packed;
}

T_FUNCTION void T_NAMED(t_clear_)(T_PARTIAL* sums) {
    const T_VI32 zero = T_V_LANES - T_V_LANES;
    sums->count = zero;
    sums->x = zero;
    sums->y = zero;
    sums->c0 = zero;
#if T_CHANNELS == 3
    sums->c1 = zero;
    sums->c2 = zero;
#endif
}

// Moves sums of one plane, dz and dt steps away, over to 64 bits.
T_FUNCTION void T_NAMED(t_carry_)(T_PARTIAL* part, i32 dz, i32 dt, i64* sums) {
    const i64 count = T_V_SUM(part->count);
    sums[0] += count;
    sums[1] += T_V_SUM(part->x);
    sums[2] += T_V_SUM(part->y);
    sums[3] += dz * count;
    sums[4] += dt * count;
    sums[5] += T_V_SUM(part->c0);
#if T_CHANNELS == 3
    sums[6] += T_V_SUM(part->c1);
    sums[7] += T_V_SUM(part->c2);
#endif
    T_NAMED(t_clear_)(part);
}

// Sums over the rows lane, lane + lanes, ... of the window around `point`.
T_FUNCTION void T_NAMED(t_sum_window_)(const t_window* w, T_GLOBAL_PTR(const i32) features,
                                       const i32* point, i32 lane, i32 lanes, i64* sums) {
    const i32 beside_x = t_nearby(point[0], w->inverse_x);
    const f32 fraction = (f32)(point[0] - beside_x * w->step_x) * w->inverse_x;
    const t_span ys = t_reach(point[1], w->step_y, w->inverse_y, w->ny, w->radius_y);
    const t_span zs = t_reach(point[2], w->step_z, w->inverse_z, w->nz, w->radius_z);
    const t_span ts = t_reach(point[3], w->step_t, w->inverse_t, w->nt, w->radius_t);
    for (i32 i = 0; i < t_sums; ++i) sums[i] = 0;

    T_PARTIAL part;
    T_NAMED(t_clear_)(&part);
    // Rows and planes are counted from the point's.
    const i32 rows = ys.last - ys.first + 1;
    i32 y = ys.first + lane;
    i32 z = zs.first;
    i32 t = ts.first;
    while (y > ys.last) {
        y -= rows;
        ++z;
    }
    while (1) {
        // One plane after the other; a lane goes on in the next where its steps lead it.
        while (z > zs.last) {
            z -= zs.last - zs.first + 1;
            ++t;
        }
        if (t > ts.last) break;
        const f32 share_z = t_distance(z, w->inverse_radius, w->step_z, zs.beyond);
        const f32 share_of_plane = 1.0f - share_z * share_z;
        const i64 first_row = ((i64)(ts.beside + t) * w->nz + zs.beside + z) * w->ny + ys.beside;
        T_GLOBAL_PTR(const i32) plane = features + first_row * w->pitch;
        i32 samples = 0;
        const i32 in_time = t_inside(ts.beside + t, w->step_t, point[3], w->time_limit2);
        for (; y <= ys.last; y += lanes) {
            const f32 share_y = t_distance(y, w->inverse_radius, w->step_y, ys.beyond);
            const f32 share = share_of_plane - share_y * share_y;
            if (share < -1.0f / 4096.0f || !in_time) continue;
            t_ends ends = t_ends_of_row(w, beside_x, fraction, share);
            if (ends.doubtful)
                t_settle_ends(w, point[0], y * w->step_y - ys.beyond, z * w->step_z - zs.beyond,
                              &ends);
            while (ends.first <= ends.last) {
                // A GPU reads whole blocks, which begin at multiples of their size.
                const i32 begin = T_WIDTH > 1 ? 0 : ends.first % T_BLOCK;
                const i32 length = T_MIN(ends.last - ends.first + 1, 256);
                const i32 origin = ends.first - begin;
                const T_VI32 packed = T_NAMED(t_add_segment_)(w, plane + (y * w->pitch + origin),
                                                              point, begin, length, &part);
                const T_VI32 count = packed >> 16;
                part.count += count;
                part.x += (packed & 65535) + count * (origin - beside_x);
                part.y += count * y;
                ends.first += length;
                samples += length;
                if (samples > 1791) {
                    T_NAMED(t_carry_)(&part, z, t, sums);
                    samples = 0;
                }
            }
        }
        T_NAMED(t_carry_)(&part, z, t, sums);
        do {
            y -= rows;
            ++z;
        } while (y > ys.last);
    }
}

// The mean's distance from the point on one coordinate (spec 000, eq. 4.2). An empty window can
// follow from a product of flat windows (spec 000, A6): the point stays.
T_FUNCTION i32 T_NAMED(t_shift_)(const t_window* w, const i32* point, i32 coordinate, i64 sum,
                                 i64 count) {
    if (count == 0) return 0;
    if (coordinate >= 4) return coordinate < 4 + T_CHANNELS ? t_mean(sum, count) : 0;
    if ((coordinate == 2 && w->nz == 1) || (coordinate == 3 && w->nt == 1)) return 0;
    const i32 step = coordinate == 0   ? w->step_x
                     : coordinate == 1 ? w->step_y
                     : coordinate == 2 ? w->step_z
                                       : w->step_t;
    const f32 inverse_step = coordinate == 0   ? w->inverse_x
                             : coordinate == 1 ? w->inverse_y
                             : coordinate == 2 ? w->inverse_z
                                               : w->inverse_t;
    const i32 beyond = point[coordinate] - t_nearby(point[coordinate], inverse_step) * step;
    return t_mean(sum * step - beyond * count, count);
}

// Whether a point that has made this step goes on (spec 000, section 3.5).
T_FUNCTION i32 T_NAMED(t_goes_on_)(const t_window* w, const i32* shift) {
    f32 spatial2 = t_square_f32(shift[0]);
    spatial2 = spatial2 + t_square_f32(shift[1]);
    spatial2 = spatial2 + t_square_f32(shift[2]);
    f32 range2 = t_square_f32(shift[4]);
#if T_CHANNELS == 3
    range2 = range2 + t_square_f32(shift[5]);
    range2 = range2 + t_square_f32(shift[6]);
#endif
    const f32 joint2 = spatial2 * w->inverse_spatial2 + range2 * w->inverse_range2;
    return !(joint2 + t_square_f32(shift[3]) * w->inverse_time2 < w->epsilon2);
}

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

// Moves point first + k from its own place to its mode, in at most `rounds` rounds. `counters`:
// [1] counts points that still move, [8 + k % 8] rounds.
T_KERNEL(T_NAMED(mean_shift_climb_), (T_IN(i32) features, T_OUT(i32) mode, T_OUT(u32) counters,
                                      T_WINDOW_PARAMETERS, i32 first, i32 rounds)) {
    T_INDEX1(k);
    const t_window w = T_WINDOW_VALUES;
    const i64 points = (i64)nx * ny * nz * nt;
    const i32 i = first + k;
    i32 point[t_coordinates];
    T_NAMED(t_start_)(&w, features, i, point);
    i32 goes_on = 1;
    i32 round = 0;
    while (goes_on && round < rounds) {
        i64 sums[t_sums];
        i32 shift[t_coordinates];
        T_NAMED(t_sum_window_)(&w, features, point, 0, 1, sums);
        T_UNROLL for (i32 c = 0; c < t_coordinates; ++c) {
            shift[c] = T_NAMED(t_shift_)(&w, point, c, sums[1 + c], sums[0]);
            point[c] += shift[c];
        }
        goes_on = T_NAMED(t_goes_on_)(&w, shift);
        ++round;
    }
    for (i32 c = 0; c < T_CHANNELS; ++c) mode[c * points + i] = point[4 + c];
    T_ATOMIC_ADD(counters + 8 + (k & 7), (u32)round);
    if (goes_on) T_ATOMIC_ADD(counters + 1, 1u);
}

// The same for a GPU: each point is climbed by `lanes` items, which share the rows of its window,
// and items that are done take the next point: counters[0] counts those taken of first..first +
// count - 1. Points that still move after `rounds` rounds are listed with their `position`, planes
// of `count`, and counted in [2]. A launch that `resumes` goes on with these; [3] counts those
// taken of them, and [1] those that still move in the end.
T_GROUP_KERNEL(T_NAMED(mean_shift_climb_together_), 64, 1, 1,
               (T_IN(i32) features, T_OUT(i32) mode, T_OUT(i32) position, T_OUT(u32) list,
                T_OUT(u32) counters, T_WINDOW_PARAMETERS, i32 first, i32 count, i32 rounds,
                i32 lanes, i32 resumes)) {
    T_LOCAL(i64, sums, 64 * 8);
    T_LOCAL(i32, point, 64 * 8);
    T_LOCAL(i32, shift, 64 * 8);
    T_LOCAL(i32, index, 64);
    T_LOCAL(i32, round, 64);
    T_LOCAL(i32, busy, 1);
    const t_window w = T_WINDOW_VALUES;
    const i64 points = (i64)nx * ny * nz * nt;
    const i32 total = resumes ? (i32)counters[2] : count;
    const i32 axes = nt > 1 ? 4 : nz > 1 ? 3 : 2;
    T_PHASE {
        if (T_LX == 0) busy[0] = 64 / lanes;
        round[T_LX] = -1;  // takes a point before its first round
        index[T_LX] = 0;
    }
    while (1) {
        // Points that are done make room for the next.
        T_PHASE {
            const i32 slot = T_LX;
            if (slot < 64 / lanes && index[slot] >= 0 && round[slot] < 0) {
                const i32 k = (i32)T_ATOMIC_ADD(counters + (resumes ? 3 : 0), 1u);
                if (k < total) {
                    i32 here[t_coordinates];
                    i32 i = first + k;
                    if (resumes) {
                        i = (i32)list[k];
                        for (i32 c = 0; c < 4; ++c)
                            here[c] = c < axes ? position[(i64)c * count + k] : 0;
                        for (i32 c = 0; c < 3; ++c)
                            here[4 + c] = c < T_CHANNELS ? mode[c * points + i] : 0;
                    } else {
                        T_NAMED(t_start_)(&w, features, i, here);
                    }
                    for (i32 c = 0; c < t_coordinates; ++c) point[c * 64 + slot] = here[c];
                    index[slot] = i;
                    round[slot] = 0;
                } else {
                    index[slot] = -1;
                    T_ATOMIC_ADD(busy, -1);
                }
            }
        }
        T_PHASE {}
        if (busy[0] == 0) break;
        T_PHASE {
            const i32 slot = T_LX / lanes;
            if (index[slot] >= 0) {
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
            if (index[slot] >= 0) {
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
            if (slot < 64 / lanes && index[slot] >= 0) {
                const i32 i = index[slot];
                i32 moved[t_coordinates];
                for (i32 c = 0; c < t_coordinates; ++c) {
                    moved[c] = c < 4 + T_CHANNELS ? shift[c * 64 + slot] : 0;
                    point[c * 64 + slot] += moved[c];
                }
                const i32 goes_on = T_NAMED(t_goes_on_)(&w, moved);
                const i32 taken = ++round[slot];
                if (!goes_on || taken == rounds) {
                    for (i32 c = 0; c < T_CHANNELS; ++c)
                        mode[c * points + i] = point[(4 + c) * 64 + slot];
                    T_ATOMIC_ADD(counters + 8 + (i & 7), (u32)taken);
                    round[slot] = -1;
                }
                if (goes_on && taken == rounds) {
                    if (resumes) {
                        T_ATOMIC_ADD(counters + 1, 1u);
                    } else {
                        const i32 k = (i32)T_ATOMIC_ADD(counters + 2, 1u);
                        list[k] = (u32)i;
                        for (i32 c = 0; c < axes; ++c)
                            position[(i64)c * count + k] = point[c * 64 + slot];
                    }
                }
            }
        }
    }
}

#undef T_PARTIAL
#undef T_NAMED
