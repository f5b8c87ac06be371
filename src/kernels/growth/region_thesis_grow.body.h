// Part of region_thesis_grow.kernel.h: growth as the thesis describes it (Barriuso Medrano 2011,
// sections 5.2 and 5.3), but that an item has two pixels where the square has more than 256.
// REGION_THESIS_GROW is the kernel's name; REGION_THESIS_BY_ATOMICS chooses how the sums of the
// region come about.

T_GROUP_KERNEL(REGION_THESIS_GROW, region_thesis_items, 1, 1,
               (T_IN(u8) planes, T_OUT(u32) labels, T_OUT(u32) tile_labels, T_OUT(i32) table,
                i32 pitch, i32 width, i32 height, i32 block, i32 stride, i32 iterations,
                i32 quadrants, i64 limit)) {
    T_LOCAL(i16, label, region_thesis_tile_points);  // of the tile with its ring: 1 in the region
    T_LOCAL(i32, total, 4);                          // of the region: three components and the size
    T_LOCAL(i32, mean, 3);
#if !REGION_THESIS_BY_ATOMICS
    // The reduction destroys its input, which is kept to make it anew.
    T_LOCAL(i32, sum, 3 * region_thesis_padded);
    T_LOCAL(i32, kept, 3 * region_thesis_tile_points);
    T_LOCAL(i16, count, region_thesis_padded);
    T_LOCAL(i16, kept_count, region_thesis_tile_points);
#endif
    T_ITEM(i32, used);
    T_ITEM(i32, size);
    T_ITEM_ARRAY(i32, joins, region_thesis_slots);
    const i64 plane = (i64)pitch * height;
    const i32 side = block + 2;
    const i32 tile = T_GY * T_GROUPS_X + T_GX;
    const i64 origin = (i64)T_GY * stride * pitch + T_GX * stride;
    T_PHASE {
        for (i32 k = T_LI; k < region_thesis_tile_points; k += region_thesis_items) {
            label[k] = 0;
#if !REGION_THESIS_BY_ATOMICS
            for (i32 c = 0; c < 3; ++c) kept[c * region_thesis_tile_points + k] = 0;
            kept_count[k] = 0;
#endif
        }
        T_MY(used) = 0;
        T_MY(size) = 1;
    }
    T_PHASE {
        if (T_LI == 0) {
            const i32 at = (block / 2 + 1) * side + block / 2 + 1;
            label[at] = 1;
            for (i32 c = 0; c < 3; ++c) {
                const i32 value = planes[c * plane + origin + (i64)(at / side) * pitch + at % side];
                mean[c] = value;
                total[c] = value;
#if !REGION_THESIS_BY_ATOMICS
                kept[c * region_thesis_tile_points + at] = value;
#endif
            }
            total[3] = 1;
#if !REGION_THESIS_BY_ATOMICS
            kept_count[at] = 1;
#endif
        }
    }
    for (i32 iteration = 1; iteration <= iterations; ++iteration) {
        // All look before any of them joins.
        T_PHASE {
            for (i32 s = 0; s < region_thesis_slots; ++s) {
                const i32 x = (T_LI + s * region_thesis_items) % block;
                const i32 y = (T_LI + s * region_thesis_items) / block;
                const i32 at = (y + 1) * side + x + 1;
                i32 joined = 0;
                if (y < block && label[at] == 0) {
                    const u32 sides = region_thesis_sides(x, y, block / 2, quadrants);
                    const i32 touches =
                        ((sides & region_thesis_left) != 0 && label[at - 1] != 0) ||
                        ((sides & region_thesis_right) != 0 && label[at + 1] != 0) ||
                        ((sides & region_thesis_below) != 0 && label[at - side] != 0) ||
                        ((sides & region_thesis_above) != 0 && label[at + side] != 0);
                    if (touches) {
                        const i64 place = origin + (i64)(y + 1) * pitch + x + 1;
                        const i32 c0 = planes[place];
                        const i32 c1 = planes[plane + place];
                        const i32 c2 = planes[2 * plane + place];
                        joined = region_thesis_distance2(c0, c1, c2, mean[0], mean[1], mean[2]) <=
                                 region_thesis_reach(c0, c1, c2, limit);
                    }
                }
                T_MY(joins)[s] = joined;
            }
        }
        T_PHASE {
            for (i32 s = 0; s < region_thesis_slots; ++s) {
                if (T_MY(joins)[s]) {
                    const i32 x = (T_LI + s * region_thesis_items) % block;
                    const i32 y = (T_LI + s * region_thesis_items) / block;
                    const i32 at = (y + 1) * side + x + 1;
                    const i64 place = origin + (i64)(y + 1) * pitch + x + 1;
                    label[at] = 1;
#if REGION_THESIS_BY_ATOMICS
                    for (i32 c = 0; c < 3; ++c)
                        T_ATOMIC_ADD(&total[c], (i32)planes[c * plane + place]);
                    T_ATOMIC_ADD(&total[3], 1);
#else
                    for (i32 c = 0; c < 3; ++c)
                        kept[c * region_thesis_tile_points + at] = planes[c * plane + place];
                    kept_count[at] = 1;
#endif
                }
            }
        }
#if !REGION_THESIS_BY_ATOMICS
        T_PHASE {
            for (i32 k = T_LI; k < region_thesis_padded; k += region_thesis_items) {
                const i32 is_tile = k < region_thesis_tile_points;
                for (i32 c = 0; c < 3; ++c)
                    sum[c * region_thesis_padded + k] =
                        is_tile ? kept[c * region_thesis_tile_points + k] : 0;
                count[k] = is_tile ? kept_count[k] : 0;
            }
        }
        for (i32 left = region_thesis_padded / 2; left > 0; left /= 2) {  // nine steps
            T_PHASE {
                if (T_LI < left) {
                    for (i32 c = 0; c < 3; ++c)
                        sum[c * region_thesis_padded + T_LI] +=
                            sum[c * region_thesis_padded + T_LI + left];
                    count[T_LI] = (i16)(count[T_LI] + count[T_LI + left]);
                }
            }
        }
#endif
        T_PHASE {
            if (T_LI == 0) {
#if !REGION_THESIS_BY_ATOMICS
                for (i32 c = 0; c < 3; ++c) total[c] = sum[c * region_thesis_padded];
                total[3] = count[0];
#endif
                if (total[3] != T_MY(size)) T_MY(used) = iteration;
                T_MY(size) = total[3];
                for (i32 c = 0; c < 3; ++c) mean[c] = total[c] / total[3];
            }
        }
    }
    T_PHASE {
        const i32 tiles = T_GROUPS_X * T_GROUPS_Y;
        if (T_LI == 0) {
            tile_labels[tile] = (u32)tile + 1u;
            table[tile] = total[3];
            for (i32 c = 0; c < 3; ++c) table[(i64)(1 + c) * tiles + tile] = total[c];
            table[(i64)4 * tiles + tile] = T_MY(used);
        }
        for (i32 k = T_LI; k < block * block; k += region_thesis_items) {
            const i32 x = T_GX * stride + 1 + k % block;
            const i32 row = T_GY * stride + 1 + k / block;
            if (x < width)
                labels[(i64)(height - 1 - row) * width + x] =
                    label[(k / block + 1) * side + k % block + 1] != 0 ? (u32)tile + 1u : 0u;
        }
    }
}

#undef REGION_THESIS_GROW
#undef REGION_THESIS_BY_ATOMICS
