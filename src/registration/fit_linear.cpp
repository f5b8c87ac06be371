#include "registration/fit_linear.h"

#include <algorithm>
#include <cmath>

#include "core/jacobi_rotation.h"
#include "registration/least_squares.h"

namespace tesela {
namespace {

SpacePoint center_of(const std::vector<SpacePoint>& points) {
    SpacePoint sum{};
    for (const SpacePoint& point : points)
        for (std::size_t a = 0; a < 3; ++a) sum[a] += point[a];
    for (double& coordinate : sum) coordinate /= static_cast<double>(points.size());
    return sum;
}

// Of coordinates around a center.
struct Moments {
    SpacePoint from{}, to{};
    SquareMatrix<3> products{};  // of coordinates that are mapped, by rows, and their partners
    double squares = 0;          // of coordinates that are mapped
};
Moments moments_of(const PointPairs& pairs) {
    Moments moments{center_of(pairs.from), center_of(pairs.to)};
    for (std::size_t i = 0; i < pairs.from.size(); ++i)
        for (std::size_t a = 0; a < 3; ++a) {
            const double here = pairs.from[i][a] - moments.from[a];
            moments.squares += here * here;
            for (std::size_t b = 0; b < 3; ++b)
                moments.products[a][b] += here * (pairs.to[i][b] - moments.to[b]);
        }
    return moments;
}

struct Turn {
    SpaceMatrix matrix{1, 0, 0, 0, 1, 0, 0, 0, 1};
    double gain = 0;  // sum of products of turned coordinates and their partners
    bool is_determined = true;
};

// Plain, or mirrored where that fits better.
Turn turn_of_plane(const SquareMatrix<3>& s) {
    constexpr double better = 1 + 1e-9;  // points on a line fit both ways
    const double plain = std::hypot(s[0][0] + s[1][1], s[0][1] - s[1][0]);
    const double mirrored = std::hypot(s[0][0] - s[1][1], s[0][1] + s[1][0]);
    const bool flips = mirrored > better * plain;
    const double sign = flips ? -1 : 1, gain = flips ? mirrored : plain;
    if (!(gain > 0)) return {.is_determined = false};
    const double c = (s[0][0] + sign * s[1][1]) / gain, t = (s[0][1] - sign * s[1][0]) / gain;
    return {{c, -sign * t, 0, t, sign * c, 0, 0, 0, 1}, gain};
}

// The rotation whose quaternion is the first eigenvector (B. K. P. Horn, "Closed-form solution of
// absolute orientation using unit quaternions", J. Opt. Soc. Am. A 4(4), 1987).
Turn turn_of_space(const SquareMatrix<3>& s) {
    const SquareMatrix<4> n{
        {{s[0][0] + s[1][1] + s[2][2], s[1][2] - s[2][1], s[2][0] - s[0][2], s[0][1] - s[1][0]},
         {s[1][2] - s[2][1], s[0][0] - s[1][1] - s[2][2], s[0][1] + s[1][0], s[2][0] + s[0][2]},
         {s[2][0] - s[0][2], s[0][1] + s[1][0], s[1][1] - s[0][0] - s[2][2], s[1][2] + s[2][1]},
         {s[0][1] - s[1][0], s[2][0] + s[0][2], s[1][2] + s[2][1], s[2][2] - s[0][0] - s[1][1]}}};
    const Eigensystem<4> found = eigensystem(n);
    std::array<double, 4> sorted{};
    std::size_t best = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        sorted[i] = found.values[i][i];
        if (sorted[i] > found.values[best][best]) best = i;
    }
    std::sort(sorted.begin(), sorted.end());
    const double w = found.vectors[0][best], x = found.vectors[1][best], y = found.vectors[2][best],
                 z = found.vectors[3][best];
    return {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z),
             1 - 2 * (x * x + z * z), 2 * (y * z - w * x), 2 * (x * z - w * y), 2 * (y * z + w * x),
             1 - 2 * (x * x + y * y)},
            sorted[3],
            sorted[3] - sorted[2] > 1e-9 * std::abs(sorted[3])};
}

std::optional<LinearMap> fit_turn(const PointPairs& pairs, LinearKind kind) {
    const Moments moments = moments_of(pairs);
    if (!(moments.squares > 0)) return {};
    const Turn turn =
        pairs.dimensions == 2 ? turn_of_plane(moments.products) : turn_of_space(moments.products);
    if (!turn.is_determined) return {};
    LinearMap map{kind, turn.matrix, {}};
    if (kind == LinearKind::similarity) {
        const double scale = turn.gain / moments.squares;
        if (!(scale > 0)) return {};
        for (double& value : map.matrix) value *= scale;
        if (pairs.dimensions == 2) map.matrix[8] = 1;
    }
    const SpacePoint moved = map(moments.from);
    for (std::size_t a = 0; a < 3; ++a) map.translation[a] = moments.to[a] - moved[a];
    return map;
}

std::optional<LinearMap> fit_affine(const PointPairs& pairs) {
    const auto d = static_cast<std::size_t>(pairs.dimensions);
    const SpacePoint center = center_of(pairs.from);
    double reach = 0;
    for (const SpacePoint& point : pairs.from)
        for (std::size_t a = 0; a < d; ++a) reach = std::max(reach, std::abs(point[a] - center[a]));
    if (!(reach > 0)) return {};
    std::vector<std::vector<double>> rows;
    for (const SpacePoint& point : pairs.from) {
        auto& row = rows.emplace_back(1, 1.0);
        for (std::size_t a = 0; a < d; ++a) row.push_back((point[a] - center[a]) / reach);
    }
    const auto found = least_squares(std::move(rows), pairs.to);
    if (!found) return {};
    LinearMap map;
    for (std::size_t row = 0; row < d; ++row)
        for (std::size_t a = 0; a < d; ++a) map.matrix[3 * row + a] = (*found)[1 + a][row] / reach;
    const SpacePoint moved = map(center);
    for (std::size_t a = 0; a < d; ++a) map.translation[a] = (*found)[0][a] - moved[a];
    if (!(std::abs(determinant(map.matrix)) > 1e-9)) return {};
    return map;
}

}  // namespace

PointPairs chosen(const PointPairs& pairs, const std::vector<bool>& is_taken) {
    PointPairs taken{.dimensions = pairs.dimensions};
    for (std::size_t i = 0; i < is_taken.size(); ++i)
        if (is_taken[i]) {
            taken.from.push_back(pairs.from[i]);
            taken.to.push_back(pairs.to[i]);
        }
    return taken;
}

std::size_t pairs_needed(LinearKind kind, int dimensions) {
    return static_cast<std::size_t>(kind == LinearKind::affine ? dimensions + 1 : dimensions);
}

std::optional<LinearMap> fit_linear(const PointPairs& pairs, LinearKind kind) {
    return kind == LinearKind::affine ? fit_affine(pairs) : fit_turn(pairs, kind);
}

}  // namespace tesela
