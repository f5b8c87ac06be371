// Part of a group kernel's body: exclusive prefix sums over the 256 items of the group. Replaces
// the item value `prefix` by the sum of the values of the items before it; the sum of all is left
// in group_sums[255] until the next phase that writes there. The kernel declares, before:
//     T_LOCAL(u32, group_sums, 272);
//     T_ITEM(u32, prefix);
// Two levels of 16: reads in a row cost less than the eight barriers of steps of doubled width, and
// need no sub-groups.
T_PHASE { group_sums[T_LX] = T_MY(prefix); }
T_PHASE {
    const u32 own = T_MY(prefix);
    u32 sum = 0;
    T_UNROLL
    for (i32 k = 0; k < 15; ++k) sum += k < T_LX % 16 ? group_sums[T_LX / 16 * 16 + k] : 0u;
    T_MY(prefix) = sum;
    if (T_LX % 16 == 15) group_sums[256 + T_LX / 16] = sum + own;
}
T_PHASE {
    u32 sum = T_MY(prefix);
    T_UNROLL
    for (i32 k = 0; k < 15; ++k) sum += k < T_LX / 16 ? group_sums[256 + k] : 0u;
    T_MY(prefix) = sum;
    if (T_LX == 255) group_sums[255] += sum;
}
