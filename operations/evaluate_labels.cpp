#include "tesela/evaluate_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <vector>

#include "operations/all.h"
#include "operations/kinds/image.h"
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

struct EvaluateChoice {
    bool by_label = false, instances = false;
    std::optional<Length> tolerance;

    // Whether labels have a meaning.
    bool has_labels() const { return by_label || tolerance; }
};
template <class V>
void describe(V&& v, EvaluateChoice& o) {
    v("by-label", o.by_label, "compare each label with the same label of the truth");
    v("instances", o.instances, "match objects, such as cells, one to one");
    v("tolerance", o.tolerance, "surface Dice of each label at this distance",
      OptionRange{.lowest = 0, .unit = "px, or mm with the suffix", .automatic = "none"});
}

using ByLabel = std::vector<std::vector<LabelComparison>>;  // one list a truth

// Its name, or "label 3".
std::string name_of(std::uint32_t label, const LabelTable& table) {
    const std::string name = label_name(table, label);
    return name.empty() ? fmt::format("label {}", label) : name;
}

std::vector<Figures> figures_of(const std::vector<LabelComparison>& comparisons,
                                const LabelTable& table) {
    std::vector<Figures> list;
    for (const LabelComparison& c : comparisons) {
        list.push_back({{"label", std::int64_t{c.label}},
                        {"dice", c.dice},
                        {"jaccard", c.jaccard},
                        {"sensitivity", c.sensitivity},
                        {"precision", c.precision},
                        {"points", c.points},
                        {"truth_points", c.truth_points},
                        {"volume", c.volume},
                        {"truth_volume", c.truth_volume},
                        {"mean_distance", c.mean_distance},
                        {"hausdorff_95", c.hausdorff_95},
                        {"hausdorff", c.hausdorff}});
        if (!std::isnan(c.surface_dice)) list.back().push_back({"surface_dice", c.surface_dice});
        if (const std::string name = label_name(table, c.label); !name.empty())
            list.back().push_back({"name", name});
    }
    return list;
}

// `map`: whose geometry says what volumes and distances are measured in.
std::string text_of(const ByLabel& by_label, const LabelView& map, const LabelTable& table,
                    bool tolerance) {
    const bool known = map.geometry.known();
    const char* volume = !known ? "pixels" : map.shape().z > 1 ? "mm^3" : "mm^2";
    const char* length = known ? "mm" : "px";
    std::size_t longest = 9;
    for (const auto& list : by_label)
        for (const LabelComparison& c : list)
            longest = std::max(longest, name_of(c.label, table).size());
    std::string text;
    for (std::size_t k = 0; k < by_label.size(); ++k) {
        text += fmt::format("\n{:<{}} {:>8}{:>9}{:>12}{:>10}{:>13}{:>13}{:>10}{:>10}{:>10}{}\n",
                            fmt::format("truth {}", k + 1), longest, "Dice", "Jaccard",
                            "sensitivity", "precision", volume, fmt::format("truth {}", volume),
                            fmt::format("mean {}", length), fmt::format("95 % {}", length),
                            fmt::format("max {}", length),
                            tolerance ? fmt::format("{:>14}", "surface Dice") : "");
        for (const LabelComparison& c : by_label[k])
            text += fmt::format(
                "{:<{}} {:>8.4f}{:>9.4f}{:>12.4f}{:>10.4f}{:>13.6g}{:>13.6g}{:>10.3f}{:>10.3f}"
                "{:>10.3f}{}\n",
                name_of(c.label, table), longest, c.dice, c.jaccard, c.sensitivity, c.precision,
                c.volume, c.truth_volume, c.mean_distance, c.hausdorff_95, c.hausdorff,
                tolerance ? fmt::format("{:>14.4f}", c.surface_dice) : "");
    }
    return text;
}

struct InstanceColumn {
    std::string_view key, name;
    double InstanceAgreement::*value;
};
constexpr std::array instance_columns{
    InstanceColumn{"f1", "F1", &InstanceAgreement::f1},
    InstanceColumn{"precision", "precision", &InstanceAgreement::precision},
    InstanceColumn{"recall", "recall", &InstanceAgreement::recall},
    InstanceColumn{"average_precision", "AP", &InstanceAgreement::average_precision},
    InstanceColumn{"segmentation_quality", "SQ", &InstanceAgreement::segmentation_quality},
    InstanceColumn{"panoptic_quality", "PQ", &InstanceAgreement::panoptic_quality},
};

Figures shares_of(const InstanceAgreement& agreement) {
    Figures figures;
    for (const InstanceColumn& column : instance_columns)
        figures.push_back({std::string(column.key), agreement.*column.value});
    return figures;
}

