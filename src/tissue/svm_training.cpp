// Support vector machines by libsvm: the only file that knows it. Nothing here draws random
// numbers: libsvm's own folds and probabilities are not used.
#include <libsvm/svm.h>

#include <algorithm>
#include <memory>

#include "tissue/training.h"

namespace tesela::tissue {
namespace {

struct Parameters {
    double cost, gamma;
};

// Rows as libsvm takes them: pairs of an index from 1 and a value, ended by -1.
class Problem {
  public:
    explicit Problem(const TissueSamples& samples) {
        nodes_.reserve(samples.rows() * (samples.width + 1));
        // Class by class: libsvm numbers them as it meets them.
        std::vector<std::size_t> order(samples.rows());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return samples.labels[a] < samples.labels[b];
        });
        for (const std::size_t i : order) {
            labels_.push_back(samples.labels[i]);
            const auto row = samples.row(i);
            for (std::size_t f = 0; f < row.size(); ++f)
                nodes_.push_back({static_cast<int>(f) + 1, row[f]});
            nodes_.push_back({-1, 0});
        }
        for (std::size_t i = 0; i < order.size(); ++i)
            rows_.push_back(nodes_.data() + i * (samples.width + 1));
        problem_ = {static_cast<int>(order.size()), labels_.data(), rows_.data()};
    }

    const svm_problem& get() const { return problem_; }

  private:
    std::vector<svm_node> nodes_;
    std::vector<double> labels_;
    std::vector<svm_node*> rows_;
    svm_problem problem_{};
};

struct FreeModel {
    void operator()(svm_model* model) const { svm_free_and_destroy_model(&model); }
};

std::size_t pair_count(std::size_t classes) { return classes * (classes - 1) / 2; }

// A class that the samples do not have gets no vectors, and decisions of 0 against others.
SvmParts trained(const TissueSamples& samples, const Parameters& parameters) {
    svm_set_print_string_function([](const char*) {});
    const Problem problem(samples);
    svm_parameter settings{};
    settings.svm_type = C_SVC;
    settings.kernel_type = RBF;
    settings.C = parameters.cost;
    settings.gamma = parameters.gamma;
    settings.cache_size = 200;  // MB
    settings.eps = 1e-3;
    settings.shrinking = 1;
    const std::unique_ptr<svm_model, FreeModel> model(svm_train(&problem.get(), &settings));
    const std::size_t classes = samples.classes.size();
    const auto vectors = static_cast<std::size_t>(model->l);
    const auto found = static_cast<std::size_t>(model->nr_class);
    SvmParts parts{parameters.cost, parameters.gamma, {}, {}, {}, {}, {}, {}};
    parts.counts.assign(classes, 0);
    parts.coefficients.assign((classes - 1) * vectors, 0);
    parts.offsets.assign(pair_count(classes), 0);
    for (std::size_t v = 0; v < vectors; ++v)
        for (std::size_t f = 0; f < samples.width; ++f)
            parts.vectors.push_back(model->SV[v][f].value);
    // Against class `other`, a vector of class `own` uses the row of libsvm's place of `other`
    // among the classes but its own.
    std::size_t vector = 0;
    for (std::size_t i = 0; i < found; ++i) {
        const auto own = static_cast<std::size_t>(model->label[i]);
        parts.counts[own] = model->nSV[i];
        for (int n = 0; n < model->nSV[i]; ++n, ++vector)
            for (std::size_t j = 0; j < found; ++j) {
                if (i == j) continue;
                const auto other = static_cast<std::size_t>(model->label[j]);
                parts.coefficients[(other < own ? other : other - 1) * vectors + vector] =
                    model->sv_coef[j < i ? j : j - 1][vector];
            }
    }
    std::size_t pair = 0;
    for (std::size_t i = 0; i < found; ++i)
        for (std::size_t j = i + 1; j < found; ++j) {
            const auto a = static_cast<std::size_t>(model->label[i]);
            const auto b = static_cast<std::size_t>(model->label[j]);
            parts.offsets[a * classes - a * (a + 1) / 2 + b - a - 1] = model->rho[pair++];
        }
    return parts;
}

