#include "evaluation/circle_tree.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tesela::evaluation {
namespace {

constexpr std::size_t leaf = 8;  // circles

std::size_t middle(std::size_t begin, std::size_t end) { return begin + (end - begin) / 2; }

using Place = std::array<double, 3>;  // x, y, radius

Place place_of(const Circle& circle) { return {circle.x, circle.y, circle.radius}; }

// Less than the distance of every circle within the limits, rounding included; that of equal ones.
CircleDistance least_distance(const Place& place, const Place& low, const Place& high) {
    const double rounding = low == high ? 1 : 1 - 1e-12;
    const auto outside = [&](std::size_t axis) {
        return std::max({low[axis] - place[axis], place[axis] - high[axis], 0.0});
    };
    const double centers = rounding * std::hypot(outside(0), outside(1));
    return {centers, rounding * std::hypot(centers, outside(2))};
}

}  // namespace

CircleDistance distance_of(const Circle& a, const Circle& b) {
    const double centers = std::hypot(a.x - b.x, a.y - b.y);
    return {centers, std::hypot(centers, a.radius - b.radius)};
}

CircleTree::CircleTree(std::span<const Circle> circles)
    : circles_(circles), order_(circles.size()), place_(circles.size()), taken_(circles.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    nodes_.resize(nodes_for(circles.size()));
    if (!circles.empty()) build(0, 0, circles.size());
    for (std::size_t i = 0; i < order_.size(); ++i) place_[order_[i]] = i;
}

std::size_t CircleTree::nodes_for(std::size_t circles) {
    std::size_t nodes = circles > 0 ? 1 : 0;
    for (; circles > leaf; circles = (circles + 1) / 2) nodes = 2 * nodes + 1;
    return nodes;
}

void CircleTree::build(std::size_t node, std::size_t begin, std::size_t end) {
    Node& own = nodes_[node];
    own.low = own.high = place_of(circles_[order_[begin]]);
    for (std::size_t i = begin; i < end; ++i) {
        const Place place = place_of(circles_[order_[i]]);
        own.first = std::min(own.first, order_[i]);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            own.low[axis] = std::min(own.low[axis], place[axis]);
            own.high[axis] = std::max(own.high[axis], place[axis]);
        }
    }
    if (end - begin <= leaf) return;
    std::size_t longest = 0;
    for (const std::size_t axis : {1, 2})
        if (own.high[axis] - own.low[axis] > own.high[longest] - own.low[longest]) longest = axis;
    const auto at = [&](std::size_t i) { return order_.begin() + static_cast<std::ptrdiff_t>(i); };
    std::nth_element(at(begin), at(middle(begin, end)), at(end), [&](std::size_t a, std::size_t b) {
        return place_of(circles_[a])[longest] < place_of(circles_[b])[longest];
    });
    build(2 * node + 1, begin, middle(begin, end));
    build(2 * node + 2, middle(begin, end), end);
}

std::size_t CircleTree::nearest(const Circle& circle, double tolerance) const {
    Best best;
    if (!nodes_.empty()) search(0, 0, order_.size(), circle, tolerance, best);
    return best.index;
}

void CircleTree::search(std::size_t node, std::size_t begin, std::size_t end, const Circle& circle,
                        double tolerance, Best& best) const {
    const Node& own = nodes_[node];
    const CircleDistance least = least_distance(place_of(circle), own.low, own.high);
    if (own.first == none || least.centers > tolerance || least.both > best.distance) return;
    if (least.both == best.distance && own.first > best.index) return;
    if (end - begin > leaf) {
        const std::size_t half = middle(begin, end);
        const auto of_child = [&](std::size_t child) {
            return least_distance(place_of(circle), nodes_[child].low, nodes_[child].high).both;
        };
        const std::size_t left = 2 * node + 1, right = left + 1;
        const double to_left = of_child(left), to_right = of_child(right);
        const bool left_first =
            to_left < to_right || (to_left == to_right && nodes_[left].first < nodes_[right].first);
        if (left_first) search(left, begin, half, circle, tolerance, best);
        search(right, half, end, circle, tolerance, best);
        if (!left_first) search(left, begin, half, circle, tolerance, best);
        return;
    }
    for (std::size_t i = begin; i < end; ++i) {
        const std::size_t index = order_[i];
        if (taken_[index]) continue;
        const CircleDistance found = distance_of(circle, circles_[index]);
        if (found.centers > tolerance) continue;
        if (found.both < best.distance || (found.both == best.distance && index < best.index))
            best = {found.both, index};
    }
}

std::size_t CircleTree::first_left(std::size_t begin, std::size_t end) const {
    std::size_t first = none;
    for (std::size_t i = begin; i < end; ++i)
        if (!taken_[order_[i]]) first = std::min(first, order_[i]);
    return first;
}

void CircleTree::take_away(std::size_t index) {
    taken_[index] = true;
    std::vector<std::size_t> path{0};
    std::size_t begin = 0, end = order_.size();
    while (end - begin > leaf) {
        const std::size_t half = middle(begin, end);
        const bool is_left = place_[index] < half;
        path.push_back(2 * path.back() + (is_left ? 1 : 2));
        (is_left ? end : begin) = half;
    }
    nodes_[path.back()].first = first_left(begin, end);
    for (std::size_t i = path.size() - 1; i-- > 0;)
        nodes_[path[i]].first =
            std::min(nodes_[2 * path[i] + 1].first, nodes_[2 * path[i] + 2].first);
}

std::int64_t CircleTree::bytes(std::int64_t circles) {
    const auto nodes = static_cast<std::int64_t>(nodes_for(static_cast<std::size_t>(circles)));
    return circles * static_cast<std::int64_t>(2 * sizeof(std::size_t) + 1) +
           nodes * static_cast<std::int64_t>(sizeof(Node));
}

}  // namespace tesela::evaluation
