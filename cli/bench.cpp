// tesela bench KIND
#include <array>

#include "experiments/verbs.h"
#include "verbs.h"

namespace tesela::cli {
namespace {

const std::array kinds{
    Verb{"mean-shift", "the experiments of the thesis behind mean shift",
         experiments::run_bench_mean_shift},
    Verb{"flow", "the experiments of the thesis behind optical flow", experiments::run_bench_flow},
    Verb{"region-grow", "the experiments of the thesis behind region growing",
         experiments::run_bench_region_grow},
};

}  // namespace

int run_bench(const Arguments& arguments) {
    return dispatch("tesela bench", "Runs experiments and writes tables and charts.", kinds,
                    arguments);
}

}  // namespace tesela::cli
