// Reference: color conversions in double precision, as the equations stand (spec 000, section 3.3;
// CIE 15 for L*u*v* and L*a*b*; IEC 61966-2-1 for sRGB). Nobody optimizes this.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

namespace tesela::reference {

enum class Gamma { srgb, none };

using Color = std::array<double, 3>;  // RGB in [0, 1], or L* with u*, v* or a*, b*

inline constexpr double epsilon_c = 216.0 / 24389.0, kappa = 24389.0 / 27.0;
inline constexpr Color white{0.95047, 1.0, 1.08883};  // X, Y, Z of D65
inline constexpr double white_sum = white[0] + 15 * white[1] + 3 * white[2];
inline constexpr double white_u = 4 * white[0] / white_sum, white_v = 9 * white[1] / white_sum;

inline double linear_from_value(double c, Gamma gamma) {
    if (gamma == Gamma::none) return c;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

inline double value_from_linear(double c, Gamma gamma) {
    if (gamma == Gamma::srgb) c = c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1 / 2.4) - 0.055;
    return std::clamp(c, 0.0, 1.0);
}

inline double lightness_from_luminance(double y) {
    return y > epsilon_c ? 116 * std::cbrt(y) - 16 : kappa * y;
}

inline double luminance_from_lightness(double lightness) {
    return lightness > kappa * epsilon_c ? std::pow((lightness + 16) / 116, 3) : lightness / kappa;
}

inline Color xyz_from_rgb(const Color& rgb, Gamma gamma) {
    const double r = linear_from_value(rgb[0], gamma), g = linear_from_value(rgb[1], gamma),
                 b = linear_from_value(rgb[2], gamma);
    return {0.4124564 * r + 0.3575761 * g + 0.1804375 * b,
            0.2126729 * r + 0.7151522 * g + 0.0721750 * b,
            0.0193339 * r + 0.1191920 * g + 0.9503041 * b};
}

inline Color rgb_from_xyz(const Color& xyz, Gamma gamma) {
    const auto& [x, y, z] = xyz;
    return {value_from_linear(3.2404542 * x - 1.5371385 * y - 0.4985314 * z, gamma),
            value_from_linear(-0.9692660 * x + 1.8760108 * y + 0.0415560 * z, gamma),
            value_from_linear(0.0556434 * x - 0.2040259 * y + 1.0572252 * z, gamma)};
}

inline Color luv_from_rgb(const Color& rgb, Gamma gamma) {
    const auto [x, y, z] = xyz_from_rgb(rgb, gamma);
    const double sum = x + 15 * y + 3 * z;
    if (sum == 0) return {0, 0, 0};
    const double lightness = lightness_from_luminance(y);
    return {lightness, 13 * lightness * (4 * x / sum - white_u),
            13 * lightness * (9 * y / sum - white_v)};
}

inline Color rgb_from_luv(const Color& luv, Gamma gamma) {
    const double lightness = luv[0];
    if (lightness <= 1e-9) return {0, 0, 0};
    const double u = luv[1] / (13 * lightness) + white_u;
    const double v = std::max(luv[2] / (13 * lightness) + white_v, 1e-9);
    const double y = luminance_from_lightness(lightness);
    return rgb_from_xyz({y * 9 * u / (4 * v), y, y * (12 - 3 * u - 20 * v) / (4 * v)}, gamma);
}

inline Color lab_from_rgb(const Color& rgb, Gamma gamma) {
    const Color xyz = xyz_from_rgb(rgb, gamma);
    const auto f = [&](std::size_t i) {
        const double t = xyz[i] / white[i];
        return t > epsilon_c ? std::cbrt(t) : (kappa * t + 16) / 116;
    };
    return {116 * f(1) - 16, 500 * (f(0) - f(1)), 200 * (f(1) - f(2))};
}

inline Color rgb_from_lab(const Color& lab, Gamma gamma) {
    const double fy = (lab[0] + 16) / 116, fx = fy + lab[1] / 500, fz = fy - lab[2] / 200;
    const auto t = [](double f) {
        return f * f * f > epsilon_c ? f * f * f : (116 * f - 16) / kappa;
    };
    return rgb_from_xyz({white[0] * t(fx), white[1] * t(fy), white[2] * t(fz)}, gamma);
}

// Gray is L* alone: the luminance of a gray is its linear value.
inline double lightness_from_gray(double gray, Gamma gamma) {
    return lightness_from_luminance(linear_from_value(gray, gamma));
}

inline double gray_from_lightness(double lightness, Gamma gamma) {
    return value_from_linear(luminance_from_lightness(lightness), gamma);
}

}  // namespace tesela::reference
