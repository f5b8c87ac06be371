#include "tesela/synthetic_sections.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "evaluation/section_tissue.h"
#include "tesela/stain.h"

namespace tesela {
namespace {

constexpr double pi = 3.14159265358979323846;

// A line into the tissue along which it is torn apart, or with a negative width pushed over itself:
// a point at the distance s from it moves by half the width, and less the farther it is.
struct Seam {
    SpacePoint first{};       // where it begins
    double cos = 1, sin = 0;  // of its direction
    double length = 1, width = 0, fade = 1;

    bool is_none() const { return width == 0; }
    double along(const SpacePoint& p) const {
        return (p[0] - first[0]) * cos + (p[1] - first[1]) * sin;
    }
    double off(const SpacePoint& p) const {
        return (p[1] - first[1]) * cos - (p[0] - first[0]) * sin;
    }
    SpacePoint shifted(const SpacePoint& p, double by) const {
        return {p[0] - by * sin, p[1] + by * cos, 0};
    }
    double half_width(const SpacePoint& p) const {
        const double left = std::clamp(1 - along(p) / length, 0.0, 1.0);
        return 0.5 * width * std::min(1.0, 2 * left);
    }
    double push(double distance, double half) const {
        return (distance < 0 ? -half : half) * std::exp(-std::abs(distance) / fade);
    }
    SpacePoint operator()(const SpacePoint& p) const {
        return is_none() ? p : shifted(p, push(off(p), half_width(p)));
    }
    // Calls take(point) for all points that come to lie at `q`: none in a tear, two in a fold.
    template <class Take>
    void sources(const SpacePoint& q, const Take& take) const {
        const double half = is_none() ? 0 : half_width(q);
        if (half == 0) return take(q);
        const double at = off(q);
        for (const double side : {-1.0, 1.0}) {
            double s = at;
            constexpr int rounds = 8;
            for (int round = 0; round < rounds; ++round)
                s = at - side * half * std::exp(-std::abs(s) / fade);
            if (s * side > 0) take(shifted(q, s - at));
        }
    }
    bool lies_double(const SpacePoint& p) const {
        if (width >= 0) return false;
        const double s = off(p), half = half_width(p);
        return s * (s + push(s, half)) < 0 || std::abs(s) < -2 * half;
    }
};

// Beyond a line the tissue is missing.
struct Edge {
    double cos = 1, sin = 0, farthest = 1e300;

    bool is_beyond(const SpacePoint& p) const { return p[0] * cos + p[1] * sin > farthest; }
};

// What happened to a section. Points are in pixels of the first section.
struct Damage {
    Seam tear, fold;
    Edge edge;  // about the middle, in parts of the shorter side
};

class Series {
  public:
    explicit Series(const SyntheticSectionsOptions& options)
        : options_(options),
          side_(static_cast<double>(std::min(options.width, options.height))),
          middle_{0.5 * static_cast<double>(options.width - 1),
                  0.5 * static_cast<double>(options.height - 1), 0},
          tissue_(options.seed, 1 / side_) {}

    double side() const { return side_; }
    const SectionTissue& tissue() const { return tissue_; }
    SpacePoint unit(const SpacePoint& p) const {
        return {(p[0] - middle_[0]) / side_, (p[1] - middle_[1]) / side_, 0};
    }
    SpacePoint pixel(double x, double y) const {
        return {middle_[0] + side_ * x, middle_[1] + side_ * y, 0};
    }
    bool has_tissue(const SpacePoint& p) const {
        const SpacePoint at = unit(p);
        return tissue_.is_inside(at[0], at[1]);
    }

    LinearMap placed(int index) const {
        const auto number = [&](std::int64_t which) { return signed_number(index, which); };
        const double angle = options_.rotation * pi / 180 * number(0);
        const double scale = std::pow(1 + options_.scale, number(1));
        const bool is_mirrored = options_.mirror == SectionMirror::yes ||
                                 (options_.mirror == SectionMirror::random && number(2) > 0);
        const double c = scale * std::cos(angle), s = scale * std::sin(angle),
                     m = is_mirrored ? -1 : 1;
        LinearMap map{LinearKind::similarity, {m * c, -s, 0, m * s, c, 0, 0, 0, 1}, {}};
        const SpacePoint turned = map(middle_);
        const double way = options_.shift * side_ * std::sqrt(std::abs(number(3)));
        const double direction = pi * number(4);
        map.translation = {middle_[0] - turned[0] + way * std::cos(direction),
                           middle_[1] - turned[1] + way * std::sin(direction), 0};
        return map;
    }

