// What the classifiers' trainings share. Samples are standardized.
#pragma once

#include <functional>
#include <vector>

#include "tesela/tissue_classifier.h"

namespace tesela::tissue {

// Calls work(0) to work(count - 1), from several threads at once; the first error is thrown.
void in_parallel(std::size_t count, int threads, const std::function<void(std::size_t)>& work);

// The place of a name, which is added where it is new.
int place_of(std::vector<std::string>& names, const std::string& name);

// The fold of each row. Folds have nearly equal numbers of each class; groups stay together, where
// each class is in at least two of them. With few groups some folds are empty.
std::vector<int> folds_of(const TissueSamples& samples, int folds, std::int64_t seed);

// Rows in and out of a fold.
struct FoldRows {
    std::vector<std::size_t> training, test;
};
FoldRows rows_of_fold(const std::vector<int>& folds, int fold);

// Mean share of right rows over the classes that occur.
double balanced_accuracy(const std::vector<int>& truth, const std::vector<int>& found, int classes);

SvmParts train_svm(const TissueSamples& samples, const ClassifierOptions& options,
                   const Progress& progress);
LdaParts train_lda(const TissueSamples& samples);
KnnParts train_knn(const TissueSamples& samples, const ClassifierOptions& options);

// Decisions of all pairs of classes for a standardized row, above 0 for the first class.
std::vector<double> svm_decisions(const SvmParts& parts, std::span<const double> row);
std::vector<double> probabilities_of(const SvmParts& parts, std::span<const double> row);
std::vector<double> probabilities_of(const LdaParts& parts, std::span<const double> row);
std::vector<double> probabilities_of(const KnnParts& parts, int classes,
                                     std::span<const double> row);

// A and B of 1 / (1 + exp(A f + B)), fitted to decisions f and whether each is of the first class.
struct Sigmoid {
    double a = 0, b = 0;
};
Sigmoid fitted_sigmoid(const std::vector<double>& decisions, const std::vector<bool>& first);

}  // namespace tesela::tissue
