// tesela evaluate KIND, and evaluate labels SEGMENTATION TRUTH...
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <utility>

#include "interrupt.h"
#include "messages.h"
#include "report.h"
#include "second_image.h"
#include "tesela/evaluate_labels.h"
#include "tesela/io.h"
#include "verb_parser.h"
#include "verbs.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;

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

Json json_of(const LabelAgreement& agreement) {
    Json json;
    for (const Measure& measure : measures) {
        const double value = agreement.*measure.value;
        json[std::string(measure.key)] = std::isnan(value) ? Json() : Json(value);
    }
    return json;
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

Json json_of(const std::vector<LabelComparison>& comparisons) {
    Json list = Json::array();
    const auto number = [](double value) { return std::isnan(value) ? Json() : Json(value); };
    for (const LabelComparison& c : comparisons)
        list.push_back({{"label", c.label},
                        {"dice", c.dice},
                        {"jaccard", c.jaccard},
                        {"points", c.points},
                        {"truth_points", c.truth_points},
                        {"volume", c.volume},
                        {"truth_volume", c.truth_volume},
                        {"mean_distance", number(c.mean_distance)},
                        {"hausdorff_95", number(c.hausdorff_95)}});
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

Json report_of(const fs::path& segmentation, const std::vector<fs::path>& truths,
               const LabelEvaluation& evaluation, const ByLabel& by_label,
               const std::vector<std::string>& warnings) {
    Json report = begin_report("evaluate labels");
    report["segmentation"] = segmentation.string();
    report["truths"] = Json::array();
    for (std::size_t i = 0; i < evaluation.by_truth.size(); ++i) {
        Json entry{{"path", truths[i].string()}};
        entry.update(json_of(evaluation.by_truth[i]));
        if (!by_label.empty()) entry["labels"] = json_of(by_label[i]);
        report["truths"].push_back(std::move(entry));
    }
    report["mean"] = json_of(evaluation.mean);
    report["warnings"] = warnings;
    return report;
}

int run_labels(const Arguments& arguments) {
    std::vector<fs::path> segmentation, truths;
    MessageOptions messages;
    MemoryOptions memory;
    GeometryOptions geometry;
    ByLabelOptions options;
    VerbParser parser("evaluate labels",
                      "Measures how well a label map agrees with one or more truths.");
    parser.add_inputs(segmentation, "SEGMENTATION", 1, 1, "label map");
    parser.add_inputs(truths, "TRUTH", 1, 1 << 20, "true label maps");
    parser.add(options, "Comparison");
    parser.add(geometry, "Comparison");
    parser.add(memory, "Computing");
    parser.add(messages, "Messages", message_aliases());
    if (!parser.parse(arguments)) return exit_done;
    set_up_messages(messages.quiet, messages.verbose);
    const CancelToken& token = handle_interrupts();

    return_freed_memory(memory.max_memory.bytes);
    std::int64_t taken = 0;
    const auto read = [&](const fs::path& path) {
        Progress({}, &token).throw_if_cancelled();
        LabelImage labels = io::read_labels(path, read_options(memory, taken));
        taken += bytes_of(labels);
        return labels;
    };
    std::vector<std::string> warnings;
    ByLabel by_label;
    const auto evaluate = [&] {
        const DisposableWork work;
        const LabelImage map = read(segmentation.front());
        const PlacedFile first{segmentation.front(), grid_of(map)};
        std::vector<LabelImage> maps;
        for (const fs::path& path : truths)
            maps.push_back(fit_to(first, path, read(path), geometry, warnings));
        if (memory.max_memory.bytes > 0)
            require_host_memory("evaluate labels", taken + evaluate_labels_bytes(map, maps),
                                memory.max_memory.bytes);
        Queue queue(Device::parse("cpu"));
        for (const LabelImage& truth : maps)
            if (options.by_label) by_label.push_back(compare_labels(map, truth, queue));
        return evaluate_labels(map, maps);
    };
    const LabelEvaluation evaluation = evaluate();
    for (const std::string& warning : warnings) warn(warning);
    Progress({}, &token).throw_if_cancelled();
    print(messages.json
              ? json_text(report_of(segmentation.front(), truths, evaluation, by_label, warnings))
              : text_of(evaluation) + text_of(by_label));
    return exit_done;
}

const std::array kinds{
    Verb{"labels", "label maps: regions, foreground and boundaries", run_labels},
    Verb{"flow", "optical flow: angular and end-point errors", run_evaluate_flow},
    Verb{"circles", "lists of circles: precision, recall, errors of centers and radii",
         run_evaluate_circles},
    Verb{"image", "images: squared error, PSNR and SSIM", run_evaluate_image},
    Verb{"landmarks", "registrations: distances of landmarks", run_evaluate_landmarks},
};

}  // namespace

int run_evaluate(const Arguments& arguments) {
    return dispatch("tesela evaluate", "Measures how well a result agrees with the truth.", kinds,
                    arguments);
}

}  // namespace tesela::cli
