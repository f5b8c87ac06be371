// Figures of the thesis's chapter on wavelets (J. Lamas Rodriguez 2014, section 2.6), in
// milliseconds.
#pragma once

#include <array>
#include <cstdint>

#include "tesela/wavelet_thesis.h"

namespace tesela::experiments {

// Tables 2.7 to 2.9, a GeForce GTX 480: directly, and by splitting and merging. The speed-ups at
// 2^20 against one core are those of the text.
struct PrintedWavelet {
    ThesisWavelet wavelet;
    int levels;
    std::array<double, 6> direct, split;  // of 2^10, 2^12, ..., 2^20
    double against_one_core;
};
inline constexpr std::array<PrintedWavelet, 3> printed_wavelets{
    {{ThesisWavelet::cdf97,
      8,
      {0.121, 0.140, 0.139, 0.196, 0.533, 1.940},
      {0.021, 0.025, 0.033, 0.063, 0.146, 0.420},
      35.7},
     {ThesisWavelet::d4,
      8,
      {0.024, 0.043, 0.055, 0.066, 0.225, 0.864},
      {0.023, 0.032, 0.049, 0.056, 0.128, 0.451},
      25.6},
     {ThesisWavelet::packet,
      4,
      {0.026, 0.028, 0.032, 0.060, 0.211, 0.752},
      {0.019, 0.011, 0.022, 0.040, 0.140, 0.540},
      55.6}}};

// Table 2.10, its column of a GeForce GTX 480: 2^20 samples, 8 levels; phase_levels 0 is direct.
struct PrintedTuning {
    int phase_levels;
    ThesisMergeMemory merge;
    bool item_each;
    double milliseconds;
};
inline constexpr std::array<PrintedTuning, 14> printed_tunings{
    {{0, ThesisMergeMemory::device, true, 1.94},
     {0, ThesisMergeMemory::device, false, 1.10},
     {1, ThesisMergeMemory::group, true, 0.63},
     {1, ThesisMergeMemory::group, false, 0.53},
     {1, ThesisMergeMemory::device, true, 0.85},
     {1, ThesisMergeMemory::device, false, 0.64},
     {2, ThesisMergeMemory::group, true, 0.53},
     {2, ThesisMergeMemory::group, false, 0.42},
     {2, ThesisMergeMemory::device, true, 0.87},
     {2, ThesisMergeMemory::device, false, 0.58},
     {4, ThesisMergeMemory::group, true, 0.72},
     {4, ThesisMergeMemory::group, false, 0.49},
     {4, ThesisMergeMemory::device, true, 1.27},
     {4, ThesisMergeMemory::device, false, 0.74}}};

// Table 2.11, likewise.
struct PrintedWidening {
    int widening;
    double milliseconds;
};
inline constexpr std::array<PrintedWidening, 5> printed_widenings{
    {{0, 0.42}, {16, 0.43}, {32, 0.43}, {64, 0.41}, {128, 0.38}}};

}  // namespace tesela::experiments