Figures figures_of(const InstanceEvaluation& evaluation) {
    std::vector<Figures> by_iou;
    for (const InstanceAgreement& at : evaluation.by_iou) {
        by_iou.push_back({{"iou", at.iou},
                          {"matched", at.matched},
                          {"not_in_truth", at.not_in_truth},
                          {"not_found", at.not_found}});
        for (Figure& figure : shares_of(at)) by_iou.back().push_back(std::move(figure));
    }
    return {{"object_count", evaluation.objects},
            {"truth_object_count", evaluation.truth_objects},
            {"by_iou", by_iou},
            {"mean", shares_of(evaluation.mean)}};
}

std::string text_of(const std::vector<InstanceEvaluation>& evaluations) {
    std::string text;
    const auto add_shares = [&](const InstanceAgreement& agreement) {
        for (const InstanceColumn& column : instance_columns)
            text += fmt::format("{:>10.4f}", agreement.*column.value);
        text += "\n";
    };
    for (std::size_t k = 0; k < evaluations.size(); ++k) {
        const InstanceEvaluation& evaluation = evaluations[k];
        text += fmt::format("\ntruth {}: {}, {} in the truth\n", k + 1,
                            counted(evaluation.objects, "object"), evaluation.truth_objects);
        text += fmt::format("{:<6}{:>9}", "IoU", "matched");
        for (const InstanceColumn& column : instance_columns)
            text += fmt::format("{:>10}", column.name);
        text += "\n";
        for (const InstanceAgreement& at : evaluation.by_iou) {
            text += fmt::format("{:<6.2f}{:>9}", at.iou, at.matched);
            add_shares(at);
        }
        text += fmt::format("{:<15}", "mean");
        add_shares(evaluation.mean);
    }
    return text;
}

// The values of a label map.
struct LabelSet {
    std::set<std::uint32_t> labels = {};  // above 0
    bool has_background = false;

    bool is_mask() const { return labels.size() == 1; }
    std::string text() const {
        if (labels.empty()) return "no label";
        if (is_mask()) return fmt::format("a mask of {}", *labels.begin());
        return fmt::format("{} labels from {} to {}", labels.size(), *labels.begin(),
                           *labels.rbegin());
    }
};

LabelSet labels_in(const LabelView& image) {
    LabelSet found;
    std::vector<bool> low(1 << 16);  // most labels, which noise has in no order
    std::uint32_t last = 0;
    for (const std::uint32_t label : image.pixels()) {
        if (label < low.size())
            low[label] = true;
        else if (label != last)
            found.labels.insert(label);
        last = label;
    }
    found.has_background = low[0];
    for (std::uint32_t label = 1; label < low.size(); ++label)
        if (low[label]) found.labels.insert(label);
    return found;
}

bool are_disjoint(const LabelSet& a, const LabelSet& b) {
    return std::none_of(a.labels.begin(), a.labels.end(),
                        [&](std::uint32_t label) { return b.labels.contains(label); });
}

// What a figure would hide, of inputs that are called `name` and `truth_name`.
void warn_of_labels(const LabelSet& map, const std::string& name, const LabelSet& truth,
                    const std::string& truth_name, std::vector<std::string>& warnings) {
    if (truth.labels.empty())
        warnings.push_back(fmt::format("'{}' has no label: all of it is 0", truth_name));
    if (map.labels.empty() || truth.labels.empty()) return;
    constexpr std::size_t many = 50, times = 5;
    const auto looks_gray = [](const LabelSet& a, const LabelSet& b) {
        return a.labels.size() > many && a.labels.size() > times * b.labels.size();
    };
    if (looks_gray(map, truth) || looks_gray(truth, map))
        warnings.push_back(fmt::format(
            "'{}' has {} and '{}' has {}: Dice and Jaccard compare what is not 0; if one of them "
            "is a gray image, make a mask of it first",
            name, map.text(), truth_name, truth.text()));
    else if (!(map.is_mask() && truth.is_mask()) && are_disjoint(map, truth))
        warnings.push_back(fmt::format("no label of '{}' occurs in '{}'", name, truth_name));
    if (map.has_background && truth.has_background) return;
    const std::string all = "Dice and Jaccard take all of it for foreground";
    warnings.push_back(map.has_background != truth.has_background
                           ? fmt::format("'{}' has no background (0), and '{}' has: {}",
                                         map.has_background ? truth_name : name,
                                         map.has_background ? name : truth_name, all)
                           : fmt::format("'{}' and '{}' have no background (0): {}, and are 1",
                                         name, truth_name, all));
}

// A mask is one object, however many parts it has.
void warn_of_masks(const LabelSet& map, const std::string& name, const LabelSet& truth,
                   const std::string& truth_name, std::vector<std::string>& warnings) {
    const auto warn = [&](const std::string& mask) {
        warnings.push_back(fmt::format(
            "'{}' has one label and so one object; label the objects of a mask with 'components'",
            mask));
    };
    if (map.is_mask()) warn(name);
    if (truth.is_mask()) warn(truth_name);
}

