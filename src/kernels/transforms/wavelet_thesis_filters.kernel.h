// Wavelet transforms as a thesis has them: Daubechies's filters of four coefficients, pairs that
// begin at x[2k], and packets of them (Lamas Rodriguez 2014, sections 2.6.2 and 2.6.3). Lines go on
// periodically.
#define T_FILE wavelet_thesis_filters
#include "kernels/begin.h"
#include "kernels/transforms/wavelet_thesis_layout.h"

T_CONSTANT(f32, wavelet_thesis_low, 4) = {0.48296291314453416f, 0.83651630373780791f,
                                          0.22414386804201339f, -0.12940952255126037f};

T_FUNCTION f32 wavelet_thesis_low_of(const f32* x) {
    return wavelet_thesis_low[0] * x[0] + wavelet_thesis_low[1] * x[1] +
           wavelet_thesis_low[2] * x[2] + wavelet_thesis_low[3] * x[3];
}
T_FUNCTION f32 wavelet_thesis_high_of(const f32* x) {
    return wavelet_thesis_low[3] * x[0] - wavelet_thesis_low[2] * x[1] +
           wavelet_thesis_low[1] * x[2] - wavelet_thesis_low[0] * x[3];
}

// One level of `sequences` lines, whose samples are g apart, from one part of the memory to
// another; the parts for low and high values may be one.
T_KERNEL(wavelet_thesis_filter, (T_OUT(f32) data, const i64 from, const i64 low, const i64 high,
                                 const i64 samples, const i64 g, const i64 sequences)) {
    T_INDEX1(item);
    const i64 line = item % sequences, j = 2 * (item / sequences);
    f32 x[4];
    T_UNROLL for (i32 k = 0; k < 4; ++k) {
        const i64 i = j + k < samples ? j + k : j + k - samples;
        x[k] = data[from + i * g + line];
    }
    data[low + j * g + line] = wavelet_thesis_low_of(x);
    data[high + (j + 1) * g + line] = wavelet_thesis_high_of(x);
}

// Where a kept sample of a level is: 0 to 3 are the last ones of the block before a border, 4 and 5
// the first ones of that behind it.
T_FUNCTION i64 wavelet_thesis_kept_at(const i32 level, const i32 sequence, const i32 slot,
                                      const i64 border, const wavelet_thesis_filters of) {
    const i64 borders = (i64)of.blocks * of.lines;
    return (((i64)level * of.sequences + sequence) * wavelet_thesis_kept + slot) * borders + border;
}

// What a block does by itself, in place; what its borders need of each level is kept. Phases:
// 1. read;
// 2. the levels, from one half of the memory to the other; high values that no level reads again
//    are written at once;
// 3. write.
T_GROUP_KERNEL(wavelet_thesis_split_filters, 256, 1, 1,
               (T_OUT(f32) x, T_OUT(f32) kept, const wavelet_thesis_filters of)) {
    T_LOCAL(f32, values, 2 * wavelet_thesis_block);
    const i64 first = (i64)T_GX * of.length * of.step + T_GY;
    const i64 border = (i64)T_GY * of.blocks + T_GX;
    const i64 border_before = T_GX > 0 ? border - 1 : border + of.blocks - 1;
    T_PHASE {
        for (i32 i = T_LI; i < of.length; i += wavelet_thesis_items)
            values[i] = x[first + i * of.step];
    }
    i32 last = of.length - 1;  // of the samples that are there
    for (i32 level = 0; level < of.levels; ++level) {
        T_PHASE {
            const i32 g = 1 << level, units = of.length >> level;
            const i32 sequences = of.is_packet != 0 ? g : 1;
            const i32 sequence = T_LI % sequences, j = 2 * (T_LI / sequences);
            const i32 from = (level & 1) * wavelet_thesis_block, to = wavelet_thesis_block - from;
            if (j < units) {
                if (j == 0)
                    for (i32 k = 0; k < 2; ++k)
                        kept[wavelet_thesis_kept_at(level, sequence, 4 + k, border_before, of)] =
                            values[from + k * g + sequence];
                for (i32 k = 0; k < 2; ++k)
                    if (j >= units - 4 && j + k <= last)
                        kept[wavelet_thesis_kept_at(level, sequence, j + k - units + 4, border,
                                                    of)] = values[from + (j + k) * g + sequence];
                if (j + 3 <= last) {
                    f32 in[4];
                    T_UNROLL for (i32 k = 0; k < 4; ++k) in[k] =
                        values[from + (j + k) * g + sequence];
                    values[to + j * g + sequence] = wavelet_thesis_low_of(in);
                    if (of.is_packet != 0)
                        values[to + (j + 1) * g + sequence] = wavelet_thesis_high_of(in);
                    else
                        x[first + (j + 1) * g * of.step] = wavelet_thesis_high_of(in);
                }
            }
        }
        last = (last - 3) >> 1;
    }
    T_PHASE {
        const i32 g = 1 << of.levels;
        for (i32 i = T_LI; i < of.length; i += wavelet_thesis_items)
            if (i / g <= last && (of.is_packet != 0 || i % g == 0))
                x[first + i * of.step] = values[(of.levels & 1) * wavelet_thesis_block + i];
    }
}

// What the block before a border has left, from what was kept. Low values become kept samples of
// the next level.
T_KERNEL(wavelet_thesis_merge_filters,
         (T_OUT(f32) x, T_OUT(f32) kept, const wavelet_thesis_filters of)) {
    T_INDEX1(border);
    const i64 line = border / of.blocks;
    const i64 first = (border - line * of.blocks) * of.length * of.step + line;
    for (i32 level = 0; level < of.levels; ++level) {
        const i32 g = 1 << level, units = of.length >> level;
        const i32 sequences = of.is_packet != 0 ? g : 1;
        for (i32 sequence = 0; sequence < sequences; ++sequence)
            for (i32 slot = level == 0 ? 2 : 0; slot < 4; slot += 2) {
                f32 in[4];
                T_UNROLL for (i32 k = 0; k < 4; ++k) in[k] =
                    kept[wavelet_thesis_kept_at(level, sequence, slot + k, border, of)];
                const f32 low = wavelet_thesis_low_of(in), high = wavelet_thesis_high_of(in);
                const i64 at = first + ((units - 4 + slot) * g + sequence) * of.step;
                const i32 next = 2 + slot / 2;
                if (level + 1 < of.levels)
                    kept[wavelet_thesis_kept_at(level + 1, sequence, next, border, of)] = low;
                else
                    x[at] = low;
                if (level + 1 < of.levels && of.is_packet != 0)
                    kept[wavelet_thesis_kept_at(level + 1, sequence + g, next, border, of)] = high;
                else
                    x[at + g * of.step] = high;
            }
    }
}

#include "kernels/end.h"
