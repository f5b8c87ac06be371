// Linear interpolation for one pixel type; sample_points.kernel.h sets SAMPLE_PIXEL and
// SAMPLE_PIXEL_OF, which makes a pixel of an f32.
T_KERNEL(T_JOIN(sample_linear_, SAMPLE_PIXEL), (T_IN(SAMPLE_PIXEL) image, T_IN(f32) points,
                                                T_OUT(SAMPLE_PIXEL) sampled, sampled_image s)) {
    T_INDEX1(i);
    const f32 x = points[i], y = points[s.count + i], z = points[2 * s.count + i];
    const i64 at = (i64)i * s.channels;
    if (!(is_within(x, s.size[0], s.margin) && is_within(y, s.size[1], s.margin) &&
          is_within(z, s.size[2], s.margin))) {
        for (i32 c = 0; c < s.channels; ++c) sampled[at + c] = SAMPLE_PIXEL_OF(s.outside);
        return;
    }
    i32 x0, x1, y0, y1, z0, z1;
    const f32 wx = pixels_around(x, s.size[0], &x0, &x1);
    const f32 wy = pixels_around(y, s.size[1], &y0, &y1);
    const f32 wz = pixels_around(z, s.size[2], &z0, &z1);
    const i64 rows[4] = {
        ((i64)z0 * s.size[1] + y0) * s.size[0], ((i64)z0 * s.size[1] + y1) * s.size[0],
        ((i64)z1 * s.size[1] + y0) * s.size[0], ((i64)z1 * s.size[1] + y1) * s.size[0]};
    for (i32 c = 0; c < s.channels; ++c) {
        f32 along_x[4];
        for (i32 k = 0; k < 4; ++k) {
            const f32 left = (f32)image[(rows[k] + x0) * s.channels + c];
            const f32 right = (f32)image[(rows[k] + x1) * s.channels + c];
            along_x[k] = left + wx * (right - left);
        }
        const f32 near = along_x[0] + wy * (along_x[1] - along_x[0]);
        const f32 far = along_x[2] + wy * (along_x[3] - along_x[2]);
        sampled[at + c] = SAMPLE_PIXEL_OF(near + wz * (far - near));
    }
}

#undef SAMPLE_PIXEL
#undef SAMPLE_PIXEL_OF
