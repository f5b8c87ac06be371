// Linear samples of an image between its pixels, in SAMPLING_REAL; SAMPLING_OF(name) appends it to
// a name. Borders are mirrored (filters/borders.h).

// The mean of four pixels with the weights of the right and of the lower ones.
T_FUNCTION SAMPLING_REAL SAMPLING_OF(linear_mean)(const SAMPLING_REAL above_left,
                                                  const SAMPLING_REAL above_right,
                                                  const SAMPLING_REAL below_left,
                                                  const SAMPLING_REAL below_right,
                                                  const SAMPLING_REAL wx, const SAMPLING_REAL wy) {
    const SAMPLING_REAL vx = (SAMPLING_REAL)1 - wx;
    return (vx * above_left + wx * above_right) * ((SAMPLING_REAL)1 - wy) +
           (vx * below_left + wx * below_right) * wy;
}
T_FUNCTION SAMPLING_REAL SAMPLING_OF(linear_at)(T_GLOBAL_PTR(const SAMPLING_REAL) image,
                                                const i32 width, const i32 x0, const i32 x1,
                                                const i32 y0, const i32 y1, const SAMPLING_REAL wx,
                                                const SAMPLING_REAL wy) {
    T_GLOBAL_PTR(const SAMPLING_REAL) above = image + (i64)y0 * width;
    T_GLOBAL_PTR(const SAMPLING_REAL) below = image + (i64)y1 * width;
    return SAMPLING_OF(linear_mean)(above[x0], above[x1], below[x0], below[x1], wx, wy);
}

// The whole number below `at`.
T_FUNCTION i32 SAMPLING_OF(sampling_floor)(const SAMPLING_REAL at) {
    const i32 whole = (i32)at;
    return (SAMPLING_REAL)whole > at ? whole - 1 : whole;
}

// The two pixels of a line that a sample lies between; gives the weight of the second. `literal` is
// as in the thesis (Diaz Morgado and Gomez Blanco 2016, algorithm 28): coordinates are rounded
// towards 0, what is left loses its sign, and of the two pixels only the first is mirrored as such.
T_FUNCTION SAMPLING_REAL SAMPLING_OF(linear_between)(const SAMPLING_REAL at, const i32 length,
                                                     const i32 literal, i32* first, i32* second) {
    // So far outside that nothing changes any more, and the number still is an i32.
    const SAMPLING_REAL within =
        T_CLAMP(at, (SAMPLING_REAL)(-2 * length), (SAMPLING_REAL)(3 * length));
    const i32 whole = literal ? (i32)within : SAMPLING_OF(sampling_floor)(within);
    const SAMPLING_REAL weight = within - (SAMPLING_REAL)whole;
    *first = border_mirrored(whole, length);
    *second = border_mirrored((literal ? *first : whole) + 1, length);
    return T_ABS(weight);
}
T_FUNCTION SAMPLING_REAL SAMPLING_OF(linear_sample)(T_GLOBAL_PTR(const SAMPLING_REAL) image,
                                                    const i32 width, const i32 height,
                                                    const SAMPLING_REAL at_x,
                                                    const SAMPLING_REAL at_y, const i32 literal) {
    i32 x0, x1, y0, y1;
    const SAMPLING_REAL wx = SAMPLING_OF(linear_between)(at_x, width, literal, &x0, &x1);
    const SAMPLING_REAL wy = SAMPLING_OF(linear_between)(at_y, height, literal, &y0, &y1);
    return SAMPLING_OF(linear_at)(image, width, x0, x1, y0, y1, wx, wy);
}
