// The rigid start of the thesis: regions that vote.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "measuring/inertia.h"
#include "registration/compared_slide.h"
#include "registration/fit_linear.h"
#include "tesela/components.h"
#include "tesela/measure.h"
#include "tesela/morphology.h"
#include "tesela/register_thesis.h"
#include "tesela/threshold.h"

namespace tesela {
namespace {

constexpr double pi = std::numbers::pi;

// ---- Regions -----------------------------------------------------------------------------------

constexpr std::int64_t least_area = 12;  // pixels
constexpr double most_area = 0.02;       // of the picture

Image<std::uint16_t> gray_of(const AnyImageView& small) {
    Image<std::uint16_t> gray({small.shape().x, small.shape().y}, small.geometry());
    GraySteps(RegistrationChannel::gray, small).write(small, gray.pixels().data());
    return gray;
}

// Glass: Otsu's bright class, without what is one pixel wide, and with what lies between its parts.
AnyImage glass_of(const AnyImageView& small, Queue& queue) {
    AnyImage mask = otsu_threshold(gray_of(small), queue).mask;
    for (const MorphologyOperator operation : {MorphologyOperator::open, MorphologyOperator::close})
        mask = morphology(mask, operation, {.radius = 1}, queue).image;
    return mask;
}

// ---- Votes -------------------------------------------------------------------------------------

constexpr std::size_t most_regions = 80;  // the largest ones
constexpr double least_ratio = 0.65;      // of the areas of similar regions
constexpr double most_difference = 0.2;   // of the ratios of their axes
// In parts of the longer side: how far two regions are apart to tell an angle, by how much that
// may differ in the other section, and the sides of cells.
constexpr double least_distance = 0.1, most_stretch = 0.015, cell = 0.02;
constexpr int angles = 120, cells = 151;

double axes_of(const ThesisRegion& region) {
    return std::sqrt(1 - region.eccentricity * region.eccentricity);
}
bool are_similar(const ThesisRegion& a, const ThesisRegion& b) {
    return std::min(a.area, b.area) >= least_ratio * std::max(a.area, b.area) &&
           std::abs(axes_of(a) - axes_of(b)) <= most_difference;
}

std::vector<ThesisRegion> largest(std::vector<ThesisRegion> regions) {
    std::stable_sort(regions.begin(), regions.end(),
                     [](const ThesisRegion& a, const ThesisRegion& b) { return a.area > b.area; });
    if (regions.size() > most_regions) regions.resize(most_regions);
    return regions;
}

SpacePoint mean_of(const std::vector<ThesisRegion>& regions) {
    SpacePoint sum{};
    for (const ThesisRegion& region : regions)
        for (std::size_t axis = 0; axis < 2; ++axis) sum[axis] += region.center[axis];
    for (double& value : sum) value /= static_cast<double>(regions.size());
    return sum;
}

LinearMap turned(double angle, const SpacePoint& from, const SpacePoint& to) {
    const double c = std::cos(angle), s = std::sin(angle);
    LinearMap map{LinearKind::rigid, {c, -s, 0, s, c, 0, 0, 0, 1}, {}};
    const SpacePoint moved = map(from);
    map.translation = {to[0] - moved[0], to[1] - moved[1], 0};
    return map;
}

// Cells of angles and of places to which the middle of the fixed regions goes.
class Ballot {
  public:
    Ballot(const SpacePoint& fixed_middle, const SpacePoint& moving_middle, double side)
        : from_(fixed_middle),
          to_(moving_middle),
          size_(cell * side),
          counts_(static_cast<std::size_t>(angles * cells * cells)) {}

