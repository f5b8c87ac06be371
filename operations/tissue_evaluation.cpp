// tissue evaluate
#include <fmt/format.h>

#include <algorithm>

#include "operations/all.h"
#include "operations/kinds/image.h"
#include "operations/kinds/table.h"
#include "operations/kinds/tissue.h"
#include "operations/registry.h"
#include "operations/slides.h"
#include "tesela/tissue_evaluation.h"

namespace tesela::operations {
namespace {

struct EvaluateOptions {
    std::string protocol = "k-fold:10";
    ClassifierOptions classifier = {};
};
template <class V>
void describe(V&& v, EvaluateOptions& o) {
    v("protocol", o.protocol, "leave-one-out, k-fold:FOLDS, by-slide, or repeated:TIMESxSAMPLES");
    describe(v, o.classifier);
}

std::vector<std::int64_t> confusion_row(const TissueEvaluation& evaluation, std::size_t truth) {
    const auto classes = static_cast<std::size_t>(evaluation.classes);
    const std::int64_t* row = evaluation.confusion.data() + truth * classes;
    return {row, row + classes};
}

// A row for each true class.
Table confusion_table(const TissueSamples& samples, const TissueEvaluation& evaluation) {
    Table table{{"truth"}, evaluation.classes, {}};
    table.columns.insert(table.columns.end(), samples.classes.begin(), samples.classes.end());
    table.cell = [classes = samples.classes, evaluation](std::int64_t row,
                                                         std::size_t column) -> Table::Cell {
        const auto truth = static_cast<std::size_t>(row);
        if (column == 0) return classes[truth];
        return confusion_row(evaluation, truth)[column - 1];
    };
    return table;
}

std::string text_of(const TissueSamples& samples, const TissueEvaluation& evaluation) {
    std::string text = fmt::format(
        "accuracy           {:6.2f} % (standard deviation over {}: {:.2f})\n"
        "balanced accuracy  {:6.2f} %\nkappa              {:6.4f}\n\n",
        100 * evaluation.accuracy(),
        counted(static_cast<std::int64_t>(evaluation.round_accuracies.size()), "round"),
        100 * evaluation.accuracy_deviation(), 100 * evaluation.balanced_accuracy(),
        evaluation.kappa());
    std::size_t longest = 5;
    for (const std::string& name : samples.classes) longest = std::max(longest, name.size());
    const std::vector<double> f1 = evaluation.f1();
    text += fmt::format("{:<{}}      F1   found as\n", "class", longest);
    for (std::size_t truth = 0; truth < f1.size(); ++truth) {
        text += fmt::format("{:<{}}  {:.4f}  ", samples.classes[truth], longest, f1[truth]);
        for (const std::int64_t found : confusion_row(evaluation, truth))
            text += fmt::format("{:6}", found);
        text += "\n";
    }
    return text;
}

Figures figures_of(const TissueSamples& samples, const TissueEvaluation& evaluation) {
    Figure::Record f1;
    std::vector<std::vector<std::int64_t>> matrix;
    const std::vector<double> scores = evaluation.f1();
    for (std::size_t c = 0; c < scores.size(); ++c) {
        f1.push_back({samples.classes[c], scores[c]});
        matrix.push_back(confusion_row(evaluation, c));
    }
    return {{"samples", evaluation.samples()},
            {"accuracy", evaluation.accuracy()},
            {"accuracy_deviation", evaluation.accuracy_deviation()},
            {"balanced_accuracy", evaluation.balanced_accuracy()},
            {"kappa", evaluation.kappa()},
            {"f1", std::move(f1)},
            {"classes", samples.classes},
            {"confusion", std::move(matrix)}};
}

Results run_evaluate(const Call& call, Queue&, const Progress& progress) {
    const auto& options = call.options.as<EvaluateOptions>();
    const auto& samples = call.inputs.get<TissueSamples>("features");
    ClassifierOptions classifier = options.classifier;
    classifier.threads = call.threads;
    const TissueEvaluation evaluation =
        evaluate_classifier(samples, classifier, parse_protocol(options.protocol), progress);
    Results results;
    report_samples(samples, results);
    results.figures = figures_of(samples, evaluation);
    results.data = text_of(samples, evaluation);
    results.outputs.set("table", confusion_table(samples, evaluation));
    if (call.wants("picture"))
        results.outputs.set("picture", AnyImage(confusion_picture(evaluation, samples.classes)));
    return results;
}

Operation evaluate() {
    return {
        .name = "tissue evaluate",
        .purpose = "test a classifier on parts of its samples",
        .sentence = "Trains and tests a classifier on parts of a table of features.",
        .examples = {"tissue evaluate tiles.csv --protocol by-slide --picture confusion.png",
                     "tissue evaluate tiles.csv --classifier knn --protocol leave-one-out"},
        .inputs = {{.name = "features",
                    .kind = kinds::samples,
                    .help = "table that 'tesela tissue features' wrote"}},
        .outputs = {{.name = "table",
                     .kind = kinds::table,
                     .help = "confusion matrix as CSV, a row for each true class"},
                    {.name = "picture",
                     .kind = kinds::image,
                     .help = "confusion matrix as a picture"}},
        .options = Options::of(EvaluateOptions{}),
        .run = run_evaluate,
        .memory = [](const Call&, const Device&) { return Memory{}; },
        .check =
            [](const Options& options) { parse_protocol(options.as<EvaluateOptions>().protocol); },
        .device = {.on_host = true, .threaded = true}};
}

}  // namespace

void add_tissue_evaluation(Registry& registry) { registry.add(evaluate()); }

}  // namespace tesela::operations
