#include "tesela/circles.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "detection/circle_fit.h"
#include "detection/circle_gradient.h"
#include "detection/circle_pyramid.h"
#include "detection/circle_ring.h"
#include "detection/circle_search.h"
#include "detection/circle_votes.h"
#include "pixels/plane_of.h"
#include "segmentation/thresholds/canny.h"

namespace tesela {
namespace {

using kernels::u32;

CannyOptions canny_options(const CircleOptions& options) {
    return {options.sigma, options.low, options.high};
}

// 255 where a channel but alpha is not 0; NaN is no edge.
std::vector<std::uint8_t> given_edges(const AnyImageView& image) {
    return image.visit([]<class T>(const PixelView<T>& typed) {
        const Shape& shape = typed.shape();
        const int channels = shape.channels - (typed.has_alpha ? 1 : 0);
        std::vector<std::uint8_t> edges(static_cast<std::size_t>(shape.points()), 0);
        for (std::size_t i = 0; i < edges.size(); ++i) {
            const T* pixel = typed.data() + static_cast<std::int64_t>(i) * shape.channels;
            for (int c = 0; c < channels; ++c)
                if (pixel[c] < T{0} || pixel[c] > T{0}) edges[i] = 255;
        }
        return edges;
    });
}

struct FoundEdges {
    Buffer<const std::uint8_t> edges;
    std::optional<Gradient> gradient;
    std::array<double, 2> range{};
    std::vector<std::string> warnings;
};

FoundEdges find_edges(Queue& queue, const AnyImageView& image, const CircleOptions& options) {
    FoundEdges found;
    if (options.edges == CircleEdges::given) {
        const std::vector<std::uint8_t> edges = given_edges(image);
        found.edges =
            Buffer<const std::uint8_t>(queue.upload(std::span<const std::uint8_t>(edges), "edges"));
        return found;
    }
    EdgeLevels levels = edge_levels(queue, image, LevelsOf::brightness);
    CannyEdges canny = canny_edges(queue, plane_of(image.shape()), levels, canny_options(options));
    found.edges = Buffer<const std::uint8_t>(std::move(canny.edges));
    found.gradient = std::move(canny.gradient);
    found.range = {levels.value(levels.lowest), levels.value(levels.highest_of_range)};
    found.warnings = std::move(levels.warnings);
    return found;
}

// Fits that went beyond what was asked for.
void drop_strays(std::vector<Circle>& circles, const CircleSearch& search,
                 const CircleOptions& options, const Shape& shape) {
    const double margin =
        std::max(1.0, search.radii.size() > 1 ? search.radii[1] - search.radii[0] : 1.0);
    std::erase_if(circles, [&](const Circle& c) {
        if (c.radius < search.radii.front() - margin || c.radius > search.radii.back() + margin)
            return true;
        const double x = options.outside ? search.reach_x : 0.5;
        const double y = options.outside ? search.reach_y : 0.5;
        return c.x < -x || c.y < -y || c.x > static_cast<double>(shape.x - 1) + x ||
               c.y > static_cast<double>(shape.y - 1) + y;
    });
}

std::vector<std::string> said_of_channels(const AnyImageView& image) {
    std::vector<std::string> said;
    if (image.has_alpha()) said.push_back("the alpha channel is ignored");
    return said;
}

void check_method(const CircleOptions& options, bool wants_votes) {
    if (options.method == CircleMethod::gradient && options.edges == CircleEdges::given)
        throw InvalidArgument(
            "--method gradient needs --edges canny: edges that are given have no direction");
    if (options.method == CircleMethod::pyramid && wants_votes)
        throw InvalidArgument(
            "--votes is not there with --method pyramid, whose votes are those of a coarse "
            "picture; choose another method");
}

// What is looked for, in which edges.
struct Job {
    Queue& queue;
    const Shape& shape;
    const CircleSearch& search;
    const CircleOptions& options;
    const FoundEdges& found;
    const Progress& progress;

