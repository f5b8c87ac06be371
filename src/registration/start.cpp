#include "registration/start.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace tesela {
namespace {

SpacePoint tissue_center(const RegistrationView& view) {
    SpacePoint sum{};
    double count = 0;
    std::size_t i = 0;
    for (std::int64_t z = 0; z < view.tissue_shape.z; ++z)
        for (std::int64_t y = 0; y < view.tissue_shape.y; ++y)
            for (std::int64_t x = 0; x < view.tissue_shape.x; ++x)
                if (view.tissue[i++]) {
                    sum = {sum[0] + double(x), sum[1] + double(y), sum[2] + double(z)};
                    count += 1;
                }
    return view.tissue_placed({sum[0] / count, sum[1] / count, sum[2] / count});
}

SpaceMatrix turned(double angle, bool mirrored) {
    const double c = std::cos(angle), s = std::sin(angle), m = mirrored ? -1 : 1;
    return {m * c, -s, 0, m * s, c, 0, 0, 0, 1};
}

// The 24 ways to turn the axes of a cube.
std::vector<SpaceMatrix> cube_rotations() {
    std::vector<SpaceMatrix> rotations;
    std::array<std::size_t, 3> axes{0, 1, 2};
    do {
        for (int signs = 0; signs < 8; ++signs) {
            SpaceMatrix m{};
            for (std::size_t row = 0; row < 3; ++row)
                m[3 * row + axes[row]] = signs >> row & 1 ? -1 : 1;
            if (determinant(m) > 0) rotations.push_back(m);
        }
    } while (std::next_permutation(axes.begin(), axes.end()));
    return rotations;
}

bool is_any(const RegistrationOptions& options, int dimensions) {
    return options.rotation.value_or(dimensions == 3 ? RotationRange::none : RotationRange::any) ==
           RotationRange::any;
}

std::vector<SpaceMatrix> orientations(const RegistrationOptions& options, int dimensions) {
    constexpr double turn = 2 * 3.14159265358979323846;
    constexpr int angles = 24;
    const bool any = is_any(options, dimensions);
    if (dimensions == 3) return any ? cube_rotations() : std::vector<SpaceMatrix>{turned(0, false)};
    std::vector<SpaceMatrix> matrices;
    for (const bool mirrored : {false, true}) {
        if (mirrored ? options.mirror == MirrorChoice::no : options.mirror == MirrorChoice::yes)
            continue;
        if (mirrored && !any && options.mirror == MirrorChoice::automatic) continue;
        for (int k = 0; k < (any ? angles : 1); ++k)
            matrices.push_back(turned(turn * k / angles, mirrored));
    }
    return matrices;
}

LinearMap about_centers(const SpaceMatrix& matrix, const SpacePoint& from, const SpacePoint& to) {
    LinearMap map{LinearKind::rigid, matrix, {}};
    const SpacePoint moved = map(from);
    for (std::size_t axis = 0; axis < 3; ++axis) map.translation[axis] = to[axis] - moved[axis];
    return map;
}

bool is_plausible(const StartCandidate& candidate, int dimensions) {
    constexpr double least_overlap = 0.4, most_scale = 1.4;
    const double scale = std::pow(std::abs(determinant(candidate.map.matrix)), 1.0 / dimensions);
    return candidate.score.overlap >= least_overlap && scale < most_scale && scale > 1 / most_scale;
}

}  // namespace

bool is_alike(const LinearMap& a, const LinearMap& b, const ImageGrid& fixed) {
    const LinearMap placed = placement(fixed);
    const std::array<double, 3> last{double(fixed.shape.x - 1), double(fixed.shape.y - 1),
                                     double(fixed.shape.z - 1)};
    const SpacePoint first = placed({0, 0, 0}), end = placed(last);
    const double side = std::hypot(end[0] - first[0], end[1] - first[1], end[2] - first[2]);
    double farthest = 0;
    for (int corner = 0; corner < 8; ++corner) {
        const SpacePoint point =
            placed({corner & 1 ? last[0] : 0, corner & 2 ? last[1] : 0, corner & 4 ? last[2] : 0});
        const SpacePoint one = a(point), other = b(point);
        farthest =
            std::max(farthest, std::hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]));
    }
    constexpr double near = 0.1;
    return farthest < near * side;
}

std::vector<StartCandidate> find_starts(const RegistrationView& fixed,
                                        const RegistrationView& moving,
                                        const RegistrationOptions& options, LinearKind kind,
                                        Queue& queue, const Progress& progress) {
    constexpr int coarse = 64, middle = 128;
    const SpacePoint from = tissue_center(fixed), to = tissue_center(moving);
    std::vector<LinearMap> guesses;
    for (const SpaceMatrix& matrix : orientations(options, fixed.dimensions()))
        guesses.push_back(about_centers(matrix, from, to));
    if (!is_any(options, fixed.dimensions()) && options.mirror != MirrorChoice::yes)
        guesses.push_back({LinearKind::rigid, turned(0, false), {}});
    std::vector<StartCandidate> candidates;
    const auto align = [&](const LinearMap& map, int side) {
        const LinearRegistration found =
            register_linear(fixed, moving, map, kind, queue, {}, side, side);
        return StartCandidate{found.map, found.score};
    };
    const auto take = [&](const StartCandidate& found) {
        if (!is_plausible(found, fixed.dimensions())) return;
        for (StartCandidate& other : candidates)
            if (is_alike(found.map, other.map, fixed.image)) {
                if (found.score.similarity > other.score.similarity) other = found;
                return;
            }
        candidates.push_back(found);
    };
    for (std::size_t i = 0; i < guesses.size(); ++i) {
        progress.report(static_cast<double>(i) / static_cast<double>(guesses.size()), "search");
        take(align(guesses[i], coarse));
    }
    const auto sort = [&] {
        std::sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
            return a.score.similarity > b.score.similarity;
        });
    };
    sort();
    constexpr std::size_t most = 4;
    if (candidates.size() > most) candidates.resize(most);
    for (const StartCandidate& candidate : std::exchange(candidates, {})) {
        progress.throw_if_cancelled();
        take(align(candidate.map, middle));
    }
    sort();
    return candidates;
}

}  // namespace tesela
