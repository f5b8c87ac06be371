// From pixels to the values that components are made of, and which components stay.
#define T_FILE component_selection
#include "kernels/begin.h"

#include "kernels/components/cpu/components_bits.h"

#define COMPONENTS_PIXEL u8
#include "kernels/components/component_selection.body.h"
#define COMPONENTS_PIXEL u16
#include "kernels/components/component_selection.body.h"
#define COMPONENTS_PIXEL u32
#include "kernels/components/component_selection.body.h"
#define COMPONENTS_PIXEL i32
#include "kernels/components/component_selection.body.h"
#define COMPONENTS_PIXEL f32
#include "kernels/components/component_selection.body.h"

// Values as patterns of 32 bits, equal where the values are: of f32 there are two zeros.
T_SIMD_KERNEL(component_patterns_u16, (T_IN(u16) pixels, T_OUT(i32) patterns)) {
    T_INDEX1(i);
    patterns[i] = pixels[i];
}
T_SIMD_KERNEL(component_patterns_u32, (T_IN(u32) pixels, T_OUT(i32) patterns)) {
    T_INDEX1(i);
    patterns[i] = (i32)pixels[i];
}
T_SIMD_KERNEL(component_patterns_f32, (T_IN(f32) pixels, T_OUT(i32) patterns)) {
    T_INDEX1(i);
    patterns[i] = (i32)T_BITS(pixels[i] + 0.0f);
}

// samples[label - 1] = the value of a component, from the first point of each of its runs; what
// several points write there is the same. The other kernels count components from 0 likewise.
T_KERNEL(component_samples_u8, (T_IN(u32) labels, T_IN(u8) values, T_GLOBAL_PTR(u32) samples)) {
    T_INDEX1(i);
    const u32 label = labels[i];
    if (i == 0 || labels[i - 1] != label) T_STORE(u32, samples + (label - 1u), (u32)values[i]);
}
T_KERNEL(component_samples_i32, (T_IN(u32) labels, T_IN(i32) values, T_GLOBAL_PTR(u32) samples)) {
    T_INDEX1(i);
    const u32 label = labels[i];
    if (i == 0 || labels[i - 1] != label) T_STORE(u32, samples + (label - 1u), (u32)values[i]);
}

// keep[c] = 1 for components of another value than the background's, otherwise 0.
T_SIMD_KERNEL(component_keep_foreground,
              (T_IN(u32) samples, const u32 background, T_OUT(u32) keep)) {
    T_INDEX1(c);
    keep[c] = samples[c] != background ? 1u : 0u;
}
// Drops components of fewer than `least` points. `areas` words come before the first area, and
// areas are `area_step` words apart.
T_KERNEL(component_keep_large, (T_IN(u32) statistics, const i64 areas, const i64 area_step,
                                const u32 least, T_GLOBAL_PTR(u32) keep)) {
    T_INDEX1(c);
    if (statistics[areas + area_step * c] < least) keep[c] = 0;
}

// `before[c]`: how many of the components before c stay, so that before[c + 1] differs where c
// does. numbers[c] = its new label, or 0.
T_SIMD_KERNEL(component_numbers, (T_IN(u32) before, T_OUT(u32) numbers)) {
    T_INDEX1(c);
    numbers[c] = before[c + 1] != before[c] ? before[c + 1] : 0u;
}
// Moves the values and the records, of `words` words, of the components that stay to their new
// places, and their areas.
T_KERNEL(component_move, (T_IN(u32) numbers, T_IN(u32) samples, T_IN(u32) records, const i32 words,
                          const i64 areas, const i64 area_step, const i64 kept_areas,
                          T_GLOBAL_PTR(u32) kept_samples, T_GLOBAL_PTR(u32) kept_records)) {
    T_INDEX1(c);
    if (numbers[c] == 0) return;
    const i64 to = (i64)numbers[c] - 1;
    kept_samples[to] = samples[c];
    for (i32 w = 0; w < words; ++w) kept_records[words * to + w] = records[words * (i64)c + w];
    kept_records[kept_areas + area_step * to] = records[areas + area_step * c];
}
T_KERNEL(component_renumber, (T_IN(u32) numbers, T_GLOBAL_PTR(u32) labels)) {
    T_INDEX1(i);
    labels[i] = numbers[labels[i] - 1u];
}

#include "kernels/end.h"