    const Gradient* gradient() const { return found.gradient ? &*found.gradient : nullptr; }
    std::vector<Circle> fitted(const CircleMaxima& maxima, const std::vector<double>& radii) const {
        progress.report(0.9, "fit");
        const CircleFitSetting setting{search.unit, options.polarity, options.sigma};
        return fit_circles(queue, shape, maxima, radii, setting, found.edges, gradient());
    }
};

std::vector<Circle> by_rings(const Job& job, const CircleVoter& voter, double share,
                             Buffer<std::uint16_t>* most, CircleResult& result, StageClock& clock) {
    CircleSweep sweep;
    sweep.least_share = share;
    for (const double radius : job.search.radii) sweep.rings.push_back(job.search.ring(radius));
    const CircleMaxima maxima = circle_maxima(job.queue, voter, sweep, most, job.progress);
    result.candidates = maxima.count;
    clock.start("fit");
    return job.fitted(maxima, job.search.radii);
}

std::vector<Circle> by_gradient(const Job& job, const CircleVoter& voter, double share,
                                Buffer<std::uint16_t>* most, CircleResult& result,
                                StageClock& clock) {
    const DirectedEdges directed{job.found.edges, *job.gradient(), result.edge_points,
                                 job.options.polarity, job.options.concentric};
    const GradientMaxima found =
        gradient_maxima(job.queue, voter, job.search, directed, share, most, job.progress);
    result.candidates = found.maxima.count;
    result.radii = std::ssize(found.radii);
    clock.start("fit");
    return job.fitted(found.maxima, found.radii);
}

}  // namespace

CircleResult circles(const AnyImageView& image, const CircleOptions& options, Queue& queue,
                     bool wants_votes, const Progress& progress) {
    const Shape shape = plane_of(image.shape());
    const CircleSearch search = circle_search(shape, image.geometry(), options);
    check_canny(canny_options(options));
    check_method(options, wants_votes);
    for (const double radius : search.radii) ring_count(search.ring(radius));
    CircleResult result;
    result.unit = search.unit;
    result.radii = std::ssize(search.radii);
    result.warnings = said_of_channels(image);
    StageClock clock;
    clock.start("edges");
    progress.report(0, "edges");
    const FoundEdges found = find_edges(queue, image, options);
    result.warnings.insert(result.warnings.end(), found.warnings.begin(), found.warnings.end());
    result.range = found.range;

    clock.start("votes");
    const Job job{queue, shape, search, options, found, progress};
    const CircleVoter voter(queue, shape, found.edges, search.reach_x, search.reach_y,
                            options.outside);
    result.edge_points = voter.edge_count();
    Buffer<std::uint16_t> most;
    if (wants_votes)
        most = queue.allocate_filled<std::uint16_t>(voter.cells(), std::uint16_t{0}, "most votes");
    Buffer<std::uint16_t>* const wanted = wants_votes ? &most : nullptr;
    const double share = least_share(result.edge_points, shape, options.min_score);
    const int levels = options.method == CircleMethod::pyramid ? pyramid_levels(search) : 0;
    std::vector<Circle> fitted;
    if (options.method == CircleMethod::gradient)
        fitted = by_gradient(job, voter, share, wanted, result, clock);
    else if (levels > 0)
        fitted = pyramid_circles(queue, shape, search, options, levels, found.edges, job.gradient(),
                                 result.candidates, progress);
    else
        fitted = by_rings(job, voter, share, wanted, result, clock);
    drop_strays(fitted, search, options, shape);
    result.circles = best_circles(std::move(fitted), search.unit, options.min_score,
                                  search.min_distance, options.concentric);
    if (options.max_circles > 0 && std::ssize(result.circles) > options.max_circles)
        result.circles.resize(static_cast<std::size_t>(options.max_circles));
    if (wants_votes) result.votes = voter.image_of(most, image.geometry());
    result.stages = clock.take();
    progress.report(1, "done");
    return result;
}

LabelImage circle_labels(std::span<const Circle> circles, const std::array<double, 2>& unit,
                         const Shape& shape, const Geometry& geometry) {
    LabelImage labels(plane_of(shape), geometry);
    for (std::size_t k = circles.size(); k-- > 0;) {  // the best last, on top
        const Circle& c = circles[k];
        const auto label = static_cast<std::uint32_t>(k + 1);
        const std::int64_t slice = c.slice * shape.y;
        const auto first = std::max<std::int64_t>(
            0, static_cast<std::int64_t>(std::ceil(c.y - c.radius / unit[1])));
        const auto last = std::min<std::int64_t>(
            shape.y - 1, static_cast<std::int64_t>(std::floor(c.y + c.radius / unit[1])));
        for (std::int64_t y = first; y <= last; ++y) {
            const double down = (static_cast<double>(y) - c.y) * unit[1];
            const double half =
                std::sqrt(std::max(0.0, c.radius * c.radius - down * down)) / unit[0];
            const auto begin =
                std::max<std::int64_t>(0, static_cast<std::int64_t>(std::ceil(c.x - half)));
            const auto end = std::min<std::int64_t>(
                shape.x - 1, static_cast<std::int64_t>(std::floor(c.x + half)));
            for (std::int64_t x = begin; x <= end; ++x)
                labels.pixels()[static_cast<std::size_t>((slice + y) * shape.x + x)] = label;
        }
    }
    return labels;
}

std::int64_t circles_device_bytes(const AnyImageView& image, const CircleOptions& options,
                                  bool wants_votes) {
    const Shape shape = plane_of(image.shape());
    const CircleSearch search = circle_search(shape, image.geometry(), options);
    const auto grid = CircleVoter::grid_of(shape, search.reach_x, search.reach_y, options.outside);
    const std::int64_t slices = shape.z * shape.t, points = shape.points();
    const std::int64_t edges =
        options.edges == CircleEdges::given
            ? points
            : edge_levels_bytes(image, LevelsOf::brightness) + canny_edges_bytes(shape, 1);
    const std::int64_t votes = options.method == CircleMethod::gradient
                                   ? gradient_maxima_bytes(grid, shape, search)
                                   : 6 * CircleVoter::cells_of(grid, slices);
    const std::int64_t most = wants_votes ? 2 * CircleVoter::cells_of(grid, slices) : 0;
    const std::int64_t coarse = options.method == CircleMethod::pyramid ? points : 0;
    const std::int64_t tables = std::ssize(search.radii) * 16 * (grid.reach + 1);
    constexpr std::int64_t lists = std::int64_t{5} << 18;  // of rings and of maxima
    const std::int64_t places = options.edges == CircleEdges::given ? 0 : 4 * points;
    return edges + votes + most + coarse + places + 8 * CircleVoter::bit_words_of(grid, slices) +
           tables + lists;
}

Annotations circle_outlines(std::span<const Circle> circles, const std::array<double, 2>& unit) {
    Annotations made;
    for (const Circle& c : circles) {
        const int corners = std::clamp(static_cast<int>(std::ceil(6 * c.radius)), 24, 720);
        Polygon polygon;
        for (int k = 0; k < corners; ++k) {
            const double angle = 2 * std::numbers::pi * k / corners;
            polygon.outer.push_back({c.x + 0.5 + c.radius / unit[0] * std::cos(angle),
                                     c.y + 0.5 + c.radius / unit[1] * std::sin(angle)});
        }
        Annotation annotation{.shape = Polygons{std::move(polygon)}, .type = "detection"};
        annotation.measurements = {{"Center X px", c.x},
                                   {"Center Y px", c.y},
                                   {"Radius px", c.radius},
                                   {"Votes", static_cast<double>(c.votes)},
                                   {"Score", c.score},
                                   {"Residual px", c.residual},
                                   {"Slice", static_cast<double>(c.slice)}};
        made.list.push_back(std::move(annotation));
    }
    return made;
}

}  // namespace tesela
