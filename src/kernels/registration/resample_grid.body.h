// An image of one SAMPLE_PIXEL on a grid, by one RESAMPLE_METHOD; the map leads from pixels of the
// grid to those of the image. Slices of volumes in time follow one another.
T_KERNEL(T_JOIN(T_JOIN(resample_, RESAMPLE_METHOD), T_JOIN(_, SAMPLE_PIXEL)),
         (T_IN(SAMPLE_PIXEL) image, T_OUT(SAMPLE_PIXEL) resampled, sampled_image s, linear_map map,
          resampling_grid grid)) {
    T_INDEX3(x, y, slice);
    const i32 z = slice % grid.size[2];
    T_JOIN(T_JOIN(sample_, RESAMPLE_METHOD), T_JOIN(_at_, SAMPLE_PIXEL))
    (image + slice / grid.size[2] * grid.frame,
     resampled + (((i64)slice * grid.size[1] + y) * grid.size[0] + x) * s.channels, s,
     linear_row(map.row_x, (f32)x, (f32)y, (f32)z), linear_row(map.row_y, (f32)x, (f32)y, (f32)z),
     linear_row(map.row_z, (f32)x, (f32)y, (f32)z));
}
