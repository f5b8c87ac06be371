// The lattice of samples; mean_shift_fast.kernel.h sets MEAN_SHIFT_CHANNELS.
#define MEAN_SHIFT_OF_CHANNELS(name) T_JOIN(T_JOIN(name, _), MEAN_SHIFT_CHANNELS)

// A sample is a level as bits of a float, or three levels, the first in the lowest bits.
#if MEAN_SHIFT_CHANNELS == 1
    #define MEAN_SHIFT_SAMPLE u32
#else
    #define MEAN_SHIFT_SAMPLE u64
#endif

T_FUNCTION MEAN_SHIFT_SAMPLE MEAN_SHIFT_OF_CHANNELS(ms_fast_sample)(const u32* level) {
#if MEAN_SHIFT_CHANNELS == 1
    return level[0] | (u32)mean_shift_level_exponent;
#else
    return (u64)level[0] | (u64)level[1] << 21 | (u64)level[2] << 42;
#endif
}

// The levels of a sample as bits of floats.
#if MEAN_SHIFT_CHANNELS == 1
    #define MEAN_SHIFT_BITS_0(sample) (sample)
#else
    #define MEAN_SHIFT_BITS_0(sample) (((u32)(sample)&0x1fffffu) | (u32)mean_shift_level_exponent)
    #define MEAN_SHIFT_BITS_1(sample) \
        (((u32)((sample) >> 21) & 0x1fffffu) | (u32)mean_shift_level_exponent)
    #define MEAN_SHIFT_BITS_2(sample) ((u32)((sample) >> 42) | (u32)mean_shift_level_exponent)
#endif

// Item (x, y): sample x - margin of row y of the lattice; rows count y, then z, then t. The mean of
// those points around the sample's middle whose colors are in the range window of the middle one.
// The first item sets the counters to zero.
T_KERNEL(MEAN_SHIFT_OF_CHANNELS(mean_shift_fast_samples),
         (T_IN(i32) features, T_OUT(MEAN_SHIFT_SAMPLE) samples, T_OUT(u32) counters,
          mean_shift_fast_lattice lattice)) {
    T_INDEX2(column, row);
    u32 mean[3] = {MEAN_SHIFT_CHANNELS == 1 ? mean_shift_no_level : 0, 0, mean_shift_no_level};
    if (column >= lattice.margin && column < lattice.margin + lattice.samples[0]) {
        const i32 slice = row / lattice.samples[1];
        const i32 k[4] = {column - lattice.margin, row % lattice.samples[1],
                          slice % lattice.samples[2], slice / lattice.samples[2]};
        i32 first[4];
        i32 last[4];
        i32 middle = 0;
        T_UNROLL for (i32 a = 3; a >= 0; --a) {
            middle =
                middle * lattice.n[a] + ms_fast_sampled(&lattice, a, k[a], &first[a], &last[a]);
        }
        u32 center[3];
        u32 sums[3] = {0u, 0u, 0u};
        u32 count = 0u;
        T_UNROLL for (i32 c = 0; c < MEAN_SHIFT_CHANNELS; ++c) {
            center[c] = ms_fast_level(features[c * lattice.points + middle]);
        }
        for (i32 t = first[3]; t <= last[3]; ++t)
            for (i32 z = first[2]; z <= last[2]; ++z)
                for (i32 y = first[1]; y <= last[1]; ++y)
                    for (i32 x = first[0]; x <= last[0]; ++x) {
                        const i64 i =
                            (((i64)t * lattice.n[2] + z) * lattice.n[1] + y) * lattice.n[0] + x;
                        u32 level[3];
                        f32 distance2 = 0.0f;
                        T_UNROLL for (i32 c = 0; c < MEAN_SHIFT_CHANNELS; ++c) {
                            level[c] = ms_fast_level(features[c * lattice.points + i]);
                            const f32 d = (f32)(i32)(level[c] - center[c]);
                            distance2 = distance2 + d * d;
                        }
                        if (distance2 >= lattice.limit2[2]) continue;
                        ++count;
                        T_UNROLL for (i32 c = 0; c < MEAN_SHIFT_CHANNELS; ++c) {
                            sums[c] += level[c];
                        }
                    }
        T_UNROLL for (i32 c = 0; c < MEAN_SHIFT_CHANNELS; ++c) {
            mean[c] = count > 0u ? (sums[c] + count / 2u) / count : center[c];
        }
    }
    if (column == 0 && row == 0)
        for (i32 k = 0; k < mean_shift_counters; ++k) counters[k] = 0u;
    samples[(i64)row * lattice.width + column] = MEAN_SHIFT_OF_CHANNELS(ms_fast_sample)(mean);
}

#undef MEAN_SHIFT_OF_CHANNELS
