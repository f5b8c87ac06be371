// Part of a group kernel's body: exclusive prefix sums over the 256 items of the group. Replaces
// the item value `prefix` by the sum of the values of the items before it; the sum of all is left
// in group_sums[255] until the next phase that writes there. The kernel declares, before:
//     T_LOCAL(u32, group_sums, 512);
//     T_ITEM(u32, prefix);
// Hillis and Steele, "Data parallel algorithms", CACM 29 (1986): eight steps between two halves of
// the array, which is shorter in barriers than a work-efficient tree and needs no sub-groups.
T_PHASE { group_sums[T_LX] = T_MY(prefix); }
for (i32 step = 1, from = 0; step < 256; step *= 2, from = 256 - from) {
    T_PHASE {
        const i32 own = from + T_LX;
        group_sums[256 - from + T_LX] =
            group_sums[own] + (T_LX >= step ? group_sums[own - step] : 0u);
    }
}
T_PHASE { T_MY(prefix) = group_sums[T_LX] - T_MY(prefix); }
