// Pairs of points that show the same in two images, and how far a transform leaves them apart.
//
// The measures are those of J. Borovec et al., "ANHIR: automatic non-rigid histological image
// registration challenge", IEEE Trans. Med. Imaging 39(10), 2020: the target registration error
// (TRE) of a landmark, and that divided by the diagonal of the fixed image (rTRE).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tesela/align.h"
#include "tesela/landmarks.h"
#include "tesela/options.h"

namespace tesela {

struct LandmarkPairs {
    std::vector<SpacePoint> fixed = {}, moving = {};  // in pixels
    std::int64_t without_partner = 0;
    std::vector<std::string> names = {};
    int dimensions = 2;
};
// Those with the same name, in the order of `fixed`. Throws InvalidArgument where there are none,
// or the dimensions differ.
LandmarkPairs paired(const Landmarks& fixed, const Landmarks& moving);

// A map fitted to the landmarks themselves: a bound for what any transform of this kind reaches.
enum class LandmarkFit { affine, quadratic, cubic };
constexpr auto enum_names(LandmarkFit) {
    return std::array{EnumNames<LandmarkFit>{LandmarkFit::affine, "affine"},
                      EnumNames<LandmarkFit>{LandmarkFit::quadratic, "quadratic"},
                      EnumNames<LandmarkFit>{LandmarkFit::cubic, "cubic"}};
}
constexpr auto enum_help(LandmarkFit) {
    return std::array<std::string_view, 3>{"linear map", "polynomial of degree 2",
                                           "polynomial of degree 3"};
}

struct ErrorSummary {
    double median = 0, mean = 0, percentile_90 = 0, largest = 0;
};
// Of errors times a factor; there is at least one.
ErrorSummary summary_of(std::vector<double> errors, double scale = 1);

struct LandmarkEvaluation {
    std::vector<double> errors;        // of each pair, in units of the transform's points
    ErrorSummary tre;                  // the same units
    std::optional<ErrorSummary> rtre;  // where a diagonal is known
    double robustness = 0;             // the share of pairs that the transform brings closer
};

// Of an image, from corner to corner in millimeters, or in pixels where their size is unknown; what
// errors are divided by.
double diagonal_of(const ImageGrid& grid);

// Fixed landmarks are mapped by the transform and compared with the moving ones. `diagonal`: of the
// fixed image, in units of the transform's points; 0 where unknown.
LandmarkEvaluation evaluate_landmarks(const LandmarkPairs& pairs, const Transform& transform,
                                      double diagonal);
// The same after the best polynomial of the pairs, by least squares. Throws InvalidArgument for
// fewer pairs than the polynomial has coefficients, or pairs that do not determine it.
LandmarkEvaluation evaluate_landmarks(const LandmarkPairs& pairs, LandmarkFit fit, double diagonal);

}  // namespace tesela
