// tesela bench circles
#include <array>

#include "experiments/bench_verb.h"
#include "experiments/slides/circle_laboratory.h"
#include "experiments/verbs.h"

namespace tesela::experiments {
namespace {

using CircleExperiment = Experiment<CircleLaboratory>;
constexpr std::array experiments{
    CircleExperiment{"E1", "votes and errors of polygons", run_polygon_errors},
    CircleExperiment{"E2", "one thread and two", run_threads},
    CircleExperiment{"E3", "nine scenes by each way of drawing votes", run_modes},
    CircleExperiment{"E4", "votes around a center", run_vote_spaces},
};

}  // namespace

int run_bench_circles(const cli::Arguments& arguments) {
    return run_bench<CircleLaboratory, CircleBenchOptions>(
        {"bench circles",
         "Runs the experiments on circles of the thesis behind tissue classification, E1 to E4, "
         "and writes tables, charts and pictures beside its figures."},
        {.repetitions = 5}, experiments, arguments,
        [](LaboratoryOptions options, const CircleBenchOptions&, const CancelToken& token) {
            return CircleLaboratory(options, token);
        });
}

}  // namespace tesela::experiments
