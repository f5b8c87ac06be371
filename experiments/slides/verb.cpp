// tesela bench circles, tissue, register, zernike, slides
#include <array>
#include <span>

#include "experiments/bench_verb.h"
#include "experiments/slides/register_laboratory.h"
#include "experiments/verbs.h"

namespace tesela::experiments {
namespace {

// Where all of them take place; those on registration need its sections.
using SlideExperiment = Experiment<RegisterLaboratory>;
template <auto run>
void within(RegisterLaboratory& laboratory) {
    run(laboratory);
}

constexpr std::array experiments{
    SlideExperiment{"E1", "votes and errors of polygons", within<run_polygon_errors>},
    SlideExperiment{"E2", "one thread and two", within<run_threads>},
    SlideExperiment{"E3", "nine scenes by each way of drawing votes", within<run_modes>},
    SlideExperiment{"E4", "votes around a center", within<run_vote_spaces>},
    SlideExperiment{"E5", "accuracy by gray levels", within<run_accuracy>},
    SlideExperiment{"E6", "sizes of tiles, one thread and devices", within<run_sizes>},
    SlideExperiment{"E7", "features on all devices", within<run_agreement>},
    SlideExperiment{"E8", "each stage of texture in each way", within<run_ways>},
    SlideExperiment{"E9", "sides of blocks", within<run_blocks>},
    SlideExperiment{"E10", "whole slides, from their files to maps", within<run_slides>},
    SlideExperiment{"E11", "six settings of windows on all devices", run_window_settings},
    SlideExperiment{"E12", "a stack of sections, rigid and bent", run_rigid_and_bent},
    SlideExperiment{"E13", "direct and recursive moments, and what they lose", within<run_methods>},
    SlideExperiment{"E14", "items of a group", within<run_group_sizes>},
    SlideExperiment{"E15", "ways of launching, and what a launch costs", within<run_launches>},
};
constexpr std::span all(experiments);

// What no option tells is as RegisterBenchOptions has it.
struct NoOptions {};
template <class V>
void describe(V&&, NoOptions&) {}
RegisterBenchOptions whole(const NoOptions&) { return {}; }

struct TissueBenchOptions {
    double scale = RegisterBenchOptions().scale;
};
template <class V>
void describe(V&& v, TissueBenchOptions& o) {
    v("scale", o.scale, "sides of the slides of E10; 1: as in the thesis",
      OptionRange{.lowest = 0.05, .highest = 1});
}
RegisterBenchOptions whole(const TissueBenchOptions& options) { return {.scale = options.scale}; }
RegisterBenchOptions whole(const RegisterBenchOptions& options) { return options; }

template <class More>
int run_bench_of(const std::string& name, const std::string& subject,
                 std::span<const SlideExperiment> chosen, const cli::Arguments& arguments,
                 int repetitions = 5) {
    return run_bench<RegisterLaboratory, More>(
        {name, fmt::format("Runs the experiments on {} of the thesis behind tissue classification, "
                           "{} to {}, and writes tables, charts and pictures beside its figures.",
                           subject, chosen.front().name, chosen.back().name)},
        {.repetitions = repetitions}, chosen, arguments,
        [](LaboratoryOptions options, const More& more, const CancelToken& token) {
            return RegisterLaboratory(options, whole(more), token);
        });
}

}  // namespace

int run_bench_circles(const cli::Arguments& arguments) {
    return run_bench_of<NoOptions>("bench circles", "circles", all.first(4), arguments);
}
int run_bench_tissue(const cli::Arguments& arguments) {
    return run_bench_of<TissueBenchOptions>("bench tissue", "texture and tissue", all.subspan(4, 6),
                                            arguments);
}
int run_bench_register(const cli::Arguments& arguments) {
    return run_bench_of<RegisterBenchOptions>("bench register", "registration", all.subspan(10, 2),
                                              arguments, 1);
}
int run_bench_zernike(const cli::Arguments& arguments) {
    return run_bench_of<NoOptions>("bench zernike", "Zernike moments", all.last(3), arguments);
}
int run_bench_slides(const cli::Arguments& arguments) {
    return run_bench_of<RegisterBenchOptions>(
        "bench slides", "circles, tissue, registration and moments", all, arguments);
}

}  // namespace tesela::experiments
