// Places of sections from maps between pairs of them.
#include "tesela/section_graph.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "reference/section_graph_reference.h"
#include "tesela/compose_transforms.h"
#include "tesela/error.h"

namespace tesela {
namespace {

constexpr double side = 400;
const ImageGrid grid{{400, 400}, {}};

double distance(const SpacePoint& a, const SpacePoint& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1]);
}
std::vector<SpacePoint> points() {
    std::vector<SpacePoint> list;
    for (const double y : {40.0, 200.0, 360.0})
        for (const double x : {40.0, 200.0, 360.0}) list.push_back({x, y, 0});
    return list;
}

// A series whose sections lie anyhow.
class Series {
  public:
    Series(std::size_t count, LinearKind kind, std::uint32_t seed) : random_(seed) {
        for (std::size_t i = 0; i < count; ++i)
            truth_.push_back(kind == LinearKind::rigid ? turned() : stretched());
    }
    double number() { return static_cast<double>(random_()) / 2147483648.0 - 1; }
    LinearMap turned() {
        const double angle = 3 * number(), c = std::cos(angle), s = std::sin(angle);
        return about({c, -s, s, c}, 30);
    }
    LinearMap stretched() {
        LinearMap map = composed(
            about({1 + 0.05 * number(), 0.03 * number(), 0, 1 + 0.05 * number()}, 0), turned());
        map.kind = LinearKind::affine;
        return map;
    }
    // A random map near none.
    LinearMap noise(double pixels) {
        const double share = pixels / (side / 2);
        return about(
            {1 + share * number(), share * number(), share * number(), 1 + share * number()},
            pixels);
    }
    LinearMap about(const std::array<double, 4>& m, double shift) {
        LinearMap map{LinearKind::rigid, {m[0], m[1], 0, m[2], m[3], 0, 0, 0, 1}, {}};
        const SpacePoint middle{side / 2, side / 2, 0}, moved = map(middle);
        for (std::size_t a = 0; a < 2; ++a)
            map.translation[a] = middle[a] - moved[a] + shift * number();
        return map;
    }
    void mirror(std::size_t i) { truth_[i] = composed(about({-1, 0, 0, 1}, 0), truth_[i]); }

    const std::vector<LinearMap>& truth() const { return truth_; }
    std::vector<ImageGrid> grids() const { return std::vector(truth_.size(), grid); }
    LinearMap between(std::size_t fixed, std::size_t moving) const {
        return composed(truth_[fixed].inverse(), truth_[moving]);
    }
    // Neighbors, and neighbors of neighbors.
    std::vector<SectionPair> pairs(double pixels = 0, std::size_t apart = 2) {
        std::vector<SectionPair> list;
        for (std::size_t i = 0; i < truth_.size(); ++i)
            for (std::size_t j = i + 1; j <= std::min(i + apart, truth_.size() - 1); ++j)
                list.push_back({static_cast<std::int64_t>(i),
                                static_cast<std::int64_t>(j),
                                {.steps = {composed(between(i, j), noise(pixels))}}});
        return list;
    }
    // Of the places from the truth, but for where section `reference` lies.
    double largest_error(const SectionPlaces& places, std::size_t reference,
                         std::size_t left_out = 1000) const {
        double largest = 0;
        for (std::size_t i = 0; i < truth_.size(); ++i)
            for (const SpacePoint& p : points())
                if (i != left_out)
                    largest = std::max(
                        largest, distance((*places.maps[i])(places.maps[reference]->inverse()(p)),
                                          between(reference, i)(p)));
        return largest;
    }

  private:
    std::mt19937 random_;
    std::vector<LinearMap> truth_;
};

TEST(SectionGraph, ExactPairsGiveTheTruth) {
    for (const LinearKind kind : {LinearKind::rigid, LinearKind::affine}) {
        Series series(9, kind, 1);
        series.mirror(3);
        series.mirror(8);
        const auto places = place_sections(series.grids(), series.pairs(), {.kind = kind});
        EXPECT_LT(series.largest_error(places, 0), 1e-6);
        for (const SectionPairFit& fit : places.pairs) {
            EXPECT_LT(fit.residual, 1e-6);
            EXPECT_GT(fit.weight, 0.99);
        }
    }
}

