// The thesis's experiments on what features of tissue tell: E5 and E7.
#include <algorithm>
#include <cmath>

#include "experiments/slides/laboratory.h"
#include "experiments/slides/tissue_tiles.h"
#include "tesela/tissue_evaluation.h"

namespace tesela::experiments {
namespace {

TissueTiles tiles_of(const SlideLaboratory& laboratory) {
    return tissue_tiles(laboratory.quick() ? 20 : 250);
}

}  // namespace

void run_accuracy(SlideLaboratory& laboratory) {
    const TissueTiles tiles = tiles_of(laboratory);
    const std::string draws = laboratory.quick() ? "repeated:20x5" : "repeated:20x50";
    Table table(
        {"levels", "protocol", "percent", "deviation", "thesis_percent", "thesis_deviation"});
    std::vector<double> accuracies;
    for (const PrintedAccuracy& printed : printed_accuracies) {
        const TissueSamples samples =
            samples_of(tiles, FeatureSet(fmt::format("thesis-{}", printed.levels)),
                       laboratory.queue(laboratory.main_device()));
        for (const bool is_drawn : {false, true}) {
            const std::string protocol = is_drawn ? draws : "leave-one-out";
            const TissueEvaluation found = evaluate_classifier(
                samples, {.classifier = ClassifierKind::knn}, parse_protocol(protocol));
            table.add({std::to_string(printed.levels), protocol, cell(100 * found.accuracy()),
                       cell(100 * found.accuracy_deviation()),
                       cell(is_drawn ? printed.drawn : printed.left_out),
                       cell(is_drawn ? printed.drawn_deviation : printed.left_out_deviation)});
            if (!is_drawn) accuracies.push_back(100 * found.accuracy());
        }
    }
    laboratory.write("E5.csv", table);
    const auto [lowest, highest] = std::minmax_element(accuracies.begin(), accuracies.end());
    laboratory.find(
        {"F20",
         fmt::format("left out one by one, 4, 8 and 16 levels, {} synthetic tiles",
                     2 * tiles[0].size()),
         "98.6, 98.6, 99.4 %",
         fmt::format("{:.1f}, {:.1f}, {:.1f} %", accuracies[0], accuracies[1], accuracies[2]),
         *lowest >= 98 && *highest - *lowest <= 1.5});
}

void run_agreement(SlideLaboratory& laboratory) {
    const TissueTiles tiles = tiles_of(laboratory);
    const FeatureSet set("thesis-4");
    Table table({"device", "feature", "mean_difference", "largest_relative"});
    Queue cpu(Device::parse("cpu"));
    for (std::size_t device = 0; device < laboratory.device_count(); ++device) {
        std::vector<double> sums(set.size()), largest(set.size());
        double count = 0;
        for (const std::vector<AnyImage>& tissue : tiles)
            for (const AnyImage& tile : tissue) {
                const auto here = tile_features(tile, set, cpu);
                const auto there = texture_thesis(tile, {}, laboratory.queue(device)).features;
                for (std::size_t k = 0; k < set.size(); ++k) {
                    const double difference = std::abs(here[k] - there[k]);
                    sums[k] += difference;
                    if (here[k] != 0)
                        largest[k] = std::max(largest[k], difference / std::abs(here[k]));
                }
                ++count;
            }
        const std::string id = laboratory.device(device).id();
        for (std::size_t k = 0; k < set.size(); ++k)
            table.add({id, set.names()[k], cell(sums[k] / count), cell(largest[k])});
        const double worst = *std::max_element(sums.begin(), sums.end()) / count;
        laboratory.find(
            {"F19",
             fmt::format("features of {:.0f} tiles, {} against the CPU: mean difference", count,
                         id),
             "0.00065 to 0.021", fmt::format("{:.2g} at most", worst), worst < 0.021});
    }
    laboratory.write("E7.csv", table);
}

}  // namespace tesela::experiments
