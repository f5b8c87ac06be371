#include "evaluation/section_tissue.h"

#include <algorithm>
#include <cmath>

namespace tesela {
namespace {

constexpr double pi = 3.14159265358979323846;
constexpr double wall_share = 1.5;  // radius of a vessel with its wall, in radii of its lumen

double smooth_step(double t) { return t * t * (3 - 2 * t); }

// 0 below, 1 above, soft over `width`.
double above(double value, double edge, double width) {
    return std::clamp((value - edge) / width + 0.5, 0.0, 1.0);
}

}  // namespace

double hashed(std::uint64_t seed, std::int64_t x, std::int64_t y, std::uint64_t kind) {
    std::uint64_t h = seed * 0x9e3779b97f4a7c15u + kind;
    for (const std::int64_t value : {x, y}) {
        h ^= static_cast<std::uint64_t>(value);
        h = (h ^ h >> 33) * 0xff51afd7ed558ccdu;
        h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53u;
        h ^= h >> 33;
    }
    return static_cast<double>(h >> 11) * 0x1p-53;
}

SectionTissue::SectionTissue(std::uint64_t seed, double pixel)
    : seed_(seed), pixel_(pixel), near_(cells * cells) {
    for (std::size_t k = 0; k < waves_.size(); ++k) {
        const auto order = static_cast<std::int64_t>(k);
        waves_[k] = (2 * hashed(seed, order, 0, 1) - 1) * 0.18 / (1 + static_cast<double>(k));
        turns_[k] = 2 * pi * hashed(seed, order, 1, 1);
    }
    constexpr int most = 70;
    for (int i = 0; i < most; ++i) {
        const auto number = [&](std::int64_t which) { return hashed(seed, i, which, 2); };
        const double angle = 2 * pi * number(0);
        const double reach = 0.9 * std::sqrt(number(1)) * radius_at(angle);
        const double direction = 2 * pi * number(2), u = number(3);
        const double length = number(4) < 0.6 ? 0 : 0.03 + 0.1 * number(5);
        const double radius = 0.004 + 0.018 * u * u;
        add_vessel({reach * std::cos(angle), reach * std::sin(angle), radius,
                    length * std::cos(direction), length * std::sin(direction)});
    }
}

double SectionTissue::radius_at(double angle) const {
    double radius = 1;
    for (std::size_t k = 0; k < waves_.size(); ++k)
        radius += waves_[k] * std::cos(static_cast<double>(k + 1) * angle + turns_[k]);
    return 0.34 * radius;
}

bool SectionTissue::is_inside(double x, double y) const {
    return std::hypot(x, y) < radius_at(std::atan2(y, x));
}

void SectionTissue::add_vessel(const Vessel& vessel) {
    const auto number = static_cast<std::int32_t>(vessels_.size());
    vessels_.push_back(vessel);
    const double reach = wall_share * vessel.radius + 2 * pixel_;
    const auto cell = [](double place) {
        return std::clamp(static_cast<int>(std::floor((place + 0.5) * cells)), 0, cells - 1);
    };
    const double end_x = vessel.x + vessel.bend_x, end_y = vessel.y + vessel.bend_y;
    for (int j = cell(std::min(vessel.y, end_y) - reach);
         j <= cell(std::max(vessel.y, end_y) + reach); ++j)
        for (int i = cell(std::min(vessel.x, end_x) - reach);
             i <= cell(std::max(vessel.x, end_x) + reach); ++i)
            near_[static_cast<std::size_t>(j * cells + i)].push_back(number);
}

SectionTissue::Cut SectionTissue::vessels_at(double x, double y) const {
    Cut cut;
    const auto cell = [](double place) {
        return static_cast<std::int64_t>(std::floor((place + 0.5) * cells));
    };
    const std::int64_t i = cell(x), j = cell(y);
    if (i < 0 || j < 0 || i >= cells || j >= cells) return cut;
    for (const std::int32_t number : near_[static_cast<std::size_t>(j * cells + i)]) {
        const Vessel& vessel = vessels_[static_cast<std::size_t>(number)];
        const double squared = vessel.bend_x * vessel.bend_x + vessel.bend_y * vessel.bend_y;
        const double dx = x - vessel.x, dy = y - vessel.y;
        const double along =
            squared > 0 ? std::clamp((dx * vessel.bend_x + dy * vessel.bend_y) / squared, 0.0, 1.0)
                        : 0;
        const double distance = std::hypot(dx - along * vessel.bend_x, dy - along * vessel.bend_y);
        cut.lumen = std::max(cut.lumen, 1 - above(distance, vessel.radius, pixel_));
        cut.wall = std::max(cut.wall, 1 - above(distance, wall_share * vessel.radius, pixel_));
    }
    return cut;
}

// Values at the corners of squares, smooth between them.
double SectionTissue::noise(double x, double y, double length, std::uint64_t kind) const {
    const double u = x / length, v = y / length;
    const double left = std::floor(u), top = std::floor(v);
    const auto i = static_cast<std::int64_t>(left), j = static_cast<std::int64_t>(top);
    const double s = smooth_step(u - left), t = smooth_step(v - top);
    const auto corner = [&](std::int64_t di, std::int64_t dj) {
        return hashed(seed_, i + di, j + dj, kind);
    };
    return (1 - t) * ((1 - s) * corner(0, 0) + s * corner(1, 0)) +
           t * ((1 - s) * corner(0, 1) + s * corner(1, 1));
}

// One in each of a share of the squares, with a radius of a quarter.
double SectionTissue::nuclei(double x, double y, double share, double marked) const {
    const double cell = std::max(1.0 / 150, 4 * pixel_);
    const auto i = static_cast<std::int64_t>(std::floor(x / cell));
    const auto j = static_cast<std::int64_t>(std::floor(y / cell));
    if (hashed(seed_, i, j, 3) > share || hashed(seed_, i, j, 9) > marked) return 0;
    const auto middle = [&](std::int64_t at, std::uint64_t kind) {
        return (static_cast<double>(at) + 0.35 + 0.3 * hashed(seed_, i, j, kind)) * cell;
    };
    return 1 - above(std::hypot(x - middle(i, 4), y - middle(j, 5)), 0.25 * cell, pixel_);
}

// Two kinds of tissue lie in each other: one rich in nuclei, one that DAB stains.
StainAmounts SectionTissue::amounts(double x, double y) const {
    const double angle = std::atan2(y, x);
    const double inside = 1 - above(std::hypot(x, y), radius_at(angle), 2 * pixel_);
    if (inside == 0) return {};
    const Cut cut = vessels_at(x, y);
    const double tissue = inside * (1 - cut.lumen), wall = tissue * cut.wall;
    const double layers = 0.6 * noise(x, y, 0.11, 6) + 0.4 * noise(x, y, 0.043, 7);
    const double kind = above(layers, 0.5, 0.04), fibers = noise(x, y, 0.016, 8);
    const double plain = tissue - wall;
    return {plain * (0.08 + 0.6 * nuclei(x, y, 0.3 + 0.5 * kind)) + 0.1 * wall,
            plain * (0.12 + 0.28 * (1 - kind) + 0.2 * fibers) + 0.55 * wall,
            plain * (0.03 + 0.5 * kind * (0.6 + 0.4 * fibers)) + 0.3 * wall,
            plain * 0.6 * nuclei(x, y, 0.3 + 0.5 * kind, 0.04 + 0.12 * kind)};
}

}  // namespace tesela
