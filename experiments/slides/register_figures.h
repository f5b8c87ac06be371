// Figures on registration that the thesis behind circles and tissue prints (Ruiz Sanchez 2015,
// chapter 5).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tesela::experiments {

// Table 5.1: shares of the phases of a correlation on a CPU and on a GPU.
struct PrintedPhase {
    std::string_view name;
    double cpu, gpu;
};
inline constexpr std::array<PrintedPhase, 3> printed_phases{{{"two forward transforms", 0.68, 0.74},
                                                             {"product", 0.03, 0.02},
                                                             {"inverse transform", 0.29, 0.24}}};

// Table 5.3: the sections of two mouse organs, in pixels.
struct PrintedOrgan {
    std::string_view name;
    std::int64_t width, height;
    int sections;
};
inline constexpr std::array<PrintedOrgan, 2> printed_organs{
    {{"placenta", 16000, 16000, 100}, {"mammary", 23000, 62000, 4}}};

// Tables 5.2 and 5.5: windows, the side of their transforms, and seconds for a pair of sections on
// a CPU, a GPU and two. 693 and 2.57 of the print are 683 and 2.36 by its other figures.
struct PrintedSetting {
    std::size_t organ;
    char size;
    int window, search, padded;
    double cpu, gpu, two_gpus;
};
inline constexpr std::array<PrintedSetting, 6> printed_settings{
    {{0, 'S', 171, 342, 512, 57.97, 19.27, 13.13},
     {0, 'M', 250, 500, 749, 294.57, 47.80, 26.05},
     {0, 'L', 342, 683, 1024, 91.33, 22.22, 13.66},
     {1, 'S', 342, 683, 1024, 530.41, 264.09, 225.17},
     {1, 'M', 500, 1000, 1499, 1660.91, 1629.72, 837.51},
     {1, 'L', 683, 1366, 2048, 669.96, 257.95, 234.62}}};

// Table 5.4: features of the mammary sections by the size of windows, and seconds on a CPU with
// files and without.
struct PrintedSection {
    std::array<int, 3> features;
    double with_files, without_files;
};
inline constexpr std::array<PrintedSection, 4> printed_sections{
    {{{1196, 655, 384}, 650.86, 558.54},
     {{1048, 568, 312}, 497.83, 414.17},
     {{3119, 1528, 854}, 1320.01, 1192.69},
     {{690, 322, 168}, 463.77, 340.62}}};

// Table 5.6: windows that either of two GPUs tested and processed, of the mammary sections.
struct PrintedShares {
    std::array<int, 2> tested, processed;
    double imbalance;  // in percent
    double seconds;
};
inline constexpr std::array<PrintedShares, 4> printed_shares{
    {{{1672, 1672}, {196, 188}, 4.08, 260.41},
     {{1496, 1496}, {158, 154}, 2.53, 101.32},
     {{1872, 1911}, {428, 426}, 2.76, 522.43},
     {{1786, 1786}, {78, 90}, 13.33, 225.37}}};

// Figure 5.7, of which the text tells these: least, mean and largest share of the windows that are
// processed, in percent.
struct PrintedKept {
    double least, mean, most;
};
inline constexpr std::array<PrintedKept, 2> printed_kept{
    {{10.48, 19.88, 30.38}, {4.82, 10.77, 20.71}}};

}  // namespace tesela::experiments
