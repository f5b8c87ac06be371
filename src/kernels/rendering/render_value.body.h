// Values and gradients of RENDER_VALUE in a pool of bricks: part of render_*.kernel.h.
// RENDER_OF(name) tells the type, RENDER_NUMBER(v) the value of a voxel. Places are in voxels of
// the volume, `origin` is what render_origin gives for their brick.

// Between the eight voxels around a place. Written so that equal voxels give exactly their value.
T_FUNCTION f32 RENDER_OF(render_value)(T_GLOBAL_PTR(const RENDER_VALUE) pool, const i64 origin,
                                       const f32* place) {
    const f32 x = T_FLOOR(place[0]);
    const f32 y = T_FLOOR(place[1]);
    const f32 z = T_FLOOR(place[2]);
    const f32 wx = place[0] - x;
    const f32 wy = place[1] - y;
    const f32 wz = place[2] - z;
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

// The value half a voxel ahead less that half a voxel behind along an axis. `v` is the voxel before
// the place behind; voxels are `along` apart on this axis and `b` and `c` on the others, and `w`
// has the weights on the three.
T_FUNCTION f32 RENDER_OF(render_difference)(T_GLOBAL_PTR(const RENDER_VALUE) v, const i32 along,
                                            const i32 b, const i32 c, const f32 w_along,
                                            const f32 wb, const f32 wc) {
    f32 plane[2];
    T_UNROLL
    for (i32 k = 0; k < 2; ++k) {
        f32 row[2];
        T_UNROLL
        for (i32 j = 0; j < 2; ++j) {
            T_GLOBAL_PTR(const RENDER_VALUE) first = v + (k * c + j * b);
            const f32 middle = RENDER_NUMBER(first[along]);
            const f32 behind = middle - RENDER_NUMBER(first[0]);
            const f32 ahead = RENDER_NUMBER(first[2 * along]) - middle;
            row[j] = T_FMA(w_along, ahead - behind, behind);
        }
        plane[k] = T_FMA(wb, row[1] - row[0], row[0]);
    }
    return T_FMA(wc, plane[1] - plane[0], plane[0]);
}

// Central differences of the interpolated values: continuous, and made of the 27 voxels around the
// nearest one.
T_FUNCTION void RENDER_OF(render_gradient)(T_GLOBAL_PTR(const RENDER_VALUE) pool, const i64 origin,
                                           const f32* place, f32* gradient) {
    i32 here[3], behind[3];
    f32 w[3], w_behind[3];
    T_UNROLL
    for (i32 a = 0; a < 3; ++a) {
        const f32 whole = T_FLOOR(place[a]);
        here[a] = (i32)whole;
        w[a] = place[a] - whole;
        const f32 back = T_MAX(place[a] - 0.5f, -1.0f);  // rounding may lead out of the border
        const f32 whole_back = T_FLOOR(back);
        behind[a] = (i32)whole_back;
        w_behind[a] = back - whole_back;
    }
    T_GLOBAL_PTR(const RENDER_VALUE) v = pool + origin;
    gradient[0] =
        RENDER_OF(render_difference)(v + render_offset(behind[0], here[1], here[2]), 1,
                                     render_brick_row, render_brick_plane, w_behind[0], w[1], w[2]);
    gradient[1] = RENDER_OF(render_difference)(v + render_offset(here[0], behind[1], here[2]),
                                               render_brick_row, 1, render_brick_plane, w_behind[1],
                                               w[0], w[2]);
    gradient[2] = RENDER_OF(render_difference)(v + render_offset(here[0], here[1], behind[2]),
                                               render_brick_plane, 1, render_brick_row, w_behind[2],
                                               w[0], w[1]);
}
