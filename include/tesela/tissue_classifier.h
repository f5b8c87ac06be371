// Classifiers of feature vectors: support vector machines, linear discriminant analysis, nearest
// neighbors.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "tesela/options.h"
#include "tesela/progress.h"

namespace tesela {

// Maps of classes are label maps of 8 bits.
inline constexpr int most_tissue_classes = 255;
// Features, and the numbers of a model, are at most this large: their products are finite.
inline constexpr double largest_feature = 1e30;

// Feature vectors with their classes, row by row.
struct TissueSamples {
    std::size_t width = 0;         // features of a row
    std::vector<double> features;  // rows() * width
    std::vector<int> labels;       // places in `classes`
    std::vector<int> groups;       // places in `group_names`: rows of one slide stay together
    std::vector<std::string> names;
    std::vector<std::string> classes, group_names, feature_names;

    std::size_t rows() const { return labels.size(); }
    std::span<const double> row(std::size_t i) const {
        return std::span(features).subspan(i * width, width);
    }
};

// The rows at `places`, all classes and groups kept.
TissueSamples subset(const TissueSamples& samples, const std::vector<std::size_t>& places);

enum class ClassifierKind { svm, knn, lda };
constexpr auto enum_names(ClassifierKind) {
    return std::array{EnumNames<ClassifierKind>{ClassifierKind::svm, "svm"},
                      EnumNames<ClassifierKind>{ClassifierKind::knn, "knn"},
                      EnumNames<ClassifierKind>{ClassifierKind::lda, "lda"}};
}
constexpr auto enum_help(ClassifierKind) {
    return std::array<std::string_view, 3>{"support vector machine", "nearest neighbors",
                                           "linear discriminant analysis"};
}

// What inner folds choose: C and gamma of the SVM, the number of neighbors.
struct ClassifierParameters {
    double cost = 1, gamma = 1;
    int neighbors = 1;
};

struct ClassifierOptions {
    ClassifierKind classifier = ClassifierKind::svm;
    int folds = 5;
    std::int64_t seed = 1;
    int threads = 0;                                  // 0: all
    std::optional<ClassifierParameters> chosen = {};  // before, so that none are tried
};

template <class V>
void describe(V&& v, ClassifierOptions& o) {
    v("classifier", o.classifier, "support vector machine, nearest neighbors, or LDA");
    v("folds", o.folds, "inner folds that choose the parameters",
      OptionRange{.lowest = 2, .highest = 100});
    v("seed", o.seed, "seed of the folds", OptionRange{.lowest = 0});
}

// One against one with the kernel exp(-gamma |x - y|^2); pairs (0, 1), (0, 2), ..., (1, 2), ...
struct SvmParts {
    double cost = 1, gamma = 1;
    std::vector<int> counts;           // support vectors of each class, which stand in this order
    std::vector<double> vectors;       // a row each
    std::vector<double> coefficients;  // (classes - 1) rows of one a vector
    std::vector<double> offsets, sigmoid_a, sigmoid_b;  // of each pair
};
// Scores are weights * x + offsets, a row of weights a class.
struct LdaParts {
    std::vector<double> weights, offsets;
};
struct KnnParts {
    int neighbors = 1;
    std::vector<int> labels;
    std::vector<double> vectors;  // a row each
};

// Values, so that files can keep it. Features are first taken as (x - mean) * scale.
struct Classifier {
    int classes = 0;
    std::vector<double> means, scales;  // of each feature; a scale of 0 leaves it out
    std::variant<SvmParts, LdaParts, KnnParts> parts;

    std::size_t width() const { return means.size(); }
    ClassifierKind kind() const;
    // Of each class; they sum to 1. Nearest neighbors give their shares of votes.
    std::vector<double> probabilities(std::span<const double> features) const;
};

ClassifierParameters chosen_parameters(const Classifier& classifier);

// The class of the highest probability, of equal ones the first.
int most_probable(std::span<const double> probabilities);

// Trains from standardized features. C and gamma of the SVM and the neighbors are those with the
// highest balanced accuracy over the inner folds, which keep groups together where each class is in
// at least two of them; sigmoids of the SVM
// are fitted to the decisions over these folds (H.-T. Lin, C.-J. Lin, R. C. Weng, Machine Learning
// 68, 2007), pairs are coupled after T.-F. Wu, C.-J. Lin, R. C. Weng, JMLR 5, 2004. The same
// samples, options and seed give the same classifier with any number of threads. Throws
// InvalidArgument for fewer than two classes, more than 255, a class of one
// sample, features that are not finite or too large; Cancelled.
Classifier train_classifier(const TissueSamples& samples, const ClassifierOptions& options,
                            const Progress& progress = {});

}  // namespace tesela