    // Of two regions and their partners.
    void vote(const SpacePoint& a, const SpacePoint& b, const SpacePoint& in_a,
              const SpacePoint& in_b) {
        const double dx = b[0] - a[0], dy = b[1] - a[1];
        const double ex = in_b[0] - in_a[0], ey = in_b[1] - in_a[1];
        const double angle = std::atan2(dx * ey - dy * ex, dx * ex + dy * ey);
        const SpacePoint middle{(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, 0};
        const SpacePoint partner{(in_a[0] + in_b[0]) / 2, (in_a[1] + in_b[1]) / 2, 0};
        const SpacePoint at = turned(angle, middle, partner)(from_);
        const int turn = static_cast<int>(std::lround(angle / (2 * pi) * angles)) + angles;
        const int x = cell_of(at, 0), y = cell_of(at, 1);
        if (x > 0 && y > 0 && x + 1 < cells && y + 1 < cells) ++at_cell(turn % angles, x, y);
    }
    // The cell with the most votes in it and those around it.
    struct Winner {
        LinearMap map;
        std::int64_t votes = 0;
    };
    Winner winner() const {
        Winner best;
        for (int turn = 0; turn < angles; ++turn)
            for (int y = 1; y + 1 < cells; ++y)
                for (int x = 1; x + 1 < cells; ++x) {
                    if (at_cell(turn, x, y) == 0) continue;
                    const std::int64_t votes = votes_around(turn, x, y);
                    if (votes <= best.votes) continue;
                    const auto place = [&](int number, std::size_t axis) {
                        return to_[axis] + (number - cells / 2) * size_;
                    };
                    best = {turned(2 * pi * turn / angles, from_, {place(x, 0), place(y, 1), 0}),
                            votes};
                }
        return best;
    }

  private:
    int cell_of(const SpacePoint& at, std::size_t axis) const {
        const double place = (at[axis] - to_[axis]) / size_;
        return static_cast<int>(std::lround(std::clamp<double>(place, -cells, cells))) + cells / 2;
    }
    static std::size_t number(int turn, int x, int y) {
        return static_cast<std::size_t>((turn * cells + y) * cells + x);
    }
    std::int32_t& at_cell(int turn, int x, int y) { return counts_[number(turn, x, y)]; }
    std::int32_t at_cell(int turn, int x, int y) const { return counts_[number(turn, x, y)]; }
    std::int64_t votes_around(int turn, int x, int y) const {
        std::int64_t votes = 0;
        for (int k = -1; k <= 1; ++k)
            for (int j = -1; j <= 1; ++j)
                for (int i = -1; i <= 1; ++i)
                    votes += at_cell((turn + k + angles) % angles, x + i, y + j);
        return votes;
    }

    SpacePoint from_, to_;
    double size_;
    std::vector<std::int32_t> counts_;
};

struct Candidate {
    const ThesisRegion *fixed, *moving;
};
std::vector<Candidate> candidates_of(const std::vector<ThesisRegion>& fixed,
                                     const std::vector<ThesisRegion>& moving) {
    std::vector<Candidate> list;
    for (const ThesisRegion& here : fixed)
        for (const ThesisRegion& there : moving)
            if (are_similar(here, there)) list.push_back({&here, &there});
    return list;
}

double distance(const SpacePoint& a, const SpacePoint& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1]);
}

// Similar regions that a map brings together within `near`, each with the nearest one.
PointPairs brought_together(const LinearMap& map, const std::vector<ThesisRegion>& fixed,
                            const std::vector<ThesisRegion>& moving, double near) {
    PointPairs pairs;
    for (const ThesisRegion& here : fixed) {
        const SpacePoint mapped = map(here.center);
        const ThesisRegion* nearest = nullptr;
        for (const ThesisRegion& there : moving)
            if (are_similar(here, there) &&
                (!nearest || distance(mapped, there.center) < distance(mapped, nearest->center)))
                nearest = &there;
        if (!nearest || distance(mapped, nearest->center) > near) continue;
        pairs.from.push_back(here.center);
        pairs.to.push_back(nearest->center);
    }
    return pairs;
}

}  // namespace

std::vector<ThesisRegion> thesis_regions(const AnyImageView& small, Queue& queue) {
    const ComponentResult found = components(glass_of(small, queue), {.min_size = least_area},
                                             queue, ComponentOutput::labels_only);
    const Measurements measured = measure(
        found.labels, {}, {.boundaries = false, .hulls = false, .percentiles = false}, queue);
    const LinearMap placed = placement(grid_of(small));
    std::vector<ThesisRegion> regions;
    for (const MeasuredObject& object : measured.objects) {
        const auto area = static_cast<double>(object.points);
        if (object.touches_border || area > most_area * static_cast<double>(small.shape().points()))
            continue;
        const double eccentricity = measuring::inertia_of(object, {1, 1, 1}, 2).eccentricity();
        regions.push_back({placed(object.centroid), area, eccentricity});
    }
    return regions;
}

std::optional<ThesisVote> thesis_vote(const std::vector<ThesisRegion>& fixed_regions,
                                      const std::vector<ThesisRegion>& moving_regions,
                                      double side) {
    const std::vector<ThesisRegion> fixed = largest(fixed_regions),
                                    moving = largest(moving_regions);
    if (fixed.empty() || moving.empty()) return {};
    Ballot ballot(mean_of(fixed), mean_of(moving), side);
    const std::vector<Candidate> candidates = candidates_of(fixed, moving);
    for (const Candidate& a : candidates)
        for (const Candidate& b : candidates) {
            if (&a >= &b || a.fixed == b.fixed || a.moving == b.moving) continue;
            const double here = distance(a.fixed->center, b.fixed->center);
            const double there = distance(a.moving->center, b.moving->center);
            if (here < least_distance * side || std::abs(here - there) > most_stretch * side)
                continue;
            ballot.vote(a.fixed->center, b.fixed->center, a.moving->center, b.moving->center);
        }
    const Ballot::Winner winner = ballot.winner();
    if (winner.votes == 0) return {};
    ThesisVote vote{winner.map, winner.votes, 0};
    constexpr std::size_t least_agreeing = 3;
    for (const double near : {2 * cell, cell, cell}) {
        const PointPairs pairs = brought_together(vote.map, fixed, moving, near * side);
        if (pairs.from.size() < least_agreeing) return {};
        const std::optional<LinearMap> map = fit_linear(pairs, LinearKind::rigid);
        if (!map || determinant(map->matrix) < 0) return {};
        vote.map = *map;
        vote.regions = std::ssize(pairs.from);
    }
    return vote;
}

}  // namespace tesela
