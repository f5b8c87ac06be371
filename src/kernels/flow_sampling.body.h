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
T_FUNCTION T_REAL T_OF(flow_mean_of)(const T_REAL above_left, const T_REAL above_right,
                                     const T_REAL below_left, const T_REAL below_right,
                                     const T_REAL wx, const T_REAL wy) {
    const T_REAL vx = (T_REAL)1 - wx;
    return (vx * above_left + wx * above_right) * ((T_REAL)1 - wy) +
           (vx * below_left + wx * below_right) * wy;
}
T_FUNCTION T_REAL T_OF(flow_mean_of_four)(T_GLOBAL_PTR(const T_REAL) image, const i32 width,
                                          const i32 x0, const i32 x1, const i32 y0, const i32 y1,
                                          const T_REAL wx, const T_REAL wy) {
    T_GLOBAL_PTR(const T_REAL) above = image + (i64)y0 * width;
    T_GLOBAL_PTR(const T_REAL) below = image + (i64)y1 * width;
    return T_OF(flow_mean_of)(above[x0], above[x1], below[x0], below[x1], wx, wy);
}

// The two pixels of a line of an image that a sample lies between; gives the weight of the second.
// `literal` is as the thesis has it (spec 2.9, errata E17): coordinates are rounded towards 0, what
// is left loses its sign, and of the two pixels only the first is mirrored as such.
T_FUNCTION T_REAL T_OF(flow_between)(const T_REAL at, const i32 length, const i32 literal,
                                     i32* first, i32* second) {
    const T_REAL within = T_OF(flow_within_reach)(at, length);
    const i32 whole = literal ? (i32)within : T_OF(flow_floor)(within);
    const T_REAL weight = within - (T_REAL)whole;
    *first = T_OF(flow_mirrored)(whole, length);
    *second = T_OF(flow_mirrored)((literal ? *first : whole) + 1, length);
    return T_ABS(weight);
}
T_FUNCTION T_REAL T_OF(flow_sample)(T_GLOBAL_PTR(const T_REAL) image, const i32 width,
                                    const i32 height, const T_REAL at_x, const T_REAL at_y,
                                    const i32 literal) {
    i32 x0, x1, y0, y1;
    const T_REAL wx = T_OF(flow_between)(at_x, width, literal, &x0, &x1);
    const T_REAL wy = T_OF(flow_between)(at_y, height, literal, &y0, &y1);
    return T_OF(flow_mean_of_four)(image, width, x0, x1, y0, y1, wx, wy);
}
