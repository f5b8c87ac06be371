// One channel count's kernels; mean_shift.kernel.h sets MEAN_SHIFT_CHANNELS.
#define MEAN_SHIFT_OF(name) T_JOIN(T_JOIN(name, _), MEAN_SHIFT_CHANNELS)

// Running sums over a part of the window small enough for 32 bits; x and y as differences from the
// lattice point next to the center.
typedef struct {
    V_I32 count, x, y, c0;
#if MEAN_SHIFT_CHANNELS == 3
    V_I32 c1, c2;
#endif
} MEAN_SHIFT_OF(ms_partial_sums);

// Adds up the samples row[begin] to row[begin + length - 1], a segment, that are in the window.
// Returns the two sums.
T_FUNCTION V_I32 MEAN_SHIFT_OF(ms_add_segment)(const mean_shift_window* w,
                                               T_GLOBAL_PTR(const i32) row, const i32* point,
                                               i32 begin, i32 length,
                                               MEAN_SHIFT_OF(ms_partial_sums) * sums) {
    V_I32 packed = V_LANES - V_LANES;
    V_I32 place = V_LANES * (i32)ms_place_unit + (1 - begin * ms_place_unit);
    const i32 end = begin + length;
    for (i32 x = 0; x < end; x += V_BLOCK) {
        V_READ_BLOCK(sample0, row);
#if MEAN_SHIFT_CHANNELS == 3
        V_READ_BLOCK(sample1, row + ms_to_channel(1, w->plane));
        V_READ_BLOCK(sample2, row + ms_to_channel(2, w->plane));
#endif
        row += ms_in_row(V_BLOCK, MEAN_SHIFT_CHANNELS);
        T_UNROLL for (i32 k = 0; k < V_BLOCK / V_WIDTH; ++k) {
            const V_I32 d0 = V_NEAR(sample0[k], point[4]);
            const V_F32 f0 = V_NEAR_F32(d0);
            V_F32 distance2 = f0 * f0;
#if MEAN_SHIFT_CHANNELS == 3
            const V_I32 d1 = V_NEAR(sample1[k], point[5]);
            const V_I32 d2 = V_NEAR(sample2[k], point[6]);
            const V_F32 f1 = V_NEAR_F32(d1);
            const V_F32 f2 = V_NEAR_F32(d2);
            distance2 = distance2 + f1 * f1;
            distance2 = distance2 + f2 * f2;
#endif
            const V_I32 here = place + k * ms_place_unit;
            V_I32 in = distance2 < w->range_limit2;
            in = in & V_AHEAD(here, 0, length * ms_place_unit);
            V_ADD_IF(packed, in, here);
            V_ADD_NEAR_IF(sums->c0, in, d0);
#if MEAN_SHIFT_CHANNELS == 3
            V_ADD_NEAR_IF(sums->c1, in, d1);
            V_ADD_NEAR_IF(sums->c2, in, d2);
#endif
        }
        place = place + V_BLOCK * ms_place_unit;
    }
    return packed;
}

T_FUNCTION void MEAN_SHIFT_OF(ms_clear)(MEAN_SHIFT_OF(ms_partial_sums) * sums) {
    const V_I32 zero = V_LANES - V_LANES;
    sums->count = zero;
    sums->x = zero;
    sums->y = zero;
    sums->c0 = zero;
#if MEAN_SHIFT_CHANNELS == 3
    sums->c1 = zero;
    sums->c2 = zero;
#endif
}

// Adds partial sums of one slice, dz and dt steps from the center's, to sums of 64 bits.
T_FUNCTION void MEAN_SHIFT_OF(ms_carry)(MEAN_SHIFT_OF(ms_partial_sums) * part, i32 dz, i32 dt,
                                        T_LOCAL_PTR(i64) sums) {
    const i64 count = V_SUM(part->count);
    sums[0] += count;
    sums[ms_group] += V_SUM(part->x);
    sums[2 * ms_group] += V_SUM(part->y);
    sums[3 * ms_group] += dz * count;
    sums[4 * ms_group] += dt * count;
    sums[5 * ms_group] += V_NEAR_SUM(V_SUM(part->c0), count);
#if MEAN_SHIFT_CHANNELS == 3
    sums[6 * ms_group] += V_NEAR_SUM(V_SUM(part->c1), count);
    sums[7 * ms_group] += V_NEAR_SUM(V_SUM(part->c2), count);
#endif
    MEAN_SHIFT_OF(ms_clear)(part);
}

