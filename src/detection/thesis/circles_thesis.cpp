#include "tesela/circles_thesis.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <optional>
#include <tuple>

#include "core/threads.h"
#include "kernels/detection/circles_thesis.kernel.h"
#include "pixels/plane_of.h"
#include "segmentation/thresholds/canny.h"

namespace tesela {
namespace {

using kernels::i32;
using kernels::thesis_circle_grid;
using kernels::u32;

struct Point {
    i32 x, y;
};

std::vector<Point> contour_of(const AnyImageView& image) {
    return image.visit([]<class T>(const PixelView<T>& typed) {
        std::vector<Point> points;
        const Shape& shape = typed.shape();
        for (std::int64_t y = 0; y < shape.y; ++y)
            for (std::int64_t x = 0; x < shape.x; ++x) {
                const T value = typed.data()[y * shape.x + x];
                if (value < T{0} || value > T{0})
                    points.push_back({static_cast<i32>(x), static_cast<i32>(y)});
            }
        return points;
    });
}

double step_of(const ThesisCircleOptions& options) {
    return options.step > 0 ? options.step : 1 / options.radius;
}
std::vector<RingPoint> ring_of(const ThesisCircleOptions& options) {
    using Mode = ThesisCircleMode;
    if (options.mode == Mode::direct || options.mode == Mode::table || options.mode == Mode::points)
        return thesis_points(options.radius, step_of(options));
    return thesis_polygon(options.radius,
                          options.sides > 0 ? options.sides : thesis_polygon_sides(options.radius));
}

std::int64_t counted(std::span<const RingPoint> ring) {
    std::int64_t sum = 0;
    for (const RingPoint& point : ring) sum += point.count;
    return sum;
}

// x and y of each pixel, as often as it counts.
std::vector<i32> words_of(std::span<const RingPoint> ring) {
    std::vector<i32> words;
    for (const RingPoint& point : ring)
        for (i32 k = 0; k < point.count; ++k) words.insert(words.end(), {point.x, point.y});
    return words;
}

// ---- On the host -------------------------------------------------------------------------------

using Votes = std::vector<u32>;

// Each thread votes into an accumulator of its own, with some of the points.
template <class VoteOf>
Votes voted_by_threads(const Shape& shape, const std::vector<Point>& points, int threads,
                       const VoteOf& vote_of) {
    const std::int64_t parts = detail::threads_or_all(threads);
    std::vector<Votes> votes(static_cast<std::size_t>(parts));
    const auto count = static_cast<std::int64_t>(points.size());
    detail::for_each_index(parts, threads, [&](std::int64_t part) {
        Votes& own = votes[static_cast<std::size_t>(part)];
        own.assign(static_cast<std::size_t>(shape.x * shape.y), 0);
        const auto vote = [&](std::int64_t x, std::int64_t y) {
            if (x >= 0 && y >= 0 && x < shape.x && y < shape.y)
                ++own[static_cast<std::size_t>(y * shape.x + x)];
        };
        for (std::int64_t i = part * count / parts; i < (part + 1) * count / parts; ++i)
            vote_of(points[static_cast<std::size_t>(i)], vote);
    });
    for (std::size_t part = 1; part < votes.size(); ++part)
        std::transform(votes[0].begin(), votes[0].end(), votes[part].begin(), votes[0].begin(),
                       std::plus<>());
    return std::move(votes.front());
}

Votes voted_on_host(const Shape& shape, const std::vector<Point>& points,
                    const ThesisCircleOptions& options, int threads) {
    if (options.mode == ThesisCircleMode::direct) {
        const double step = step_of(options);
        return voted_by_threads(shape, points, threads, [&](const Point& p, const auto& vote) {
            for (std::int64_t k = 0; static_cast<double>(k) * step < 2 * std::numbers::pi; ++k) {
                const double angle = static_cast<double>(k) * step;
                vote(std::lround(p.x - options.radius * std::cos(angle)),
                     std::lround(p.y - options.radius * std::sin(angle)));
            }
        });
    }
    const std::vector<i32> ring = words_of(ring_of(options));
    return voted_by_threads(shape, points, threads, [&](const Point& p, const auto& vote) {
        for (std::size_t k = 0; k < ring.size(); k += 2) vote(p.x - ring[k], p.y - ring[k + 1]);
    });
}

// ---- On a device -------------------------------------------------------------------------------

// Points in the order of the passes that draw them, and where each pass begins.
struct Passes {
    std::vector<Point> points;
    std::vector<std::size_t> starts;
};
// Points of a class are drawn together; `class_of` numbers them.
template <class ClassOf>
Passes passes_of(std::vector<Point> points, const ClassOf& class_of) {
    std::stable_sort(points.begin(), points.end(),
                     [&](const Point& a, const Point& b) { return class_of(a) < class_of(b); });
    Passes passes{std::move(points), {}};
    for (std::size_t i = 0; i < passes.points.size(); ++i)
        if (i == 0 || class_of(passes.points[i]) != class_of(passes.points[i - 1]))
            passes.starts.push_back(i);
    passes.starts.push_back(passes.points.size());
    return passes;
}

class DeviceVoter {
  public:
    DeviceVoter(Queue& queue, const Shape& shape, std::span<const Point> points)
        : queue_(queue),
          shape_(shape),
          points_(queue.upload(
              std::span<const i32>(reinterpret_cast<const i32*>(points.data()), 2 * points.size()),
              "points of contours")),
          votes_(queue.allocate_filled<u32>(shape.points(), 0u, "votes")) {}

