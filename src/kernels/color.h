// Color conversions as device functions (CIE 15:2018; IEC 61966-2-1 for
// sRGB).
//
// Roots and reciprocals are Newton iterations of multiplications and additions alone, so that every
// device gives the same bits. Their relative error is below 4e-7 for positive normal arguments.
#ifndef TESELA_KERNELS_COLOR_H
#define TESELA_KERNELS_COLOR_H

#define COLOR_LAB_EPSILON (216.0f / 24389.0f)
#define COLOR_LAB_KAPPA (24389.0f / 27.0f)
#define COLOR_WHITE_X 0.95047f
#define COLOR_WHITE_Z 1.08883f
// u' and v' of the white, 4 X / (X + 15 Y + 3 Z) and 9 Y / (X + 15 Y + 3 Z).
#define COLOR_WHITE_U 0.19783982f
#define COLOR_WHITE_V 0.46833630f

// The exponent field, read as a number, is nearly a logarithm: a shifted and divided bit pattern
// starts each iteration within a few percent.
T_FUNCTION f32 t_reciprocal(f32 x) {
    f32 r = T_FROM_BITS(0x7ef311c3u - T_BITS(x));
    for (i32 i = 0; i < 4; ++i) r = r * (2.0f - x * r);
    return r;
}

T_FUNCTION f32 t_sqrt(f32 x) {
    f32 r = T_FROM_BITS(0x5f3759dfu - (T_BITS(x) >> 1));
    for (i32 i = 0; i < 4; ++i) r = r * (1.5f - 0.5f * x * r * r);
    return x * r;
}

T_FUNCTION f32 t_cbrt(f32 x) {
    f32 r = T_FROM_BITS(0x54a2fa8cu - T_BITS(x) / 3u);
    for (i32 i = 0; i < 4; ++i) r = r * (4.0f - x * r * r * r) * (1.0f / 3.0f);
    const f32 root = x * r * r;
    return root +
           (x - root * root * root) * (r * r) * (1.0f / 3.0f);  // one step on the root itself
}

T_FUNCTION f32 t_fifth_root(f32 x) {
    f32 r = T_FROM_BITS(0x4c2ad80bu - T_BITS(x) / 5u);
    for (i32 i = 0; i < 4; ++i) {
        const f32 r2 = r * r;
        r = r * (6.0f - x * r2 * r2 * r) * 0.2f;
    }
    const f32 r2 = r * r;
    return x * r2 * r2;
}

T_FUNCTION f32 t_linear_of_srgb(f32 c) {
    const f32 z = T_MAX((c + 0.055f) * (1.0f / 1.055f), 1e-3f);
    const f32 z2 = z * z;
    return c <= 0.04045f ? c * (1.0f / 12.92f) : z2 * t_fifth_root(z2);  // z^2.4
}

T_FUNCTION f32 t_srgb_of_linear(f32 c) {
    const f32 x = T_MAX(c, 1e-3f);
    const f32 root = t_sqrt(x);
    const f32 power = t_sqrt(root) * t_cbrt(root);  // x^(1/4) x^(1/6) = x^(1/2.4)
    return c <= 0.0031308f ? 12.92f * c : 1.055f * power - 0.055f;
}

// L* of relative luminance Y in [0, 1], and back.
T_FUNCTION f32 t_lightness(f32 y) {
    return y > COLOR_LAB_EPSILON ? 116.0f * t_cbrt(T_MAX(y, 1e-3f)) - 16.0f : COLOR_LAB_KAPPA * y;
}
T_FUNCTION f32 t_luminance(f32 lightness) {
    const f32 root = (lightness + 16.0f) * (1.0f / 116.0f);
    return lightness > COLOR_LAB_KAPPA * COLOR_LAB_EPSILON ? root * root * root
                                                           : lightness * (1.0f / COLOR_LAB_KAPPA);
}

// The cube-root-with-linear-foot of L*a*b*, and back.
T_FUNCTION f32 t_lab_foot(f32 t) {
    return t > COLOR_LAB_EPSILON ? t_cbrt(T_MAX(t, 1e-3f))
                                 : (COLOR_LAB_KAPPA * t + 16.0f) * (1.0f / 116.0f);
}
T_FUNCTION f32 t_lab_unfoot(f32 f) {
    const f32 cube = f * f * f;
    return cube > COLOR_LAB_EPSILON ? cube : (116.0f * f - 16.0f) * (1.0f / COLOR_LAB_KAPPA);
}

// Linear RGB with sRGB primaries, in [0, 1], to XYZ relative to D65, and back.
T_FUNCTION f32 t_x_of_rgb(f32 r, f32 g, f32 b) {
    return 0.4124564f * r + 0.3575761f * g + 0.1804375f * b;
}
T_FUNCTION f32 t_y_of_rgb(f32 r, f32 g, f32 b) {
    return 0.2126729f * r + 0.7151522f * g + 0.0721750f * b;
}
T_FUNCTION f32 t_z_of_rgb(f32 r, f32 g, f32 b) {
    return 0.0193339f * r + 0.1191920f * g + 0.9503041f * b;
}
// The denominator D = X + 15 Y + 3 Z of u' and v', and 4 X - u'_n D and 9 Y - v'_n D, each
// multiplied out for linear RGB: the differences, zero for gray, are then taken before anything is
// rounded.
T_FUNCTION f32 t_uv_denominator(f32 r, f32 g, f32 b) {
    return 3.6605516f * r + 11.4424351f * g + 4.1139748f * b;
}
T_FUNCTION f32 t_u_numerator(f32 r, f32 g, f32 b) {
    return 0.925622713f * r - 0.833464956f * g - 0.0921580538f * b;
}
T_FUNCTION f32 t_v_numerator(f32 r, f32 g, f32 b) {
    return 0.199686897f * r + 1.07746205f * g - 1.27714875f * b;
}

T_FUNCTION f32 t_r_of_xyz(f32 x, f32 y, f32 z) {
    return 3.2404542f * x - 1.5371385f * y - 0.4985314f * z;
}
T_FUNCTION f32 t_g_of_xyz(f32 x, f32 y, f32 z) {
    return -0.9692660f * x + 1.8760108f * y + 0.0415560f * z;
}
T_FUNCTION f32 t_b_of_xyz(f32 x, f32 y, f32 z) {
    return 0.0556434f * x - 0.2040259f * y + 1.0572252f * z;
}

#endif