    // Random nodes, scaled to the longest displacement that was asked for.
    SplineMap bent(int index) const {
        const SpacePoint last{static_cast<double>(options_.width - 1),
                              static_cast<double>(options_.height - 1), 0};
        SplineMap map = spline_over({0, 0, 0}, last, 2, side_ / 4);
        for (std::size_t i = 0; i < map.displacements.size(); ++i)
            map.displacements[i] = signed_number(index, 100 + static_cast<std::int64_t>(i));
        double longest = 0;
        constexpr int samples = 32;
        for (int j = 0; j <= samples; ++j)
            for (int i = 0; i <= samples; ++i) {
                const SpacePoint p{last[0] * i / samples, last[1] * j / samples, 0};
                const SpacePoint moved = map(p);
                longest = std::max(longest, std::hypot(moved[0] - p[0], moved[1] - p[1]));
            }
        for (double& value : map.displacements) value *= options_.deformation * side_ / longest;
        return map;
    }

    Damage damage(int index) const {
        return {seam(index, 20, options_.tear), seam(index, 30, -options_.fold), edge(index)};
    }

  private:
    double signed_number(int index, std::int64_t which) const {
        return 2 * hashed(options_.seed, index, which, 20) - 1;
    }
    // From the outline to beside the middle.
    Seam seam(int index, std::int64_t which, double width) const {
        const double angle = pi * signed_number(index, which);
        const double direction = angle + pi + 0.4 * signed_number(index, which + 1);
        const double reach = tissue_.radius_at(angle);
        constexpr double fade = 0.1;
        return {pixel(1.02 * reach * std::cos(angle), 1.02 * reach * std::sin(angle)),
                std::cos(direction),
                std::sin(direction),
                0.8 * reach * side_,
                width * side_,
                fade * side_};
    }
    // The line beyond which the share of the tissue lies.
    Edge edge(int index) const {
        if (options_.missing == 0) return {};
        const double angle = pi * signed_number(index, 40);
        Edge edge{std::cos(angle), std::sin(angle), 0};
        std::vector<double> places;
        constexpr int samples = 100;
        for (int j = 0; j < samples; ++j)
            for (int i = 0; i < samples; ++i) {
                const double x = (i + 0.5) / samples - 0.5, y = (j + 0.5) / samples - 0.5;
                if (tissue_.is_inside(x, y)) places.push_back(x * edge.cos + y * edge.sin);
            }
        std::sort(places.begin(), places.end());
        const double rank = (1 - options_.missing) * static_cast<double>(places.size() - 1);
        edge.farthest = places[static_cast<std::size_t>(rank)];
        return edge;
    }

    const SyntheticSectionsOptions options_;
    double side_;
    SpacePoint middle_;
    SectionTissue tissue_;
};

// One section of a series: the way of its points, and what is seen where.
class Section {
  public:
    Section(const SyntheticSectionsOptions& options, int index)
        : options_(options), index_(index), series_(options) {
        if (index == 0) return;
        bent_ = series_.bent(index);
        linear_ = series_.placed(index);
        back_ = linear_.inverse();
        if (options.damaged.value_or(index) == index) damage_ = series_.damage(index);
    }

    SpacePoint moved(const SpacePoint& p) const {
        const SpacePoint torn = damage_.fold(damage_.tear(p));
        return linear_(bent_ ? (*bent_)(torn) : torn);
    }
    Transform transform(const ImageGrid& grid) const {
        Transform transform{.steps = {linear_}, .fixed = grid, .moving = grid};
        if (bent_) transform.steps = {*bent_, linear_};
        return transform;
    }
    bool is_left(const SpacePoint& p) const {
        return series_.has_tissue(p) && !damage_.edge.is_beyond(series_.unit(p)) &&
               !damage_.fold.lies_double(damage_.tear(p)) && is_in_picture(moved(p));
    }
    Image<std::uint8_t> picture() const;
    Image<std::uint8_t> remaining() const {
        Image<std::uint8_t> mask({options_.width, options_.height});
        for (std::int64_t y = 0; y < options_.height; ++y)
            for (std::int64_t x = 0; x < options_.width; ++x)
                mask(x, y) = is_left({static_cast<double>(x), static_cast<double>(y), 0});
        return mask;
    }
    // Vessels first, which are cut across, then places in the tissue.
    Landmarks landmarks() const {
        Landmarks landmarks;
        const auto& vessels = series_.tissue().vessels();
        for (int i = 0, tried = 0; i < options_.landmarks; ++tried) {
            const auto number = static_cast<std::size_t>(tried);
            SpacePoint p = series_.pixel(hashed(options_.seed, tried, 0, 30) - 0.5,
                                         hashed(options_.seed, tried, 1, 30) - 0.5);
            if (number < vessels.size()) p = series_.pixel(vessels[number].x, vessels[number].y);
            if (!series_.has_tissue(p)) continue;
            ++i;
            if (is_left(p)) landmarks.list.push_back({std::to_string(i), moved(p)});
        }
        return landmarks;
    }

