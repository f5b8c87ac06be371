// Values and gradients of RENDER_VALUE in a pool of bricks: part of render_*.kernel.h.
// RENDER_OF(name) tells the type, RENDER_NUMBER(v) the value of a voxel. Places are in voxels of
// the volume, `origin` is what render_origin gives for their brick.

// Trilinear interpolation, written so that equal voxels give exactly their value.
T_FUNCTION f32 RENDER_OF(render_value)(T_GLOBAL_PTR(const RENDER_VALUE) pool, const i64 origin,
                                       const f32* position) {
    const f32 x = T_FLOOR(position[0]);
    const f32 y = T_FLOOR(position[1]);
    const f32 z = T_FLOOR(position[2]);
    const f32 wx = position[0] - x;
    const f32 wy = position[1] - y;
    const f32 wz = position[2] - z;
    T_GLOBAL_PTR(const RENDER_VALUE) v = pool + (origin + render_offset((i32)x, (i32)y, (i32)z));
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

// Central differences along an axis of the eight voxels from `v` on, interpolated between them.
// Voxels are `along` apart on this axis and `b` and `c` on the others, and `w` has the weights on
// the three.
T_FUNCTION f32 RENDER_OF(render_difference)(T_GLOBAL_PTR(const RENDER_VALUE) v, const i32 along,
                                            const i32 b, const i32 c, const f32 w_along,
                                            const f32 wb, const f32 wc) {
    f32 plane[2];
    T_UNROLL
    for (i32 k = 0; k < 2; ++k) {
        f32 row[2];
        T_UNROLL
        for (i32 j = 0; j < 2; ++j) {
            T_GLOBAL_PTR(const RENDER_VALUE) at = v + (k * c + j * b);
            const f32 first = RENDER_NUMBER(at[along]) - RENDER_NUMBER(at[-along]);
            const f32 second = RENDER_NUMBER(at[2 * along]) - RENDER_NUMBER(at[0]);
            row[j] = T_FMA(w_along, second - first, first);
        }
        plane[k] = T_FMA(wb, row[1] - row[0], row[0]);
    }
    return 0.5f * T_FMA(wc, plane[1] - plane[0], plane[0]);
}

// Interpolates between the central differences of eight voxels. Differences of interpolated values
// half a voxel away have kinks at every voxel, visible as rings on shaded surfaces (T. Moeller,
// R. Machiraju, K. Mueller, R. Yagel, "A comparison of normal estimation schemes", IEEE
// Visualization 1997).
T_FUNCTION void RENDER_OF(render_gradient)(T_GLOBAL_PTR(const RENDER_VALUE) pool, const i64 origin,
                                           const f32* position, f32* gradient) {
    const render_cell cell = render_cell_of(position);
    const f32* w = cell.weight;
    T_GLOBAL_PTR(const RENDER_VALUE) v = pool + (origin + cell.first);
    const i32 row = render_brick_row, plane = render_brick_plane;
    gradient[0] = RENDER_OF(render_difference)(v, 1, row, plane, w[0], w[1], w[2]);
    gradient[1] = RENDER_OF(render_difference)(v, row, 1, plane, w[1], w[0], w[2]);
    gradient[2] = RENDER_OF(render_difference)(v, plane, 1, row, w[2], w[0], w[1]);
}
