// Sums over windows, and scores of templates from them (tesela/match_template.h).
#define T_FILE match
#include "kernels/begin.h"
#include "kernels/transforms/match_windows.h"

// Windows that an item slides over.
enum { match_run = 256 };

// Bytes in 65536 steps.
T_SIMD_KERNEL(match_steps, (T_IN(u8) pixels, T_OUT(u16) steps)) {
    T_INDEX1(i);
    steps[i] = (u16)(257 * pixels[i]);
}

// Sums of values and of their squares over the columns of windows, 32 of them beside each other.
T_GROUP_KERNEL(match_columns, 32, 1, 1,
               (T_IN(u16) images, T_OUT(u32) sums, T_OUT(u64) squares,
                const match_windows windows)) {
    T_ITEM(u32, sum);
    T_ITEM(u64, square);
    T_GLOBAL_PTR(const u16) from = images + (i64)T_GZ * windows.height * windows.width;
    const i32 first = T_GY * match_run, last = T_MIN(first + match_run, windows.down);
    const i32 left = T_GX * 32, columns = T_MIN(32, windows.width - left);
    T_PHASE {
        T_MY(sum) = 0;
        T_MY(square) = 0;
    }
    for (i32 y = first; y < first + windows.window_height; ++y) {
        T_PHASE_OF_32 {
            if (T_LX < columns) {
                const u32 value = from[(i64)y * windows.width + left + T_LX];
                T_MY(sum) += value;
                T_MY(square) += value * value;
            }
        }
    }
    for (i32 y = first; y < last; ++y) {
        T_PHASE_OF_32 {
            if (T_LX < columns) {
                const i64 to = ((i64)T_GZ * windows.down + y) * windows.width + left + T_LX;
                sums[to] = T_MY(sum);
                squares[to] = T_MY(square);
                if (y + 1 < last) {
                    T_GLOBAL_PTR(const u16) at = from + (i64)y * windows.width + left + T_LX;
                    const u32 gone = at[0], come = at[(i64)windows.window_height * windows.width];
                    T_MY(sum) += come - gone;
                    T_MY(square) = T_MY(square) + come * come - gone * gone;
                }
            }
        }
    }
}

// Sums over windows of squared differences from their mean, and of the values of the window in the
// middle of each image.
T_KERNEL(match_sums, (T_IN(u32) column_sums, T_IN(u64) column_squares, T_OUT(i64) sums,
                      T_OUT(f32) deviations, const match_windows windows)) {
    T_INDEX3(run, y, image);
    const i64 line = (i64)image * windows.down + y;
    T_GLOBAL_PTR(const u32) from = column_sums + line * windows.width;
    T_GLOBAL_PTR(const u64) from_squares = column_squares + line * windows.width;
    const i64 count = (i64)windows.window_width * windows.window_height;
    const i32 first = run * match_run, last = T_MIN(first + match_run, windows.across);
    i64 sum = 0, square = 0;
    for (i32 x = first; x < first + windows.window_width; ++x) {
        sum += from[x];
        square += (i64)from_squares[x];
    }
    for (i32 x = first; x < last; ++x) {
        if (x == windows.across / 2 && y == windows.down / 2) sums[image] = sum;
        deviations[line * windows.across + x] = match_deviation(sum, square, count);
        if (x + 1 == last) break;
        sum += (i64)from[x + windows.window_width] - (i64)from[x];
        square += (i64)(from_squares[x + windows.window_width] - from_squares[x]);
    }
}

// Values less a mean, of `count` values of each image, in 2^-16, within zeros. Which mean does not
// matter but for rounding, because templates have the mean 0.
T_KERNEL(match_spread,
         (T_IN(u16) images, T_IN(i64) sums, T_OUT(f32) planes, const i32 width, const i32 height,
          const i32 padded_width, const i32 padded_height, const i64 count)) {
    T_INDEX3(x, y, image);
    const i64 to = ((i64)image * padded_height + y) * padded_width + x;
    planes[to] =
        x < width && y < height
            ? match_about_mean(images[((i64)image * height + y) * width + x], sums[image], count)
            : 0.0f;
}

// Spectra of images become those of their correlation with templates. Both parts are sums, because
// GCC 12 fuses a sum and a difference of products in spite of -ffp-contract=off.
T_SIMD_KERNEL(match_products, (T_IN(f32) patterns, T_OUT(f32) images)) {
    T_INDEX1(i);
    const f32 re = patterns[2 * (i64)i], im = patterns[2 * (i64)i + 1];
    const f32 image_re = images[2 * (i64)i], image_im = images[2 * (i64)i + 1];
    images[2 * (i64)i] = re * image_re + im * image_im;
    images[2 * (i64)i + 1] = re * image_im + -im * image_re;
}

T_KERNEL(match_scores, (T_IN(f32) correlations, T_IN(f32) pattern_deviations, T_IN(f32) deviations,
                        T_OUT(f32) scores, const match_windows windows, const i32 padded_width,
                        const i32 padded_height)) {
    T_INDEX3(x, y, image);
    const i64 at = ((i64)image * windows.down + y) * windows.across + x;
    const f32 correlation = correlations[((i64)image * padded_height + y) * padded_width + x];
    scores[at] = match_score(correlation, (f32)padded_width * (f32)padded_height,
                             pattern_deviations[image], deviations[at]);
}

// 1 where a score is not below its neighbors, and above those that come before it: places with all
// eight neighbors, which begin at (1, 1).
T_SIMD_KERNEL(match_tops, (T_IN(f32) scores, T_OUT(u8) tops, const i32 across)) {
    T_INDEX2(x, y);
    const i64 above = (i64)y * across + x, here = above + across, below = here + across;
    const f32 own = scores[here + 1];
    const i32 is_above = (own > scores[above]) & (own > scores[above + 1]) &
                         (own > scores[above + 2]) & (own > scores[here]);
    const i32 is_not_below = (own >= scores[here + 2]) & (own >= scores[below]) &
                             (own >= scores[below + 1]) & (own >= scores[below + 2]);
    tops[here + 1] = (u8)(is_above & is_not_below);
}

#include "kernels/end.h"
