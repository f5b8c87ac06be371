// One pixel type; planes.kernel.h sets PLANES_PIXEL and PLANES_PIXEL_OF, which makes a pixel of an
// f32.

// Samples beyond the image repeat the last one of each axis. Items along z go through all planes.
T_KERNEL(T_JOIN(planes_of_, PLANES_PIXEL),
         (T_IN(PLANES_PIXEL) pixels, T_OUT(f32) planes, const plane_layout s)) {
    T_INDEX3(x, y, slice);
    const i32 channel = slice / s.padded[2], z = slice % s.padded[2];
    const i64 from =
        plane_pixel(s, T_MIN(x, s.size[0] - 1), T_MIN(y, s.size[1] - 1), T_MIN(z, s.size[2] - 1));
    planes[plane_place(s, channel, x, y, z)] = (f32)pixels[from + channel];
}

// Pixels from planes, and what they differ by from the pixels before; others stay.
T_KERNEL(T_JOIN(planes_to_, PLANES_PIXEL),
         (T_IN(PLANES_PIXEL) pixels, T_IN(f32) planes, T_OUT(PLANES_PIXEL) made,
          T_OUT(f32) residual, const plane_layout s)) {
    T_INDEX3(x, y, z);
    const i64 at = plane_pixel(s, x, y, z);
    for (i32 c = 0; c < s.channels; ++c) {
        const f32 before = (f32)pixels[at + c];
        const f32 value = c < s.transformed ? planes[plane_place(s, c, x, y, z)] : before;
        made[at + c] = PLANES_PIXEL_OF(value);
        residual[at + c] = before - value;
    }
}

// The same without what they differ by, of all channels.
T_KERNEL(T_JOIN(planes_pixels_, PLANES_PIXEL),
         (T_IN(f32) planes, T_OUT(PLANES_PIXEL) made, const plane_layout s)) {
    T_INDEX3(x, y, z);
    const i64 at = plane_pixel(s, x, y, z);
    for (i32 c = 0; c < s.channels; ++c) {
        const f32 value = planes[plane_place(s, c, x, y, z)];
        made[at + c] = PLANES_PIXEL_OF(value);
    }
}

#undef PLANES_PIXEL
#undef PLANES_PIXEL_OF