TEST(SectionGraph, TheReferenceStays) {
    Series series(6, LinearKind::affine, 2);
    const auto places = place_sections(series.grids(), series.pairs(), {.reference = 4});
    EXPECT_EQ(places.maps[4]->matrix, LinearMap{}.matrix);
    EXPECT_EQ(places.maps[4]->translation, LinearMap{}.translation);
    EXPECT_LT(series.largest_error(places, 4), 1e-6);
}

// Sections move as little as possible in total: no shift of their centers, no rotation, no stretch
// is left in the mean, and most are not mirrored.
TEST(SectionGraph, WithoutAReferenceTheMeanStays) {
    Series series(8, LinearKind::affine, 3);
    for (const std::size_t i : {0u, 2u, 3u, 5u, 7u}) series.mirror(i);
    const auto places = place_sections(series.grids(), series.pairs(), {});
    double area = 0, turn = 0, trace = 0;
    SpacePoint shift{};
    int mirrored = 0;
    const CanvasBox box = canvas_of(series.grids(), [&] {
        std::vector<std::optional<Transform>> maps;
        for (const auto& map : places.maps) maps.emplace_back(Transform{.steps = {*map}});
        return maps;
    }());
    const SpacePoint middle{(side - 1) / 2, (side - 1) / 2, 0};
    for (const auto& map : places.maps) {
        area += std::log(std::abs(determinant(map->matrix)));
        turn += map->matrix[1] - map->matrix[3];
        trace += map->matrix[0] + map->matrix[4];
        mirrored += determinant(map->matrix) < 0;
        const SpacePoint off = (*map)(middle);
        const auto& m = map->matrix;
        shift[0] += m[0] * (off[0] - middle[0]) + m[3] * (off[1] - middle[1]);
        shift[1] += m[1] * (off[0] - middle[0]) + m[4] * (off[1] - middle[1]);
    }
    EXPECT_NEAR(area, 0, 0.01);
    EXPECT_NEAR(turn, 0, 1e-6);
    EXPECT_GT(trace, 0);
    EXPECT_NEAR(shift[0], 0, 1e-6);
    EXPECT_NEAR(shift[1], 0, 1e-6);
    EXPECT_EQ(mirrored, 3);
    EXPECT_LT(box.low[0], 0);
    EXPECT_GT(box.high[0], side - 1);
}

// All pairs of one section are wrong, each in another way; where neighbors are chained, all that
// follow it are.
TEST(SectionGraph, AWrongSectionDoesNotBendTheRest) {
    Series series(12, LinearKind::affine, 4);
    const auto spoil = [&](std::vector<SectionPair>& pairs) {
        for (SectionPair& pair : pairs)
            if (pair.fixed == 5 || pair.moving == 5)
                pair.map.steps = {composed(series.between(static_cast<std::size_t>(pair.fixed),
                                                          static_cast<std::size_t>(pair.moving)),
                                           series.noise(60))};
    };
    std::vector<SectionPair> pairs = series.pairs(0.3), chain = series.pairs(0.3, 1);
    spoil(pairs);
    spoil(chain);
    const auto robust = place_sections(series.grids(), pairs, {});
    EXPECT_LT(series.largest_error(robust, 0, 5), 3);
    EXPECT_GT(series.largest_error(place_sections(series.grids(), chain, {}), 0, 5), 20);
    int rejected = 0;
    for (std::size_t p = 0; p < pairs.size(); ++p) {
        if (robust.pairs[p].weight < 0.05) ++rejected;
        if (pairs[p].fixed != 5 && pairs[p].moving != 5) {
            EXPECT_GT(robust.pairs[p].weight, 0.3);
        }
    }
    EXPECT_GE(rejected, 3);
    EXPECT_LE(rejected, 4);
}

// Pairs that are only expected join groups of others, and give way to those that are found.
TEST(SectionGraph, ExpectedPairsJoinGroups) {
    Series series(6, LinearKind::rigid, 8);
    std::vector<SectionPair> pairs = series.pairs(0, 1);
    SectionPair wrong = pairs[0];
    wrong.map.steps = {composed(series.between(0, 1), series.about({1, 0, 0, 1}, 90))};
    pairs.push_back(wrong);
    for (const std::size_t p : {2u, 5u}) {
        pairs[p].is_expected = true;
        pairs[p].trust = 1e-3;
    }
    const auto places = place_sections(series.grids(), pairs, {.kind = LinearKind::rigid});
    EXPECT_LT(series.largest_error(places, 0), 1e-3);
    EXPECT_GT(places.pairs[5].residual, 10);
    EXPECT_LT(places.pairs[5].weight, 0.05);
}

