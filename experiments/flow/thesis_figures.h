// Results that the thesis behind optical flow prints (Diaz Morgado and Gomez Blanco 2016,
// tables 5.1 to 5.3).
#pragma once

#include <array>
#include <string_view>

#include "tesela/evaluate_flow.h"

namespace tesela::experiments {

struct LucasKanadeSizes {
    int block, filter;
};

// Sides of the blocks and taps of the filters of its sweep.
inline constexpr std::array flow_blocks{3, 7, 15, 19, 23, 31};
inline constexpr std::array flow_filters{3, 5, 7, 9, 11, 13};

// Errors of Lucas-Kanade on DivergingTree, each the lowest under its correction.
struct PrintedBest {
    BorderCorrection correction;
    LucasKanadeSizes sizes;
    double angular, endpoint;  // radians, pixels
};
inline constexpr std::array<PrintedBest, 3> printed_best{
    {{BorderCorrection::none, {15, 5}, 0.289, 0.441165},
     {BorderCorrection::filter, {15, 9}, 0.16578, 0.24561},
     {BorderCorrection::block, {31, 5}, 0.04134, 0.04939}}};

// Three settings on other sequences.
inline constexpr std::array<LucasKanadeSizes, 3> stimuli_sizes{{{15, 5}, {31, 5}, {15, 13}}};
struct PrintedErrors {
    double angular, endpoint;
};
struct PrintedStimulus {
    std::string_view name;  // of the sequence
    std::array<PrintedErrors, 3> errors;
};
// Every pair contradicts itself: its angular error is larger than its end-point error allows.
inline constexpr std::array<PrintedStimulus, 5> printed_stimuli{
    {{"Grove2", {{{1.33678, 0.66198}, {1.41107, 0.42520}, {1.37192, 0.56525}}}},
     {"Grove3", {{{1.33335, 0.65705}, {1.40595, 0.43283}, {1.37052, 0.56136}}}},
     {"Urban2", {{{1.33719, 0.65878}, {1.40902, 0.43359}, {1.43088, 0.36936}}}},
     {"TranslatingTree", {{{1.44190, 0.53603}, {1.45257, 0.55921}, {1.06689, 0.08579}}}},
     {"Urban3", {{{1.50173, 0.77381}, {1.45444, 0.73388}, {1.4847, 0.74755}}}}}};

inline constexpr double real_time = 24;  // frames a second

}  // namespace tesela::experiments
