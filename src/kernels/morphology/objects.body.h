// Objects and holes of images of OBJECTS_VALUE; OBJECTS_OF(name) appends the type to a name. Part
// of objects.kernel.h.

// Values where `kept` is not 0, elsewhere 0.
T_SIMD_KERNEL(OBJECTS_OF(objects_apply),
              (T_IN(OBJECTS_VALUE) values, T_IN(u8) kept, T_OUT(OBJECTS_VALUE) applied)) {
    T_INDEX1(i);
    applied[i] = kept[i] != 0 ? values[i] : (OBJECTS_VALUE)0;
}

// The lowest and the highest value beside a hole, at points that share a face with it.
T_KERNEL(OBJECTS_OF(objects_around),
         (T_IN(u32) holes, T_IN(OBJECTS_VALUE) values, T_GLOBAL_PTR(u32) lowest,
          T_GLOBAL_PTR(u32) highest, const i32 nx, const i32 ny, const i32 nz)) {
    T_INDEX3(x, y, z);
    const i64 i = ((i64)z * ny + y) * nx + x;
    const u32 hole = holes[i];
    if (hole == 0) return;
    for (i32 n = 0; n < 6; ++n) {
        const i32 step = n % 2 ? 1 : -1;
        const i32 at_x = x + (n / 2 == 0 ? step : 0);
        const i32 at_y = y + (n / 2 == 1 ? step : 0);
        const i32 at_z = z + (n / 2 == 2 ? step : 0);
        const i32 inside =
            at_x >= 0 && at_x < nx && at_y >= 0 && at_y < ny && at_z >= 0 && at_z < nz;
        const u32 value = inside ? values[((i64)at_z * ny + at_y) * nx + at_x] : 0u;
        if (value != 0) {
            if (value < T_LOAD(u32, lowest + hole)) T_ATOMIC_MIN(lowest + hole, value);
            if (value > T_LOAD(u32, highest + hole)) T_ATOMIC_MAX(highest + hole, value);
        }
    }
}

// Holes get the value of their table, which is 0 where they stay.
T_KERNEL(OBJECTS_OF(objects_fill), (T_IN(OBJECTS_VALUE) values, T_IN(u32) holes, T_IN(u32) fill,
                                    T_OUT(OBJECTS_VALUE) filled)) {
    T_INDEX1(i);
    filled[i] = holes[i] != 0 ? (OBJECTS_VALUE)fill[holes[i]] : values[i];
}

#undef OBJECTS_OF
#undef OBJECTS_VALUE
