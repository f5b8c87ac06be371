// Lines that few others are beside, as those along x, of what depends on order: a group takes
// project_tile of them. Its items read pieces along the lines, turn them over in memory of the
// group, and then follow a line each. Part of project.body.h.
#define PROJECT_OF(name) T_JOIN(name, T_JOIN(_tiles_, PROJECT_PIXEL))
// On a GPU items that write a column of a tile write to different banks.
#define PROJECT_PITCH (project_tile + 4 / (i32)sizeof(PROJECT_PIXEL))

// The values of all lines at place `from + item`; `begin` has their first ones.
T_FUNCTION void PROJECT_OF(project_turn)(T_LOCAL_PTR(PROJECT_PIXEL) tile,
                                         T_LOCAL_PTR(const i64) begin,
                                         T_GLOBAL_PTR(const PROJECT_PIXEL) image,
                                         const projected_lines all, const i32 from,
                                         const i32 item) {
    if (from + item >= all.count) return;
    T_GLOBAL_PTR(const PROJECT_PIXEL) values = image + (from + item) * all.step;
    T_UNROLL for (i32 line = 0; line < project_tile; ++line) tile[item * PROJECT_PITCH + line] =
        values[begin[line]];
}

#if PROJECT_IS_FLOAT
    #include "kernels/transforms/project_float_tiles.body.h"
#else
    #include "kernels/transforms/project_whole_tiles.body.h"
#endif

#undef PROJECT_PITCH
#undef PROJECT_OF
