// tesela bench register
#include <array>

#include "experiments/bench_verb.h"
#include "experiments/slides/register_laboratory.h"
#include "experiments/verbs.h"

namespace tesela::experiments {
namespace {

using RegisterExperiment = Experiment<RegisterLaboratory>;
constexpr std::array experiments{
    RegisterExperiment{"E11", "six settings of windows on all devices", run_window_settings},
    RegisterExperiment{"E12", "a stack of sections, rigid and bent", run_rigid_and_bent},
};

}  // namespace

int run_bench_register(const cli::Arguments& arguments) {
    return run_bench<RegisterLaboratory, RegisterBenchOptions>(
        {"bench register",
         "Runs the experiments on registration of the thesis behind tissue classification, E11 and "
         "E12, on synthetic sections, and writes tables, charts and pictures beside its figures."},
        {}, experiments, arguments,
        [](LaboratoryOptions options, const RegisterBenchOptions& more, const CancelToken& token) {
            return RegisterLaboratory(options, more, token);
        });
}

}  // namespace tesela::experiments
