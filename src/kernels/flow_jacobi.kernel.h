// Jacobi steps of Horn-Schunck (docs/optical-flow.md), several on one reading of a tile. Fields of
// an item stay in its registers; in local memory items show one another the outer ones of theirs.
//
// Beyond the border the image goes on mirrored, and so do the fields there: they take the steps of
// those that they mirror, to the bit, so that no step looks where the border is.
#define T_FILE flow_jacobi
#include "kernels/begin.h"
#include "kernels/flow_margin.h"

// Mirrored at both ends as often as it takes.
T_FUNCTION i32 flow_folded(const i32 at, const i32 length) {
    const i32 turn = at % (2 * length);
    const i32 place = turn < 0 ? turn + 2 * length : turn;
    return place < length ? place : 2 * length - 1 - place;
}

// Columns beside the middle of a tile that so many steps spoil, and some more so that they end
// where an item does.
T_FUNCTION i32 flow_jacobi_halo(const i32 steps, const i32 columns) {
    return (steps + columns - 1) / columns * columns;
}

// Tiles of 32 x 32 fields, for small levels: many groups, short steps.
#define T_TILE(name) T_JOIN(flow_jacobi_small, name)
#define T_ITEMS_X 16
#define T_ITEMS_Y 16
#define T_COLUMNS 2
#define T_ROWS 2
#define T_BUFFERS 2
#include "kernels/flow_jacobi.body.h"

// Tiles of 48 x 48 fields.
#define T_TILE(name) T_JOIN(flow_jacobi_square, name)
#define T_ITEMS_X 16
#define T_ITEMS_Y 16
#define T_COLUMNS 3
#define T_ROWS 3
#define T_BUFFERS 2
#include "kernels/flow_jacobi.body.h"

// Tiles of 64 x 32 fields.
#define T_TILE(name) T_JOIN(flow_jacobi_medium, name)
#define T_ITEMS_X 16
#define T_ITEMS_Y 8
#define T_COLUMNS 4
#define T_ROWS 4
#define T_BUFFERS 1
#include "kernels/flow_jacobi.body.h"

// Tiles of 64 x 64 fields: fewer of them are computed twice.
#define T_TILE(name) T_JOIN(flow_jacobi_large, name)
#define T_ITEMS_X 16
#define T_ITEMS_Y 16
#define T_COLUMNS 4
#define T_ROWS 4
#define T_BUFFERS 1
#include "kernels/flow_jacobi.body.h"

// Tiles of 64 x 80 fields, one for each multiprocessor.
#define T_TILE(name) T_JOIN(flow_jacobi_high, name)
#define T_ITEMS_X 16
#define T_ITEMS_Y 16
#define T_COLUMNS 4
#define T_ROWS 5
#define T_BUFFERS 1
#include "kernels/flow_jacobi.body.h"

#include "kernels/end.h"
