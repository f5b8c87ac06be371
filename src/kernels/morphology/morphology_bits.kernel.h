// Masks of one bit a point, in words of 64 points along x, and their dilation by runs along x.
// Erosion is the dilation of the complement.
#define T_FILE morphology_bits
#include "kernels/begin.h"
#include "kernels/morphology/morphology_grid.h"
#include "kernels/vectors.h"

enum { morphology_word = 64 };

// Bit k is set where byte k of a word of four is not 0.
T_FUNCTION u32 morphology_bits_of_four(const u32 bytes) {
    const u32 low = (bytes & 0x7f7f7f7fu) + 0x7f7f7f7fu;
    const u32 flags = ((bytes | low) & 0x80808080u) >> 7;
    return flags * 0x10204080u >> 28;
}
// Byte k is 1 where bit k of four is set.
T_FUNCTION u32 morphology_bytes_of_four(const u32 bits) { return bits * 0x00204081u & 0x01010101u; }

// Points of a word that are in the image.
T_FUNCTION i32 morphology_points(const i32 w, const morphology_grid grid) {
    return T_CLAMP(grid.nx - w * morphology_word, 0, (i32)morphology_word);
}
T_FUNCTION u64 morphology_all(const i32 points) {
    return points == morphology_word ? ~(u64)0 : ((u64)1 << points) - 1u;
}

// A word for each 64 points, whose bits are those of points that are not 0, or of the others where
// `complement` is all ones. Bits beyond the image are 0.
T_KERNEL(morphology_pack,
         (T_IN(u8) mask, T_OUT(u64) bits, const u64 complement, const morphology_grid grid)) {
    T_INDEX2(w, row);
    const i32 points = morphology_points(w, grid);
    T_GLOBAL_PTR(const u8) line = mask + (i64)row * grid.nx + w * morphology_word;
    u64 word = 0;
    if (points == morphology_word && grid.nx % 16 == 0) {
        T_UNROLL for (i32 k = 0; k < 4; ++k) {
            f32 four[4];
            T_READ_FOUR(four, (T_GLOBAL_PTR(const f32))(line + 16 * k));
            T_UNROLL for (i32 j = 0; j < 4; ++j) {
                word |= (u64)morphology_bits_of_four(T_BITS(four[j])) << (16 * k + 4 * j);
            }
        }
    } else {
        for (i32 x = 0; x < points; ++x) word |= (u64)(line[x] != 0 ? 1u : 0u) << x;
    }
    bits[(i64)row * grid.pitch + w] = (word ^ complement) & morphology_all(points);
}

// `on` where a bit is set, or where it is not and `complement` is all ones; 0 elsewhere.
T_KERNEL(morphology_unpack, (T_IN(u64) bits, T_OUT(u8) mask, const u64 complement, const u32 on,
                             const morphology_grid grid)) {
    T_INDEX2(w, row);
    const i32 points = morphology_points(w, grid);
    T_GLOBAL_PTR(u8) line = mask + (i64)row * grid.nx + w * morphology_word;
    const u64 word = bits[(i64)row * grid.pitch + w] ^ complement;
    if (points == morphology_word && grid.nx % 16 == 0) {
        T_UNROLL for (i32 k = 0; k < 4; ++k) {
            f32 four[4];
            T_UNROLL for (i32 j = 0; j < 4; ++j) {
                const u32 nibble = (u32)(word >> (16 * k + 4 * j)) & 15u;
                four[j] = T_FROM_BITS(on * morphology_bytes_of_four(nibble));
            }
            T_WRITE_FOUR((T_GLOBAL_PTR(f32))(line + 16 * k), four);
        }
    } else {
        for (i32 x = 0; x < points; ++x) line[x] = (word >> x & 1u) != 0 ? (u8)on : (u8)0;
    }
}

// Points up to `away` along x from one that is set, at most 63: runs of half length h become such
// of h + away where away <= h + 1. Beyond that, runs at the border would have gaps.
T_KERNEL(morphology_grow_bits,
         (T_IN(u64) bits, T_OUT(u64) grown, const i32 away, const morphology_grid grid)) {
    T_INDEX2(w, row);
    T_GLOBAL_PTR(const u64) line = bits + (i64)row * grid.pitch;
    const u64 own = line[w];
    const u64 before = w > 0 ? line[w - 1] : 0u;
    const u64 after = w + 1 < grid.pitch ? line[w + 1] : 0u;
    const i32 rest = morphology_word - away;
    const u64 all = own | own << away | own >> away | before >> rest | after << rest;
    grown[(i64)row * grid.pitch + w] = all & morphology_all(morphology_points(w, grid));
}

// Adds, for each of `count` runs from `first` on, rows of `grown` as far away as the run. An item
// takes `span` words of a row, on a CPU whole vectors.
T_KERNEL(morphology_unite_bits,
         (T_IN(u64) grown, T_IN(i32) runs, T_OUT(u64) united, const i32 first, const i32 count,
          const i32 span, const morphology_grid grid)) {
    T_INDEX3(part, y, z);
    T_GLOBAL_PTR(u64) own = united + ((i64)z * grid.ny + y) * grid.pitch;
    for (i32 w = part * span; w < (part + 1) * span; w += V_WIDTH_U64) {
        V_U64 word = V_READ(V_U64, own + w);
        for (i32 k = first; k < first + count; ++k) {
            const i32 at_y = y + runs[k * morphology_run_words + morphology_y];
            const i32 at_z = z + runs[k * morphology_run_words + morphology_z];
            if (at_y >= 0 && at_y < grid.ny && at_z >= 0 && at_z < grid.nz)
                word |= V_READ(V_U64, grown + ((i64)at_z * grid.ny + at_y) * grid.pitch + w);
        }
        V_WRITE(V_U64, own + w, word);
    }
}

#include "kernels/end.h"