  private:
    bool is_in_picture(const SpacePoint& p) const {
        return p[0] >= 0 && p[1] >= 0 && p[0] <= static_cast<double>(options_.width - 1) &&
               p[1] <= static_cast<double>(options_.height - 1);
    }
    // The point that bends to `mapped`: the fixed point of "mapped - displacement", from that of
    // the last pixel on.
    SpacePoint unbent(const SpacePoint& mapped, SpacePoint& displacement) const {
        if (!bent_) return mapped;
        SpacePoint point = mapped;
        constexpr int most_rounds = 30;
        for (int round = 0; round < most_rounds; ++round) {
            point = {mapped[0] - displacement[0], mapped[1] - displacement[1], 0};
            const SpacePoint bent = (*bent_)(point);
            const double dx = bent[0] - mapped[0], dy = bent[1] - mapped[1];
            displacement[0] += dx;
            displacement[1] += dy;
            constexpr double enough = 1e-3;  // pixels
            if (std::abs(dx) + std::abs(dy) < enough) break;
        }
        return {mapped[0] - displacement[0], mapped[1] - displacement[1], 0};
    }
    // Stains of all tissue that lies at a point before it bends.
    StainAmounts seen(const SpacePoint& point) const {
        StainAmounts sum;
        damage_.fold.sources(point, [&](const SpacePoint& over) {
            damage_.tear.sources(over, [&](const SpacePoint& source) {
                const SpacePoint at = series_.unit(source);
                if (damage_.edge.is_beyond(at)) return;
                const StainAmounts here = series_.tissue().amounts(at[0], at[1]);
                sum.hematoxylin += here.hematoxylin;
                sum.eosin += here.eosin;
                sum.dab += here.dab;
                sum.marked += here.marked;
            });
        });
        return sum;
    }

    SyntheticSectionsOptions options_;
    int index_;
    Series series_;
    std::optional<SplineMap> bent_;
    LinearMap linear_, back_;
    Damage damage_;
};

// What is seen of hematoxylin and of the other stain.
std::array<double, 2> stained(const StainAmounts& amounts, SectionStains stains) {
    constexpr double weak = 0.25;  // of a counterstain
    switch (stains) {
        case SectionStains::hdab:
            return {amounts.hematoxylin, amounts.dab};
        case SectionStains::nuclear:
            return {weak * amounts.hematoxylin, amounts.marked};
        case SectionStains::pale:
            return {weak * amounts.hematoxylin, weak * amounts.eosin};
        default:
            return {amounts.hematoxylin, amounts.eosin};
    }
}

Image<std::uint8_t> Section::picture() const {
    SectionStains stains = options_.stains;
    if (stains == SectionStains::swapped)
        stains = index_ % 2 == 1 ? SectionStains::hdab : SectionStains::he;
    const bool is_dab = stains == SectionStains::hdab || stains == SectionStains::nuclear;
    const StainMatrix matrix = stain_matrix(is_dab ? StainSet::hdab : StainSet::he);
    Image<std::uint8_t> picture({options_.width, options_.height, 1, 1, 3});
    for (std::int64_t y = 0; y < options_.height; ++y) {
        SpacePoint displacement{};
        for (std::int64_t x = 0; x < options_.width; ++x) {
            const SpacePoint at{static_cast<double>(x), static_cast<double>(y), 0};
            const auto amounts = stained(seen(unbent(back_(at), displacement)), stains);
            const auto seed = options_.seed + 1000 * static_cast<std::uint64_t>(index_);
            for (std::size_t c = 0; c < 3; ++c) {
                const double density =
                    amounts[0] * matrix.stains[0][c] + amounts[1] * matrix.stains[1][c];
                constexpr double glass = 243, grain = 6;
                const double value =
                    glass * std::pow(10, -density) + grain * (hashed(seed, x, y, 40 + c) - 0.5);
                picture(x, y, 0, 0, static_cast<int>(c)) =
                    static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0, 255.0)));
            }
        }
    }
    return picture;
}

}  // namespace

StackedSection synthetic_stack_section(const SyntheticSectionsOptions& options, int index) {
    validate_options(options);
    if (index < 0 || index >= options.count)
        throw InvalidArgument("there is no section " + std::to_string(index) + " of " +
                              std::to_string(options.count));
    const auto section = std::make_shared<const Section>(options, index);
    StackedSection made;
    made.picture = section->picture();
    made.transform = section->transform(grid_of(made.picture));
    made.moved = [section](const SpacePoint& point) { return section->moved(point); };
    made.remaining = section->remaining();
    made.landmarks = section->landmarks();
    return made;
}

}  // namespace tesela
