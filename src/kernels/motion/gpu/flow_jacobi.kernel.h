// Jacobi steps of Horn-Schunck (docs/optical-flow.md), several on one reading of a tile.
//
// Beyond the border the image goes on mirrored, and so do the fields there: they take the steps of
// those that they mirror, to the bit, so that no step looks where the border is; but for images in
// one group each, whose steps know it.
#define T_FILE flow_jacobi
#include "kernels/begin.h"
#include "kernels/filters/borders.h"
#include "kernels/motion/flow_margin.h"
#include "kernels/motion/gpu/flow_jacobi_places.h"

// Tiles of 32 x 32 fields, for small levels: many groups, short steps.
#define JACOBI_TILE(name) T_JOIN(flow_jacobi_small, name)
#define JACOBI_ITEMS_X 16
#define JACOBI_ITEMS_Y 16
#define JACOBI_COLUMNS 2
#define JACOBI_ROWS 2
#define JACOBI_BUFFERS 2
#define JACOBI_WHOLE 0
#define JACOBI_TURNED 0
#include "kernels/motion/gpu/flow_jacobi.body.h"

// Tiles of 48 x 48 fields.
#define JACOBI_TILE(name) T_JOIN(flow_jacobi_square, name)
#define JACOBI_ITEMS_X 16
#define JACOBI_ITEMS_Y 16
#define JACOBI_COLUMNS 3
#define JACOBI_ROWS 3
#define JACOBI_BUFFERS 2
#define JACOBI_WHOLE 0
#define JACOBI_TURNED 0
#include "kernels/motion/gpu/flow_jacobi.body.h"

// Tiles of 64 x 32 fields.
#define JACOBI_TILE(name) T_JOIN(flow_jacobi_medium, name)
#define JACOBI_ITEMS_X 16
#define JACOBI_ITEMS_Y 8
#define JACOBI_COLUMNS 4
#define JACOBI_ROWS 4
#define JACOBI_BUFFERS 1
#define JACOBI_WHOLE 0
#define JACOBI_TURNED 0
#include "kernels/motion/gpu/flow_jacobi.body.h"

// Tiles of 64 x 64 fields: fewer of them are computed twice.
#define JACOBI_TILE(name) T_JOIN(flow_jacobi_large, name)
#define JACOBI_ITEMS_X 16
#define JACOBI_ITEMS_Y 16
#define JACOBI_COLUMNS 4
#define JACOBI_ROWS 4
#define JACOBI_BUFFERS 1
#define JACOBI_WHOLE 0
#define JACOBI_TURNED 0
#include "kernels/motion/gpu/flow_jacobi.body.h"

// Tiles of 64 x 80 fields, one for each multiprocessor.
#define JACOBI_TILE(name) T_JOIN(flow_jacobi_high, name)
#define JACOBI_ITEMS_X 16
#define JACOBI_ITEMS_Y 16
#define JACOBI_COLUMNS 4
#define JACOBI_ROWS 5
#define JACOBI_BUFFERS 1
#define JACOBI_WHOLE 0
#define JACOBI_TURNED 1
#include "kernels/motion/gpu/flow_jacobi.body.h"

// Whole images of at most 48 x 32 fields, in one group each.
#define JACOBI_TILE(name) T_JOIN(flow_jacobi_whole, name)
#define JACOBI_ITEMS_X 16
#define JACOBI_ITEMS_Y 16
#define JACOBI_COLUMNS 3
#define JACOBI_ROWS 2
#define JACOBI_BUFFERS 2
#define JACOBI_WHOLE 1
#define JACOBI_TURNED 0
#include "kernels/motion/gpu/flow_jacobi.body.h"

#include "kernels/end.h"
