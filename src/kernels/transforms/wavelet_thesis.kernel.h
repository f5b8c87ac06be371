// Wavelet transforms as a thesis has them: the 9/7 transform by lifting, in place (Lamas Rodriguez
// 2014, section 2.6.1). Lines go on periodically; scaling factors are left out.
#define T_FILE wavelet_thesis
#include "kernels/begin.h"
#include "kernels/transforms/wavelet_thesis_layout.h"

T_CONSTANT(f32, wavelet_thesis_factors, 4) = {-1.586134342f, -0.052980119f, 0.882911076f,
                                              0.443506852f};

// One step of one level. Sample j is at j * step.
T_KERNEL(wavelet_thesis_lift,
         (T_OUT(f32) x, const i64 step, const f32 factor, const wavelet_thesis_step of)) {
    T_INDEX1(item);
    const i32 j = of.first + of.spread * item;
    if ((j & 1) != of.parity) return;
    const i32 before = j > 0 ? j - 1 : of.samples - 1;
    const i32 behind = j + 1 < of.samples ? j + 1 : 0;
    x[j * step] += factor * (x[before * step] + x[behind * step]);
}

// What a block does by itself. Phases:
// 1. read;
// 2. the steps of all levels, one after the other;
// 3. write.
T_GROUP_KERNEL(wavelet_thesis_split_lifting, 256, 1, 1,
               (T_OUT(f32) x, const wavelet_thesis_split of)) {
    T_LOCAL(f32, values, wavelet_thesis_block);
    const i64 first = (i64)T_GX * of.length * of.step;
    T_PHASE {
        for (i32 i = T_LI; i < of.length; i += wavelet_thesis_items)
            values[i] = x[first + i * of.step];
    }
    for (i32 k = 0; k < of.steps; ++k) {
        T_PHASE {
            const i32 level = k >> 2, g = 1 << level;
            const i32 last = (of.length >> level) - 1 - of.last[k];
            const i32 j = of.is_whole != 0 ? T_LI : of.first[k] + 2 * T_LI;
            if (j >= of.first[k] && j <= last && ((j ^ of.first[k]) & 1) == 0)
                values[j * g] +=
                    wavelet_thesis_factors[k & 3] * (values[(j - 1) * g] + values[(j + 1) * g]);
        }
    }
    T_PHASE {
        for (i32 i = T_LI; i < of.length; i += wavelet_thesis_items)
            x[first + i * of.step] = values[i];
    }
}

// Where a sample is that lies `offset` from the border behind a block.
T_FUNCTION i64 wavelet_thesis_near(const i32 border, const i32 offset,
                                   const wavelet_thesis_split of) {
    const i64 j = ((i64)border + 1) * of.length + offset;
    return (j < of.samples ? j : j - of.samples) * of.step;
}

// What the blocks on both sides of a border have left, in the memory of a group. Phases as above.
T_GROUP_KERNEL(wavelet_thesis_merge_lifting, 256, 1, 1,
               (T_OUT(f32) x, const wavelet_thesis_split of)) {
    T_LOCAL(f32, values, wavelet_thesis_block);
    T_PHASE {
        for (i32 i = T_LI; i < of.window; i += wavelet_thesis_items)
            values[i] = x[wavelet_thesis_near(T_GX, i - of.before, of)];
    }
    for (i32 k = 0; k < of.steps; ++k) {
        T_PHASE {
            const i32 g = 1 << (k >> 2), j = 1 - of.last[k] + 2 * T_LI, at = of.before + j * g;
            if (j <= of.first[k] - 2)
                values[at] += wavelet_thesis_factors[k & 3] * (values[at - g] + values[at + g]);
        }
    }
    T_PHASE {
        for (i32 i = T_LI; i < of.window; i += wavelet_thesis_items)
            x[wavelet_thesis_near(T_GX, i - of.before, of)] = values[i];
    }
}

// The same in the device's memory, an item for each border.
T_KERNEL(wavelet_thesis_merge_lifting_there, (T_OUT(f32) x, const wavelet_thesis_split of)) {
    T_INDEX1(border);
    for (i32 k = 0; k < of.steps; ++k) {
        const i32 g = 1 << (k >> 2);
        for (i32 j = 1 - of.last[k]; j <= of.first[k] - 2; j += 2)
            x[wavelet_thesis_near(border, j * g, of)] +=
                wavelet_thesis_factors[k & 3] * (x[wavelet_thesis_near(border, (j - 1) * g, of)] +
                                                 x[wavelet_thesis_near(border, (j + 1) * g, of)]);
    }
}

#include "kernels/end.h"