    Buffer<i32> upload(std::span<const RingPoint> ring) {
        const std::vector<i32> words = words_of(ring);
        return queue_.upload(std::span<const i32>(words), "ring");
    }
    void vote(const Buffer<i32>& ring, std::size_t first, std::size_t end) {
        queue_.launch(kernels::thesis_circle_vote, range(ring, first, end), points_, ring, votes_,
                      grid(first));
    }
    void draw(const Buffer<i32>& ring, std::size_t first, std::size_t end, Buffer<u32>& pass,
              std::int64_t plane) {
        queue_.launch(kernels::thesis_circle_draw, range(ring, first, end), points_, ring, pass,
                      plane * shape_.points(), grid(first));
    }
    void gather(Buffer<u32>& pass) {
        queue_.launch(kernels::thesis_circle_gather, Range{shape_.points()}, pass, votes_,
                      static_cast<i32>(pass.size() / shape_.points()), shape_.points());
    }
    void vote_along(const CannyEdges& canny, double radius) {
        queue_.launch(kernels::thesis_circle_gradient, Range{shape_.x, shape_.y}, canny.edges,
                      canny.gradient.x, canny.gradient.y, votes_, static_cast<float>(radius),
                      grid(0));
    }
    Votes votes() { return queue_.download(votes_); }

  private:
    static Range range(const Buffer<i32>& ring, std::size_t first, std::size_t end) {
        return {ring.size() / 2, static_cast<std::int64_t>(end - first)};
    }
    thesis_circle_grid grid(std::size_t first) const {
        return {static_cast<i32>(shape_.x), static_cast<i32>(shape_.y), static_cast<i32>(first), 0};
    }

