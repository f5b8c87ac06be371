// Moments of pixels in the unit disk, after F. Zernike, Physica 1, 1934. V_pq = R_pq(r) e^(jqt) is
// (x + jy)^q P_n(r^2) with p = q + 2n, so that neither roots nor angles are needed. P_n, a Jacobi
// polynomial, comes from its increments d_n = P_n - P_(n-1) = c_n d_(n-1) - a_n (1 - r^2) P_(n-1):
// near the border, where all are largest, nothing cancels. ZERNIKE_VALUE is the type.

// The eight mirror images of a point of the octant 0 <= y <= x: at angle t and -t, turned by k
// quarters. What a quarter turn does to e^(-jqt) depends on q mod 4, so that eight sums are enough
// for all q: the real parts of even and odd differences (docs/zernike.md). Each image counts once,
// also on the diagonal and the axes.
T_KERNEL(ZERNIKE_OF(zernike_fold), (T_IN(f32) image, T_IN(i32) rows, T_OUT(ZERNIKE_VALUE) points,
                                    zernike_rows place, ZERNIKE_VALUE scale)) {
    T_INDEX2(i, row);
    const i32 point = rows[row] + i;
    if (point >= rows[row + 1]) return;
    const i32 y = 2 * (place.first_row + row) + place.parity, x = y + 2 * i;
    ZERNIKE_VALUE above[4], below[4];  // at t and -t
    i32 turned_x = x, turned_y = y;
    const i32 is_single = y == 0 || x == y;
    for (i32 k = 0; k < 4; ++k) {
        const i32 counts = x > 0 || k == 0;
        // At -t, a turn of k stands where the mirror image in the x axis of a turn of -k does.
        above[k] = counts ? zernike_pixel(image, place, turned_x, turned_y) : 0;
        below[(4 - k) % 4] =
            counts && !is_single ? zernike_pixel(image, place, turned_x, -turned_y) : 0;
        const i32 last_x = turned_x;
        turned_x = -turned_y;
        turned_y = last_x;
    }
    const ZERNIKE_VALUE even_above = above[0] + above[2], odd_above = above[1] + above[3];
    const ZERNIKE_VALUE even_below = below[0] + below[2], odd_below = below[1] + below[3];
    const ZERNIKE_VALUE real_above = above[0] - above[2], imaginary_above = above[3] - above[1];
    const ZERNIKE_VALUE real_below = below[0] - below[2], imaginary_below = below[3] - below[1];
    T_GLOBAL_PTR(ZERNIKE_VALUE) const out = points + point;
    out[0] = (ZERNIKE_VALUE)x * scale;
    out[place.capacity] = (ZERNIKE_VALUE)y * scale;
    out[2 * place.capacity] = even_above + odd_above + (even_below + odd_below);
    out[3 * place.capacity] = even_above + odd_above - (even_below + odd_below);
    out[4 * place.capacity] = even_above - odd_above + (even_below - odd_below);
    out[5 * place.capacity] = even_above - odd_above - (even_below - odd_below);
    out[6 * place.capacity] = real_above + real_below;
    out[7 * place.capacity] = imaginary_above - imaginary_below;
    out[8 * place.capacity] = imaginary_above + imaginary_below;
    out[9 * place.capacity] = real_above - real_below;
}

// The pixels of a disk whose center is anywhere, row by row.
T_KERNEL(ZERNIKE_OF(zernike_gather),
         (T_IN(f32) image, T_IN(i32) rows, T_IN(i32) first_columns, T_OUT(ZERNIKE_VALUE) points,
          zernike_rows place, ZERNIKE_VALUE center_x, ZERNIKE_VALUE center_y,
          ZERNIKE_VALUE scale)) {
    T_INDEX2(i, row);
    const i32 point = rows[row] + i;
    if (point >= rows[row + 1]) return;
    const i32 x = first_columns[row] + i, y = place.first_row + row;
    points[point] = ((ZERNIKE_VALUE)x - center_x) * scale;
    points[place.capacity + point] = (center_y - (ZERNIKE_VALUE)y) * scale;
    points[2 * place.capacity + point] = (ZERNIKE_VALUE)image[(i64)y * place.width + x];
}

// The points of objects, one after the other: `order` has their pixels, `labels` the number of the
// object above 0, `circles` x, y and 1 / radius of each.
T_KERNEL(ZERNIKE_OF(zernike_gather_objects),
         (T_IN(u32) order, T_IN(u32) labels, T_IN(f32) values, T_IN(ZERNIKE_VALUE) circles,
          T_OUT(ZERNIKE_VALUE) points, i64 capacity, i32 width, i32 has_values)) {
    T_INDEX1(i);
    const u32 pixel = order[i];
    T_GLOBAL_PTR(const ZERNIKE_VALUE) const circle = circles + 3 * (i64)(labels[pixel] - 1);
    const i32 x = (i32)(pixel % (u32)width), y = (i32)(pixel / (u32)width);
    points[i] = ((ZERNIKE_VALUE)x - circle[0]) * circle[2];
    points[capacity + i] = (circle[1] - (ZERNIKE_VALUE)y) * circle[2];
    points[2 * capacity + i] = has_values ? (ZERNIKE_VALUE)values[pixel] : 1;
}

