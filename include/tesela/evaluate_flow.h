// Errors of an estimated flow field against the true one.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tesela/flow_field.h"
#include "tesela/options.h"

namespace tesela {

// Near the border of a frame there is too little information, so that strips along it may be left
// out: as wide as the derivative filter asks for, or as the window of the method.
enum class BorderCorrection { none, filter, block };
constexpr auto enum_names(BorderCorrection) {
    return std::array{EnumNames<BorderCorrection>{BorderCorrection::none, "none"},
                      EnumNames<BorderCorrection>{BorderCorrection::filter, "filter"},
                      EnumNames<BorderCorrection>{BorderCorrection::block, "block"}};
}
constexpr auto enum_help(BorderCorrection) {
    return std::array<std::string_view, 3>{"compare everywhere", "ignore half a filter",
                                           "ignore half a window"};
}

struct EvaluateFlowOptions {
    BorderCorrection correction = BorderCorrection::none;
    // S, the taps of the filter or the side of the window: strips of floor(S / 2) pixels on all
    // four sides are left out. Given with a correction, and only then.
    std::int64_t size = 0;
};

template <class V>
void describe(V&& v, EvaluateFlowOptions& o) {
    v("correction", o.correction, "ignore a border as wide as derivative filter or window");
    v("size", o.size, "size of that filter or window; the border is half of it",
      OptionRange{.lowest = 0, .unit = "pixels"});
}

struct ErrorStatistics {
    double mean = 0;
    double standard_deviation =
        0;  // of all errors, not of a sample of them: divided by their count
    // The smallest value that 50, 75, 90, 95 and 99 % of the errors do not exceed, interpolated
    // linearly between neighboring errors.
    std::array<double, 5> percentiles{};
};
inline constexpr std::array flow_percentiles{50, 75, 90, 95, 99};
inline constexpr std::array flow_robustness_limits{0.5, 1.0, 2.0, 3.0};  // pixels

// All errors are NaN where no vector could be compared.
struct FlowEvaluation {
    std::int64_t known = 0;     // vectors of the truth that are known, in the whole frame
    std::int64_t compared = 0;  // of these, the ones off the strips that have an estimate
    double density = 0;         // compared / known
    // ((W - S) / W) ((H - S) / H), 1 without a correction: the density that publications state.
    // Counted strips leave one row and one column more where S is odd.
    double density_by_formula = 1;
    // Between the vectors (u, v, 1) in space and time.
    ErrorStatistics angular_radians, angular_degrees;
    ErrorStatistics endpoint;  // length of the difference, pixels
    // R0.5, R1, R2, R3: the share of compared vectors with an end-point error above the limit.
    std::array<double, 4> robustness{};
    std::vector<std::string> warnings;  // a sentence where the means contradict each other
};

// Unknown vectors of the truth are left out. Unknown vectors of the estimate lower the density and
// are left out of the errors. An estimate equal to its truth has errors of exactly 0. Sums are in
// double precision, row by row.
//
// J. L. Barron, D. J. Fleet, S. S. Beauchemin, "Performance of optical flow techniques", IJCV 12,
// 1994 (angular error, density); M. Otte, H.-H. Nagel, "Estimation of optical flow based on
// higher-order spatiotemporal derivatives", Artificial Intelligence 78, 1995 (end-point error);
// S. Baker et al., IJCV 92, 2011 (percentiles, robustness).
//
// Throws InvalidArgument for fields that are none or of different sizes, for a truth without known
// vectors off the strips, for a size without a correction or a correction without a size, and
// for strips that leave no pixel.
FlowEvaluation evaluate_flow(const FlowView& estimate, const FlowView& truth,
                             const EvaluateFlowOptions& options = {});
// Memory that it takes at most beside fields of this shape, in bytes.
std::int64_t evaluate_flow_bytes(const Shape& shape);

// Whether a mean angular error (radians) and a mean end-point error (pixels) can belong to the same
// field: the first is at most 2 atan(second / 2), for each vector and so, that function being
// concave, for means.
bool errors_agree(double mean_angular, double mean_endpoint);

}  // namespace tesela
