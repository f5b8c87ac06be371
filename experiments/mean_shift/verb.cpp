// tesela bench mean-shift [IMAGE...]
#include <array>

#include "experiments/bench_verb.h"
#include "experiments/mean_shift/laboratory.h"
#include "experiments/verbs.h"

namespace tesela::experiments {
namespace {

using MeanShiftExperiment = Experiment<MeanShiftLaboratory>;
constexpr std::array experiments{
    MeanShiftExperiment{"E1", "filtered pictures at eight settings", run_filtering_pictures},
    MeanShiftExperiment{"E2", "whole times by device", run_devices_compared},
    MeanShiftExperiment{"E3", "times of the phases", run_phases},
    MeanShiftExperiment{"E4", "times and queue lengths of the rounds", run_rounds},
    MeanShiftExperiment{"E5", "bitonic sort on device and host", run_sorts},
    MeanShiftExperiment{"E6", "against EDISON", run_against_edison},
    MeanShiftExperiment{"E7", "a volume", run_volume},
    MeanShiftExperiment{"E8", "regions by tolerance", run_label_counts},
    MeanShiftExperiment{"E9", "regions of EDISON", run_edison_regions},
    MeanShiftExperiment{"E10", "times of the labels", run_label_times},
    MeanShiftExperiment{"E11", "a volume in time", run_volume_in_time},
};

}  // namespace

int run_bench_mean_shift(const cli::Arguments& arguments) {
    std::vector<std::filesystem::path> own;
    return run_bench<MeanShiftLaboratory, MeanShiftBenchOptions>(
        {"bench mean-shift",
         "Runs the experiments of the thesis behind mean shift, E1 to E11, and writes "
         "tables and charts beside its figures.",
         [&](cli::VerbParser& parser) {
             parser.add_inputs(
                 own,
                 {{"IMAGE", "pictures and volumes in place of those that stand in for the thesis's",
                   true}},
                 0, 1 << 20);
         }},
        {}, experiments, arguments,
        [&](LaboratoryOptions options, const MeanShiftBenchOptions& more,
            const CancelToken& token) {
            options.inputs = own;
            options.inputs.push_back(folder_of_images(more));
            return MeanShiftLaboratory(options, more.edison,
                                       experiment_images(more, own, options.quick), token);
        });
}

}  // namespace tesela::experiments