// Residuals within the precision are those of good pairs, larger ones are not.
TEST(SectionGraph, ThePrecisionSaysWhichPairsAreGood) {
    Series series(5, LinearKind::rigid, 9);
    std::vector<SectionPair> pairs = series.pairs();
    pairs[0].map.steps = {composed(series.between(0, 1),
                                   LinearMap{LinearKind::rigid, LinearMap{}.matrix, {3, 0, 0}})};
    const auto weight = [&](double precision) {
        return place_sections(series.grids(), pairs,
                              {.kind = LinearKind::rigid, .precision = precision})
            .pairs[0]
            .weight;
    };
    EXPECT_LT(weight(0.5), 0.05);
    EXPECT_GT(weight(20), 0.9);
}

// But for squares of the noise: distances are on the canvas here, in the sections there.
TEST(SectionGraph, EqualsTheReference) {
    Series series(10, LinearKind::rigid, 5);
    const std::vector<SectionPair> pairs = series.pairs(0.3);
    const auto places = place_sections(series.grids(), pairs, {.reference = 0});
    std::vector<double> weights;
    for (const SectionPairFit& fit : places.pairs) weights.push_back(fit.weight);
    const auto wanted =
        reference::affine_places(series.truth().size(), pairs, weights, 0, points());
    for (std::size_t i = 0; i < wanted.size(); ++i)
        for (const SpacePoint& p : points())
            EXPECT_LT(distance((*places.maps[i])(p), wanted[i](p)), 0.005) << i;
    EXPECT_GT(series.largest_error(places, 0), 0.15);  // which the noise leaves
}

TEST(SectionGraph, RigidMapsStayRigid) {
    Series series(7, LinearKind::affine, 6);
    const auto places =
        place_sections(series.grids(), series.pairs(1), {.kind = LinearKind::rigid});
    for (const auto& map : places.maps) {
        const auto& m = map->matrix;
        EXPECT_NEAR(std::abs(determinant(m)), 1, 1e-9);
        EXPECT_NEAR(m[0] * m[1] + m[3] * m[4], 0, 1e-9);
        EXPECT_EQ(map->kind, LinearKind::rigid);
    }
}

TEST(SectionGraph, OnlyTheLargestGroupIsPlaced) {
    Series series(7, LinearKind::rigid, 7);
    std::vector<SectionPair> pairs;
    for (const SectionPair& pair : series.pairs())
        if ((pair.fixed < 3) == (pair.moving < 3)) pairs.push_back(pair);
    const auto places = place_sections(series.grids(), pairs, {});
    for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(places.maps[i].has_value(), i >= 3) << i;
    EXPECT_THROW(place_sections(series.grids(), pairs, {.reference = 1}), InvalidArgument);
    EXPECT_THROW(place_sections(series.grids(), pairs, {.reference = 9}), InvalidArgument);
    pairs.push_back({2, 7, {}});
    EXPECT_THROW(place_sections(series.grids(), pairs, {}), InvalidArgument);
    EXPECT_TRUE(place_sections({}, {}, {}).maps.empty());
}

