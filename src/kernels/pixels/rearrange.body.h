// Part of rearrange.kernel.h, once for each REARRANGE_ELEMENT. An item copies the channels of a
// pixel; slices of volumes in time follow one another.
T_KERNEL(T_JOIN(rearrange_, REARRANGE_ELEMENT),
         (T_IN(REARRANGE_ELEMENT) image, T_OUT(REARRANGE_ELEMENT) rearranged,
          const rearrange_steps steps)) {
    T_INDEX3(x, y, slice);
    const i64 source = steps.first + x * steps.x + y * steps.y + (slice % steps.nz) * steps.z +
                       (slice / steps.nz) * steps.t;
    const i64 target = (((i64)slice * steps.ny + y) * steps.nx + x) * steps.channels;
    for (i32 c = 0; c < steps.channels; ++c) rearranged[target + c] = image[source + c];
}