// For 256 points and one q, the sums of f P_n (x - jy)^q over them, for all n. `chunks` has the
// first point of each 256 and how many there are. Sums are taken in one order on every device.
// Phases, the last three for every zernike_step polynomials:
// 1. compute f (x - jy)^q of each point;
// 2. compute P_n by its recurrence, and sum over the points of an item;
// 3. sum over half of the items, with two items for each of the sums;
// 4. add the two halves, and write.
T_GROUP_KERNEL(ZERNIKE_OF(zernike_sums), 32, 1, 1,
               (T_IN(ZERNIKE_VALUE) points, T_IN(ZERNIKE_VALUE) coefficients, T_IN(u32) chunks,
                T_OUT(ZERNIKE_VALUE) partials, zernike_sum_settings settings)) {
    T_LOCAL(ZERNIKE_VALUE, shared, 2 * zernike_step * zernike_pitch);
    // 1 - r^2, f (x - jy)^q, P_n, d_n
    T_ITEM_ARRAY(ZERNIKE_VALUE, below_one, zernike_lanes);
    T_ITEM_ARRAY(ZERNIKE_VALUE, real, zernike_lanes);
    T_ITEM_ARRAY(ZERNIKE_VALUE, imaginary, zernike_lanes);
    T_ITEM_ARRAY(ZERNIKE_VALUE, value, zernike_lanes);
    T_ITEM_ARRAY(ZERNIKE_VALUE, increment, zernike_lanes);
    const i32 q = T_GY, polynomials = (settings.order - q) / 2 + 1;
    const i32 slot = zernike_slot(settings.order, q);
    const i64 first_point = chunks[2 * T_GX];
    const i32 count = (i32)chunks[2 * T_GX + 1];

    T_PHASE {
        ZERNIKE_VALUE x[zernike_lanes], y[zernike_lanes];
        T_UNROLL for (i32 k = 0; k < zernike_lanes; ++k) {
            const i32 i = k * zernike_items + T_LI;
            x[k] = i < count ? points[first_point + i] : 0;
            y[k] = i < count ? points[settings.capacity + first_point + i] : 0;
        }
        T_SIMD_FOR(k, 0, zernike_lanes) {
            T_MY(below_one)[k] = 1 - (x[k] * x[k] + y[k] * y[k]);
            T_MY(real)[k] = 1;
            T_MY(imaginary)[k] = 0;
            T_MY(value)[k] = 1;
            T_MY(increment)[k] = 0;
        }
        // (x - jy)^q by squares
        for (i32 bits = q; bits > 0; bits >>= 1) {
            if ((bits & 1) != 0) T_SIMD_FOR(k, 0, zernike_lanes) {
                    const ZERNIKE_VALUE re = T_MY(real)[k], im = T_MY(imaginary)[k];
                    T_MY(real)[k] = re * x[k] + im * y[k];
                    T_MY(imaginary)[k] = im * x[k] - re * y[k];
                }
            T_SIMD_FOR(k, 0, zernike_lanes) {
                const ZERNIKE_VALUE re = x[k];
                x[k] = re * re - y[k] * y[k];
                y[k] = 2 * re * y[k];
            }
        }
        T_UNROLL for (i32 k = 0; k < zernike_lanes; ++k) {
            const i32 i = k * zernike_items + T_LI;
            const ZERNIKE_VALUE re = T_MY(real)[k], im = T_MY(imaginary)[k];
            T_GLOBAL_PTR(const ZERNIKE_VALUE)
            const f = points + 2 * settings.capacity + first_point + i;
            if (i >= count) {
                T_MY(real)[k] = T_MY(imaginary)[k] = 0;
            } else if (!settings.is_folded) {
                T_MY(real)[k] = f[0] * re;
                T_MY(imaginary)[k] = f[0] * im;
            } else if ((q & 1) == 0) {
                const i64 of_q = (q & 2) * settings.capacity;
                T_MY(real)[k] = f[of_q] * re;
                T_MY(imaginary)[k] = f[of_q + settings.capacity] * im;
            } else {
                const ZERNIKE_VALUE sign = (q & 2) == 0 ? 1 : -1;
                T_GLOBAL_PTR(const ZERNIKE_VALUE) const odd = f + 4 * settings.capacity;
                T_MY(real)[k] = odd[0] * re - sign * odd[settings.capacity] * im;
                T_MY(imaginary)
                [k] = odd[3 * settings.capacity] * im + sign * odd[2 * settings.capacity] * re;
            }
        }
    }
    for (i32 first = 0; first < polynomials; first += zernike_step) {
        T_PHASE {
            for (i32 n = first; n < first + zernike_step && n < polynomials; ++n) {
                const ZERNIKE_VALUE a = coefficients[2 * (slot + n)];
                const ZERNIKE_VALUE c = coefficients[2 * (slot + n) + 1];
                ZERNIKE_VALUE sums[2 * zernike_lanes];
                T_SIMD_FOR(k, 0, zernike_lanes) {
                    const ZERNIKE_VALUE d =
                        c * T_MY(increment)[k] - a * T_MY(below_one)[k] * T_MY(value)[k];
                    const ZERNIKE_VALUE p = T_MY(value)[k] + d;
                    T_MY(increment)[k] = d;
                    T_MY(value)[k] = p;
                    sums[k] = p * T_MY(real)[k];
                    sums[zernike_lanes + k] = p * T_MY(imaginary)[k];
                }
                T_UNROLL for (i32 part = 0; part < 2; ++part) {
                    const i32 of = part * zernike_lanes;
                    shared[(2 * (n - first) + part) * zernike_pitch + T_LI] =
                        sums[of] + sums[of + 4] + (sums[of + 2] + sums[of + 6]) +
                        (sums[of + 1] + sums[of + 5] + (sums[of + 3] + sums[of + 7]));
                }
            }
        }
        T_PHASE {
            const i32 of = (T_LI >> 1) * zernike_pitch + (T_LI & 1);
            ZERNIKE_VALUE sum = 0;
            if (first + (T_LI >> 2) < polynomials) {
                for (i32 i = 0; i < zernike_items; i += 2) sum += shared[of + i];
                shared[of] = sum;
            }
        }
        T_PHASE {
            const i32 n = first + (T_LI >> 1);
            if (T_LI < 2 * zernike_step && n < polynomials)
                partials[T_GX * settings.components + 2 * (slot + n) + (T_LI & 1)] =
                    shared[T_LI * zernike_pitch] + shared[T_LI * zernike_pitch + 1];
        }
    }
}

