// Linear interpolation at points for one SAMPLE_PIXEL.
T_KERNEL(T_JOIN(sample_linear_, SAMPLE_PIXEL), (T_IN(SAMPLE_PIXEL) image, T_IN(f32) points,
                                                T_OUT(SAMPLE_PIXEL) sampled, sampled_image s)) {
    T_INDEX1(i);
    T_JOIN(sample_linear_at_, SAMPLE_PIXEL)
    (image, sampled + (i64)i * s.channels, s, points[i], points[s.count + i],
     points[2 * s.count + i]);
}
