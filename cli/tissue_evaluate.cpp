// tesela tissue evaluate FEATURES
#include <fmt/format.h>

#include <fstream>

#include "interrupt.h"
#include "progress.h"
#include "tissue_job.h"
#include "verbs.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;

struct EvaluateOptions {
    fs::path table, picture;
    std::string protocol = "k-fold:10";
};

template <class V>
void describe(V&& v, EvaluateOptions& o) {
    v("table", o.table, "confusion matrix as CSV, a row for each true class");
    v("picture", o.picture, "confusion matrix as a picture");
    v("protocol", o.protocol, "leave-one-out, k-fold:FOLDS, by-slide, or repeated:TIMESxSAMPLES");
}

std::string confusion_table(const TissueSamples& samples, const TissueEvaluation& evaluation) {
    std::string text = "truth";
    for (const std::string& name : samples.classes) text += "," + csv_field(name);
    for (int truth = 0; truth < evaluation.classes; ++truth) {
        text += "\n" + csv_field(samples.classes[static_cast<std::size_t>(truth)]);
        for (int found = 0; found < evaluation.classes; ++found)
            text += fmt::format(
                ",{}",
                evaluation.confusion[static_cast<std::size_t>(truth * evaluation.classes + found)]);
    }
    return text + "\n";
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
    for (int truth = 0; truth < evaluation.classes; ++truth) {
        text += fmt::format("{:<{}}  {:.4f}  ", samples.classes[static_cast<std::size_t>(truth)],
                            longest, f1[static_cast<std::size_t>(truth)]);
        for (int found = 0; found < evaluation.classes; ++found)
            text += fmt::format(
                "{:6}",
                evaluation.confusion[static_cast<std::size_t>(truth * evaluation.classes + found)]);
        text += "\n";
    }
    return text;
}

Json json_of(const TissueSamples& samples, const TissueEvaluation& evaluation) {
    Json f1 = Json::object(), matrix = Json::array();
    const std::vector<double> scores = evaluation.f1();
    for (std::size_t c = 0; c < scores.size(); ++c) {
        f1[samples.classes[c]] = scores[c];
        const auto* row = evaluation.confusion.data() + c * scores.size();
        matrix.push_back(std::vector<std::int64_t>(row, row + scores.size()));
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

}  // namespace

int run_tissue_evaluate(const Arguments& arguments) {
    const CancelToken& token = handle_interrupts();
    EvaluateOptions options;
    ClassifierOptions classifier;
    TissueVerb verb;
    std::vector<fs::path> inputs;
    VerbParser parser("tissue evaluate",
                      "Trains and tests a classifier on parts of a table of features.");
    parser.add_inputs(inputs, "FEATURES", 1, 1, "table that 'tesela tissue features' wrote");
    parser.add(options, "Evaluation");
    parser.add(classifier, "Classifier");
    parser.add(verb.job, "Computing");
    parser.add(verb.memory, "Computing");
    parser.add(verb.messages, "Messages", message_aliases());
    parser.add_examples({"tissue evaluate tiles.csv --protocol by-slide --picture confusion.png",
                         "tissue evaluate tiles.csv --classifier knn --protocol leave-one-out"});
    if (!parser.parse(arguments)) return exit_done;
    set_up_messages(verb.messages.quiet, verb.messages.verbose);
    const EvaluationProtocol protocol = parse_protocol(options.protocol);
    classifier.threads = verb.job.threads;
    OutputSet outputs(verb.job.force);
    outputs.add("table", options.table);
    outputs.add("picture", options.picture);
    outputs.check(inputs);
    const TissueSamples samples = read_tissue_samples(inputs.front(), read_options(verb.memory));
    say("{}", samples_text(samples));
    TissueEvaluation evaluation;
    {
        ProgressReporter progress(verb.job.progress, verb.messages.quiet, token);
        evaluation = evaluate_classifier(samples, classifier, protocol, progress.part(0, 1));
    }
    outputs.stage("table", [&](const fs::path& path) {
        std::ofstream out(path);
        out << confusion_table(samples, evaluation);
        out.close();
        if (!out) throw UnwritableOutput("cannot write '" + path.string() + "': is the disk full?");
    });
    outputs.stage("picture", [&](const fs::path& path) {
        io::write_image(confusion_picture(evaluation), path);
    });
    const auto written = outputs.commit();
    if (!verb.messages.json) {
        print(text_of(samples, evaluation));
        return exit_done;
    }
    Json report = begin_report("tissue evaluate");
    report["parameters"] = parser.values();
    report["statistics"] = json_of(samples, evaluation);
    report["outputs"] = json_of(written);
    print(json_text(std::move(report)));
    return exit_done;
}

}  // namespace tesela::cli
