#include "registration/start.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "registration/levels.h"
#include "registration/linear_equations.h"
#include "registration/rotation.h"
#include "registration/sampled_information.h"
#include "tesela/registration_search.h"

namespace tesela {
namespace {

SpacePoint tissue_center(const RegistrationImage& image) {
    SpacePoint sum{};
    double count = 0;
    std::size_t i = 0;
    for (std::int64_t z = 0; z < image.tissue_shape.z; ++z)
        for (std::int64_t y = 0; y < image.tissue_shape.y; ++y)
            for (std::int64_t x = 0; x < image.tissue_shape.x; ++x)
                if (image.tissue[i++]) {
                    sum = {sum[0] + double(x), sum[1] + double(y), sum[2] + double(z)};
                    count += 1;
                }
    return image.tissue_placed({sum[0] / count, sum[1] / count, sum[2] / count});
}

constexpr SpaceMatrix identity{1, 0, 0, 0, 1, 0, 0, 0, 1};

// The 24 rotations of a cube onto itself.
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

LinearMap about_centers(const SpaceMatrix& matrix, const SpacePoint& from, const SpacePoint& to) {
    LinearMap map{LinearKind::rigid, matrix, {}};
    const SpacePoint moved = map(from);
    for (std::size_t axis = 0; axis < 3; ++axis) map.translation[axis] = to[axis] - moved[axis];
    return map;
}

constexpr double least_overlap = 0.4;

bool is_plausible(const StartCandidate& candidate, int dimensions) {
    constexpr double most_scale = 1.4;
    const double scale = std::pow(std::abs(determinant(candidate.map.matrix)), 1.0 / dimensions);
    return candidate.score.overlap >= least_overlap && scale < most_scale && scale > 1 / most_scale;
}

// Tissue of a level, dilated to include its outline, where the gradient is.
Buffer<float> search_mask(Queue& queue, const RegistrationImage& image,
                          const RegistrationLevel& level) {
    constexpr std::int64_t around = 3;  // pixels
    const std::vector<float> tissue = queue.download(tissue_of(queue, image, level));
    const std::vector<float> weight = queue.download(level.weight);
    const auto [nx, ny] = std::array{level.shape.x, level.shape.y};
    std::vector<float> mask(tissue.size());
    for (std::int64_t y = 0; y < ny; ++y)
        for (std::int64_t x = 0; x < nx; ++x) {
            if (tissue[static_cast<std::size_t>(y * nx + x)] < 0.5f) continue;
            for (std::int64_t j = std::max<std::int64_t>(0, y - around);
                 j <= std::min(ny - 1, y + around); ++j)
                for (std::int64_t i = std::max<std::int64_t>(0, x - around);
                     i <= std::min(nx - 1, x + around); ++i) {
                    const auto at = static_cast<std::size_t>(j * nx + i);
                    mask[at] = weight[at] > 0.5f ? 1.0f : 0.0f;
                }
        }
    return queue.upload(std::span<const float>(mask), "search mask");
}

// Searches all shifts of the allowed rotations and mirror images, on levels of about 64 pixels.
std::vector<LinearMap> searched(const RegistrationImage& fixed, const RegistrationImage& moving,
                                const RegistrationOptions& options, Queue& queue,
                                const Progress& progress) {
    const RegistrationLevel& here =
        first_within(fixed.levels, std::min(256, fixed.side_for_tissue(96)));
    const RegistrationLevel& alike = matching_level(moving.levels, here);
    const RegistrationLevel& there =
        alike.longest() <= 256 ? alike : first_within(moving.levels, 256);
    constexpr std::int64_t narrow = 3;  // pixels, too few for directions
    if (std::min({here.shape.x, here.shape.y, there.shape.x, there.shape.y}) < narrow)
        return {about_centers(identity, tissue_center(fixed), tissue_center(moving))};
    const Buffer<float> tissue_here = search_mask(queue, fixed, here);
    const Buffer<float> tissue_there = search_mask(queue, moving, there);
    const double ratio = finest_spacing(here) / finest_spacing(there);
    const bool any = is_any(options, 2);
    const SearchOptions search{.any_rotation = any,
                               .plain = options.mirror != MirrorChoice::yes,
                               .mirrored = options.mirror == MirrorChoice::yes ||
                                           (any && options.mirror == MirrorChoice::automatic),
                               .lowest_scale = 0.8 * ratio,
                               .highest_scale = 1.25 * ratio,
                               .least_overlap = least_overlap};
    const auto image = [](const RegistrationLevel& level, const Buffer<float>& tissue) {
        return SearchImage{level.gray, tissue, level.shape.x, level.shape.y, level.edge};
    };
    const LinearMap to_pixels = here.placed.inverse();
    std::vector<LinearMap> maps;
    for (const SearchPose& pose : search_poses(queue, image(here, tissue_here),
                                               image(there, tissue_there), search, progress)) {
        const auto& m = pose.matrix;
        const LinearMap pixels{LinearKind::similarity,
                               {m[0], m[1], 0, m[2], m[3], 0, 0, 0, 1},
                               {pose.translation[0], pose.translation[1], 0}};
        maps.push_back(composed(composed(to_pixels, pixels), there.placed));
        maps.back().matrix[8] = 1;  // but for rounding, of a pixel's thickness and its inverse
    }
    return maps;
}

// By up to 43 degrees, near enough to any up to 45 that steps find the way.
std::vector<SpaceMatrix> small_rotations() {
    constexpr double turn = 25 * 3.14159265358979323846 / 180;
    std::vector<SpaceMatrix> rotations{identity};
    for (int z = -1; z <= 1; ++z)
        for (int y = -1; y <= 1; ++y)
            for (int x = -1; x <= 1; ++x)
                if (x != 0 || y != 0 || z != 0)
                    rotations.push_back(rotation_about({turn * x, turn * y, turn * z}));
    return rotations;
}

SpaceMatrix product(const SpaceMatrix& a, const SpaceMatrix& b) {
    return composed({LinearKind::rigid, b, {}}, {LinearKind::rigid, a, {}}).matrix;
}

SpacePoint grid_center(const RegistrationImage& image) { return UnitSpace(image.grid).center; }

// Adds the guesses under which the coarsest levels share most information, without those that are
// nearly one that is there.
void add_most_similar(const RegistrationImage& fixed, const RegistrationImage& moving,
                      const std::vector<LinearMap>& guesses, std::size_t most, Queue& queue,
                      std::vector<LinearMap>& taken) {
    constexpr std::int64_t count = 1 << 14;
    constexpr double least_share = 0.5;  // of the samples of the guess that has most
    const RegistrationLevel& level = fixed.levels.back();
    SampledInformation samples(queue, level, matching_level(moving.levels, level),
                               UnitSpace(fixed.grid), RegistrationMeasure::nmi, count);
    struct Ranked {
        double value, points;
        const LinearMap* map;
    };
    std::vector<Ranked> ranked;
    double most_points = 0;
    for (const LinearMap& guess : guesses) {
        const MutualInformation found = samples.information(guess);
        ranked.push_back({found.value, found.points, &guess});
        most_points = std::max(most_points, found.points);
    }
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const Ranked& a, const Ranked& b) { return a.value > b.value; });
    for (const Ranked& one : ranked) {
        if (taken.size() == most) break;
        const bool is_new = std::none_of(taken.begin(), taken.end(), [&](const LinearMap& other) {
            return is_alike(*one.map, other, fixed.grid, 0.05);
        });
        if (is_new && one.points >= least_share * most_points) taken.push_back(*one.map);
    }
}

