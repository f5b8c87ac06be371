// Values and gradients of bricks of RENDER_VALUE: part of render_*.kernel.h. RENDER_OF(name) tells
// the type, RENDER_NUMBER(v) the value of a voxel.

// Between the eight voxels around p, in voxels from the corner of the brick with its border.
// Written so that equal voxels give exactly their value.
T_FUNCTION f32 RENDER_OF(render_value)(T_GLOBAL_PTR(const RENDER_VALUE) brick, const f32 x,
                                       const f32 y, const f32 z) {
    const i32 ix = (i32)x;
    const i32 iy = (i32)y;
    const i32 iz = (i32)z;
    const f32 wx = x - (f32)ix;
    const f32 wy = y - (f32)iy;
    const f32 wz = z - (f32)iz;
    T_GLOBAL_PTR(const RENDER_VALUE)
    v = brick + (iz * render_brick_plane + iy * render_brick_row + ix);
    f32 plane[2];
    T_UNROLL
    for (i32 k = 0; k < 2; ++k) {
        const f32 a = RENDER_NUMBER(v[k * render_brick_plane]);
        const f32 b = RENDER_NUMBER(v[k * render_brick_plane + 1]);
        const f32 c = RENDER_NUMBER(v[k * render_brick_plane + render_brick_row]);
        const f32 d = RENDER_NUMBER(v[k * render_brick_plane + render_brick_row + 1]);
        const f32 near = T_FMA(wx, b - a, a);
        const f32 far = T_FMA(wx, d - c, c);
        plane[k] = T_FMA(wy, far - near, near);
    }
    return T_FMA(wz, plane[1] - plane[0], plane[0]);
}

// Central differences of the interpolated values, half a voxel to both sides: continuous, and made
// of the 27 voxels around the nearest one.
T_FUNCTION void RENDER_OF(render_gradient)(T_GLOBAL_PTR(const RENDER_VALUE) brick, const f32 x,
                                           const f32 y, const f32 z, f32* gradient) {
    const f32 highest = (f32)(render_brick_side + 1);
    const f32 lx = T_CLAMP(x - 0.5f, 0.0f, highest - 1.001f);
    const f32 ly = T_CLAMP(y - 0.5f, 0.0f, highest - 1.001f);
    const f32 lz = T_CLAMP(z - 0.5f, 0.0f, highest - 1.001f);
    gradient[0] =
        RENDER_OF(render_value)(brick, lx + 1.0f, y, z) - RENDER_OF(render_value)(brick, lx, y, z);
    gradient[1] =
        RENDER_OF(render_value)(brick, x, ly + 1.0f, z) - RENDER_OF(render_value)(brick, x, ly, z);
    gradient[2] =
        RENDER_OF(render_value)(brick, x, y, lz + 1.0f) - RENDER_OF(render_value)(brick, x, y, lz);
}
