// Figures of the thesis's chapters on level sets (J. Lamas Rodriguez 2014, chapters 3 and 4).
#pragma once

#include <array>

namespace tesela::experiments {

// Table 3.2: seconds of the cube with four cores and a GeForce GTX 680.
struct PrintedCube {
    int side;
    double cores, gpu;
};
inline constexpr std::array<PrintedCube, 4> printed_cubes{{{32, 0.060310, 0.137818},
                                                           {64, 0.460466, 0.233180},
                                                           {128, 4.628223, 0.422348},
                                                           {256, 51.230437, 1.349871}}};

// Table 3.3: shares of the stages of the cube of 128^3, in the order of level_set_thesis.
inline constexpr std::array printed_stage_shares{14.0, 2.8, 62.5, 18.4, 2.3};

// Table 4.2: seconds of the lists of voxels on four cores and of proposals 1 and 2 on a GeForce GTX
// 580, and what they were run with: N_0 and N_1 of lists, N_0 and N_1 of proposals, N_2, N_k,
// sigma.
struct PrintedSuite {
    const char* name;
    double lists, p1, p2;
    int lists_launches, lists_steps, launches, data_steps, smoothing_steps, filter;
    double sigma;
};
inline constexpr std::array<PrintedSuite, 2> printed_suite{
    {{"brainweb-1", 1.608, 0.957, 0.565, 7, 4, 5, 6, 3, 3, 2},
     {"vessels-1", 1.234, 0.977, 0.222, 7, 4, 6, 6, 3, 3, 1}}};

// Table 4.3: regions of vessels-1, proposal 2.
struct PrintedScale {
    int side, rounds;
    double seconds;
};
inline constexpr std::array<PrintedScale, 5> printed_scales{
    {{32, 1, 0.007}, {64, 2, 0.020}, {128, 8, 0.084}, {256, 15, 0.268}, {512, 15, 0.423}}};

}  // namespace tesela::experiments
