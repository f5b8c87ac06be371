// Colors of the thesis's region growing (Barriuso Medrano 2011, section 3.3.2). Conversions are
// exact: coefficients are whole numbers, a result is the nearest, halves up.
#ifndef TESELA_KERNELS_REGION_THESIS_COLOR_H
#define TESELA_KERNELS_REGION_THESIS_COLOR_H

// Millionths to the nearest of 0 to 255, halves up. Nothing is below -1000.
T_FUNCTION i32 region_thesis_byte(const i32 millionths) {
    const i32 value = (millionths + 1000500000) / 1000000 - 1000;
    return T_CLAMP(value, 0, 255);
}

// Full range (JFIF), or 16 to 235 and 16 to 240 (ITU-R BT.601), whose coefficients are those of
// colors from 0 to 1.
T_FUNCTION void region_thesis_to_ycc(const i32 r, const i32 g, const i32 b, const i32 studio,
                                     i32* ycc) {
    if (studio) {
        const i32 full = 255000;
        ycc[0] = 16 + (65481 * r + 128553 * g + 24966 * b + full / 2) / full;
        ycc[1] = (128 * full - 37797 * r - 74203 * g + 112000 * b + full / 2) / full;
        ycc[2] = (128 * full + 112000 * r - 93786 * g - 18214 * b + full / 2) / full;
    } else {
        ycc[0] = region_thesis_byte(299000 * r + 587000 * g + 114000 * b);
        ycc[1] = region_thesis_byte(128000000 - 168736 * r - 331264 * g + 500000 * b);
        ycc[2] = region_thesis_byte(128000000 + 500000 * r - 418688 * g - 81312 * b);
    }
}

T_FUNCTION void region_thesis_to_rgb(const i32 y, const i32 cb, const i32 cr, const i32 studio,
                                     i32* rgb) {
    const i32 u = cb - 128;
    const i32 v = cr - 128;
    if (studio) {
        const i32 light = 1164384 * (y - 16);
        rgb[0] = region_thesis_byte(light + 1596027 * v);
        rgb[1] = region_thesis_byte(light - 391763 * u - 812968 * v);
        rgb[2] = region_thesis_byte(light + 2017233 * u);
    } else {
        const i32 light = 1000000 * y;
        rgb[0] = region_thesis_byte(light + 1402000 * v);
        rgb[1] = region_thesis_byte(light - 344136 * u - 714136 * v);
        rgb[2] = region_thesis_byte(light + 1772000 * u);
    }
}

#endif
