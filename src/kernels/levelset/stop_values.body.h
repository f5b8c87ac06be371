// Pixels of STOP_VALUE as floats: part of stop_function.kernel.h. STOP_OF(name) appends the type to
// a name.

// `found` becomes 1 if a pixel is beyond `most` or not finite: the bits of such values are higher.
T_KERNEL(STOP_OF(stop_values),
         (T_IN(STOP_VALUE) pixels, T_OUT(f32) values, T_GLOBAL_PTR(u32) found, const f32 most)) {
    T_INDEX1(i);
    const f32 value = (f32)pixels[i];
    values[i] = value;
    if ((T_BITS(value) & 0x7fffffffu) > T_BITS(most)) T_STORE(u32, found, 1u);
}
