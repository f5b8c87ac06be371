// Automatic seeds (F. Y. Shih, S. Cheng, "Automatic seeded region growing for color image
// segmentation", Image and Vision Computing 23(10), 2005): points that are like their
// neighborhood, by its standard deviation, and like each of their neighbors, by relative distance.
// Integers, and products and sums of converted integers in one order: the same on every device.
#define T_FILE region_automatic_seeds
#include "kernels/begin.h"
#include "kernels/color.h"
#include "kernels/filters/borders.h"

// Standard deviations are sorted into so many classes for Otsu's threshold.
enum { region_seed_classes = 256 };
// Features of a sign and 16 bits lose so many here that differences of two have at most 13, or 11
// in images with a time axis: sums of products then fit 32 bits.
enum { region_seed_shift = 4, region_seed_shift_in_time = 6 };

// Points of a group, along x.
enum { region_seed_points = 256, region_seed_line = region_seed_points + 2 };

// Of each point: the sum over the channels of the standard deviation of its neighborhood, which has
// three points along each axis of more than one (those beyond the image repeat its border), in
// 3^axes times the unit of features shifted; and whether all of its neighbors are near: nearer
// than sqrt(share2) times its own length, of which `middle` is the offset of the second and third
// channel. Sums of squares wrap, which their difference does not notice: it is below 2^32.
T_GROUP_KERNEL(region_seed_deviations, region_seed_points, 1, 1,
               (T_IN(i32) features, T_OUT(u32) deviation, T_OUT(u8) is_near, i64 points,
                i32 channels, i32 shift, i32 middle, f32 share2, i32 nx, i32 ny, i32 nz, i32 nt)) {
    T_LOCAL(i32, line, 3 * region_seed_line);
    T_LOCAL(i32, own, 3 * region_seed_points);
    T_LOCAL(u32, sum, 3 * region_seed_points);
    T_LOCAL(u32, square, 3 * region_seed_points);
    T_ITEM(i32, farthest2);
    const i32 x0 = T_GX * region_seed_points;
    const i32 y = T_GY % ny;
    const i32 z = T_GY / ny % nz;
    const i32 t = T_GY / ny / nz;
    const i32 reach_y = ny > 1 ? 1 : 0;
    const i32 reach_z = nz > 1 ? 1 : 0;
    const i32 reach_t = nt > 1 ? 1 : 0;
    for (i32 c = 0; c < 3; ++c) {
        T_PHASE {
            const i64 i = c * points + (i64)T_GY * nx + T_MIN(x0 + T_LX, nx - 1);
            own[c * region_seed_points + T_LX] = c < channels ? features[i] >> shift : 0;
            sum[c * region_seed_points + T_LX] = 0;
            square[c * region_seed_points + T_LX] = 0;
            T_MY(farthest2) = 0;
        }
    }
    for (i32 dt = -reach_t; dt <= reach_t; ++dt)
        for (i32 dz = -reach_z; dz <= reach_z; ++dz)
            for (i32 dy = -reach_y; dy <= reach_y; ++dy) {
                const i64 row =
                    (((i64)border_repeated(t + dt, nt) * nz + border_repeated(z + dz, nz)) * ny +
                     border_repeated(y + dy, ny)) *
                    nx;
                for (i32 c = 0; c < 3; ++c) {
                    T_PHASE {
                        if (c < channels) {
                            const i64 from = c * points + row;
                            line[c * region_seed_line + 1 + T_LX] =
                                features[from + T_MIN(x0 + T_LX, nx - 1)] >> shift;
                            if (T_LX == 0)
                                line[c * region_seed_line] =
                                    features[from + T_MAX(x0 - 1, 0)] >> shift;
                            if (T_LX == 1)
                                line[c * region_seed_line + 1 + region_seed_points] =
                                    features[from + T_MIN(x0 + region_seed_points, nx - 1)] >>
                                    shift;
                        } else {
                            line[c * region_seed_line + 1 + T_LX] = 0;
                            if (T_LX < 2)
                                line[c * region_seed_line + T_LX * (region_seed_line - 1)] = 0;
                        }
                    }
                }
                T_PHASE {
                    i32 left2 = 0;
                    i32 straight2 = 0;
                    i32 right2 = 0;
                    T_UNROLL for (i32 c = 0; c < 3; ++c) {
                        const i32 middle_value = own[c * region_seed_points + T_LX];
                        const i32 left = line[c * region_seed_line + T_LX] - middle_value;
                        const i32 straight = line[c * region_seed_line + T_LX + 1] - middle_value;
                        const i32 right = line[c * region_seed_line + T_LX + 2] - middle_value;
                        const i32 sides = nx > 1 ? left + right : 0;
                        const i32 sides2 = nx > 1 ? left * left + right * right : 0;
                        sum[c * region_seed_points + T_LX] += (u32)(sides + straight);
                        square[c * region_seed_points + T_LX] +=
                            (u32)(sides2 + straight * straight);
                        left2 += left * left;
                        straight2 += straight * straight;
                        right2 += right * right;
                    }
                    const i32 most = T_MAX(T_MAX(left2, right2), straight2);
                    T_MY(farthest2) = T_MAX(T_MY(farthest2), most);
                }
            }
    const u32 count =
        (nx > 1 ? 3u : 1u) * (ny > 1 ? 3u : 1u) * (nz > 1 ? 3u : 1u) * (nt > 1 ? 3u : 1u);
    T_PHASE {
        f32 deviations = 0.0f;
        f32 length2 = 0.0f;
        T_UNROLL for (i32 c = 0; c < 3; ++c) {
            const u32 s = sum[c * region_seed_points + T_LX];
            deviations += t_sqrt((f32)(count * square[c * region_seed_points + T_LX] - s * s));
            const f32 value = (f32)(own[c * region_seed_points + T_LX] + (c > 0 ? middle : 0));
            length2 += value * value;
        }
        if (x0 + T_LX < nx) {
            const i64 i = (i64)T_GY * nx + x0 + T_LX;
            deviation[i] = (u32)T_ROUND(deviations);
            is_near[i] = T_MY(farthest2) == 0 || (f32)T_MY(farthest2) < share2 * length2 ? 1 : 0;
        }
    }
}

