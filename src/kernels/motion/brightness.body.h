// Brightness of one pixel type; brightness_f64.kernel.h sets BRIGHTNESS_PIXEL.
T_KERNEL(T_JOIN(brightness_, BRIGHTNESS_PIXEL),
         (T_IN(BRIGHTNESS_PIXEL) pixels, T_OUT(f32) result, const brightness_scale s)) {
    T_INDEX1(i);
    T_GLOBAL_PTR(const BRIGHTNESS_PIXEL) pixel = pixels + (i64)i * s.stride;
    for (i32 c = 0; c < s.channels; ++c) {
        const f64 value =
            s.is_luma ? s.red * (f64)pixel[0] + s.green * (f64)pixel[1] + s.blue * (f64)pixel[2]
                      : (f64)pixel[c];
        const f64 scaled = (value - s.lowest) * s.unit;
        result[s.first + (i64)i * s.channels + c] = (f32)T_CLAMP(scaled, s.least, s.most);
    }
}

#undef BRIGHTNESS_PIXEL
