// Part of region_sums.kernel.h, once for each REGION_PIXEL, with REGION_FIXED, which makes an
// integer below 2^24 of its value, and REGION_NOTHING, the value of which it makes 0.
T_GROUP_KERNEL(T_JOIN(region_sums_, REGION_PIXEL), 256, 1, 1,
               (T_IN(REGION_PIXEL) pixels, T_IN(u32) labels, const i32 stride, const i64 points,
                const f32 offset, const f32 scale, T_OUT(i64) sums)) {
    T_LOCAL(i64, counts, 256);
    T_LOCAL(i64, values, 256);
    T_LOCAL(i64, squares, 256);
    const i64 begin = (i64)T_GX * region_sums_part;
    const i32 length = (i32)T_MIN((i64)region_sums_part, points - begin);
    T_PHASE {
        // A processor reads what stands side by side, an item of a GPU every 256th.
        const i32 first = V_WIDTH > 1 ? T_LX * region_sums_item : T_LX;
        const i32 step = V_WIDTH > 1 ? 1 : 256;
        const i32 turns = T_CLAMP((length - first + step - 1) / step, 0, region_sums_item);
        i32 count = 0;
        i32 sum = 0;
        i64 square = 0;
        for (i32 k = 0; k < turns; ++k) {
            const i64 i = begin + first + k * step;
            const i32 inside = labels[i] != 0u ? 1 : 0;
            const i32 fixed = inside ? REGION_FIXED(pixels[i * stride], offset, scale) : 0;
            count += inside;
            sum += fixed;
            square += (i64)fixed * fixed;
        }
        counts[T_LX] = count;
        values[T_LX] = sum;
        squares[T_LX] = square;
    }
#include "kernels/growth/region_sums_tree.body.h"
}

// Adds the pixels of a row of which bits are set, of up to 32.
T_FUNCTION void T_JOIN(region_add_points_, REGION_PIXEL)(region_Sums* sums,
                                                         T_GLOBAL_PTR(const REGION_PIXEL) pixels,
                                                         const u32 bits, const i32 length,
                                                         const f32 offset, const f32 scale) {
    i32 sum = 0;
    i64 squares = 0;
    T_SIMD_FOR(b, 0, length) {
        const REGION_PIXEL here = pixels[b];
        const i32 fixed = REGION_FIXED(bits >> b & 1u ? here : REGION_NOTHING, offset, scale);
        sum += fixed;
        squares += (i64)fixed * fixed;
    }
    sums->count += T_POPCOUNT(bits);
    sums->sum += sum;
    sums->squares += squares;
}

// The same of a region in bits, of images of one channel, for a processor: an item goes through
// words of rows of nx points, `words` a row and `count` in all.
T_GROUP_KERNEL(T_JOIN(region_sums_of_bits_, REGION_PIXEL), 1, 1, 1,
               (T_IN(REGION_PIXEL) pixels, T_IN(u64) mask, T_IN(u64) open, const i32 nx,
                const i32 words, const i64 count, const f32 offset, const f32 scale,
                T_OUT(i64) sums)) {
    T_PHASE {
        region_Sums part;
        part.count = 0;
        part.sum = 0;
        part.squares = 0;
        const i64 begin = (i64)T_GX * region_sums_words;
        const i64 end = T_MIN(begin + region_sums_words, count);
        for (i64 w = begin; w < end; ++w) {
            const u64 bits = mask[w] & ~open[w];
            if (bits != 0) {
                const i64 row = w / words;
                const i32 x = (i32)(w - row * words) * region_word;
                T_GLOBAL_PTR(const REGION_PIXEL) at = pixels + row * nx + x;
                T_JOIN(region_add_points_, REGION_PIXEL)
                (&part, at, (u32)bits, T_MIN(region_half_word, nx - x), offset, scale);
                if (bits >> region_half_word != 0) T_JOIN(region_add_points_, REGION_PIXEL)
                (&part, at + region_half_word, (u32)(bits >> region_half_word),
                 T_MIN(region_half_word, nx - x - region_half_word), offset, scale);
            }
        }
        sums[3 * T_GX] = part.count;
        sums[3 * T_GX + 1] = part.sum;
        sums[3 * T_GX + 2] = part.squares;
    }
}

#undef REGION_PIXEL
#undef REGION_FIXED
#undef REGION_NOTHING
