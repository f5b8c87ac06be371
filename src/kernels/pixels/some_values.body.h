// Part of some_values.kernel.h, once for each SOME_VALUES_PIXEL.

// The first `taken` of the channels of every `step`-th point.
T_KERNEL(T_JOIN(some_values_, SOME_VALUES_PIXEL),
         (T_IN(SOME_VALUES_PIXEL) pixels, T_OUT(SOME_VALUES_PIXEL) values, const i64 step,
          const i32 channels, const i32 taken)) {
    T_INDEX2(channel, point);
    values[(i64)point * taken + channel] = pixels[point * step * channels + channel];
}

#undef SOME_VALUES_PIXEL
