// Part of sampled_image.h, once for each SAMPLE_PIXEL: the channels of a pixel at a position, by
// linear interpolation.
T_FUNCTION void T_JOIN(sample_linear_at_, SAMPLE_PIXEL)(T_GLOBAL_PTR(const SAMPLE_PIXEL) image,
                                                        T_GLOBAL_PTR(SAMPLE_PIXEL) sampled,
                                                        const sampled_image s, const f32 x,
                                                        const f32 y, const f32 z) {
    if (!is_in_image(s, x, y, z)) {
        for (i32 c = 0; c < s.channels; ++c) sampled[c] = T_JOIN(pixel_, SAMPLE_PIXEL)(s.outside);
        return;
    }
    const linear_place place = linear_place_at(s, x, y, z);
    for (i32 c = 0; c < s.channels; ++c) {
        f32 along_x[4];
        for (i32 k = 0; k < 4; ++k) {
            const f32 left = (f32)image[(place.rows[k] + place.x0) * s.channels + c];
            const f32 right = (f32)image[(place.rows[k] + place.x1) * s.channels + c];
            along_x[k] = left + place.wx * (right - left);
        }
        const f32 near = along_x[0] + place.wy * (along_x[1] - along_x[0]);
        const f32 far = along_x[2] + place.wy * (along_x[3] - along_x[2]);
        sampled[c] = T_JOIN(pixel_, SAMPLE_PIXEL)(near + place.wz * (far - near));
    }
}