// Sums over the rows lane, lane + lanes, ... of the window around `point`; with two `sides`, over
// one half of each. Sums are ms_group apart.
T_FUNCTION void MEAN_SHIFT_OF(ms_sum_window)(const mean_shift_window* w,
                                             T_GLOBAL_PTR(const i32) features, const i32* point,
                                             i32 lane, i32 lanes, i32 side, i32 sides,
                                             T_LOCAL_PTR(i64) sums) {
    const i32 beside_x = ms_nearby(point[0], w->inverse_step[0]);
    const f32 fraction = (f32)(point[0] - beside_x * w->step[0]) * w->inverse_step[0];
    const ms_span ys = ms_reach(point[1], w->step[1], w->inverse_step[1], w->n[1], w->radius[1]);
    const ms_span zs = ms_reach(point[2], w->step[2], w->inverse_step[2], w->n[2], w->radius[2]);
    const ms_span ts = ms_reach(point[3], w->step[3], w->inverse_step[3], w->n[3], w->radius[3]);
    for (i32 i = 0; i < 5 + MEAN_SHIFT_CHANNELS; ++i) sums[i * ms_group] = 0;

    MEAN_SHIFT_OF(ms_partial_sums) part;
    MEAN_SHIFT_OF(ms_clear)(&part);
    // x, y, z and t are counted from the lattice point next to the center.
    const i32 rows = ys.last - ys.first + 1;
    i32 y = ys.first + lane;
    i32 z = zs.first;
    i32 t = ts.first;
    while (y > ys.last) {
        y -= rows;
        ++z;
    }
    while (1) {
        // Slice after slice; a lane continues in the next one at the row to which its steps lead.
        while (z > zs.last) {
            z -= zs.last - zs.first + 1;
            ++t;
        }
        if (t > ts.last) break;
        const f32 share_z = ms_distance(z, w->inverse_radius, w->step[2], zs.beyond);
        const i32 in_time = ms_inside(ts.beside + t, w->step[3], point[3], w->time_limit2);
        const f32 share_of_plane = in_time ? 1.0f - share_z * share_z : -1.0f;
        const i64 first_row =
            ((i64)(ts.beside + t) * w->n[2] + zs.beside + z) * w->n[1] + ys.beside;
        T_GLOBAL_PTR(const i32)
        plane = features + ms_row_at(first_row, w->pitch, MEAN_SHIFT_CHANNELS);
        i32 samples = 0;
        for (; y <= ys.last; y += lanes) {
            const f32 share_y = ms_distance(y, w->inverse_radius, w->step[1], ys.beyond);
            const f32 share = share_of_plane - share_y * share_y;
            if (share < -1.0f / 4096.0f) continue;
            ms_ends ends = ms_ends_of_row(w, beside_x, fraction, share);
            if (ends.doubtful)
                ms_settle_ends(w, point[0], y * w->step[1] - ys.beyond, z * w->step[2] - zs.beyond,
                               &ends);
            if (sides == 2) {
                const i32 middle = (ends.first + ends.last) >> 1;
                if (side == 0) ends.last = middle;
                if (side == 1) ends.first = middle + 1;
            }
            while (ends.first <= ends.last) {
                // A GPU reads whole blocks, which begin at multiples of their size.
                const i32 begin = V_WIDTH > 1 ? 0 : ends.first % V_BLOCK;
                const i32 length = T_MIN(ends.last - ends.first + 1, ms_segment);
                const i32 origin = ends.first - begin;
                const V_I32 packed = MEAN_SHIFT_OF(ms_add_segment)(
                    w,
                    plane + ms_row_at(y, w->pitch, MEAN_SHIFT_CHANNELS) +
                        ms_in_row(origin, MEAN_SHIFT_CHANNELS),
                    point, begin, length, &part);
                const V_I32 count = packed & (ms_place_unit - 1);
                part.count += count;
                part.x += (packed >> (i32)ms_place_bits) + count * (ends.first - beside_x);
                part.y += count * y;
                ends.first += length;
                samples += length;
                if (samples > ms_most_samples) {
                    MEAN_SHIFT_OF(ms_carry)(&part, z, t, sums);
                    samples = 0;
                }
            }
        }
        MEAN_SHIFT_OF(ms_carry)(&part, z, t, sums);
        do {
            y -= rows;
            ++z;
        } while (y > ys.last);
    }
}

