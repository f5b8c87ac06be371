// Rotation-invariant uniform patterns of LBP_POINTS samples on a circle (T. Ojala, M.
// Pietikainen, T. Maenpaa, IEEE TPAMI 24(7), 2002): how many samples are not darker than the
// center, where they stand together on the circle, otherwise one more than there are. Samples are
// bilinear; products of weights are multiples of 1e-10, so that 64-bit integers decide exactly.
T_SIMD_KERNEL(T_JOIN(lbp_circle_, LBP_POINTS),
              (T_IN(u8) planes, T_OUT(u8) codes, const lbp_circle circle)) {
    T_INDEX3(x, y, p);
    const i32 margin = circle.margin;
    const i64 at = ((i64)p * circle.step * circle.ny + y + margin) * circle.nx + x + margin;
    const i32 center = planes[at];
    i32 count = 0;
    i32 changes = 0;
    i32 before = 0;
    T_UNROLL
    for (i32 k = 0; k < LBP_POINTS; ++k) {
        const i32 left = lbp_unit - circle.right[k];
        const i32 upper = left * (planes[at + circle.upper_left[k]] - center) +
                          circle.right[k] * (planes[at + circle.upper_right[k]] - center);
        const i32 lower = left * (planes[at + circle.lower_left[k]] - center) +
                          circle.right[k] * (planes[at + circle.lower_right[k]] - center);
        const i64 above =
            (i64)(lbp_unit - circle.below[k]) * (i64)upper + (i64)circle.below[k] * (i64)lower;
        const i32 bit = above >= 0 ? 1 : 0;
        count += bit;
        changes += k > 0 ? bit ^ before : 0;  // the step from last to first makes them even
        before = bit;
    }
    const i32 width = circle.nx - 2 * margin;
    const i32 height = circle.ny - 2 * margin;
    codes[((i64)p * height + y) * width + x] = (u8)(changes <= 2 ? count : LBP_POINTS + 1);
}
