// From two images to a transform: preprocessing, start, linear map, spline.
#include <algorithm>
#include <array>
#include <cmath>

#include "registration/agreement.h"
#include "registration/levels.h"
#include "registration/linear_kind.h"
#include "registration/overlap.h"
#include "registration/register_pair.h"
#include "registration/start.h"
#include "tesela/registration.h"

namespace tesela {
namespace {

void require_partners(const AnyImageView& fixed, const AnyImageView& moving) {
    if ((fixed.shape().z > 1) != (moving.shape().z > 1))
        throw InvalidArgument("a picture cannot be registered with a volume");
    if (fixed.geometry().known() != moving.geometry().known())
        throw InvalidArgument(
            "one image has a physical spacing and the other has none: give "
            "--spacing, or files that both have one");
}

// Preprocesses one of two images; errors name which.
RegistrationImage preprocessed(const char* which, const AnyImageView& image,
                               const RegistrationOptions& options, Queue& queue,
                               const std::optional<AnyImageView>& mask) {
    try {
        return registration_image(image, options, queue, mask);
    } catch (const InvalidArgument& error) {
        throw InvalidArgument(std::string("the ") + which + " image: " + error.what());
    } catch (const UnsupportedFormat& error) {
        throw UnsupportedFormat(std::string("the ") + which + " image: " + error.what());
    }
}

LinearMap linear_part(const Transform& transform, int dimensions) {
    if (transform.dimensions != dimensions)
        throw InvalidArgument("the initial transform has other dimensions than the images");
    LinearMap map;
    for (const auto& step : transform.steps) {
        const auto* linear = std::get_if<LinearMap>(&step);
        if (!linear) throw InvalidArgument("the initial transform has a spline: give a linear one");
        map = composed(map, *linear);
    }
    return map;
}

RegistrationModel chosen_model(const RegistrationOptions& options, bool is_volume) {
    return options.model.value_or(is_volume ? RegistrationModel::rigid : RegistrationModel::spline);
}

// Whether both show the same object: parts confirm the position, and no other position is as good.
// For volumes the outline alone is nearly as similar as the whole.
bool is_match(const RegistrationResult& result) {
    const double least_margin = result.transform.dimensions == 3 ? 0.002 : 0.05;
    return result.margin >= least_margin && is_agreed(result.agreement);
}

// Which of two positions of a volume is right is not known where both are as similar.
void warn_of_others(const std::vector<StartCandidate>& starts, RegistrationResult& result) {
    constexpr double doubtful = 0.005;
    if (result.transform.dimensions != 3 || starts.size() < 2 || result.margin >= doubtful) return;
    const auto rounded = [](double value) { return detail::shown(std::round(1e4 * value) / 1e4); };
    result.warnings.push_back("another position is nearly as similar (" +
                              rounded(starts[1].score.similarity) + ", this one " +
                              rounded(starts[0].score.similarity) +
                              "): check the result with --overlay, or give --initial");
}

}  // namespace

RegistrationResult register_pair(RegistrationImage& fixed, const RegistrationImage& moving,
                                 const RegistrationOptions& options, Queue& queue,
                                 const Transform* initial, const Progress& progress) {
    const bool is_volume = fixed.dimensions() == 3;
    const RegistrationModel model = chosen_model(options, is_volume);
    StageClock clock;
    RegistrationResult result;
    result.measure = fixed.measure;
    // Far from the right position mutual information grows where less of the images overlaps.
    if (fixed.measure == RegistrationMeasure::mi) fixed.measure = RegistrationMeasure::nmi;

    clock.start("search");
    std::vector<StartCandidate> starts;
    const LinearKind first_kind = std::min(linear_kind(model), LinearKind::similarity);
    if (initial)
        starts.push_back({linear_part(*initial, fixed.dimensions()), {}});
    else
        // Volumes that may shrink find positions in which little is compared.
        starts = find_starts(fixed, moving, options, is_volume ? LinearKind::rigid : first_kind,
                             queue, progress);
    if (starts.empty())
        throw NoMatch("no position was found in which both images agree; give --initial");

    clock.start("align");
    const int middle = fixed.side_for_tissue(128);
    const LinearRegistration coarse =
        register_linear(fixed, moving, starts.front().map, first_kind, queue, {}, middle,
                        is_volume ? middle : 2 * middle);
    result.coarse_similarity = coarse.score.similarity;
    result.agreement = agreement_of_parts(fixed, moving, coarse.map, queue);
    result.margin = initial             ? coarse.score.similarity
                    : starts.size() > 1 ? starts[0].score.similarity - starts[1].score.similarity
                                        : starts[0].score.similarity;
    fixed.measure = result.measure;
    const LinearRegistration linear =
        register_linear(fixed, moving, coarse.map, linear_kind(model), queue, progress, middle);
    result.score = linear.score;
    result.transform = {.dimensions = fixed.dimensions(),
                        .unit = point_unit(fixed.grid),
                        .steps = {linear.map},
                        .fixed = fixed.grid,
                        .moving = moving.grid};
    progress.offer([&] { return result.transform; });
    if (model == RegistrationModel::spline) {
        clock.start("bend");
        const SplineRegistration bent =
            register_spline(fixed, moving, linear.map, options, queue, progress);
        result.transform.steps = {bent.spline, linear.map};
        result.score = bent.score;
        result.least_jacobian = bent.least_jacobian;
        result.estimated_error = bent.estimated_error;
        if (bent.stiffness > options.stiffness)
            result.warnings.push_back("the spline folded and was made stiffer: --stiffness " +
                                      detail::shown(bent.stiffness));
    }
    warn_of_others(starts, result);
    result.is_match = is_match(result);
    if (!result.is_match && !options.accept_poor)
        throw NoMatch(mismatch_text(result) +
                      "; give --accept-poor to see what was found, or --initial");
    clock.finish();
    result.stages = clock.take();
    return result;
}

RegistrationResult register_images(const AnyImageView& fixed_image,
                                   const AnyImageView& moving_image,
                                   const RegistrationOptions& options, Queue& queue,
                                   const RegistrationStart& start, const Progress& progress) {
    validate_options(options);
    require_partners(fixed_image, moving_image);
    const bool is_volume = fixed_image.shape().z > 1;
    const RegistrationModel model = chosen_model(options, is_volume);
    if (is_volume && model == RegistrationModel::spline)
        throw InvalidArgument(
            "--model spline is for pictures: volumes take rigid, similarity or "
            "affine");
    if (!is_volume &&
        options.measure.value_or(RegistrationMeasure::gradients) != RegistrationMeasure::gradients)
        throw InvalidArgument("--measure " + std::string(enum_name(*options.measure)) +
                              " is for volumes: sections are compared by gradients");
    if (start.initial) require_initial(*start.initial, grid_of(fixed_image), grid_of(moving_image));
    StageClock clock;
    clock.start("preprocess");
    progress.report(0, "preprocess");
    RegistrationImage fixed = preprocessed("fixed", fixed_image, options, queue, start.fixed_mask);
    const RegistrationImage moving =
        preprocessed("moving", moving_image, options, queue, start.moving_mask);
    clock.finish();
    RegistrationResult result =
        register_pair(fixed, moving, options, queue, start.initial, progress);
    std::vector<StageTime> stages = clock.take();
    result.stages.insert(result.stages.begin(), stages.begin(), stages.end());
    return result;
}

void require_initial(const Transform& initial, const ImageGrid& fixed, const ImageGrid& moving) {
    constexpr const char* advice =
        ": give one that 'tesela transform fit' makes with --fixed-image and --moving-image";
    if (initial.has_unit && initial.unit != point_unit(fixed))
        throw InvalidArgument(
            (fixed.geometry.known()
                 ? std::string("the initial transform is in pixels, and the images have a spacing")
                 : std::string("the initial transform is in millimeters, and the images have no "
                               "spacing")) +
            advice);
    const auto require_size = [&](const std::optional<ImageGrid>& own, const ImageGrid& image) {
        const auto size = [](const Shape& shape) { return std::array{shape.x, shape.y, shape.z}; };
        if (own && size(own->shape) != size(image.shape))
            throw InvalidArgument("the initial transform is of an image of " + own->to_string() +
                                  ", and this one has " + image.to_string() + advice);
    };
    if (fixed.geometry.known()) return;  // places in millimeters hold at any resolution
    require_size(initial.fixed, fixed);
    require_size(initial.moving, moving);
}

std::string mismatch_text(const RegistrationResult& result) {
    const auto rounded = [](double value) {
        return detail::shown(std::round(1000 * value) / 1000);
    };
    return "the images do not match: " + std::to_string(result.agreement.agreeing) + " of " +
           std::to_string(result.agreement.parts) + " parts agree, similarity " +
           rounded(result.coarse_similarity) + ", margin over the next position " +
           rounded(result.margin);
}

std::int64_t registration_device_bytes(const AnyImageView& fixed, const AnyImageView& moving,
                                       const RegistrationOptions& options) {
    // Densities of a picture, then levels, fields of two images and scratch memory of smoothing.
    const std::int64_t points = std::max(fixed.shape().points(), moving.shape().points());
    const bool is_volume = fixed.shape().z > 1;
    const auto measure = options.measure.value_or(is_volume ? RegistrationMeasure::mi
                                                            : RegistrationMeasure::gradients);
    const int channels = is_information(measure)               ? 0
                         : measure == RegistrationMeasure::ncc ? 1
                         : is_volume                           ? 6
                                                               : 3;
    return 4 * (8 + 5 * channels) * points;
}

}  // namespace tesela
