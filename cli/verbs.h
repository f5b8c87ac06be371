// Verbs that are no operations: about files and devices themselves.
#pragma once

#include "verb.h"

namespace tesela::cli {

int run_devices(const Arguments& arguments);
int run_info(const Arguments& arguments);
int run_view(const Arguments& arguments);
int run_bench_view(const Arguments& arguments);

}  // namespace tesela::cli
