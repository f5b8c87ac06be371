// Values of 16 bits of which the highest is none.
#ifndef TESELA_KERNELS_FIXED_VALUES_H
#define TESELA_KERNELS_FIXED_VALUES_H

#define fixed_no_value 0xffffu
#define fixed_highest 0xfffeu

#endif
