// The thesis's experiments on votes: E1 and E4.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "experiments/slides/laboratory.h"
#include "tesela/evaluate_circles.h"

namespace tesela::experiments {
namespace {

std::int64_t votes_of(const std::vector<RingPoint>& ring) {
    return std::accumulate(ring.begin(), ring.end(), std::int64_t{0},
                           [](std::int64_t sum, const RingPoint& p) { return sum + p.count; });
}

// ---- E4 ----------------------------------------------------------------------------------------

constexpr std::int64_t reach = 15;  // of pictures of votes around a center

// The votes around a place as gray values, the most of them white.
Image<std::uint8_t> picture_around(const Image<std::uint16_t>& votes, std::int64_t x,
                                   std::int64_t y) {
    Image<std::uint8_t> picture({2 * reach + 1, 2 * reach + 1});
    const auto at = [&](std::int64_t u, std::int64_t v) {
        const Shape& shape = votes.shape();
        return u < 0 || v < 0 || u >= shape.x || v >= shape.y ? 0 : int{votes(u, v)};
    };
    int most = 1;
    for (std::int64_t v = -reach; v <= reach; ++v)
        for (std::int64_t u = -reach; u <= reach; ++u) most = std::max(most, at(x + u, y + v));
    for (std::int64_t v = -reach; v <= reach; ++v)
        for (std::int64_t u = -reach; u <= reach; ++u)
            picture(u + reach, v + reach) =
                static_cast<std::uint8_t>(255 * at(x + u, y + v) / most);
    return picture;
}

struct VoteSpace {
    std::string name;
    ThesisCircleOptions options;
};

// The share of a place's own votes among the nine of it and its neighbors.
double sharpness(const Image<std::uint16_t>& votes, std::int64_t x, std::int64_t y) {
    double sum = 0;
    for (std::int64_t v = -1; v <= 1; ++v)
        for (std::int64_t u = -1; u <= 1; ++u) sum += votes(x + u, y + v);
    return sum > 0 ? votes(x, y) / sum : 0;
}

}  // namespace

void run_polygon_errors(SlideLaboratory& laboratory) {
    Table table({"radius", "sides", "votes_by_equation", "thesis_votes", "pixels", "mean_error",
                 "thesis_error"});
    std::vector<Curve> curves;
    for (const PrintedRing& ring : printed_rings) {
        const auto points = votes_of(thesis_points(ring.radius, 1.0 / ring.radius));
        laboratory.find({"F03", fmt::format("votes of a point at radius {}", ring.radius),
                         std::to_string(ring.votes), std::to_string(points),
                         std::abs(points - ring.votes) <= 1});
        curves.push_back({fmt::format("radius {}", ring.radius), {}, {}});
        for (std::size_t k = 0; k < printed_sides.size(); ++k) {
            const int sides = printed_sides[k];
            const double perimeter = 2.0 * ring.radius * sides * std::sin(std::numbers::pi / sides);
            const double error = thesis_polygon_error(ring.radius, sides);
            table.add({std::to_string(ring.radius), std::to_string(sides), cell(perimeter),
                       std::to_string(ring.polygon_votes[k]),
                       std::to_string(votes_of(thesis_polygon(ring.radius, sides))), cell(error),
                       cell(ring.errors[k])});
            curves.back().x.push_back(sides);
            curves.back().y.push_back(error);
        }
    }
    laboratory.write("E1.csv", table);
    laboratory.write("E1.svg", curve_chart("Mean error of a vote on a polygon", {"sides", true},
                                           {"pixels", true}, curves));
    std::string sides, errors;
    bool same = true;
    for (const auto& [radius, printed] : printed_least_sides) {
        sides += fmt::format("{}{}", sides.empty() ? "" : ", ", thesis_polygon_sides(radius));
        same = same && thesis_polygon_sides(radius) == printed;
    }
    laboratory.find(
        {"F08", "fewest sides at radius 20, 50, 100, 200", "10, 16, 23, 32", sides, same});
    for (const int count : printed_sides)
        errors += fmt::format("{}{:.2f} %", errors.empty() ? "" : ", ",
                              100 * thesis_polygon_error(1, count));
    laboratory.find({"F09", "mean error of 4, 8, 16, 32 sides, of the radius",
                     "20.18 %, 5.11 %, 0.96 % (its equation: 1.28 %), 0.32 %", errors,
                     errors == "20.18 %, 5.11 %, 1.28 %, 0.32 %"});
}

void run_vote_spaces(SlideLaboratory& laboratory) {
    const SyntheticCircles scene = drawn(printed_scenes[3]);
    const double radius = printed_scenes[3].radius;
    const std::vector<VoteSpace> spaces{
        {"points-fine", {.radius = radius, .mode = ThesisCircleMode::points}},
        {"points-coarse", {.radius = radius, .step = 0.1, .mode = ThesisCircleMode::points}},
        {"polygons", {.radius = radius, .sides = 32, .mode = ThesisCircleMode::polygon}}};
    const auto x = static_cast<std::int64_t>(scene.truth.front().x);
    const auto y = static_cast<std::int64_t>(scene.truth.front().y);
    Table table({"votes", "row", "left", "center", "right"});
    std::vector<double> sharp;
    for (const VoteSpace& space : spaces) {
        const ThesisCircleResult result =
            circles_thesis(scene.image, space.options, laboratory.queue(laboratory.main_device()));
        const double whole = static_cast<double>(result.votes_of_point);
        for (std::int64_t v = -1; v <= 1; ++v) {
            std::vector<std::string> row{space.name, std::to_string(v)};
            for (std::int64_t u = -1; u <= 1; ++u)
                row.push_back(cell(100 * result.votes(x + u, y + v) / whole));
            table.add(row);
        }
        laboratory.write("E4-" + space.name + ".png", picture_around(result.votes, x, y));
        sharp.push_back(sharpness(result.votes, x, y));
        const CircleAgreement agreement = evaluate_circles(result.circles, scene.truth, 1.5);
        laboratory.find({"F07", "c20r50 by " + space.name + ": centers within a pixel", "all",
                         fmt::format("{:.0f} %", 100 * agreement.recall), agreement.recall == 1});
    }
    laboratory.write("E4.csv", table);
    laboratory.find({"F08", "polygons are sharper than points at a step of 0.1", "yes",
                     fmt::format("{:.2f} against {:.2f} of nine pixels' votes", sharp[2], sharp[1]),
                     sharp[2] > sharp[1]});
}

}  // namespace tesela::experiments
