#include "tesela/evaluate_circles.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
#include <vector>

#include "evaluation/circle_tree.h"

namespace tesela {
namespace {

struct Pair {
    double difference;  // of centers and radii
    std::size_t found, truth;
    auto order() const { return std::tuple(difference, truth, found); }
};

// Matches the circles of one slice, the nearest pair first: two circles that are each other's
// nearest are a pair in any case. A chain of nearest circles gets shorter with every step, and ends
// at such a pair (J. P. Benzecri, Cahiers de l'analyse des donnees 7(2), 1982).
class SliceMatching {
  public:
    SliceMatching(std::span<const Circle> found, std::span<const Circle> truth, double tolerance)
        : found_(found), truth_(truth), tolerance_(tolerance) {}

    // Takes the pairs, as places in the lists of the slice.
    template <class Take>
    void run(const Take& take) {
        for (std::size_t f = 0; f < found_.circles().size(); ++f) {
            if (found_.is_taken(f)) continue;
            chain_.push_back(f);
            while (!chain_.empty()) extend(take);
        }
    }

  private:
    // The chain goes from found to true circles and back.
    template <class Take>
    void extend(const Take& take) {
        const bool at_found = chain_.size() % 2 == 1;
        evaluation::CircleTree &own = at_found ? found_ : truth_,
                               &other = at_found ? truth_ : found_;
        const std::size_t here = chain_.back();
        const std::size_t next = other.nearest(own.circles()[here], tolerance_);
        if (next == other.none) {  // only the first one has none: others have the one before them
            own.take_away(here);
            chain_.pop_back();
        } else if (chain_.size() > 1 && chain_[chain_.size() - 2] == next) {
            own.take_away(here);
            other.take_away(next);
            take(at_found ? here : next, at_found ? next : here);
            chain_.resize(chain_.size() - 2);
        } else {
            chain_.push_back(next);
        }
    }

    evaluation::CircleTree found_, truth_;
    double tolerance_;
    std::vector<std::size_t> chain_;
};

// The places of circles, slice by slice.
std::vector<std::size_t> by_slice(std::span<const Circle> circles) {
    std::vector<std::size_t> order(circles.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return circles[a].slice < circles[b].slice;
    });
    return order;
}

// The places of the circles of one slice among those of all.
std::span<const std::size_t> slice_of(std::span<const std::size_t> places,
                                      std::span<const Circle> circles, std::int64_t slice) {
    const auto first = std::lower_bound(
        places.begin(), places.end(), slice,
        [&](std::size_t place, std::int64_t value) { return circles[place].slice < value; });
    const auto last = std::upper_bound(
        first, places.end(), slice,
        [&](std::int64_t value, std::size_t place) { return value < circles[place].slice; });
    return {first, last};
}

std::vector<Circle> circles_at(std::span<const std::size_t> places,
                               std::span<const Circle> circles) {
    std::vector<Circle> chosen;
    chosen.reserve(places.size());
    for (const std::size_t place : places) chosen.push_back(circles[place]);
    return chosen;
}

// The nearest first.
std::vector<Pair> pairs_of(std::span<const Circle> found, std::span<const Circle> truth,
                           double tolerance) {
    const std::vector<std::size_t> all_found = by_slice(found), all_truth = by_slice(truth);
    std::vector<Pair> pairs;
    for (std::span<const std::size_t> left = all_found; !left.empty();) {
        const std::int64_t slice = found[left.front()].slice;
        const auto own_found = slice_of(left, found, slice);
        const auto own_truth = slice_of(all_truth, truth, slice);
        left = left.subspan(own_found.size());
        const std::vector<Circle> a = circles_at(own_found, found),
                                  b = circles_at(own_truth, truth);
        SliceMatching(a, b, tolerance).run([&](std::size_t f, std::size_t t) {
            pairs.push_back({evaluation::distance_of(a[f], b[t]).both, own_found[f], own_truth[t]});
        });
    }
    std::sort(pairs.begin(), pairs.end(),
              [](const Pair& a, const Pair& b) { return a.order() < b.order(); });
    return pairs;
}

double ratio(double a, double b) {
    return b > 0 ? a / b : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

CircleAgreement evaluate_circles(std::span<const Circle> found, std::span<const Circle> truth,
                                 double tolerance) {
    if (!(tolerance >= 0) || !std::isfinite(tolerance))
        throw InvalidArgument("--tolerance is " + detail::shown(tolerance) +
                              "; it must be 0 or more");
    CircleAgreement result;
    result.found = std::ssize(found);
    result.truth = std::ssize(truth);
    double centers = 0, radii = 0, bias = 0;
    for (const Pair& pair : pairs_of(found, truth, tolerance)) {
        const Circle &f = found[pair.found], &t = truth[pair.truth];
        const double apart = std::hypot(f.x - t.x, f.y - t.y), longer = f.radius - t.radius;
        ++result.matched;
        centers += apart;
        radii += std::abs(longer);
        bias += longer;
        result.center_max = std::max(result.center_max, apart);
        result.radius_max = std::max(result.radius_max, std::abs(longer));
    }
    const auto matched = static_cast<double>(result.matched);
    result.precision = ratio(matched, static_cast<double>(result.found));
    result.recall = ratio(matched, static_cast<double>(result.truth));
    result.f = ratio(2 * matched, static_cast<double>(result.found + result.truth));
    result.center_mean = ratio(centers, matched);
    result.radius_mean = ratio(radii, matched);
    result.radius_bias = ratio(bias, matched);
    return result;
}

std::int64_t evaluate_circles_bytes(std::int64_t found, std::int64_t truth) {
    // The trees, places and circles of a slice, pairs twice as they grow, and the chain.
    const std::int64_t pairs = std::min(found, truth);
    return evaluation::CircleTree::bytes(found) + evaluation::CircleTree::bytes(truth) +
           (found + truth) * static_cast<std::int64_t>(sizeof(Circle) + 3 * sizeof(std::size_t)) +
           2 * pairs * static_cast<std::int64_t>(sizeof(Pair));
}

}  // namespace tesela
