#include "tesela/tissue_evaluation.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <mutex>
#include <numeric>
#include <random>

#include "tesela/error.h"
#include "tissue/training.h"

namespace tesela {
namespace {

using Rounds = std::vector<tissue::FoldRows>;

Rounds rounds_of_folds(const std::vector<int>& folds, int count) {
    Rounds rounds;
    for (int fold = 0; fold < count; ++fold) {
        tissue::FoldRows rows = tissue::rows_of_fold(folds, fold);
        if (!rows.test.empty()) rounds.push_back(std::move(rows));
    }
    return rounds;
}

Rounds drawn_rounds(std::size_t samples, const EvaluationProtocol& protocol, std::int64_t seed) {
    const auto test = static_cast<std::size_t>(protocol.test_samples);
    if (test >= samples)
        throw InvalidArgument("--protocol: " + std::to_string(test) +
                              " samples cannot be drawn for the test from " +
                              std::to_string(samples));
    std::mt19937_64 generator(static_cast<std::uint64_t>(seed));
    Rounds rounds(static_cast<std::size_t>(protocol.rounds));
    for (tissue::FoldRows& rows : rounds) {
        std::vector<std::size_t> order(samples);
        std::iota(order.begin(), order.end(), std::size_t{0});
        for (std::size_t i = 0; i < test; ++i)
            std::swap(order[i], order[i + generator() % (samples - i)]);
        rows.test.assign(order.begin(), order.begin() + static_cast<long>(test));
        rows.training.assign(order.begin() + static_cast<long>(test), order.end());
        std::sort(rows.training.begin(), rows.training.end());
    }
    return rounds;
}

Rounds rounds_of(const TissueSamples& samples, const ClassifierOptions& options,
                 const EvaluationProtocol& protocol) {
    using Kind = EvaluationProtocol::Kind;
    const auto groups = static_cast<int>(samples.group_names.size());
    if (protocol.kind == Kind::repeated)
        return drawn_rounds(samples.rows(), protocol, options.seed);
    if (protocol.kind == Kind::k_fold)
        return rounds_of_folds(tissue::folds_of(samples, protocol.rounds, options.seed),
                               protocol.rounds);
    if (protocol.kind == Kind::by_slide) {
        if (groups < 2)
            throw InvalidArgument(
                "--protocol by-slide needs samples of at least two slides; there is one");
        return rounds_of_folds(samples.groups, groups);
    }
    std::vector<int> own(samples.rows());
    std::iota(own.begin(), own.end(), 0);
    return rounds_of_folds(own, static_cast<int>(samples.rows()));
}

// The classes that the training rows have, so that a class that is only in the test is found wrong
// instead of stopping the round.
struct KnownClasses {
    TissueSamples samples;
    std::vector<int> places;  // in the classes of all
};
KnownClasses with_known_classes(const TissueSamples& all, const std::vector<std::size_t>& rows) {
    KnownClasses known{subset(all, rows), {}};
    std::vector<int> counts(all.classes.size()), place(all.classes.size(), -1);
    for (const int label : known.samples.labels) ++counts[static_cast<std::size_t>(label)];
    known.samples.classes.clear();
    std::vector<std::size_t> kept;
    for (std::size_t c = 0; c < counts.size(); ++c)
        if (counts[c] >= 2) {
            place[c] = static_cast<int>(known.places.size());
            known.places.push_back(static_cast<int>(c));
            known.samples.classes.push_back(all.classes[c]);
        }
    for (std::size_t i = 0; i < known.samples.rows(); ++i)
        if (place[static_cast<std::size_t>(known.samples.labels[i])] >= 0) kept.push_back(i);
    known.samples = subset(known.samples, kept);
    for (int& label : known.samples.labels) label = place[static_cast<std::size_t>(label)];
    return known;
}

std::vector<int> found_of_round(const TissueSamples& samples, const tissue::FoldRows& rows,
                                const ClassifierOptions& options, const Progress& progress) {
    const KnownClasses known = with_known_classes(samples, rows.training);
    const Classifier classifier = train_classifier(known.samples, options, progress);
    std::vector<int> found;
    for (const std::size_t i : rows.test)
        found.push_back(known.places[static_cast<std::size_t>(
            most_probable(classifier.probabilities(samples.row(i))))]);
    return found;
}

}  // namespace

EvaluationProtocol parse_protocol(std::string_view text) {
    using Kind = EvaluationProtocol::Kind;
    const auto wrong = [&] {
        return InvalidArgument("--protocol: '" + std::string(text) +
                               "' is not one of leave-one-out, k-fold:FOLDS, by-slide, "
                               "repeated:TIMESxSAMPLES");
    };
    const std::size_t colon = text.find(':');
    const std::string_view name = text.substr(0, colon);
    std::vector<int> numbers;
    if (colon != std::string_view::npos) {
        const char* at = text.data() + colon + 1;
        const char* const end = text.data() + text.size();
        for (;;) {
            int number = 0;
            const auto [stop, error] = std::from_chars(at, end, number);
            if (error != std::errc() || number < 1 || (stop != end && *stop != 'x')) throw wrong();
            numbers.push_back(number);
            if (stop == end) break;
            at = stop + 1;
        }
    }
    if (name == "leave-one-out" && numbers.empty()) return {Kind::leave_one_out, 0, 0};
    if (name == "by-slide" && numbers.empty()) return {Kind::by_slide, 0, 0};
    if (name == "k-fold" && numbers.size() == 1 && numbers[0] >= 2)
        return {Kind::k_fold, numbers[0], 0};
    if (name == "repeated" && numbers.size() == 2) return {Kind::repeated, numbers[0], numbers[1]};
    throw wrong();
}

std::int64_t TissueEvaluation::samples() const {
    return std::accumulate(confusion.begin(), confusion.end(), std::int64_t{0});
}

double TissueEvaluation::accuracy() const {
    std::int64_t right = 0;
    for (int c = 0; c < classes; ++c) right += confusion[static_cast<std::size_t>(c * classes + c)];
    return static_cast<double>(right) / static_cast<double>(std::max<std::int64_t>(samples(), 1));
}

double TissueEvaluation::balanced_accuracy() const {
    double sum = 0;
    int occurring = 0;
    for (int c = 0; c < classes; ++c) {
        const auto* row = confusion.data() + c * classes;
        const std::int64_t all = std::accumulate(row, row + classes, std::int64_t{0});
        if (all == 0) continue;
        sum += static_cast<double>(row[c]) / static_cast<double>(all);
        ++occurring;
    }
    return occurring > 0 ? sum / occurring : 0;
}

double TissueEvaluation::kappa() const {
    const auto n = static_cast<double>(samples());
    double chance = 0;
    for (int c = 0; c < classes; ++c) {
        double row = 0, column = 0;
        for (int k = 0; k < classes; ++k) {
            row += static_cast<double>(confusion[static_cast<std::size_t>(c * classes + k)]);
            column += static_cast<double>(confusion[static_cast<std::size_t>(k * classes + c)]);
        }
        chance += row / n * (column / n);
    }
    return chance < 1 ? (accuracy() - chance) / (1 - chance) : 0;
}

std::vector<double> TissueEvaluation::f1() const {
    std::vector<double> scores;
    for (int c = 0; c < classes; ++c) {
        double row = 0, column = 0;
        for (int k = 0; k < classes; ++k) {
            row += static_cast<double>(confusion[static_cast<std::size_t>(c * classes + k)]);
            column += static_cast<double>(confusion[static_cast<std::size_t>(k * classes + c)]);
        }
        const auto right =
            static_cast<double>(confusion[static_cast<std::size_t>(c * classes + c)]);
        scores.push_back(row + column > 0 ? 2 * right / (row + column) : 0);
    }
    return scores;
}

double TissueEvaluation::accuracy_deviation() const {
    const auto n = static_cast<double>(round_accuracies.size());
    double mean = 0, square = 0;
    for (const double a : round_accuracies) mean += a / n;
    for (const double a : round_accuracies) square += (a - mean) * (a - mean) / n;
    return std::sqrt(square);
}

TissueEvaluation evaluate_classifier(const TissueSamples& samples, const ClassifierOptions& options,
                                     const EvaluationProtocol& protocol, const Progress& progress) {
    const Rounds rounds = rounds_of(samples, options, protocol);
    ClassifierOptions inner = options;
    inner.threads = 1;
    if (protocol.kind == EvaluationProtocol::Kind::leave_one_out)
        inner.chosen = chosen_parameters(train_classifier(samples, options, progress));
    std::vector<std::vector<int>> found(rounds.size());
    std::atomic<std::size_t> done{0};
    std::mutex reporting;
    tissue::in_parallel(rounds.size(), options.threads, [&](std::size_t r) {
        progress.throw_if_cancelled();
        found[r] = found_of_round(samples, rounds[r], inner, {});
        const std::lock_guard lock(reporting);
        progress.report(static_cast<double>(++done) / static_cast<double>(rounds.size()),
                        "evaluate");
    });
    TissueEvaluation result;
    result.classes = static_cast<int>(samples.classes.size());
    result.confusion.assign(static_cast<std::size_t>(result.classes * result.classes), 0);
    for (std::size_t r = 0; r < rounds.size(); ++r) {
        double right = 0;
        for (std::size_t k = 0; k < found[r].size(); ++k) {
            const int truth = samples.labels[rounds[r].test[k]];
            ++result.confusion[static_cast<std::size_t>(truth * result.classes + found[r][k])];
            right += truth == found[r][k] ? 1 : 0;
        }
        result.round_accuracies.push_back(right / static_cast<double>(found[r].size()));
    }
    return result;
}

}  // namespace tesela
