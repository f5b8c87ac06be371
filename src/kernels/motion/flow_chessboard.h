// Planes of flow as red-black over-relaxation has them, those of a chessboard: of each kind one
// plane of the fields where x + y is even, then one of the others; field k of row y is at
// x = 2 k + (y + color) % 2. So a half step reads the one and writes the other, and fields side by
// side stand side by side.
#ifndef TESELA_KERNELS_FLOW_CHESSBOARD_H
#define TESELA_KERNELS_FLOW_CHESSBOARD_H

// Fields of one color, and one that nobody writes: what is beside the last of them is read, not
// used.
T_FUNCTION i64 flow_board(const i32 width, const i32 height) {
    return (i64)((width + 1) / 2) * height + 1;
}
// Of the fields of one kind.
T_FUNCTION i64 flow_field(const i32 x, const i32 y, const i32 width, const i32 height) {
    const i32 columns = (width + 1) / 2;
    return ((x + y) % 2) * flow_board(width, height) + (i64)y * columns + x / 2;
}

// Planes of a solver are those of a chessboard, or those of an image.
T_FUNCTION i64 flow_solver_plane(const i32 is_board, const i32 width, const i32 height) {
    return is_board ? 2 * flow_board(width, height) : (i64)width * height;
}
T_FUNCTION i64 flow_solver_field(const i32 is_board, const i32 x, const i32 y, const i32 width,
                                 const i32 height) {
    return is_board ? flow_field(x, y, width, height) : (i64)y * width + x;
}

// A step of a field, towards what its neighbors and its own equation ask for: from their mean by
// (-p s, -q s), s = p u + q v + r.
T_FUNCTION void flow_step(const f32 u, const f32 v, const f32 u_mean, const f32 v_mean, const f32 p,
                          const f32 q, const f32 r, const f32 omega, f32* u_new, f32* v_new) {
    const f32 s = p * u_mean + q * v_mean + r;
    *u_new = u + omega * (u_mean - p * s - u);
    *v_new = v + omega * (v_mean - q * s - v);
}

#endif
