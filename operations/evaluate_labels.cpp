#include "tesela/evaluate_labels.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "operations/all.h"
#include "operations/registry.h"

namespace tesela::operations {
namespace {

struct Measure {
    std::string_view key, name;
    double LabelAgreement::*value;
};
constexpr std::array measures{
    Measure{"dice", "Dice", &LabelAgreement::dice},
    Measure{"jaccard", "Jaccard", &LabelAgreement::jaccard},
    Measure{"covering", "covering", &LabelAgreement::covering},
    Measure{"rand_index", "Rand index", &LabelAgreement::rand_index},
    Measure{"variation_of_information", "variation of information, bits",
            &LabelAgreement::variation_of_information},
    Measure{"conditional_entropy_truth", "  H(truth|segmentation): merges",
            &LabelAgreement::conditional_entropy_truth},
    Measure{"conditional_entropy_segmentation", "  H(segmentation|truth): splits",
            &LabelAgreement::conditional_entropy_segmentation},
    Measure{"boundary_precision", "boundary precision", &LabelAgreement::boundary_precision},
    Measure{"boundary_recall", "boundary recall", &LabelAgreement::boundary_recall},
    Measure{"boundary_f", "boundary F", &LabelAgreement::boundary_f},
};

Figures figures_of(const LabelAgreement& agreement) {
    Figures figures;
    for (const Measure& measure : measures)
        figures.push_back({std::string(measure.key), agreement.*measure.value});
    return figures;
}

std::string text_of(const LabelEvaluation& evaluation) {
    std::string text = fmt::format("{:<34}{:>10}", "", "mean");
    for (std::size_t i = 0; i < evaluation.by_truth.size(); ++i)
        text += fmt::format("{:>10}", fmt::format("truth {}", i + 1));
    text += "\n";
    const auto shown = [](double value) {
        return std::isnan(value) ? std::string("-") : fmt::format("{:.4f}", value);
    };
    for (const Measure& measure : measures) {
        text += fmt::format("{:<34}{:>10}", measure.name, shown(evaluation.mean.*measure.value));
        for (const LabelAgreement& agreement : evaluation.by_truth)
            text += fmt::format("{:>10}", shown(agreement.*measure.value));
        text += "\n";
    }
    return text;
}

struct ByLabelOptions {
    bool by_label = false;
};
template <class V>
void describe(V&& v, ByLabelOptions& o) {
    v("by-label", o.by_label, "compare each label with the same label of the truth");
}

using ByLabel = std::vector<std::vector<LabelComparison>>;  // one list a truth

std::vector<Figures> figures_of(const std::vector<LabelComparison>& comparisons) {
    std::vector<Figures> list;
    for (const LabelComparison& c : comparisons)
        list.push_back({{"label", std::int64_t{c.label}},
                        {"dice", c.dice},
                        {"jaccard", c.jaccard},
                        {"points", c.points},
                        {"truth_points", c.truth_points},
                        {"volume", c.volume},
                        {"truth_volume", c.truth_volume},
                        {"mean_distance", c.mean_distance},
                        {"hausdorff_95", c.hausdorff_95}});
    return list;
}

std::string text_of(const ByLabel& by_label) {
    std::string text;
    for (std::size_t k = 0; k < by_label.size(); ++k) {
        text += fmt::format("\n{:<10}{:>8}{:>9}{:>13}{:>13}{:>10}{:>10}\n",
                            fmt::format("truth {}", k + 1), "Dice", "Jaccard", "volume", "truth",
                            "mean", "95 %");
        for (const LabelComparison& c : by_label[k])
            text += fmt::format("{:<10}{:>8.4f}{:>9.4f}{:>13.6g}{:>13.6g}{:>10.3f}{:>10.3f}\n",
                                fmt::format("label {}", c.label), c.dice, c.jaccard, c.volume,
                                c.truth_volume, c.mean_distance, c.hausdorff_95);
    }
    return text;
}

Results run_evaluate_labels(const Call& call, Queue& queue, const Progress&) {
    const auto& map = call.inputs.get<LabelImage>("segmentation");
    const auto& truths = call.inputs.get<std::vector<LabelImage>>("truth");
    ByLabel by_label;
    if (call.options.as<ByLabelOptions>().by_label)
        for (const LabelImage& truth : truths)
            by_label.push_back(compare_labels(map, truth, queue));
    const LabelEvaluation evaluation = evaluate_labels(map, truths);
    std::vector<Figures> of_truths;
    for (std::size_t i = 0; i < truths.size(); ++i) {
        of_truths.push_back(figures_of(evaluation.by_truth[i]));
        of_truths.back().push_back({"path", call.name_of("truth", i)});
        if (!by_label.empty()) of_truths.back().push_back({"labels", figures_of(by_label[i])});
    }
    Results results;
    results.details = {{"segmentation", call.name_of("segmentation")},
                       {"truths", of_truths},
                       {"mean", figures_of(evaluation.mean)}};
    results.data = text_of(evaluation) + text_of(by_label);
    return results;
}

}  // namespace

void add_evaluate_labels(Registry& registry) {
    registry.add(Operation{
        .name = "evaluate labels",
        .purpose = "label maps: regions, foreground and boundaries",
        .sentence = "Measures how well a label map agrees with one or more truths.",
        .examples = {"evaluate labels regions.png truth.png",
                     "evaluate labels organs.nii.gz truth.nii.gz --by-label"},
        .inputs =
            {{.name = "segmentation", .kind = kinds::labels, .help = "label map"},
             {.name = "truth", .kind = kinds::labels, .help = "true label maps", .several = true}},
        .options = Options::of(ByLabelOptions{}),
        .run = run_evaluate_labels,
        .memory =
            [](const Call& call, const Device&) {
                return Memory{.computing = evaluate_labels_bytes(
                                  call.inputs.get<LabelImage>("segmentation"),
                                  call.inputs.get<std::vector<LabelImage>>("truth"))};
            },
        .on_host = true});
}

}  // namespace tesela::operations
