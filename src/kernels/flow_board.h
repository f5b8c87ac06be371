// Where fields stand in the planes of a chessboard (flow_relaxation.kernel.h).
#ifndef TESELA_KERNELS_FLOW_BOARD_H
#define TESELA_KERNELS_FLOW_BOARD_H

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

#endif
