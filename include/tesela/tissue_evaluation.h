// How well a classifier does on samples that it was not trained on.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tesela/image.h"
#include "tesela/tissue_classifier.h"

namespace tesela {

// "leave-one-out", "k-fold:10", "by-slide" (each slide is left out once), "repeated:20x50" (20
// times 50 samples drawn for the test). Throws InvalidArgument.
struct EvaluationProtocol {
    enum class Kind { leave_one_out, k_fold, by_slide, repeated };

    Kind kind = Kind::k_fold;
    int rounds = 10;        // folds of k_fold, repetitions of `repeated`
    int test_samples = 50;  // of `repeated`
};
EvaluationProtocol parse_protocol(std::string_view text);

struct TissueEvaluation {
    // counts[truth * classes + found] over all rounds.
    std::vector<std::int64_t> confusion;
    int classes = 0;
    std::vector<double> round_accuracies;  // shares of right samples, of each round with a test

    std::int64_t samples() const;
    double accuracy() const;
    double balanced_accuracy() const;   // over the classes that occur
    double kappa() const;               // Cohen's; 0 where chance agrees entirely
    std::vector<double> f1() const;     // of each class; 0 where it neither occurs nor is found
    double accuracy_deviation() const;  // over the rounds
};

// Trains on the rest and tests in each round. For leave-one-out the parameters of the classifier
// are chosen once, on all samples; otherwise on the training samples of each round. Throws as
// train_classifier does, and InvalidArgument where there are fewer groups than the protocol needs.
TissueEvaluation evaluate_classifier(const TissueSamples& samples, const ClassifierOptions& options,
                                     const EvaluationProtocol& protocol,
                                     const Progress& progress = {});

// A figure, at least 800 pixels wide: rows are truths, columns what was found, each cell with
// its number and share of the row, darker for larger shares. Throws InvalidArgument where `names`
// are not those of all classes.
Image<std::uint8_t> confusion_picture(const TissueEvaluation& evaluation,
                                      const std::vector<std::string>& names);

}  // namespace tesela
