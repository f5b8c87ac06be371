// Linear discriminant analysis and nearest neighbors.
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "tissue/training.h"

namespace tesela::tissue {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Index = Eigen::Index;

Eigen::Map<const RowMatrix> matrix_of(const std::vector<double>& values, std::size_t width) {
    return {values.data(), static_cast<Index>(values.size() / width), static_cast<Index>(width)};
}

// The classes of the `most` nearest rows, the nearest first, of equal ones the earliest.
std::vector<int> neighbors_of(const Eigen::Ref<const RowMatrix>& rows,
                              const std::vector<int>& labels, std::span<const double> row,
                              std::size_t most) {
    const Eigen::Map<const VectorXd> x(row.data(), static_cast<Index>(row.size()));
    const VectorXd distances = (rows.rowwise() - x.transpose()).rowwise().squaredNorm();
    std::vector<std::size_t> order(labels.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    most = std::min(most, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<long>(most), order.end(),
                      [&](std::size_t a, std::size_t b) {
                          const double da = distances[static_cast<Index>(a)];
                          const double db = distances[static_cast<Index>(b)];
                          return da < db || (da == db && a < b);
                      });
    std::vector<int> nearest;
    for (std::size_t i = 0; i < most; ++i) nearest.push_back(labels[order[i]]);
    return nearest;
}

// Shares of votes; of classes with as many the one whose neighbor is nearest is ahead by a hair.
std::vector<double> shares_of(std::span<const int> nearest, int classes) {
    std::vector<double> shares(static_cast<std::size_t>(classes));
    for (const int label : nearest) shares[static_cast<std::size_t>(label)] += 1;
    const double most = *std::max_element(shares.begin(), shares.end());
    for (const int label : nearest)
        if (shares[static_cast<std::size_t>(label)] == most) {
            shares[static_cast<std::size_t>(label)] += 1e-9;
            break;
        }
    double sum = 0;
    for (const double share : shares) sum += share;
    for (double& share : shares) share /= sum;
    return shares;
}

constexpr int most_neighbors = 15;

}  // namespace

// One covariance for all classes, shrunk towards its mean variance by a hundredth, so that it can
// be inverted; classes count as equally frequent.
LdaParts train_lda(const TissueSamples& samples) {
    const auto rows = matrix_of(samples.features, samples.width);
    const auto classes = static_cast<Index>(samples.classes.size());
    const Index width = rows.cols();
    MatrixXd means = MatrixXd::Zero(classes, width);
    VectorXd counts = VectorXd::Zero(classes);
    for (Index i = 0; i < rows.rows(); ++i) {
        const Index c = samples.labels[static_cast<std::size_t>(i)];
        means.row(c) += rows.row(i);
        counts(c) += 1;
    }
    for (Index c = 0; c < classes; ++c) means.row(c) /= counts(c);
    MatrixXd centered = rows;
    for (Index i = 0; i < rows.rows(); ++i)
        centered.row(i) -= means.row(samples.labels[static_cast<std::size_t>(i)]);
    MatrixXd covariance = centered.transpose() * centered / static_cast<double>(rows.rows());
    constexpr double shrinkage = 0.01, least = 1e-9;
    const double variance = covariance.trace() / static_cast<double>(width);
    covariance *= 1 - shrinkage;
    covariance.diagonal().array() += shrinkage * variance + least;
    const MatrixXd weights = covariance.llt().solve(means.transpose()).transpose();
    LdaParts parts;
    for (Index c = 0; c < classes; ++c) {
        for (Index f = 0; f < width; ++f) parts.weights.push_back(weights(c, f));
        parts.offsets.push_back(-0.5 * weights.row(c).dot(means.row(c)));
    }
    return parts;
}

std::vector<double> probabilities_of(const LdaParts& parts, std::span<const double> row) {
    const Eigen::Map<const VectorXd> x(row.data(), static_cast<Index>(row.size()));
    VectorXd scores = matrix_of(parts.weights, row.size()) * x;
    scores += Eigen::Map<const VectorXd>(parts.offsets.data(), scores.size());
    const VectorXd p = (scores.array() - scores.maxCoeff()).exp();
    const VectorXd shares = p / p.sum();
    return {shares.data(), shares.data() + shares.size()};
}

// Odd numbers of neighbors are tried over the folds.
KnnParts train_knn(const TissueSamples& samples, const ClassifierOptions& options) {
    if (options.chosen) return {options.chosen->neighbors, samples.labels, samples.features};
    const auto classes = static_cast<int>(samples.classes.size());
    const std::vector<int> folds = folds_of(samples, options.folds, options.seed);
    std::vector<std::vector<int>> nearest(samples.rows());
    in_parallel(static_cast<std::size_t>(options.folds), options.threads, [&](std::size_t fold) {
        const FoldRows rows = rows_of_fold(folds, static_cast<int>(fold));
        if (rows.training.empty()) return;
        const TissueSamples others = subset(samples, rows.training);
        const RowMatrix matrix = matrix_of(others.features, others.width);
        for (const std::size_t i : rows.test)
            nearest[i] = neighbors_of(matrix, others.labels, samples.row(i), most_neighbors);
    });
    KnnParts parts{1, samples.labels, samples.features};
    double highest = -1;
    for (int k = 1; k <= most_neighbors; k += 2) {
        std::vector<int> found;
        for (const std::vector<int>& row : nearest)
            found.push_back(
                row.empty()
                    ? -1
                    : most_probable(shares_of(
                          std::span(row).first(std::min<std::size_t>(k, row.size())), classes)));
        const double accuracy = balanced_accuracy(samples.labels, found, classes);
        if (accuracy > highest) {
            highest = accuracy;
            parts.neighbors = k;
        }
    }
    return parts;
}

std::vector<double> probabilities_of(const KnnParts& parts, int classes,
                                     std::span<const double> row) {
    const std::vector<int> nearest =
        neighbors_of(matrix_of(parts.vectors, row.size()), parts.labels, row,
                     static_cast<std::size_t>(parts.neighbors));
    return shares_of(nearest, classes);
}

}  // namespace tesela::tissue
