#include "detection/circle_pyramid.h"

#include <algorithm>
#include <cmath>

#include "detection/circle_fit.h"

namespace tesela {
namespace {

using kernels::i32;
using kernels::u32;

using Edges = Buffer<const std::uint8_t>;

// Edges and what is left of them after one halving, two and so on.
class Pictures {
  public:
    Pictures(Queue& queue, const Shape& shape, const Edges& edges, int levels)
        : full_(edges), shapes_{shape} {
        for (int level = 0; level < levels; ++level) {
            const Shape fine = shapes_.back();
            Shape shape_of_half = fine;
            shape_of_half.x = (fine.x + 1) / 2;
            shape_of_half.y = (fine.y + 1) / 2;
            auto half = queue.allocate<std::uint8_t>(shape_of_half.points(), "coarse edges");
            queue.launch(
                kernels::circle_halve, Range{shape_of_half.x, shape_of_half.y, fine.z * fine.t},
                this->edges(level), half, static_cast<i32>(fine.x), static_cast<i32>(fine.y));
            halved_.emplace_back(std::move(half));
            shapes_.push_back(shape_of_half);
        }
    }
    const Shape& shape(int level) const { return shapes_[static_cast<std::size_t>(level)]; }
    const Edges& edges(int level) const {
        return level == 0 ? full_ : halved_[static_cast<std::size_t>(level - 1)];
    }

  private:
    const Edges& full_;
    std::vector<Edges> halved_;
    std::vector<Shape> shapes_;
};

CircleSearch coarser(const CircleSearch& search, int levels) {
    CircleSearch coarse = search;
    const double factor = std::ldexp(1.0, levels);
    const double step = search.radii.size() > 1 ? search.radii[1] - search.radii[0] : 1;
    coarse.radii.clear();
    for (double radius = search.radii.front();; radius += std::max(step, factor)) {
        coarse.radii.push_back(radius / factor);
        if (radius >= search.radii.back()) break;
    }
    const auto reach = [&](double unit) {
        return static_cast<i32>(std::ceil(coarse.radii.back() / unit)) + 1;
    };
    coarse.reach_x = reach(search.unit[0]);
    coarse.reach_y = reach(search.unit[1]);
    return coarse;
}

CircleMaxima maxima_of(Queue& queue, const Shape& shape, const Edges& edges,
                       const CircleSearch& search, const CircleOptions& options,
                       const Progress& progress) {
    const CircleVoter voter(queue, shape, edges, search.reach_x, search.reach_y, options.outside);
    CircleSweep sweep;
    for (const double radius : search.radii) sweep.rings.push_back(search.ring(radius));
    sweep.least_share = least_share(voter.edge_count(), shape, options.min_score);
    return circle_maxima(queue, voter, sweep, nullptr, progress);
}

// Where circles of a coarse picture are in one of twice the size, with a radius for each.
struct Starts {
    CircleMaxima maxima;
    std::vector<double> radii;
};
Starts starts_of(Queue& queue, std::vector<Circle> circles) {
    std::sort(circles.begin(), circles.end(),
              [](const Circle& a, const Circle& b) { return a.radius < b.radius; });
    Starts starts;
    std::vector<u32> words;
    const auto doubled = [](double place) {
        return static_cast<u32>(static_cast<i32>(std::lround(2 * place + 0.5)));
    };
    for (const Circle& c : circles) {
        words.insert(words.end(), {doubled(c.x), doubled(c.y), static_cast<u32>(c.slice),
                                   static_cast<u32>(starts.radii.size()), c.votes, 0});
        starts.radii.push_back(2 * c.radius);
    }
    if (words.empty()) return starts;
    starts.maxima = {queue.upload(std::span<const u32>(words), "list of maxima"),
                     std::ssize(circles)};
    return starts;
}

}  // namespace

int pyramid_levels(const CircleSearch& search) {
    constexpr int most = 3;
    const double smallest = search.radii.front() / std::max(search.unit[0], search.unit[1]);
    int levels = 0;
    while (levels < most && std::ldexp(smallest, -levels - 1) >= 4) ++levels;
    return levels;
}

std::vector<Circle> pyramid_circles(Queue& queue, const Shape& shape, const CircleSearch& search,
                                    const CircleOptions& options, int levels,
                                    const Buffer<const std::uint8_t>& edges,
                                    const Gradient* gradient, std::int64_t& candidates,
                                    const Progress& progress) {
    const Pictures pictures(queue, shape, edges, levels);
    const CircleSearch coarse = coarser(search, levels);
    Starts starts{
        maxima_of(queue, pictures.shape(levels), pictures.edges(levels), coarse, options, progress),
        coarse.radii};
    candidates = starts.maxima.count;
    for (int level = levels;; --level) {
        const bool is_last = level == 0;
        const CircleFitSetting setting{
            search.unit, is_last ? options.polarity : CirclePolarity::any, options.sigma};
        std::vector<Circle> fitted =
            fit_circles(queue, pictures.shape(level), starts.maxima, starts.radii, setting,
                        pictures.edges(level), is_last ? gradient : nullptr);
        if (is_last) return fitted;
        // Half of the score is asked for, and one is left of those that came to the same circle.
        starts =
            starts_of(queue, best_circles(std::move(fitted), search.unit, options.min_score / 2, 1,
                                          true, std::ldexp(4.0, -level)));
    }
}

}  // namespace tesela