// Adds the sums of the chunks of an object, `ranges[2 o]` to before `ranges[2 o + 1]`, to its
// totals.
T_GROUP_KERNEL(ZERNIKE_OF(zernike_totals), 32, 8, 1,
               (T_IN(ZERNIKE_VALUE) partials, T_IN(u32) ranges, T_OUT(ZERNIKE_VALUE) totals,
                i64 components, i64 first_object)) {
    T_LOCAL(ZERNIKE_VALUE, shared, zernike_total_items * zernike_total_parts);
    const i64 component = (i64)T_GX * zernike_total_items;
    T_PHASE {
        ZERNIKE_VALUE sum = 0;
        if (component + T_LX < components)
            for (u32 chunk = ranges[2 * T_GY] + (u32)T_LY; chunk < ranges[2 * T_GY + 1];
                 chunk += zernike_total_parts)
                sum += partials[chunk * components + component + T_LX];
        shared[T_LI] = sum;
    }
    T_PHASE {
        if (T_LY == 0 && component + T_LX < components) {
            ZERNIKE_VALUE sum = 0;
            for (i32 part = 0; part < zernike_total_parts; ++part)
                sum += shared[part * zernike_total_items + T_LX];
            totals[(first_object + T_GY) * components + component + T_LX] += sum;
        }
    }
}

// The image that moments make, 0 outside of their circle: sum of Z_pq V_pq over all p and q, of
// which those with q < 0 are the conjugates.
T_KERNEL(ZERNIKE_OF(zernike_render),
         (T_IN(ZERNIKE_VALUE) moments, T_IN(ZERNIKE_VALUE) coefficients, T_OUT(f32) image,
          i32 width, i32 order, ZERNIKE_VALUE center_x, ZERNIKE_VALUE center_y,
          ZERNIKE_VALUE scale)) {
    T_INDEX2(column, row);
    const ZERNIKE_VALUE x = ((ZERNIKE_VALUE)column - center_x) * scale;
    const ZERNIKE_VALUE y = (center_y - (ZERNIKE_VALUE)row) * scale;
    const ZERNIKE_VALUE below_one = 1 - (x * x + y * y);
    ZERNIKE_VALUE sum = 0, real = 1, imaginary = 0;  // of (x + jy)^q
    i32 slot = 0;
    for (i32 q = 0; below_one >= 0 && q <= order; ++q) {
        ZERNIKE_VALUE value = 1, increment = 0, of_real = 0, of_imaginary = 0;
        for (i32 p = q; p <= order; p += 2, ++slot) {
            increment =
                coefficients[2 * slot + 1] * increment - coefficients[2 * slot] * below_one * value;
            value += increment;
            of_real += moments[2 * slot] * value;
            of_imaginary += moments[2 * slot + 1] * value;
        }
        const ZERNIKE_VALUE both = of_real * real - of_imaginary * imaginary;
        sum += q == 0 ? both : 2 * both;
        const ZERNIKE_VALUE last = real;
        real = last * x - imaginary * y;
        imaginary = last * y + imaginary * x;
    }
    image[(i64)row * width + column] = (f32)sum;
}
