// tesela bench tridiagonal, wavelet, level-set, volumes
#include <array>
#include <span>

#include "experiments/bench_verb.h"
#include "experiments/verbs.h"
#include "experiments/volumes/laboratory.h"

namespace tesela::experiments {
namespace {

using VolumeExperiment = Experiment<VolumeLaboratory>;
constexpr std::array experiments{
    VolumeExperiment{"E1", "times of solvers", run_solver_times},
    VolumeExperiment{"E2", "solvers with transfers", run_solver_transfers},
    VolumeExperiment{"E3", "errors of solvers", run_solver_errors},
    VolumeExperiment{"E5", "operations and accesses of solvers", run_solver_counts},
    VolumeExperiment{"E6", "wavelets of lines, directly and split", run_wavelet_times},
    VolumeExperiment{"E7", "levels, items and memory of splitting", run_wavelet_tuning},
    VolumeExperiment{"E8", "how much blocks leave to their borders", run_wavelet_widening},
    VolumeExperiment{"E11", "additive operator splitting of cubes", run_cubes},
    VolumeExperiment{"E13", "fast two-cycle in three ways, and its quality", run_ftc_suite},
    VolumeExperiment{"E15", "active regions after each update", run_region_traces},
    VolumeExperiment{"E16", "fast two-cycle by the size of volumes", run_ftc_scales},
};
constexpr std::span all(experiments);

int run_bench_of(const std::string& name, const std::string& subject,
                 std::span<const VolumeExperiment> chosen, const cli::Arguments& arguments) {
    return run_bench<VolumeLaboratory, VolumeBenchOptions>(
        {name, fmt::format("Runs the experiments on {} of the thesis behind volumes, {} to {}, and "
                           "writes tables and charts beside its figures.",
                           subject, chosen.front().name, chosen.back().name)},
        {.repetitions = 5}, chosen, arguments,
        [](LaboratoryOptions options, const VolumeBenchOptions& more, const CancelToken& token) {
            return VolumeLaboratory(options, more, token);
        });
}

}  // namespace

int run_bench_tridiagonal(const cli::Arguments& arguments) {
    return run_bench_of("bench tridiagonal", "tridiagonal systems", all.first(4), arguments);
}
int run_bench_wavelet(const cli::Arguments& arguments) {
    return run_bench_of("bench wavelet", "wavelets", all.subspan(4, 3), arguments);
}
int run_bench_level_set(const cli::Arguments& arguments) {
    return run_bench_of("bench level-set", "level sets", all.last(4), arguments);
}
int run_bench_volumes(const cli::Arguments& arguments) {
    return run_bench_of("bench volumes", "solvers, wavelets and level sets", all, arguments);
}

}  // namespace tesela::experiments
