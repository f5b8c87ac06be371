// tesela bench region-grow
#include <array>

#include "experiments/bench_verb.h"
#include "experiments/region_growing/laboratory.h"
#include "experiments/verbs.h"

namespace tesela::experiments {
namespace {

using RegionExperiment = Experiment<RegionLaboratory>;
constexpr std::array experiments{
    RegionExperiment{"EXP-1", "one pixel an item, or several", run_brightness},
    RegionExperiment{"EXP-2", "growth in disjoint tiles", run_disjoint_tiles},
    RegionExperiment{"EXP-3", "two neighbors of a quadrant", run_quadrants},
    RegionExperiment{"EXP-4", "overlapped tiles, initial labels", run_initial_labels},
    RegionExperiment{"EXP-5", "directions of merging", run_merge_directions},
    RegionExperiment{"EXP-6", "complete segmentation, and global growth", run_whole_segmentation},
    RegionExperiment{"EXP-7", "means by atomics and by reduction", run_means},
    RegionExperiment{"EXP-8", "blocks and coalescing", run_blocks},
    RegionExperiment{"EXP-9", "diagnosis of devices", run_diagnosis},
};

}  // namespace

int run_bench_region_grow(const cli::Arguments& arguments) {
    return run_bench<RegionLaboratory, RegionBenchOptions>(
        {"bench region-grow",
         "Runs the experiments of the thesis behind region growing, EXP-1 to EXP-9, and writes "
         "tables, charts and pictures beside its figures."},
        {.repetitions = 20}, experiments, arguments,
        [](LaboratoryOptions options, const RegionBenchOptions& more, const CancelToken& token) {
            std::vector<RegionPicture> pictures = region_pictures(more);
            for (const RegionPicture& picture : pictures)
                options.inputs.emplace_back(picture.source);  // nothing where it was made up
            return RegionLaboratory(options, std::move(pictures), token);
        });
}

}  // namespace tesela::experiments
