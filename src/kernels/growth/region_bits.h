// Regions in bits: rows of words of 64 points.
#ifndef TESELA_KERNELS_REGION_BITS_H
#define TESELA_KERNELS_REGION_BITS_H

enum { region_word = 64, region_half_word = 32 };

#endif