// A smooth deformation of each section, with its pairs as registration finds them.
class BentSeries {
  public:
    explicit BentSeries(std::size_t count) : series_(count, LinearKind::rigid, 11) {
        for (std::size_t i = 0; i < count; ++i) {
            SplineMap bend = spline_over({0, 0, 0}, {side, side, 0}, 2, side / 3);
            for (double& value : bend.displacements) value = 9 * series_.number();
            truth_.push_back({.steps = {bend, series_.truth()[i]}});
        }
    }
    std::vector<SectionPair> pairs(double noise) {
        std::vector<SectionPair> list;
        for (std::size_t i = 0; i < truth_.size(); ++i)
            for (std::size_t j = i + 1; j <= std::min(i + 2, truth_.size() - 1); ++j) {
                Transform map = composed(inverted(truth_[i]).transform, truth_[j]);
                map.steps.emplace_back(series_.noise(noise));
                list.push_back({static_cast<std::int64_t>(i), static_cast<std::int64_t>(j), map});
            }
        return list;
    }
    std::vector<ImageGrid> grids() const { return series_.grids(); }
    // What a point of the canvas shows of the tissue, section by section.
    double residual(const std::vector<std::optional<Transform>>& maps) const {
        std::vector<std::pair<SpacePoint, SpacePoint>> shown;
        for (double y = 60; y < side - 50; y += 20)
            for (double x = 60; x < side - 50; x += 20)
                for (std::size_t i = 0; i < maps.size(); ++i)
                    shown.emplace_back(SpacePoint{x, y, 0},
                                       truth_[i].inverse_of((*maps[i])({x, y, 0})));
        return reference::residual_after_affine(shown);
    }

  private:
    Series series_;
    std::vector<Transform> truth_;
};

std::vector<std::optional<Transform>> straight(const SectionPlaces& places) {
    std::vector<std::optional<Transform>> maps;
    for (const auto& map : places.maps) maps.emplace_back(Transform{.steps = {*map}});
    return maps;
}

TEST(SectionBending, SplinesFollowThePairs) {
    BentSeries series(20);
    const auto pairs = series.pairs(0.1);
    const auto places = place_sections(series.grids(), pairs, {.kind = LinearKind::rigid});
    const double rigid = series.residual(straight(places));
    const auto bent = bend_sections(series.grids(), pairs, places, {.nodes = 16});
    const double spline = series.residual(bent);
    EXPECT_GT(rigid, 3);
    EXPECT_LT(spline, 1.5);  // the mean deformation of the series, which is nobody's
    // No shrinking and no drift: the mean of all areas and displacements stays.
    double area = 0;
    SpacePoint shift{};
    for (const auto& map : bent) {
        const auto& bend = std::get<SplineMap>(map->steps.front());
        for (const SpacePoint& p : points()) {
            area += determinant(bend.jacobian(p)) - 1;
            const SpacePoint moved = bend(p);
            shift = {shift[0] + moved[0] - p[0], shift[1] + moved[1] - p[1], 0};
        }
    }
    const double count = 20.0 * static_cast<double>(points().size());
    EXPECT_LT(std::abs(area / count), 0.01);
    EXPECT_LT(std::hypot(shift[0], shift[1]) / count, 0.02);
}

TEST(SectionBending, TheReferenceIsNotBent) {
    BentSeries series(6);
    const auto pairs = series.pairs(0);
    const auto places =
        place_sections(series.grids(), pairs, {.kind = LinearKind::rigid, .reference = 2});
    const auto bent = bend_sections(series.grids(), pairs, places, {.nodes = 16, .reference = 2});
    for (const double value : std::get<SplineMap>(bent[2]->steps.front()).displacements)
        EXPECT_EQ(value, 0);
    // Relative to it the pairs give all other splines.
    double largest = 0;
    for (const SectionPair& pair : pairs)
        for (const SpacePoint& p : points())
            if (pair.fixed == 2)
                largest = std::max(
                    largest,
                    distance((*bent[static_cast<std::size_t>(pair.moving)])(p), pair.map(p)));
    EXPECT_LT(largest, 0.5);
}

// Splines that fold are scaled down.
TEST(SectionBending, NothingFolds) {
    BentSeries series(5);
    auto pairs = series.pairs(0);
    SplineMap wild = spline_over({0, 0, 0}, {side, side, 0}, 2, side / 8);
    for (std::size_t i = 0; i < wild.displacements.size(); ++i)
        wild.displacements[i] = i % 3 == 0 ? 90 : -90;
    for (SectionPair& pair : pairs)
        if (pair.moving == 4) pair.map.steps.insert(pair.map.steps.begin(), wild);
    const auto places = place_sections(series.grids(), pairs, {.kind = LinearKind::rigid});
    const auto bent = bend_sections(series.grids(), pairs, places, {.nodes = 16});
    for (const auto& map : bent) EXPECT_GT(least_jacobian(*map, grid, 3), 0.02);
}

}  // namespace
}  // namespace tesela
