// An image of one SAMPLE_PIXEL on a grid, by one RESAMPLE_METHOD. Slices of volumes in time follow
// one another.
T_KERNEL(T_JOIN(T_JOIN(resample_, RESAMPLE_METHOD), T_JOIN(_, SAMPLE_PIXEL)),
         (T_IN(SAMPLE_PIXEL) image, T_OUT(SAMPLE_PIXEL) resampled, const resampling r)) {
    T_INDEX3(x, y, slice);
    const i32 z = slice % r.size[2];
    T_JOIN(T_JOIN(sample_, RESAMPLE_METHOD), T_JOIN(_at_, SAMPLE_PIXEL))
    (image + slice / r.size[2] * r.frame,
     resampled + (((i64)slice * r.size[1] + y) * r.size[0] + x) * r.image.channels, r.image,
     linear_row(r.map.row_x, (f32)x, (f32)y, (f32)z),
     linear_row(r.map.row_y, (f32)x, (f32)y, (f32)z),
     linear_row(r.map.row_z, (f32)x, (f32)y, (f32)z));
}
