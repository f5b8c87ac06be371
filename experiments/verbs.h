// The kinds of `tesela bench`.
#pragma once

#include "verb.h"

namespace tesela::experiments {

int run_bench_mean_shift(const cli::Arguments& arguments);
int run_bench_flow(const cli::Arguments& arguments);
int run_bench_region_grow(const cli::Arguments& arguments);
int run_bench_circles(const cli::Arguments& arguments);
int run_bench_tissue(const cli::Arguments& arguments);
int run_bench_zernike(const cli::Arguments& arguments);
int run_bench_slides(const cli::Arguments& arguments);
int run_bench_register(const cli::Arguments& arguments);
int run_bench_tridiagonal(const cli::Arguments& arguments);
int run_bench_wavelet(const cli::Arguments& arguments);
int run_bench_level_set(const cli::Arguments& arguments);
int run_bench_volumes(const cli::Arguments& arguments);

}  // namespace tesela::experiments
