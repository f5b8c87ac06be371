// Part of component_selection.kernel.h, once for each COMPONENTS_PIXEL: 1 where a value is not 0.
T_SIMD_KERNEL(T_JOIN(component_mask_, COMPONENTS_PIXEL),
              (T_IN(COMPONENTS_PIXEL) pixels, T_OUT(u8) mask)) {
    T_INDEX1(i);
    mask[i] = pixels[i] != 0 ? 1 : 0;
}

#undef COMPONENTS_PIXEL
