#include "tesela/tissue_classifier.h"

#include <algorithm>
#include <cmath>

#include "tesela/error.h"
#include "tissue/training.h"

namespace tesela {
namespace {

void check(const TissueSamples& samples) {
    std::vector<std::size_t> counts(samples.classes.size());
    for (const int label : samples.labels) ++counts[static_cast<std::size_t>(label)];
    if (counts.size() < 2)
        throw InvalidArgument(
            "training needs at least two classes; there is " +
            (counts.empty() ? std::string("none") : "only '" + samples.classes[0] + "'"));
    if (counts.size() > most_tissue_classes)
        throw InvalidArgument("training takes at most " + std::to_string(most_tissue_classes) +
                              " classes; there are " + std::to_string(counts.size()));
    for (std::size_t c = 0; c < counts.size(); ++c)
        if (counts[c] < 2)
            throw InvalidArgument("class '" + samples.classes[c] + "' has " +
                                  std::to_string(counts[c]) +
                                  (counts[c] == 1 ? " tile" : " tiles") +
                                  "; at least 2 are needed: add some or leave the class out");
    for (std::size_t i = 0; i < samples.features.size(); ++i)
        if (!(std::abs(samples.features[i]) <= largest_feature))
            throw InvalidArgument("feature " + std::to_string(i % samples.width + 1) + " of row " +
                                  std::to_string(i / samples.width + 1) + " is " +
                                  detail::shown(samples.features[i]) +
                                  ", which is no number from -1e30 to 1e30");
}

std::vector<double> standardized(const Classifier& classifier, std::span<const double> row) {
    std::vector<double> result(row.size());
    for (std::size_t f = 0; f < row.size(); ++f)
        result[f] = (row[f] - classifier.means[f]) * classifier.scales[f];
    return result;
}

// Mean 0 and standard deviation 1; a feature that does not vary becomes 0.
void standardize(const TissueSamples& samples, Classifier& classifier) {
    const auto rows = static_cast<double>(samples.rows());
    classifier.means.assign(samples.width, 0);
    classifier.scales.assign(samples.width, 0);
    for (std::size_t f = 0; f < samples.width; ++f) {
        double mean = 0, square = 0;
        for (std::size_t i = 0; i < samples.rows(); ++i) mean += samples.row(i)[f];
        mean /= rows;
        for (std::size_t i = 0; i < samples.rows(); ++i)
            square += std::pow(samples.row(i)[f] - mean, 2);
        const double deviation = std::sqrt(square / rows);
        classifier.means[f] = mean;
        // Below this a difference is that of rounding.
        if (deviation > 1e-12 * std::max(1.0, std::abs(mean))) classifier.scales[f] = 1 / deviation;
    }
}

}  // namespace

TissueSamples subset(const TissueSamples& samples, const std::vector<std::size_t>& places) {
    TissueSamples result{samples.width,        {}, {}, {}, {}, samples.classes, samples.group_names,
                         samples.feature_names};
    for (const std::size_t i : places) {
        const auto row = samples.row(i);
        result.features.insert(result.features.end(), row.begin(), row.end());
        result.labels.push_back(samples.labels[i]);
        result.groups.push_back(samples.groups[i]);
        if (!samples.names.empty()) result.names.push_back(samples.names[i]);
    }
    return result;
}

ClassifierKind Classifier::kind() const {
    constexpr std::array kinds{ClassifierKind::svm, ClassifierKind::lda, ClassifierKind::knn};
    return kinds[parts.index()];
}

std::vector<double> Classifier::probabilities(std::span<const double> features) const {
    if (features.size() != width())
        throw InvalidArgument("the classifier takes " + std::to_string(width()) +
                              " features; there are " + std::to_string(features.size()));
    const std::vector<double> row = standardized(*this, features);
    if (const auto* svm = std::get_if<SvmParts>(&parts)) return tissue::probabilities_of(*svm, row);
    if (const auto* lda = std::get_if<LdaParts>(&parts)) return tissue::probabilities_of(*lda, row);
    return tissue::probabilities_of(std::get<KnnParts>(parts), classes, row);
}

ClassifierParameters chosen_parameters(const Classifier& classifier) {
    ClassifierParameters chosen;
    if (const auto* svm = std::get_if<SvmParts>(&classifier.parts)) {
        chosen.cost = svm->cost;
        chosen.gamma = svm->gamma;
    } else if (const auto* knn = std::get_if<KnnParts>(&classifier.parts)) {
        chosen.neighbors = knn->neighbors;
    }
    return chosen;
}

int most_probable(std::span<const double> probabilities) {
    return static_cast<int>(std::max_element(probabilities.begin(), probabilities.end()) -
                            probabilities.begin());
}

Classifier train_classifier(const TissueSamples& samples, const ClassifierOptions& options,
                            const Progress& progress) {
    validate_options(options);
    check(samples);
    Classifier classifier;
    classifier.classes = static_cast<int>(samples.classes.size());
    standardize(samples, classifier);
    TissueSamples scaled = samples;
    for (std::size_t i = 0; i < samples.rows(); ++i) {
        const std::vector<double> row = standardized(classifier, samples.row(i));
        std::copy(row.begin(), row.end(),
                  scaled.features.begin() + static_cast<long>(i * samples.width));
    }
    progress.report(0, "train");
    switch (options.classifier) {
        case ClassifierKind::svm:
            classifier.parts = tissue::train_svm(scaled, options, progress);
            break;
        case ClassifierKind::lda:
            classifier.parts = tissue::train_lda(scaled);
            break;
        case ClassifierKind::knn:
            classifier.parts = tissue::train_knn(scaled, options);
            break;
    }
    progress.report(1, "train");
    return classifier;
}

}  // namespace tesela
