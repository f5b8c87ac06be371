// Includes RENDER_BODY once for each type of value that bricks have.

#define RENDER_VALUE u8
#define RENDER_OF(name) T_JOIN(name, _u8)
#define RENDER_NUMBER(v) ((f32)(v))
#define RENDER_VOXEL_COLOR(pool, origin, position, rgba) ((void)(rgba))
#define RENDER_IS_RGB 0
#include RENDER_BODY
#undef RENDER_OF
#undef RENDER_VALUE

#define RENDER_VALUE u16
#define RENDER_OF(name) T_JOIN(name, _u16)
#include RENDER_BODY
#undef RENDER_OF
#undef RENDER_VALUE

#define RENDER_VALUE f32
#define RENDER_OF(name) T_JOIN(name, _f32)
#include RENDER_BODY
#undef RENDER_IS_RGB
#undef RENDER_VOXEL_COLOR
#undef RENDER_NUMBER
#undef RENDER_OF
#undef RENDER_VALUE

// Red, green and blue in the lower bytes; the luminance, which is the value, in the highest.
#define RENDER_VALUE u32
#define RENDER_OF(name) T_JOIN(name, _rgb)
#define RENDER_NUMBER(v) ((f32)((v) >> 24))
#define RENDER_IS_RGB 1
#define RENDER_VOXEL_COLOR(pool, origin, position, rgba) \
    render_voxel_color(pool, origin, position, rgba)
#include RENDER_BODY
#undef RENDER_IS_RGB
#undef RENDER_VOXEL_COLOR
#undef RENDER_NUMBER
#undef RENDER_OF
#undef RENDER_VALUE
