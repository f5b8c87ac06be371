// What a support vector machine says of a row: decisions, probabilities.
#include <Eigen/Dense>
#include <cmath>

#include "tissue/training.h"

namespace tesela::tissue {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Index = Eigen::Index;

// Probabilities p of the classes that fit those of the pairs best: the minimum of
// sum (r_ji p_i - r_ij p_j)^2 with sum p = 1, a linear system (Wu, Lin and Weng, equation 21).
std::vector<double> coupled(const MatrixXd& r) {
    const Index classes = r.rows();
    MatrixXd system = MatrixXd::Zero(classes + 1, classes + 1);
    for (Index i = 0; i < classes; ++i)
        for (Index j = 0; j < classes; ++j) {
            if (i == j) continue;
            system(i, i) += r(j, i) * r(j, i);
            system(i, j) = -r(j, i) * r(i, j);
        }
    system.col(classes).head(classes).setOnes();
    system.row(classes).head(classes).setOnes();
    VectorXd right = VectorXd::Zero(classes + 1);
    right(classes) = 1;
    const VectorXd solved = system.partialPivLu().solve(right).head(classes).cwiseMax(0.0);
    const VectorXd p = solved / solved.sum();
    return {p.data(), p.data() + classes};
}

}  // namespace

std::vector<double> svm_decisions(const SvmParts& parts, std::span<const double> row) {
    const auto width = static_cast<Index>(row.size());
    const auto vectors = static_cast<Index>(parts.vectors.size() / row.size());
    const Eigen::Map<const RowMatrix> matrix(parts.vectors.data(), vectors, width);
    const Eigen::Map<const VectorXd> x(row.data(), width);
    const VectorXd kernel =
        (-parts.gamma * (matrix.rowwise() - x.transpose()).rowwise().squaredNorm()).array().exp();
    const auto classes = static_cast<Index>(parts.counts.size());
    const Eigen::Map<const RowMatrix> coefficients(parts.coefficients.data(), classes - 1, vectors);
    std::vector<Index> first{0};
    for (const int count : parts.counts) first.push_back(first.back() + count);
    std::vector<double> decisions;
    for (Index i = 0; i < classes; ++i)
        for (Index j = i + 1; j < classes; ++j) {
            const Index at_i = first[static_cast<std::size_t>(i)];
            const Index at_j = first[static_cast<std::size_t>(j)];
            const Index of_i = parts.counts[static_cast<std::size_t>(i)];
            const Index of_j = parts.counts[static_cast<std::size_t>(j)];
            decisions.push_back(
                coefficients.row(j - 1).segment(at_i, of_i).dot(kernel.segment(at_i, of_i)) +
                coefficients.row(i).segment(at_j, of_j).dot(kernel.segment(at_j, of_j)) -
                parts.offsets[decisions.size()]);
        }
    return decisions;
}

std::vector<double> probabilities_of(const SvmParts& parts, std::span<const double> row) {
    const std::vector<double> decisions = svm_decisions(parts, row);
    const auto classes = static_cast<Index>(parts.counts.size());
    MatrixXd pairs = MatrixXd::Zero(classes, classes);
    std::size_t pair = 0;
    for (Index i = 0; i < classes; ++i)
        for (Index j = i + 1; j < classes; ++j, ++pair) {
            constexpr double least = 1e-7;  // keeps the system away from singular ones
            const double share =
                1 / (1 + std::exp(parts.sigmoid_a[pair] * decisions[pair] + parts.sigmoid_b[pair]));
            pairs(i, j) = std::min(std::max(share, least), 1 - least);
            pairs(j, i) = 1 - pairs(i, j);
        }
    return coupled(pairs);
}

// Newton's method with backtracking on the cross-entropy against Platt's targets (Lin, Lin and
// Weng, algorithm 1).
Sigmoid fitted_sigmoid(const std::vector<double>& decisions, const std::vector<bool>& first) {
    double positives = 0;
    for (const bool is_first : first) positives += is_first ? 1 : 0;
    const double negatives = static_cast<double>(first.size()) - positives;
    const auto target = [&](std::size_t i) {
        return first[i] ? (positives + 1) / (positives + 2) : 1 / (negatives + 2);
    };
    Sigmoid s{0, std::log((negatives + 1) / (positives + 1))};
    const auto loss = [&](const Sigmoid& at) {
        double sum = 0;
        for (std::size_t i = 0; i < decisions.size(); ++i) {
            const double z = at.a * decisions[i] + at.b;
            sum += z >= 0 ? target(i) * z + std::log1p(std::exp(-z))
                          : (target(i) - 1) * z + std::log1p(std::exp(z));
        }
        return sum;
    };
    double current = loss(s);
    for (int round = 0; round < 100; ++round) {
        constexpr double ridge = 1e-12, small = 1e-5, least_step = 1e-10;
        double aa = ridge, bb = ridge, ab = 0, ga = 0, gb = 0;
        for (std::size_t i = 0; i < decisions.size(); ++i) {
            const double f = decisions[i];
            const double p = 1 / (1 + std::exp(s.a * f + s.b));
            const double curvature = p * (1 - p), slope = target(i) - p;
            aa += f * f * curvature;
            ab += f * curvature;
            bb += curvature;
            ga += f * slope;
            gb += slope;
        }
        if (std::abs(ga) < small && std::abs(gb) < small) break;
        const double determinant = aa * bb - ab * ab;
        const double da = -(bb * ga - ab * gb) / determinant;
        const double db = -(aa * gb - ab * ga) / determinant;
        const double descent = ga * da + gb * db;
        double step = 1;
        for (; step >= least_step; step /= 2) {
            const Sigmoid next{s.a + step * da, s.b + step * db};
            const double reached = loss(next);
            if (reached < current + 1e-4 * step * descent) {
                s = next;
                current = reached;
                break;
            }
        }
        if (step < least_step) break;
    }
    return s;
}

}  // namespace tesela::tissue
