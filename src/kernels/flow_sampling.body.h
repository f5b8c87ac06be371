// Images between their pixels, in T_REAL; T_OF(name) is a name that tells it.
//
// Beyond the border an image goes on mirrored, the border pixel doubled (spec 2.9); beyond its
// mirror image the outermost pixel stands.

T_FUNCTION i32 T_OF(flow_mirrored)(i32 at, const i32 length) {
    at = at < 0 ? -at - 1 : at;
    at = at >= length ? 2 * length - 1 - at : at;
    return T_CLAMP(at, 0, length - 1);
}

// The whole number below `at`, which is so far outside of 0..length - 1 at most that nothing
// changes any more.
T_FUNCTION T_REAL T_OF(flow_within_reach)(const T_REAL at, const i32 length) {
    return T_CLAMP(at, (T_REAL)(-2 * length), (T_REAL)(3 * length));
}
T_FUNCTION i32 T_OF(flow_floor)(const T_REAL at) {
    const i32 whole = (i32)at;
    return (T_REAL)whole > at ? whole - 1 : whole;
}

// Bilinear.
T_FUNCTION T_REAL T_OF(flow_mean_of_four)(T_GLOBAL_PTR(const T_REAL) image, const i32 width,
                                          const i32 x0, const i32 x1, const i32 y0, const i32 y1,
                                          const T_REAL wx, const T_REAL wy) {
    T_GLOBAL_PTR(const T_REAL) above = image + (i64)y0 * width;
    T_GLOBAL_PTR(const T_REAL) below = image + (i64)y1 * width;
    const T_REAL vx = (T_REAL)1 - wx;
    return (vx * above[x0] + wx * above[x1]) * ((T_REAL)1 - wy) +
           (vx * below[x0] + wx * below[x1]) * wy;
}
T_FUNCTION T_REAL T_OF(flow_sample)(T_GLOBAL_PTR(const T_REAL) image, const i32 width,
                                    const i32 height, const T_REAL at_x, const T_REAL at_y) {
    const T_REAL x = T_OF(flow_within_reach)(at_x, width);
    const T_REAL y = T_OF(flow_within_reach)(at_y, height);
    const i32 x0 = T_OF(flow_floor)(x);
    const i32 y0 = T_OF(flow_floor)(y);
    return T_OF(flow_mean_of_four)(
        image, width, T_OF(flow_mirrored)(x0, width), T_OF(flow_mirrored)(x0 + 1, width),
        T_OF(flow_mirrored)(y0, height), T_OF(flow_mirrored)(y0 + 1, height), x - (T_REAL)x0,
        y - (T_REAL)y0);
}

// As the thesis has it (spec 2.9, errata E17): coordinates are rounded towards 0, what is left
// loses its sign, and of the two pixels only the first is mirrored as such.
T_FUNCTION T_REAL T_OF(flow_sample_literal)(T_GLOBAL_PTR(const T_REAL) image, const i32 width,
                                            const i32 height, const T_REAL at_x,
                                            const T_REAL at_y) {
    const T_REAL x = T_OF(flow_within_reach)(at_x, width);
    const T_REAL y = T_OF(flow_within_reach)(at_y, height);
    const i32 x0 = T_OF(flow_mirrored)((i32)x, width);
    const i32 y0 = T_OF(flow_mirrored)((i32)y, height);
    const T_REAL wx = x - (T_REAL)(i32)x;
    const T_REAL wy = y - (T_REAL)(i32)y;
    return T_OF(flow_mean_of_four)(image, width, x0, T_OF(flow_mirrored)(x0 + 1, width), y0,
                                   T_OF(flow_mirrored)(y0 + 1, height), T_ABS(wx), T_ABS(wy));
}
