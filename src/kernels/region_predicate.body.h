// Part of region_predicate.kernel.h, once for each T_PIXEL, with T_LIMIT, the type in which its
// values are compared. Limits are inclusive; NaN is within none.
#define T_TYPED(name) T_JOIN(T_JOIN(name, _), T_PIXEL)

T_SIMD_KERNEL(T_TYPED(region_gray_within),
              (T_IN(T_PIXEL) pixels, const T_LIMIT lower, const T_LIMIT upper, T_OUT(u8) mask)) {
    T_INDEX1(i);
    const T_LIMIT value = pixels[i];
    mask[i] = T_CLAMP(value, lower, upper) == value ? 1 : 0;
}

// Of pixels of `stride` values the first `channels`, which are 1 or 3.
T_KERNEL(T_TYPED(region_color_within),
         (T_IN(T_PIXEL) pixels, const i32 stride, const i32 channels, const T_LIMIT lower0,
          const T_LIMIT upper0, const T_LIMIT lower1, const T_LIMIT upper1, const T_LIMIT lower2,
          const T_LIMIT upper2, T_OUT(u8) mask)) {
    T_INDEX1(i);
    T_GLOBAL_PTR(const T_PIXEL) pixel = pixels + (i64)i * stride;
    const T_LIMIT first = pixel[0];
    const T_LIMIT second = channels == 3 ? (T_LIMIT)pixel[1] : lower1;
    const T_LIMIT third = channels == 3 ? (T_LIMIT)pixel[2] : lower2;
    mask[i] = T_CLAMP(first, lower0, upper0) == first &&
                      T_CLAMP(second, lower1, upper1) == second &&
                      T_CLAMP(third, lower2, upper2) == third
                  ? 1
                  : 0;
}

#undef T_TYPED
#undef T_PIXEL
#undef T_LIMIT