// Volumes start from their positions in space and from aligned centers of tissue, and from the best
// of many rotations about centers of tissue and of grids: one start may end where less fits.
std::vector<LinearMap> guessed(const RegistrationImage& fixed, const RegistrationImage& moving,
                               const RegistrationOptions& options, Queue& queue) {
    const SpacePoint from = tissue_center(fixed), to = tissue_center(moving);
    const SpacePoint center = grid_center(fixed), other = grid_center(moving);
    const bool any = is_any(options, 3);
    std::vector<SpacePoint> targets{to, other};
    if (!any) {
        targets.push_back(from);
        // Necks and fields of view of different lengths shift the centers.
        const double shift = 0.12 * UnitSpace(fixed.grid).reach;
        for (std::size_t a = 0; a < 3; ++a)
            for (const double way : {-shift, shift}) {
                targets.push_back(to);
                targets.back()[a] += way;
            }
    }
    std::vector<LinearMap> guesses;
    for (const SpaceMatrix& cube : any ? cube_rotations() : std::vector{identity})
        for (const SpaceMatrix& small : small_rotations())
            for (std::size_t i = 0; i < targets.size(); ++i)
                guesses.push_back(
                    about_centers(product(small, cube), i == 1 ? center : from, targets[i]));
    std::vector<LinearMap> taken;
    if (!any) taken = {guesses.front(), {LinearKind::rigid, identity, {}}};
    add_most_similar(fixed, moving, guesses, any ? 24 : 8, queue, taken);
    return taken;
}

}  // namespace

bool is_alike(const LinearMap& a, const LinearMap& b, const ImageGrid& fixed, double near) {
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
    return farthest < near * side;
}

std::vector<StartCandidate> find_starts(const RegistrationImage& fixed,
                                        const RegistrationImage& moving,
                                        const RegistrationOptions& options, LinearKind kind,
                                        Queue& queue, const Progress& progress) {
    const int coarse = fixed.side_for_tissue(64), middle = fixed.side_for_tissue(128);
    const std::vector<LinearMap> guesses = fixed.dimensions() == 3
                                               ? guessed(fixed, moving, options, queue)
                                               : searched(fixed, moving, options, queue, progress);
    std::vector<StartCandidate> candidates;
    const auto align = [&](const LinearMap& map, int side) {
        const LinearRegistration found =
            register_linear(fixed, moving, map, kind, queue, {}, side, side);
        return StartCandidate{found.map, found.score};
    };
    const auto take = [&](const StartCandidate& found) {
        if (!is_plausible(found, fixed.dimensions())) return;
        for (StartCandidate& other : candidates)
            if (is_alike(found.map, other.map, fixed.grid)) {
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
