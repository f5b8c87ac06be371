// The thesis's variant: bitonic sort of pairs on the device, for lengths that are powers of two
// (Martin Gaspar 2011, section 4.2.2; K. E. Batcher, "Sorting networks and their applications",
// AFIPS 1968). One launch a step of the network, S(S + 1) / 2 of them for 2^S pairs.
#define T_FILE thesis_sort
#include "kernels/begin.h"

// One step: item k compares and exchanges two pairs that lie 2^(stage - pass) apart. Pairs of equal
// keys are ordered by their values, so that the result does not depend on the network.
T_KERNEL(thesis_bitonic_step, (T_OUT(u32) keys, T_OUT(u32) values, i32 stage, i32 pass)) {
    T_INDEX1(k);
    const i64 distance = (i64)1 << (stage - pass);
    const i64 left = (k & (distance - 1)) + (k >> (stage - pass)) * 2 * distance;
    const i64 right = left + distance;
    const i32 ascending = ((k >> stage) & 1) == 0;
    const u32 left_key = keys[left];
    const u32 right_key = keys[right];
    const u32 left_value = values[left];
    const u32 right_value = values[right];
    const i32 wrong = left_key > right_key || (left_key == right_key && left_value > right_value);
    if (wrong == ascending) {
        keys[left] = right_key;
        keys[right] = left_key;
        values[left] = right_value;
        values[right] = left_value;
    }
}

#include "kernels/end.h"
