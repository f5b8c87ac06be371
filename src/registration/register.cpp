// From two images to a transform: view, start, linear maps, spline.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "registration/overlap.h"
#include "tesela/registration.h"

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

}  // namespace

RegistrationResult register_images(const AnyImage& fixed_image, const AnyImage& moving_image,
                                   const RegistrationOptions& options, Queue& queue,
                                   const RegistrationStart& start, const Progress& progress) {
    const RegistrationView fixed = registration_view(fixed_image, options, queue, start.fixed_mask);
    const RegistrationView moving =
        registration_view(moving_image, options, queue, start.moving_mask);
    RegistrationResult result;
    const int dimensions = fixed.dimensions();
    const SpacePoint a = tissue_center(fixed), b = tissue_center(moving);
    LinearRegistration best;
    if (const char* text = getenv("TESELA_START"); text) {
        best.map = {};
    }
    constexpr double pi = 3.14159265358979323846;
    for (int k = 0; k < 24; ++k) {
        const double angle = 2 * pi * k / 24, c = std::cos(angle), s = std::sin(angle);
        LinearMap map{LinearKind::rigid, {c, -s, 0, s, c, 0, 0, 0, 1}, {}};
        const SpacePoint moved = map(a);
        map.translation = {b[0] - moved[0], b[1] - moved[1], 0};
        const LinearRegistration found =
            register_linear(fixed, moving, map, LinearKind::similarity, queue, {}, 64, 64);
        fprintf(stderr, "%d similarity %.4f overlap %.3f det %.3f\n", 15 * k,
                found.score.similarity, found.score.overlap, determinant(found.map.matrix));
        if (found.score.similarity > best.score.similarity) best = found;
    }
    best = register_linear(fixed, moving, best.map, LinearKind::affine, queue, progress);
    fprintf(stderr, "affine similarity %.4f overlap %.3f\n", best.score.similarity,
            best.score.overlap);
    result.transform = {.dimensions = dimensions,
                        .unit = point_unit(fixed.image),
                        .steps = {best.map},
                        .fixed = fixed.image,
                        .moving = moving.image};
    if (options.model.value_or(RegistrationModel::spline) == RegistrationModel::spline) {
        const SplineRegistration bent =
            register_spline(fixed, moving, best.map, options, queue, progress);
        result.transform.steps = {bent.spline, best.map};
        result.least_jacobian = bent.least_jacobian;
        result.estimated_error = bent.estimated_error;
        fprintf(stderr, "spline similarity %.4f overlap %.3f stiffness %g jacobian %.3f error %.3f\n",
                bent.score.similarity, bent.score.overlap, bent.stiffness, bent.least_jacobian,
                bent.estimated_error);
    }
    return result;
}

}  // namespace tesela
