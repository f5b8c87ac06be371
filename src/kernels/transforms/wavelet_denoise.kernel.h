// Removal of noise from wavelet coefficients: shifts, thresholds of bands, shrinkage, averages.
#define T_FILE wavelet_denoise
#include "kernels/begin.h"

enum {
    denoise_group = 256,
    denoise_chunks = 64,  // groups that sum up one band
    denoise_bands = 8     // of a level: bits 0 to 2 are high along x, y and z
};

// The coefficients of one level in images in a row, and the part of them that is low.
typedef struct {
    i64 row, slice, image;  // elements from one to the next
    i32 size[3], low[3];
} denoise_level;

// Images in a row moved around cyclically: columns from `first` on, of which each comes from the
// one `dx` beside it; rows and slices come from (sy, sz) farther.
T_SIMD_KERNEL(denoise_roll, (T_IN(f32) in, T_OUT(f32) out, const i32 nx, const i32 ny, const i32 nz,
                             const i32 first, const i32 dx, const i32 sy, const i32 sz)) {
    T_INDEX3(x, y, z);
    const i32 from_y = y + sy < ny ? y + sy : y + sy - ny;
    const i32 slice = z % nz;
    const i32 from_z = slice + sz < nz ? z + sz : z + sz - nz;
    out[((i64)z * ny + y) * nx + first + x] = in[((i64)from_z * ny + from_y) * nx + first + dx + x];
}

// Moved back, and added with a weight; the first one makes the sum.
T_SIMD_KERNEL(denoise_add, (T_IN(f32) in, T_OUT(f32) sum, const i32 nx, const i32 ny, const i32 nz,
                            const i32 first, const i32 dx, const i32 sy, const i32 sz,
                            const f32 weight, const i32 is_first)) {
    T_INDEX3(x, y, z);
    const i32 to_y = y + sy < ny ? y + sy : y + sy - ny;
    const i32 slice = z % nz;
    const i32 to_z = slice + sz < nz ? z + sz : z + sz - nz;
    const i64 at = ((i64)to_z * ny + to_y) * nx + first + dx + x;
    const f32 value = weight * in[((i64)z * ny + y) * nx + first + x];
    sum[at] = is_first ? value : sum[at] + value;
}

// Sums of squares of each band, in denoise_chunks parts. Groups are parts, bands and images.
T_GROUP_KERNEL(denoise_squares, 256, 1, 1,
               (T_IN(f32) coefficients, T_OUT(f32) parts, const denoise_level level)) {
    T_LOCAL(f32, sums, denoise_group);
    const i32 band = T_GY;
    const i32 first_x = band & 1 ? level.low[0] : 0;
    const i32 first_y = band & 2 ? level.low[1] : 0;
    const i32 first_z = band & 4 ? level.low[2] : 0;
    const i32 width = (band & 1 ? level.size[0] : level.low[0]) - first_x;
    const i32 height = (band & 2 ? level.size[1] : level.low[1]) - first_y;
    const i32 depth = (band & 4 ? level.size[2] : level.low[2]) - first_z;
    const i32 rows = band == 0 || width == 0 ? 0 : height * depth;
    T_PHASE {
        f32 sum = 0;
        for (i32 row = T_GX; row < rows; row += denoise_chunks) {
            T_GLOBAL_PTR(const f32)
            line = coefficients + T_GZ * level.image + (first_z + row / height) * level.slice +
                   (first_y + row % height) * level.row + first_x;
            for (i32 x = T_LX; x < width; x += denoise_group) sum += line[x] * line[x];
        }
        sums[T_LX] = sum;
    }
    for (i32 kept = denoise_group / 2; kept > 0; kept /= 2) {
        T_PHASE {
            if (T_LX < kept) sums[T_LX] += sums[T_LX + kept];
        }
    }
    T_PHASE {
        if (T_LX == 0) parts[((i64)T_GZ * denoise_bands + band) * denoise_chunks + T_GX] = sums[0];
    }
}

// Thresholds of BayesShrink: the variance of the noise by the deviation of what is left of the
// band without it. An item takes one band of one image.
T_KERNEL(denoise_thresholds,
         (T_IN(f32) parts, T_IN(f32) sigma, T_OUT(f32) thresholds, const denoise_level level)) {
    T_INDEX2(band, image);
    const i32 width = band & 1 ? level.size[0] - level.low[0] : level.low[0];
    const i32 height = band & 2 ? level.size[1] - level.low[1] : level.low[1];
    const i32 depth = band & 4 ? level.size[2] - level.low[2] : level.low[2];
    const i32 at = image * denoise_bands + band;
    f32 sum = 0;
    for (i32 k = 0; k < denoise_chunks; ++k) sum += parts[at * denoise_chunks + k];
    const f32 count = (f32)width * (f32)height * (f32)depth;
    const f32 noise = sigma[image] * sigma[image];
    const f32 signal = count > 0 ? sum / count - noise : 0.0f;
    thresholds[at] = signal > 0 ? noise / T_SQRT(signal) : 3.0e38f;
}

