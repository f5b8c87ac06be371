#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <numeric>
#include <random>
#include <thread>

#include "core/threads.h"
#include "tissue/training.h"

namespace tesela::tissue {

void in_parallel(std::size_t count, int threads, const std::function<void(std::size_t)>& work) {
    threads = detail::threads_or_all(threads);
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::exception_ptr error;
    const auto run = [&] {
        for (std::size_t i = next++; i < count; i = next++) {
            try {
                work(i);
            } catch (...) {
                const std::lock_guard lock(mutex);
                if (!error) error = std::current_exception();
                next = count;
            }
        }
    };
    std::vector<std::thread> running;
    const auto more = std::min(static_cast<std::size_t>(threads), count);
    for (int t = detail::startable_threads(static_cast<int>(more) - 1); t > 0; --t)
        running.push_back(detail::start_thread(run));
    run();
    for (std::thread& thread : running) thread.join();
    if (error) std::rethrow_exception(error);
}

int place_of(std::vector<std::string>& names, const std::string& name) {
    const auto place = std::find(names.begin(), names.end(), name) - names.begin();
    if (place == static_cast<std::ptrdiff_t>(names.size())) names.push_back(name);
    return static_cast<int>(place);
}

namespace {

// Whether each class is on at least two slides: otherwise a fold of whole slides leaves nothing of
// a class to learn from.
bool slides_can_be_left_out(const TissueSamples& samples) {
    std::vector<int> first(samples.classes.size(), -1);
    std::vector<bool> several(samples.classes.size());
    for (std::size_t i = 0; i < samples.rows(); ++i) {
        const auto c = static_cast<std::size_t>(samples.labels[i]);
        if (first[c] < 0) first[c] = samples.groups[i];
        if (first[c] != samples.groups[i]) several[c] = true;
    }
    return std::all_of(several.begin(), several.end(), [](bool more) { return more; });
}

}  // namespace

std::vector<int> folds_of(const TissueSamples& samples, int folds, std::int64_t seed) {
    struct Group {
        std::vector<std::size_t> rows;
        std::vector<int> counts;  // of each class
    };
    const std::size_t classes = samples.classes.size();
    const bool together = slides_can_be_left_out(samples);
    std::vector<Group> groups(together ? samples.group_names.size() : samples.rows());
    for (std::size_t i = 0; i < samples.rows(); ++i) {
        Group& group = groups[together ? static_cast<std::size_t>(samples.groups[i]) : i];
        group.rows.push_back(i);
        group.counts.resize(classes);
        ++group.counts[static_cast<std::size_t>(samples.labels[i])];
    }
    std::vector<std::size_t> order(groups.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::mt19937_64 generator(static_cast<std::uint64_t>(seed));
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[generator() % i]);
    // Large groups first: what follows evens them out.
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return groups[a].rows.size() > groups[b].rows.size();
    });
    std::vector<std::vector<std::int64_t>> held(static_cast<std::size_t>(folds),
                                                std::vector<std::int64_t>(classes));
    std::vector<int> fold_of(samples.rows());
    for (const std::size_t g : order) {
        if (groups[g].rows.empty()) continue;
        // The fold that has least of the group's classes, then least of all.
        const auto load = [&](const std::vector<std::int64_t>& counts) {
            std::int64_t same = 0;
            for (std::size_t c = 0; c < classes; ++c) same += groups[g].counts[c] * counts[c];
            return std::pair(same, std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
        };
        const auto best =
            std::min_element(held.begin(), held.end(),
                             [&](const auto& a, const auto& b) { return load(a) < load(b); });
        for (std::size_t c = 0; c < classes; ++c) (*best)[c] += groups[g].counts[c];
        for (const std::size_t row : groups[g].rows)
            fold_of[row] = static_cast<int>(best - held.begin());
    }
    return fold_of;
}

FoldRows rows_of_fold(const std::vector<int>& folds, int fold) {
    FoldRows rows;
    for (std::size_t i = 0; i < folds.size(); ++i)
        (folds[i] == fold ? rows.test : rows.training).push_back(i);
    return rows;
}

double balanced_accuracy(const std::vector<int>& truth, const std::vector<int>& found,
                         int classes) {
    std::vector<double> right(static_cast<std::size_t>(classes)), all(right.size());
    for (std::size_t i = 0; i < truth.size(); ++i) {
        const auto c = static_cast<std::size_t>(truth[i]);
        all[c] += 1;
        right[c] += truth[i] == found[i] ? 1 : 0;
    }
    double sum = 0;
    int occurring = 0;
    for (std::size_t c = 0; c < all.size(); ++c)
        if (all[c] > 0) {
            sum += right[c] / all[c];
            ++occurring;
        }
    return occurring > 0 ? sum / occurring : 0;
}

}  // namespace tesela::tissue