    Queue& queue_;
    const Shape& shape_;
    Buffer<i32> points_;
    Buffer<u32> votes_;
};

// Points whose polygons touch are in different passes: (2r + 1)^2 of them at most.
Votes by_polygons(Queue& queue, const Shape& shape, const std::vector<Point>& points,
                  const ThesisCircleOptions& options, std::int64_t& issued,
                  const Progress& progress) {
    const auto pitch = 2 * static_cast<i32>(std::ceil(options.radius)) + 1;
    const Passes passes =
        passes_of(points, [&](const Point& p) { return std::pair(p.y % pitch, p.x % pitch); });
    DeviceVoter voter(queue, shape, passes.points);
    const Buffer<i32> ring = voter.upload(ring_of(options));
    for (std::size_t k = 0; k + 1 < passes.starts.size(); ++k) {
        if (k % 256 == 0) progress.throw_if_cancelled();
        voter.vote(ring, passes.starts[k], passes.starts[k + 1]);
        ++issued;
    }
    return voter.votes();
}

// The left and the right half of polygons, whose rows of points are 2r + 1 apart; as many passes
// are drawn at once as there are planes.
Votes by_halves(Queue& queue, const Shape& shape, const std::vector<Point>& points,
                const ThesisCircleOptions& options, std::int64_t& issued,
                const Progress& progress) {
    const std::int64_t planes = options.mode == ThesisCircleMode::channels ? 3 : 1;
    const auto pitch = 2 * static_cast<i32>(std::ceil(options.radius)) + 1;
    const Passes passes = passes_of(points, [&](const Point& p) { return p.y % pitch; });
    DeviceVoter voter(queue, shape, passes.points);
    auto pass = queue.allocate_filled<u32>(planes * shape.points(), 0u, "picture of a pass");
    std::int64_t drawn = 0;
    for (const bool left : {true, false}) {
        std::vector<RingPoint> half = ring_of(options);
        std::erase_if(half, [&](const RingPoint& p) { return (p.x <= 0) != left; });
        const Buffer<i32> ring = voter.upload(half);
        for (std::size_t k = 0; k + 1 < passes.starts.size(); ++k) {
            progress.throw_if_cancelled();
            voter.draw(ring, passes.starts[k], passes.starts[k + 1], pass, drawn % planes);
            if (++drawn % planes == 0) voter.gather(pass);
        }
    }
    if (drawn % planes != 0) voter.gather(pass);
    issued = (drawn + planes - 1) / planes;
    return voter.votes();
}

Votes in_one_pass(Queue& queue, const Shape& shape, const std::vector<Point>& points,
                  const ThesisCircleOptions& options) {
    const std::vector<RingPoint> ring = ring_of(options);
    DeviceVoter voter(queue, shape, points);
    voter.vote(voter.upload(ring), 0, points.size());
    Votes votes = voter.votes();
    if (options.mode != ThesisCircleMode::blending) return votes;
    // The sum of weights is at most 1.
    const double weight =
        options.weight > 0 ? options.weight : 1.0 / static_cast<double>(ring.size());
    const auto most = static_cast<u32>(std::floor(1 / weight + 1e-9));
    for (u32& vote : votes) vote = std::min(vote, most);
    return votes;
}

struct Job {
    Queue& queue;
    const Shape& shape;
    const ThesisCircleOptions& options;
    int threads;
    const Progress& progress;
};

Votes voted(const Job& job, const std::vector<Point>& points, std::int64_t& passes) {
    using Mode = ThesisCircleMode;
    switch (job.options.mode) {
        case Mode::polygon:
            return by_polygons(job.queue, job.shape, points, job.options, passes, job.progress);
        case Mode::semicircle:
        case Mode::channels:
            return by_halves(job.queue, job.shape, points, job.options, passes, job.progress);
        case Mode::direct:
        case Mode::table:
            passes = 1;
            return voted_on_host(job.shape, points, job.options, job.threads);
        default:
            passes = 1;
            return in_one_pass(job.queue, job.shape, points, job.options);
    }
}

Votes along_gradients(Queue& queue, const Shape& shape, const CannyEdges& canny, double radius) {
    const Point none{0, 0};
    DeviceVoter voter(queue, shape, {&none, 1});
    voter.vote_along(canny, radius);
    return voter.votes();
}

CannyEdges canny_of(Queue& queue, const AnyImageView& image, const ThesisCircleOptions& options) {
    EdgeLevels levels = edge_levels(queue, image, LevelsOf::brightness);
    return canny_edges(queue, plane_of(image.shape()), levels, {.sigma = options.sigma});
}

// ---- Centers -----------------------------------------------------------------------------------

// Cells with enough votes that have the most within two cells; of equal ones the first.
std::vector<Circle> centers_of(const Votes& votes, const Shape& shape, double radius, double least,
                               double whole) {
    std::vector<Circle> found;
    constexpr std::int64_t reach = 2;
    const auto at = [&](std::int64_t x, std::int64_t y) {
        return votes[static_cast<std::size_t>(y * shape.x + x)];
    };
    for (std::int64_t y = 0; y < shape.y; ++y)
        for (std::int64_t x = 0; x < shape.x; ++x) {
            const u32 own = at(x, y);
            if (own == 0 || static_cast<double>(own) < least) continue;
            bool is_highest = true;
            for (std::int64_t v = std::max<std::int64_t>(0, y - reach);
                 v <= std::min(shape.y - 1, y + reach); ++v)
                for (std::int64_t u = std::max<std::int64_t>(0, x - reach);
                     u <= std::min(shape.x - 1, x + reach); ++u) {
                    const bool is_earlier = std::tie(v, u) < std::tie(y, x);
                    is_highest = is_highest && (is_earlier ? at(u, v) < own : at(u, v) <= own);
                }
            if (!is_highest) continue;
            found.push_back({.x = static_cast<double>(x),
                             .y = static_cast<double>(y),
                             .radius = radius,
                             .votes = own,
                             .score = std::min(1.0, static_cast<double>(own) / whole)});
        }
    std::stable_sort(found.begin(), found.end(),
                     [](const Circle& a, const Circle& b) { return a.votes > b.votes; });
    return found;
}

void check(const AnyImageView& image, const ThesisCircleOptions& options) {
    validate_options(options);
    const Shape& shape = image.shape();
    if (shape.dimensions() != 2 || shape.channels != 1)
        throw UnsupportedFormat(
            "the thesis's circles are those of a picture of one channel; choose a slice and a "
            "channel");
    if (options.sides == 1 || options.sides == 2)
        throw InvalidArgument("--sides: a polygon has at least 3");
}

}  // namespace

ThesisCircleResult circles_thesis(const AnyImageView& image, const ThesisCircleOptions& options,
                                  Queue& queue, int threads, const Progress& progress) {
    check(image, options);
    const Shape shape = plane_of(image.shape());
    const bool is_gradient = options.mode == ThesisCircleMode::gradient;
    ThesisCircleResult result;
    StageClock clock;
    clock.start("contour");
    progress.report(0, "contour");
    std::vector<Point> points;
    std::optional<CannyEdges> canny;
    if (is_gradient)
        canny = canny_of(queue, image, options);
    else
        points = contour_of(image);
    const std::int64_t ring = counted(ring_of(options));
    result.votes_of_point = is_gradient ? 2 : ring;
    clock.start("votes");
    progress.report(0.1, "votes");
    Votes votes;
    if (canny) {
        votes = along_gradients(queue, shape, *canny, options.radius);
        const std::vector<std::uint8_t> edges = queue.download(canny->edges);
        result.contour_points = std::ssize(edges) - std::count(edges.begin(), edges.end(), 0);
        result.passes = 1;
    } else {
        result.contour_points = std::ssize(points);
        votes = points.empty()
                    ? Votes(static_cast<std::size_t>(shape.points()), 0)
                    : voted({queue, shape, options, threads, progress}, points, result.passes);
    }
    clock.start("centers");
    progress.report(0.9, "centers");
    // A contour of one pixel has as many points as its ring; votes along gradients scatter.
    const double whole = static_cast<double>(ring) / (is_gradient ? 4 : 1);
    result.circles = centers_of(votes, shape, options.radius, options.min_share * whole, whole);
    result.votes = Image<std::uint16_t>::unwritten(shape, image.geometry());
    std::transform(votes.begin(), votes.end(), result.votes.pixels().begin(),
                   [](u32 vote) { return static_cast<std::uint16_t>(std::min(vote, 65535u)); });
    result.stages = clock.take();
    progress.report(1, "done");
    return result;
}

std::int64_t circles_thesis_bytes(const AnyImageView& image, const ThesisCircleOptions& options) {
    const Shape shape = plane_of(image.shape());
    const std::int64_t points = shape.points();
    if (options.mode == ThesisCircleMode::gradient)
        return 4 * points + 64 + edge_levels_bytes(image, LevelsOf::brightness) +
               canny_edges_bytes(shape, 1);
    const std::int64_t planes = options.mode == ThesisCircleMode::channels     ? 3
                                : options.mode == ThesisCircleMode::semicircle ? 1
                                                                               : 0;
    return (8 + 4 + 4 * planes) * points + 8 * counted(ring_of(options));
}

}  // namespace tesela
