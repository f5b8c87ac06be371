// Part of a group kernel's body, the second of the two launches of a scan: leaves in
// group_sums[255] the sum of part_sums[0..T_GX), which the first launch made (part_sums.body.h).
// The kernel declares what group_scan.body.h asks for.
T_PHASE {
    u32 sum = 0;
    for (i32 i = T_LX; i < T_GX; i += 256) sum += part_sums[i];
    T_MY(prefix) = sum;
}
#include "kernels/primitives/group_scan.body.h"
