// Figures of the thesis's chapter on tridiagonal systems (J. Lamas Rodriguez 2014, section 2.5).
#pragma once

#include <array>
#include <cstdint>

#include "experiments/table.h"
#include "tesela/tridiagonal_thesis.h"

namespace tesela::experiments {

// Tables 2.1 to 2.3: of a row of 2^20, operations and accesses, and those in groups; milliseconds
// on a GeForce GTX 295, and of `threads` on four cores, in single and double precision; errors by
// eq. 2.47 on a GPU (of `threads` and Thomas's on a CPU), random systems, in 1e-5 and 1e-13.
struct PrintedSolver {
    ThesisTridiagonalMethod method;
    double operations, accesses, group_accesses;
    double single_ms, double_ms;
    double single_error, double_error;
};
inline constexpr std::array<PrintedSolver, 9> printed_solvers{
    {{ThesisTridiagonalMethod::thomas, not_printed, not_printed, not_printed, not_printed,
      not_printed, 0.415, 0.212},
     {ThesisTridiagonalMethod::threads, not_printed, not_printed, not_printed, 36.574, 48.030,
      0.422, 0.215},
     {ThesisTridiagonalMethod::cr, 17, 23, 0, 5.065, 8.237, 2.453, 0.509},
     {ThesisTridiagonalMethod::cr_reordered, 17, 33, 0, 4.073, 5.468, 2.453, 0.509},
     {ThesisTridiagonalMethod::cr_split, 17, 12, 27, 2.901, 7.265, 2.453, 0.509},
     {ThesisTridiagonalMethod::pcr, 240, 320, 0, 15.189, 29.848, 8.734, 1.581},
     {ThesisTridiagonalMethod::pcr_split, 240, 288, 32, 12.833, 27.462, 8.734, 1.581},
     {ThesisTridiagonalMethod::bondeli, 46, 40, 36, 5.868, 18.212, 2.695, 0.663},
     {ThesisTridiagonalMethod::wang, 22, 52, 0, 154.060, 162.722, not_printed, not_printed}}};

// Tables 2.4a and 2.4b: milliseconds on a GeForce GTX 295 without and with transfers, of cr-split,
// pcr-split and bondeli. That of bondeli at 2^20 is of double precision by table 2.2.
inline constexpr std::array printed_transferred{ThesisTridiagonalMethod::cr_split,
                                                ThesisTridiagonalMethod::pcr_split,
                                                ThesisTridiagonalMethod::bondeli};
struct PrintedSolverTimes {
    std::int64_t rows;
    std::array<double, 3> alone, with_transfers;
};
inline constexpr std::array<PrintedSolverTimes, 7> printed_solver_times{
    {{1 << 10, {0.105, 0.125, 0.469}, {0.192, 0.211, 0.549}},
     {1 << 12, {0.137, 0.143, 0.548}, {0.291, 0.296, 0.682}},
     {1 << 14, {0.200, 0.241, 0.847}, {0.619, 0.660, 1.199}},
     {1 << 16, {0.345, 0.761, 1.723}, {1.806, 2.222, 2.925}},
     {1 << 18, {0.992, 3.009, 5.154}, {6.642, 8.666, 9.992}},
     {1 << 20, {2.901, 12.833, 18.212}, {23.248, 33.165, 34.922}},
     {1 << 22, {12.666, 56.426, 70.763}, {87.945, 131.660, 132.505}}}};

}  // namespace tesela::experiments