// The class of a deviation: its share of the largest one and a bit, rounded down. An estimate that
// is off by one where that share is whole, or nearly so, is mended; deviations are below 2^18.
T_SIMD_KERNEL(region_seed_classify, (T_IN(u32) largest, T_OUT(u32) deviation)) {
    T_INDEX1(i);
    const i32 whole = (i32)largest[0] + 1;
    const f32 scale = (f32)region_seed_classes * t_reciprocal((f32)whole);
    const i32 own = (i32)deviation[i];
    const i32 estimate = (i32)((f32)own * scale);
    const i32 low = estimate - (estimate * whole > own * region_seed_classes ? 1 : 0);
    deviation[i] = (u32)(low + ((low + 1) * whole <= own * region_seed_classes ? 1 : 0));
}

// N. Otsu, "A threshold selection method from gray-level histograms", IEEE Transactions on Systems,
// Man, and Cybernetics 9(1), 1979: the class up to which deviations are small is the one for which
// the variance between the two parts, (m w - s)^2 / (w (1 - w)), is largest; w is the share of the
// lower part, s its sum, m the mean of all. Fractions are compared by products.
T_KERNEL(region_seed_threshold, (T_IN(u32) counts, T_OUT(u32) threshold)) {
    T_INDEX1(item);
    f32 total = 0.0f;
    f32 mean = 0.0f;
    for (i32 k = 0; k < region_seed_classes; ++k) {
        total += (f32)counts[k];
        mean += (f32)counts[k] * (f32)k;
    }
    const f32 unit = t_reciprocal(total);
    mean *= unit;
    f32 share = 0.0f;
    f32 sum = 0.0f;
    f32 best_numerator = 0.0f;
    f32 best_denominator = 1.0f;
    u32 best = region_seed_classes - 1;
    for (i32 k = 0; k < region_seed_classes - 1; ++k) {
        const f32 count = (f32)counts[k];
        share += count * unit;
        sum += count * unit * (f32)k;
        const f32 difference = mean * share - sum;
        const f32 numerator = difference * difference;
        const f32 denominator = share * (1.0f - share);
        if (count > 0.0f && denominator > 1e-7f &&
            numerator * best_denominator > best_numerator * denominator) {
            best_numerator = numerator;
            best_denominator = denominator;
            best = (u32)k;
        }
    }
    threshold[item] = best;
}

T_SIMD_KERNEL(region_seed_mark, (T_IN(u32) deviation, T_IN(u32) threshold, T_OUT(u8) mask)) {
    T_INDEX1(i);
    mask[i] = (u8)(mask[i] & (deviation[i] <= threshold[0] ? 1 : 0));
}

#include "kernels/end.h"
