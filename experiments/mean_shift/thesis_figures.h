// Results that the thesis prints (Martin Gaspar 2011, figures 6.12a and 6.12b, tables 6.2 and 6.3).
#pragma once

#include <array>

namespace tesela::experiments {

struct Bandwidths {
    double spatial, range;
};

inline constexpr std::array<Bandwidths, 8> picture_bandwidths{
    {{4, 4}, {4, 8}, {8, 4}, {8, 8}, {8, 16}, {16, 8}, {16, 16}, {32, 32}}};
inline constexpr std::array<Bandwidths, 2> volume_bandwidths{{{4, 4}, {8, 8}}};

inline constexpr std::array<double, 7> picture_label_epsilons{0.01, 0.1, 0.5, 1, 1.5, 2, 5};
inline constexpr std::array<double, 3> volume_label_epsilons{0.5, 1, 1.5};

// Seconds on a laptop of 2010 (Intel i5-430M; NVIDIA GT 325M for clMeanShift).
struct PrintedTimes {
    double clmeanshift, edison_none, edison_medium;
};
// In the order of picture_bandwidths.
inline constexpr std::array<PrintedTimes, 8> printed_lenna{{{0.88, 3.81, 1.53},
                                                            {1.06, 4.20, 1.87},
                                                            {2.14, 21.64, 5.38},
                                                            {2.55, 26.92, 5.84},
                                                            {1.79, 26.57, 5.36},
                                                            {9.68, 184.55, 18.84},
                                                            {6.58, 159.96, 15.44},
                                                            {35.09, 1198.59, 44.50}}};
inline constexpr std::array<PrintedTimes, 8> printed_mri_2d{{{1.72, 2.64, 1.16},
                                                             {1.81, 2.38, 1.22},
                                                             {2.00, 15.21, 3.42},
                                                             {1.96, 13.96, 3.64},
                                                             {1.81, 13.00, 3.38},
                                                             {3.86, 99.72, 11.24},
                                                             {3.38, 104.48, 10.43},
                                                             {4.74, 876.35, 42.36}}};

// Below this many pairs the host's sort was faster (figure 6.10).
inline constexpr int printed_sort_crossover = 4096;

}  // namespace tesela::experiments