// The truth with labels that mean the same: two masks agree whatever their values are.
std::vector<LabelComparison> compare(const LabelView& map, const LabelSet& labels,
                                     const LabelView& truth, const LabelSet& of_truth,
                                     const std::optional<Length>& tolerance, Queue& queue) {
    if (!labels.is_mask() || !of_truth.is_mask() || labels.labels == of_truth.labels)
        return compare_labels(map, truth, queue, tolerance);
    LabelImage same(truth.shape(), truth.geometry);
    std::transform(truth.pixels().begin(), truth.pixels().end(), same.pixels().begin(),
                   [label = *labels.labels.begin()](std::uint32_t in_truth) {
                       return in_truth != 0 ? label : 0;
                   });
    return compare_labels(map, same, queue, tolerance);
}

std::vector<LabelView> truths_of(const Call& call) {
    std::vector<LabelView> truths;
    for (const ImageValue& truth : call.inputs.get<std::vector<ImageValue>>("truth"))
        truths.push_back(truth.pixels<std::uint32_t>());
    return truths;
}

Results run_evaluate_labels(const Call& call, Queue& queue, const Progress&) {
    const auto& map = call.inputs.labels("segmentation");
    const std::vector<LabelView> truths = truths_of(call);
    const auto& choice = call.options.as<EvaluateChoice>();
    Results results;
    ByLabel by_label;
    std::vector<InstanceEvaluation> instances;
    const LabelSet labels = labels_in(map);
    if (labels.labels.empty())
        results.warnings.push_back(
            fmt::format("'{}' has no label: all of it is 0", call.name_of("segmentation")));
    std::string compared = labels.text();
    for (std::size_t i = 0; i < truths.size(); ++i) {
        const LabelSet of_truth = labels_in(truths[i]);
        compared += fmt::format("{} {}", i == 0 ? " with" : ",", of_truth.text());
        warn_of_labels(labels, call.name_of("segmentation"), of_truth, call.name_of("truth", i),
                       results.warnings);
        if (choice.has_labels())
            by_label.push_back(compare(map, labels, truths[i], of_truth, choice.tolerance, queue));
        if (choice.instances) {
            instances.push_back(match_instances(map, truths[i]));
            warn_of_masks(labels, call.name_of("segmentation"), of_truth, call.name_of("truth", i),
                          results.warnings);
        }
    }
    const LabelEvaluation evaluation = evaluate_labels(map, truths);
    const LabelTable& table = call.labels_of("segmentation");
    std::vector<Figures> of_truths;
    for (std::size_t i = 0; i < truths.size(); ++i) {
        of_truths.push_back(figures_of(evaluation.by_truth[i]));
        of_truths.back().push_back({"path", call.name_of("truth", i)});
        if (!by_label.empty())
            of_truths.back().push_back({"labels", figures_of(by_label[i], table)});
        if (!instances.empty()) of_truths.back().push_back({"instances", figures_of(instances[i])});
    }
    results.details = {{"segmentation", call.name_of("segmentation")},
                       {"compared", compared},
                       {"truths", of_truths},
                       {"mean", figures_of(evaluation.mean)}};
    results.data = "compared: " + compared + "\n" + text_of(evaluation) +
                   text_of(by_label, map, table, choice.tolerance.has_value()) + text_of(instances);
    return results;
}

}  // namespace

void add_evaluate_labels(Registry& registry) {
    registry.add(Operation{
        .name = "evaluate labels",
        .purpose = "label maps: regions, foreground and boundaries",
        .sentence = "Measures how well a label map agrees with one or more truths.",
        .examples = {"evaluate labels regions.png truth.png",
                     "evaluate labels organs.nii.gz truth.nii.gz --by-label --tolerance 2mm",
                     "evaluate labels nuclei.png truth.png --instances"},
        .inputs =
            {{.name = "segmentation",
              .kind = kinds::labels,
              .help = "label map",
              .names_labels = true},
             {.name = "truth", .kind = kinds::labels, .help = "true label maps", .several = true}},
        .options = Options::of(EvaluateChoice{}),
        .run = run_evaluate_labels,
        .memory =
            [](const Call& call, const Device&) {
                const auto& map = call.inputs.labels("segmentation");
                const bool copies = call.options.as<EvaluateChoice>().has_labels();
                return Memory{.computing = evaluate_labels_bytes(map, truths_of(call)) +
                                           (copies ? 4 * map.shape().points() : 0)};
            },
        .device = {.on_host = true}});
}

}  // namespace tesela::operations
