// What the CPU back end hands to a compiled kernel: the part of the range that one task covers.
#ifndef TESELA_KERNELS_CPU_BOX_H
#define TESELA_KERNELS_CPU_BOX_H

struct T_Box {
    int begin[3], end[3];  // items or groups along x, y, z
    int size[3];           // of the whole range
};

#endif