// Soft thresholds; that of the low band is 0.
T_SIMD_KERNEL(denoise_shrink,
              (T_OUT(f32) coefficients, T_IN(f32) thresholds, const denoise_level level)) {
    T_INDEX3(x, y, z);
    const i32 slice = z % level.size[2];
    const i32 image = z / level.size[2];
    const i32 band = 2 * (y >= level.low[1]) + 4 * (slice >= level.low[2]);
    const f32 low = band == 0 ? 0.0f : thresholds[image * denoise_bands + band];
    const f32 high = thresholds[image * denoise_bands + band + 1];
    const i64 at = image * level.image + slice * level.slice + y * level.row + x;
    const f32 value = coefficients[at];
    const f32 left = T_MAX(T_ABS(value) - (x < level.low[0] ? low : high), 0.0f);
    coefficients[at] = value < 0 ? -left : left;
}

// Whether the samples that a coefficient of db2's diagonal band is made from all lie between the
// lowest and the highest value: where samples are clipped there is less noise.
T_FUNCTION i32 denoise_is_whole(T_GLOBAL_PTR(const f32) samples, const i32 x, const i32 y,
                                const i32 z, const denoise_level level, const f32 lowest,
                                const f32 highest) {
    const i32 axes[3] = {x, y, z};
    i32 first[3], last[3];
    for (i32 axis = 0; axis < 3; ++axis) {
        first[axis] = T_MAX(2 * axes[axis] - 1, 0);
        last[axis] = T_MIN(2 * axes[axis] + 2, level.size[axis] - 1);
    }
    for (i32 k = first[2]; k <= last[2]; ++k)
        for (i32 j = first[1]; j <= last[1]; ++j)
            for (i32 i = first[0]; i <= last[0]; ++i) {
                const f32 value = samples[k * level.slice + j * level.row + i];
                if (value <= lowest || value >= highest) return 0;
            }
    return 1;
}

// The bits of magnitudes above `least` of an image's diagonal coefficients that are made from
// samples between `lowest` and `highest`: the upper 16, or the lower 16 of those whose upper 16 are
// `upper`. Others have the key 65536.
T_KERNEL(denoise_noise_keys,
         (T_IN(f32) coefficients, T_IN(f32) samples, T_OUT(u32) keys, const denoise_level level,
          const f32 least, const f32 lowest, const f32 highest, const i32 upper)) {
    T_INDEX3(x, y, z);
    const i64 from = level.image + (level.low[2] + z) * level.slice +
                     (level.low[1] + y) * level.row + level.low[0] + x;
    const f32 magnitude = T_ABS(coefficients[from]);
    const u32 bits = T_BITS(magnitude);
    u32 key = 65536u;
    if (magnitude > least && (upper < 0 || bits >> 16 == (u32)upper) &&
        denoise_is_whole(samples + level.image, x, y, z, level, lowest, highest))
        key = upper < 0 ? bits >> 16 : bits & 65535u;
    keys[((i64)z * (level.size[1] - level.low[1]) + y) * (level.size[0] - level.low[0]) + x] = key;
}

// The true values behind mean magnitudes with Rician noise: linear between entries of a table of
// value / sigma by magnitude / sigma, `steps` a unit. Beyond it sqrt(m^2 - sigma^2) holds.
T_KERNEL(denoise_rician, (T_OUT(f32) values, T_IN(f32) table, const i32 entries, const f32 steps,
                          const f32 sigma)) {
    T_INDEX1(i);
    const f32 ratio = T_MAX(values[i], 0.0f) / sigma;
    const f32 at = ratio * steps;
    if (at >= (f32)(entries - 1)) {
        values[i] = T_SQRT(ratio * ratio - 1.0f) * sigma;
        return;
    }
    const i32 k = (i32)at;
    const f32 weight = at - (f32)k;
    values[i] = (table[k] + weight * (table[k + 1] - table[k])) * sigma;
}

// The first channel of three to brightness, the others to red against blue and green against both:
// three orthonormal axes; or back.
T_SIMD_KERNEL(denoise_rotate, (T_OUT(f32) planes, const i64 points, const f32 a, const f32 b,
                               const f32 c, const i32 back)) {
    T_INDEX1(i);
    const f32 p = planes[i], q = planes[points + i], r = planes[2 * points + i];
    planes[i] = back ? a * p + b * q + c * r : a * (p + q + r);
    planes[points + i] = back ? a * p - 2 * c * r : b * (p - r);
    planes[2 * points + i] = back ? a * p - b * q + c * r : c * (p - 2 * q + r);
}

#include "kernels/end.h"
