// Transforms through landmarks, of which some may be wrong.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tesela/evaluate_landmarks.h"
#include "tesela/registration.h"

namespace tesela {

struct FitOptions {
    RegistrationModel model = RegistrationModel::affine;
    std::optional<Length> tolerance = {};
    std::optional<double> stiffness = {};
};
template <class V>
void describe(V&& v, FitOptions& o) {
    v("model", o.model, "kind of transform");
    v("tolerance", o.tolerance, "pairs farther apart than this are outliers",
      OptionRange{.lowest = 0, .excludes_lowest = true, .automatic = "from the residuals"});
    v("stiffness", o.stiffness, "bending stiffness of the spline",
      OptionRange{.lowest = 1e-12, .highest = 1e6, .automatic = "that which predicts pairs best"});
}

struct TransformFit {
    Transform transform;
    std::vector<double> errors = {};  // of each pair, in units of the transform's points
    std::vector<bool> is_outlier = {};
    double tolerance = 0;  // pairs that are farther apart are outliers; of the last round
    // Of splines: the median distance from a pair to the spline through all others, and the
    // stiffness that was used.
    std::optional<double> prediction_error = {};
    double stiffness = 0;
    std::vector<std::string> warnings = {};

    std::size_t outliers() const;
};

// The transform of a kind from the fixed landmarks to the moving ones, by least squares over the
// pairs that are no outliers. It starts from the few pairs whose transform leaves half of all
// closest (P. J. Rousseeuw, "Least median of squares regression", J. Am. Stat. Assoc. 79, 1984),
// drops those beyond 3.5 deviations and never those within two pixels, and fits again until the
// same pairs remain. A spline bends after an affine map; an outlier is far from the spline through
// the other pairs. In two dimensions rigid maps and similarities may be mirrored.
//
// Points are in millimeters where both images are given and their spacing is known, else in pixels.
// Throws InvalidArgument for fewer pairs than the model needs, pairs on a line or plane that does
// not determine it, one image without the other, and images that do not fit the landmarks.
TransformFit fit_transform(const LandmarkPairs& pairs, const std::optional<ImageGrid>& fixed,
                           const std::optional<ImageGrid>& moving, const FitOptions& options);

}  // namespace tesela