// The distance from the point to the mean, in one coordinate (Martin Gaspar 2011, eq. 4.2). A
// product of flat windows can be empty: then the point stays.
T_FUNCTION i32 MEAN_SHIFT_OF(ms_shift)(const mean_shift_window* w, const i32* point, i32 coordinate,
                                       i64 sum, i64 count) {
    if (count == 0) return 0;
    if (coordinate >= 4) return coordinate < 4 + MEAN_SHIFT_CHANNELS ? ms_mean(sum, count) : 0;
    if ((coordinate == 2 && w->n[2] == 1) || (coordinate == 3 && w->n[3] == 1)) return 0;
    // Not step[coordinate]: with an index that is not a constant, a GPU copies the window to
    // memory.
    const i32 step = coordinate == 0   ? w->step[0]
                     : coordinate == 1 ? w->step[1]
                     : coordinate == 2 ? w->step[2]
                                       : w->step[3];
    const f32 inverse_step = coordinate == 0   ? w->inverse_step[0]
                             : coordinate == 1 ? w->inverse_step[1]
                             : coordinate == 2 ? w->inverse_step[2]
                                               : w->inverse_step[3];
    const i32 beyond = point[coordinate] - ms_nearby(point[coordinate], inverse_step) * step;
    return ms_mean(sum * step - beyond * count, count);
}

// Whether a point continues after this shift (Martin Gaspar 2011, section 4.2.3).
T_FUNCTION i32 MEAN_SHIFT_OF(ms_continues)(const mean_shift_window* w, const i32* shift) {
    f32 spatial2 = ms_square_f32(shift[0]);
    spatial2 = spatial2 + ms_square_f32(shift[1]);
    spatial2 = spatial2 + ms_square_f32(shift[2]);
    f32 range2 = ms_square_f32(shift[4]);
#if MEAN_SHIFT_CHANNELS == 3
    range2 = range2 + ms_square_f32(shift[5]);
    range2 = range2 + ms_square_f32(shift[6]);
#endif
    const f32 joint2 = spatial2 * w->inverse_spatial2 + range2 * w->inverse_range2;
    return !(joint2 + ms_square_f32(shift[3]) * w->inverse_time2 < w->epsilon2);
}

// One round: moves the point to the mean of its window. Returns whether it continues.
T_FUNCTION i32 MEAN_SHIFT_OF(ms_round)(const mean_shift_window* w, T_GLOBAL_PTR(const i32) features,
                                       i32* point, T_LOCAL_PTR(i64) sums) {
    i32 shift[ms_coordinates];
    MEAN_SHIFT_OF(ms_sum_window)(w, features, point, 0, 1, 0, 1, sums);
    T_UNROLL for (i32 c = 0; c < ms_coordinates; ++c) {
        const i64 sum = c < 4 + MEAN_SHIFT_CHANNELS ? sums[(1 + c) * ms_group] : 0;
        shift[c] = MEAN_SHIFT_OF(ms_shift)(w, point, c, sum, sums[0]);
        point[c] += shift[c];
    }
    return MEAN_SHIFT_OF(ms_continues)(w, shift);
}

#undef MEAN_SHIFT_OF
