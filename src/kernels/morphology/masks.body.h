// Of MASKS_VALUE. Part of masks.kernel.h.
T_KERNEL(T_JOIN(masks_apply_, MASKS_VALUE),
         (T_IN(MASKS_VALUE) image, T_IN(u8) mask, T_OUT(MASKS_VALUE) applied,
          const MASKS_VALUE value, const i32 where, const i32 channels, const i32 colors)) {
    T_INDEX1(i);
    const i32 is_set = (mask[i] == 0 ? 1 : 0) == where;
    for (i32 c = 0; c < channels; ++c) {
        const i64 at = (i64)i * channels + c;
        applied[at] = is_set && c < colors ? value : image[at];
    }
}
#undef MASKS_VALUE
