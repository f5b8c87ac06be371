// tesela bench flow
#include <array>

#include "experiments/bench_verb.h"
#include "experiments/flow/laboratory.h"
#include "experiments/verbs.h"

namespace tesela::experiments {
namespace {

using FlowExperiment = Experiment<FlowLaboratory>;
constexpr std::array experiments{
    FlowExperiment{"X1", "Lucas-Kanade by filter and block", run_block_sweep},
    FlowExperiment{"X2", "Lucas-Kanade on all sequences", run_stimuli},
    FlowExperiment{"X3", "Horn-Schunck by iterations", run_iterations},
    FlowExperiment{"X4", "times of Lucas-Kanade by device", run_lucas_kanade_times},
    FlowExperiment{"X5", "frames a second of Lucas-Kanade", run_lucas_kanade_rates},
    FlowExperiment{"X6", "frames a second of Horn-Schunck", run_horn_schunck_rates},
    FlowExperiment{"X7", "what each way to compute gains", run_optimizations},
    FlowExperiment{"X8", "error against time of all methods", run_error_against_time},
};

}  // namespace

int run_bench_flow(const cli::Arguments& arguments) {
    return run_bench<FlowLaboratory, FlowBenchOptions>(
        {"bench flow",
         "Runs the experiments of the thesis behind optical flow, X1 to X7, and writes "
         "tables and charts beside its figures; X8 compares the methods here."},
        {.repetitions = 10}, experiments, arguments,
        [](LaboratoryOptions options, const FlowBenchOptions& more, const CancelToken& token) {
            std::vector<FlowSequence> sequences = flow_sequences(more, options.quick);
            for (const FlowSequence& sequence : sequences)
                if (!sequence.synthetic) options.inputs.emplace_back(sequence.source);
            return FlowLaboratory(options, std::move(sequences), token);
        });
}

}  // namespace tesela::experiments
