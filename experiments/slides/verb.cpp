// tesela bench circles, tissue, zernike, slides
#include <array>
#include <span>

#include "experiments/bench_verb.h"
#include "experiments/slides/laboratory.h"
#include "experiments/verbs.h"

namespace tesela::experiments {
namespace {

using SlideExperiment = Experiment<SlideLaboratory>;
constexpr std::array experiments{
    SlideExperiment{"E1", "votes and errors of polygons", run_polygon_errors},
    SlideExperiment{"E2", "one thread and two", run_threads},
    SlideExperiment{"E3", "nine scenes by each way of drawing votes", run_modes},
    SlideExperiment{"E4", "votes around a center", run_vote_spaces},
    SlideExperiment{"E5", "accuracy by gray levels", run_accuracy},
    SlideExperiment{"E6", "sizes of tiles, one thread and devices", run_sizes},
    SlideExperiment{"E7", "features on all devices", run_agreement},
    SlideExperiment{"E8", "each stage of texture in each way", run_ways},
    SlideExperiment{"E9", "sides of blocks", run_blocks},
    SlideExperiment{"E13", "direct and recursive moments, and what they lose", run_methods},
    SlideExperiment{"E14", "items of a group", run_group_sizes},
    SlideExperiment{"E15", "ways of launching, and what a launch costs", run_launches},
};
constexpr std::span all(experiments);

int run_bench_of(const std::string& name, const std::string& subject,
                 std::span<const SlideExperiment> chosen, const cli::Arguments& arguments) {
    return run_bench<SlideLaboratory, SlideBenchOptions>(
        {name, fmt::format("Runs the experiments on {} of the thesis behind tissue classification, "
                           "{} to {}, and writes tables, charts and pictures beside its figures.",
                           subject, chosen.front().name, chosen.back().name)},
        {.repetitions = 5}, chosen, arguments,
        [](LaboratoryOptions options, const SlideBenchOptions&, const CancelToken& token) {
            return SlideLaboratory(options, token);
        });
}

}  // namespace

int run_bench_circles(const cli::Arguments& arguments) {
    return run_bench_of("bench circles", "circles", all.first(4), arguments);
}
int run_bench_tissue(const cli::Arguments& arguments) {
    return run_bench_of("bench tissue", "texture and tissue", all.subspan(4, 5), arguments);
}
int run_bench_zernike(const cli::Arguments& arguments) {
    return run_bench_of("bench zernike", "Zernike moments", all.last(3), arguments);
}
int run_bench_slides(const cli::Arguments& arguments) {
    return run_bench_of("bench slides", "circles, texture and moments", all, arguments);
}

}  // namespace tesela::experiments
