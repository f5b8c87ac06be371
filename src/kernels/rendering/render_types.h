// What the kernels of rendering share: the pool of bricks, rays, samples and light.
//
// Bricks are cubes of 64 voxels with a border of two voxels on all sides, blocks cubes of 4, or of
// 16 where bricks come and go, of which files know the ranges. Both begin a quarter of a voxel
// before the center of their first voxel: so all neighbors that values and gradients are
// interpolated from lie within the brick and its border, also where rounding moves a sample into
// the neighboring brick.
#ifndef TESELA_KERNELS_RENDER_TYPES_H
#define TESELA_KERNELS_RENDER_TYPES_H

enum {
    render_brick_side = 64,
    render_brick_border = 2,
    render_brick_row = 68,  // with both borders
    render_brick_plane = 68 * 68,
    render_brick_voxels = 68 * 68 * 68,
    render_block_side = 4,         // of a volume that is kept as a whole
    render_blocks_of_brick = 16,   // along an axis
    render_paged_block_side = 16,  // where bricks come and go
    // An entry of the page table: the page, and in the bits above how many levels coarser it is
    // than the grid. Such a page has the voxels of 8^levels bricks.
    render_level_shift = 28,
    render_max_skip = 15,       // blocks: the largest value of the distance map
    render_table_nodes = 4096,  // intervals of a table; it has one node more
    render_max_planes = 6,
    render_plane_numbers = 24,  // four each
    render_max_surfaces = 8,
    render_surface_numbers = 32,  // four each
    render_bisections = 12,
    render_label_bisections = 8,
    render_whole_share = 27,  // of a label: the voxels of a cube of 3 x 3 x 3

    // Columns of the opacity tables.
    render_opacity_correction = 0,  // opacity of a step by that of the reference length
    render_gradient_opacity = 1,

    // Flags of render_style.
    render_shaded = 1,
    render_has_gradient_opacity = 2,
    render_has_labels = 4,
    render_skips = 8,

    // How labels are shown.
    render_no_labels = 0,
    render_tints = 1,
    render_surfaces = 2,

    // What fills pages is told of a brick: three numbers for each of these, in voxels of its level.
    render_fill_numbers = 12,
    render_fill_begin = 0,  // of what it fills, which repeats it beyond the borders of the volume
    render_fill_count = 3,
    render_fill_origin = 6,  // its first voxel
    render_fill_size = 9
};

// Before the center of its first voxel, where a brick or a block begins.
#define RENDER_MARGIN 0.25f

// From pixels to rays, in mm around the middle of the volume, and from there to voxels.
typedef struct {
    i32 width, height, first_column, first_row;  // of the picture; of a launch
    f32 origin[3], origin_x[3], origin_y[3];     // of pixel (0, 0); what a column and a row add
    f32 direction[3], direction_x[3], direction_y[3];  // likewise, direction of any length
    f32 to_voxel[9], voxel_offset[3];
    f32 step;  // mm between samples
} render_view;

// The volume in voxels.
typedef struct {
    i32 size[3], bricks[3], blocks[3];
    i32 block_side, brick_shift;  // voxels; a brick has 2^brick_shift blocks along an axis
    f32 lowest[3], highest[3];    // corners of the clip box
    i32 planes;
    f32 plane[render_plane_numbers];  // kept: a x + b y + c z + d >= 0
} render_grid;

// Pages along each axis of a level.
typedef struct {
    i32 count[3];
} render_pages;

// How values become colors.
typedef struct {
    i32 flags;
    f32 table_scale, table_offset;        // from a value to a position in the table
    f32 visible_above;                    // all positions up to this are transparent
    f32 gradient_scale, gradient_offset;  // likewise, from the length of the gradient
    f32 ambient, diffuse, specular;
    u32 visible_labels;  // numbers 1 to this
    i32 surfaces;
    f32 isovalue[render_max_surfaces];
    f32 surface_color[render_surface_numbers];  // and opacity
} render_style;

#endif
