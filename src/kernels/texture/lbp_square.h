// Patterns of the eight neighbors of a pixel.
#ifndef TESELA_KERNELS_TEXTURE_LBP_SQUARE_H
#define TESELA_KERNELS_TEXTURE_LBP_SQUARE_H

// Whether they are brighter, from the upper left one clockwise, the first as the highest bit (Ruiz
// Sanchez 2015, section 4.1.1). A macro, since `plane` is in memory of the device or of a group.
#define LBP_SQUARE_CODE(plane, at, pitch)                   \
    (u8)((plane[(at) - (pitch)-1] > plane[at] ? 128 : 0) +  \
         (plane[(at) - (pitch)] > plane[at] ? 64 : 0) +     \
         (plane[(at) - (pitch) + 1] > plane[at] ? 32 : 0) + \
         (plane[(at) + 1] > plane[at] ? 16 : 0) +           \
         (plane[(at) + (pitch) + 1] > plane[at] ? 8 : 0) +  \
         (plane[(at) + (pitch)] > plane[at] ? 4 : 0) +      \
         (plane[(at) + (pitch)-1] > plane[at] ? 2 : 0) + (plane[(at)-1] > plane[at] ? 1 : 0))

#endif
