// One pixel type's kernels; features.kernel.h sets FEATURES_PIXEL and FEATURES_PIXEL_OF. Pixels are
// interleaved, `stride` values a point; channels after the color are passed through unchanged.
// On the way back channel c of point i is features[first + i * point_stride + c * channel_stride].
#define FEATURES_OF(name) T_JOIN(T_JOIN(name, _), FEATURES_PIXEL)

// Colors to L*u*v* (lab = 0) or L*a*b* (lab = 1); `unit` takes a pixel value to [0, 1].
T_KERNEL(FEATURES_OF(features_of_color),
         (T_IN(FEATURES_PIXEL) pixels, T_OUT(i32) features, i64 points, i32 stride, f32 unit,
          i32 lab, i32 srgb, f32 scale)) {
    T_INDEX1(i);
    T_GLOBAL_PTR(const FEATURES_PIXEL) pixel = pixels + (i64)i * stride;
    f32 r = T_CLAMP((f32)pixel[0] * unit, 0.0f, 1.0f);
    f32 g = T_CLAMP((f32)pixel[1] * unit, 0.0f, 1.0f);
    f32 b = T_CLAMP((f32)pixel[2] * unit, 0.0f, 1.0f);
    if (srgb) {
        r = t_linear_of_srgb(r);
        g = t_linear_of_srgb(g);
        b = t_linear_of_srgb(b);
    }
    const f32 y = t_y_of_rgb(r, g, b);
    const f32 lightness = t_lightness(y);
    f32 second;
    f32 third;
    if (lab) {
        const f32 x = t_x_of_rgb(r, g, b);
        const f32 z = t_z_of_rgb(r, g, b);
        const f32 foot = t_lab_foot(y);
        second = 500.0f * (t_lab_foot(x * (1.0f / COLOR_WHITE_X)) - foot);
        third = 200.0f * (foot - t_lab_foot(z * (1.0f / COLOR_WHITE_Z)));
    } else {
        const f32 denominator = T_MAX(t_uv_denominator(r, g, b), 1e-12f);
        const f32 factor = 13.0f * lightness * t_reciprocal(denominator);
        second = factor * t_u_numerator(r, g, b);
        third = factor * t_v_numerator(r, g, b);
    }
    features[i] = T_ROUND(lightness * scale);
    features[points + i] = T_ROUND(second * scale);
    features[2 * points + i] = T_ROUND(third * scale);
}

T_KERNEL(FEATURES_OF(color_of_features),
         (T_IN(i32) features, T_IN(FEATURES_PIXEL) pixels, T_OUT(FEATURES_PIXEL) filtered,
          i32 first, i32 point_stride, i64 channel_stride, i32 stride, f32 full, i32 lab, i32 srgb,
          f32 inverse_scale)) {
    T_INDEX1(i);
    const i64 feature = first + (i64)i * point_stride;
    const f32 lightness = (f32)features[feature] * inverse_scale;
    const f32 second = (f32)features[feature + channel_stride] * inverse_scale;
    const f32 third = (f32)features[feature + 2 * channel_stride] * inverse_scale;
    const f32 y = t_luminance(lightness);
    f32 x;
    f32 z;
    if (lab) {
        const f32 foot = t_lab_foot(y);
        x = COLOR_WHITE_X * t_lab_unfoot(foot + second * (1.0f / 500.0f));
        z = COLOR_WHITE_Z * t_lab_unfoot(foot - third * (1.0f / 200.0f));
    } else {
        const f32 inverse = t_reciprocal(13.0f * T_MAX(lightness, 1e-6f));
        const f32 u = second * inverse + COLOR_WHITE_U;
        const f32 v = T_MAX(third * inverse + COLOR_WHITE_V, 1e-6f);
        const f32 share = y * t_reciprocal(4.0f * v);
        x = share * 9.0f * u;
        z = share * (12.0f - 3.0f * u - 20.0f * v);
    }
    f32 r = T_CLAMP(t_r_of_xyz(x, y, z), 0.0f, 1.0f);
    f32 g = T_CLAMP(t_g_of_xyz(x, y, z), 0.0f, 1.0f);
    f32 b = T_CLAMP(t_b_of_xyz(x, y, z), 0.0f, 1.0f);
    if (srgb) {
        r = T_CLAMP(t_srgb_of_linear(r), 0.0f, 1.0f);
        g = T_CLAMP(t_srgb_of_linear(g), 0.0f, 1.0f);
        b = T_CLAMP(t_srgb_of_linear(b), 0.0f, 1.0f);
    }
    const i64 at = (i64)i * stride;
    filtered[at] = FEATURES_PIXEL_OF(r * full);
    filtered[at + 1] = FEATURES_PIXEL_OF(g * full);
    filtered[at + 2] = FEATURES_PIXEL_OF(b * full);
    for (i32 c = 3; c < stride; ++c) filtered[at + c] = pixels[at + c];
}

// Gray to L*, the lightness alone.
T_KERNEL(FEATURES_OF(features_of_gray), (T_IN(FEATURES_PIXEL) pixels, T_OUT(i32) features,
                                         i32 stride, f32 unit, i32 srgb, f32 scale)) {
    T_INDEX1(i);
    const f32 value = T_CLAMP((f32)pixels[(i64)i * stride] * unit, 0.0f, 1.0f);
    features[i] = T_ROUND(t_lightness(srgb ? t_linear_of_srgb(value) : value) * scale);
}

T_KERNEL(FEATURES_OF(gray_of_features),
         (T_IN(i32) features, T_IN(FEATURES_PIXEL) pixels, T_OUT(FEATURES_PIXEL) filtered,
          i32 first, i32 point_stride, i32 stride, f32 full, i32 srgb, f32 inverse_scale)) {
    T_INDEX1(i);
    const f32 lightness = (f32)features[first + (i64)i * point_stride] * inverse_scale;
    f32 value = T_CLAMP(t_luminance(lightness), 0.0f, 1.0f);
    if (srgb) value = T_CLAMP(t_srgb_of_linear(value), 0.0f, 1.0f);
    const i64 at = (i64)i * stride;
    filtered[at] = FEATURES_PIXEL_OF(value * full);
    for (i32 c = 1; c < stride; ++c) filtered[at + c] = pixels[at + c];
}

// The values themselves, less an offset.
T_KERNEL(FEATURES_OF(features_of_values),
         (T_IN(FEATURES_PIXEL) pixels, T_OUT(i32) features, i64 points, i32 stride, i32 channels,
          f32 offset, f32 scale)) {
    T_INDEX1(i);
    for (i32 c = 0; c < channels; ++c)
        features[c * points + i] = T_ROUND(((f32)pixels[(i64)i * stride + c] - offset) * scale);
}

T_KERNEL(FEATURES_OF(values_of_features),
         (T_IN(i32) features, T_IN(FEATURES_PIXEL) pixels, T_OUT(FEATURES_PIXEL) filtered,
          i32 first, i32 point_stride, i64 channel_stride, i32 stride, i32 channels, f32 offset,
          f32 inverse_scale)) {
    T_INDEX1(i);
    const i64 feature = first + (i64)i * point_stride;
    const i64 at = (i64)i * stride;
    for (i32 c = 0; c < channels; ++c)
        filtered[at + c] =
            FEATURES_PIXEL_OF((f32)features[feature + c * channel_stride] * inverse_scale + offset);
    for (i32 c = channels; c < stride; ++c) filtered[at + c] = pixels[at + c];
}

#undef FEATURES_OF
#undef FEATURES_PIXEL
#undef FEATURES_PIXEL_OF
