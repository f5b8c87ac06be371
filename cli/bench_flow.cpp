// tesela bench flow
#include <array>

#include "flow_laboratory.h"
#include "interrupt.h"
#include "messages.h"
#include "verb.h"
#include "verb_parser.h"

namespace tesela::cli {
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

int run_bench_flow(const Arguments& arguments) {
    const CancelToken& token = handle_interrupts();
    LaboratoryOptions options{.repetitions = 10};
    FlowBenchOptions more;
    MessageOptions messages;
    VerbParser parser(
        "bench flow",
        "Runs the experiments of the thesis behind optical flow, X1 to X7, and writes "
        "tables and charts beside its figures; X8 compares the methods here.");
    parser.add(options, "Experiments");
    parser.add(more, "Experiments");
    parser.add(messages, "Messages", message_aliases());
    if (!parser.parse(arguments)) return exit_done;
    set_up_messages(messages.quiet, messages.verbose);

    const auto list =
        chosen_experiments(std::span<const FlowExperiment>(experiments), options.experiment);
    FlowLaboratory laboratory(options, flow_sequences(more, options.quick), token);
    run_experiments(laboratory, list, "bench flow", parser.values(), messages.json);
    return exit_done;
}

}  // namespace tesela::cli