// Of all rows, those of each fold decided by what was trained on the others.
using Decisions = std::vector<std::vector<double>>;

void decide_fold(const TissueSamples& samples, const FoldRows& rows, const Parameters& parameters,
                 Decisions& decisions) {
    if (rows.test.empty() || rows.training.empty()) return;
    const SvmParts parts = trained(subset(samples, rows.training), parameters);
    for (const std::size_t i : rows.test) decisions[i] = svm_decisions(parts, samples.row(i));
}

// The class with the most pairs won, of equal ones the first.
int voted(const std::vector<double>& decisions, int classes) {
    std::vector<int> votes(static_cast<std::size_t>(classes));
    std::size_t pair = 0;
    for (int i = 0; i < classes; ++i)
        for (int j = i + 1; j < classes; ++j)
            ++votes[static_cast<std::size_t>(decisions[pair++] > 0 ? i : j)];
    return static_cast<int>(std::max_element(votes.begin(), votes.end()) - votes.begin());
}

// Grids in the order in which the first of equal ones is taken: smooth boundaries first.
std::vector<Parameters> parameter_grid(std::size_t width) {
    std::vector<Parameters> grid;
    for (const double cost : {1.0, 8.0, 64.0})
        for (const double gamma : {0.25, 1.0, 4.0})
            grid.push_back({cost, gamma / static_cast<double>(std::max<std::size_t>(width, 1))});
    return grid;
}

void fit_sigmoids(const TissueSamples& samples, const Decisions& decisions, SvmParts& parts) {
    const auto classes = static_cast<int>(samples.classes.size());
    std::size_t pair = 0;
    for (int i = 0; i < classes; ++i)
        for (int j = i + 1; j < classes; ++j, ++pair) {
            std::vector<double> of_pair;
            std::vector<bool> first;
            for (std::size_t row = 0; row < samples.rows(); ++row)
                if ((samples.labels[row] == i || samples.labels[row] == j) &&
                    !decisions[row].empty()) {
                    of_pair.push_back(decisions[row][pair]);
                    first.push_back(samples.labels[row] == i);
                }
            const Sigmoid sigmoid = fitted_sigmoid(of_pair, first);
            parts.sigmoid_a.push_back(sigmoid.a);
            parts.sigmoid_b.push_back(sigmoid.b);
        }
}

}  // namespace

SvmParts train_svm(const TissueSamples& samples, const ClassifierOptions& options,
                   const Progress& progress) {
    const auto classes = static_cast<int>(samples.classes.size());
    const std::vector<int> folds = folds_of(samples, options.folds, options.seed);
    const std::vector<Parameters> grid =
        options.chosen ? std::vector<Parameters>{{options.chosen->cost, options.chosen->gamma}}
                       : parameter_grid(samples.width);
    std::vector<Decisions> decisions(grid.size(), Decisions(samples.rows()));
    const auto fold_count = static_cast<std::size_t>(options.folds);
    in_parallel(grid.size() * fold_count, options.threads, [&](std::size_t k) {
        progress.throw_if_cancelled();
        decide_fold(samples, rows_of_fold(folds, static_cast<int>(k % fold_count)),
                    grid[k / fold_count], decisions[k / fold_count]);
    });
    std::size_t best = 0;
    double highest = -1;
    for (std::size_t g = 0; g < grid.size(); ++g) {
        std::vector<int> found;
        for (const std::vector<double>& row : decisions[g])
            found.push_back(row.empty() ? -1 : voted(row, classes));
        const double accuracy = balanced_accuracy(samples.labels, found, classes);
        if (accuracy > highest) {
            highest = accuracy;
            best = g;
        }
    }
    SvmParts parts = trained(samples, grid[best]);
    fit_sigmoids(samples, decisions[best], parts);
    return parts;
}

}  // namespace tesela::tissue
