#include "registration/overlap_matcher.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "filters/gaussian.h"
#include "kernels/registration/overlap_scores.kernel.h"
#include "kernels/transforms/match.kernel.h"
#include "registration/shift_peaks.h"

namespace tesela {
namespace {

using kernels::i32;

// Pixels: standard deviations of the Gaussians whose difference is compared.
constexpr double fine_deviation = 1.5, coarse_deviation = 4;
// Of score maxima that count as two places, along x or y.
constexpr std::int64_t apart = 8;

Buffer<float> gaussian(Queue& queue, double deviation) {
    return queue.upload(std::span<const float>(gaussian_floats(deviation)), "gaussian");
}

}  // namespace

OverlapMatcher::OverlapMatcher(Queue& queue)
    : queue_(queue),
      fine_(gaussian(queue, fine_deviation)),
      coarse_(gaussian(queue, coarse_deviation)) {}

std::array<std::int64_t, 2> OverlapMatcher::padded(const std::array<std::int64_t, 2>& size,
                                                   const std::array<std::int64_t, 2>& other,
                                                   const ShiftBox& shifts) {
    const auto along = [](std::int64_t length, std::int64_t second, std::int64_t first,
                          std::int64_t count) {
        return good_fft_size(
            std::max({length, second, length - first, first + count - 1 + second}));
    };
    return {along(size[0], other[0], shifts.left, shifts.across),
            along(size[1], other[1], shifts.top, shifts.down)};
}

OverlapMatcher::Prepared OverlapMatcher::prepare(const GrayPiece& piece,
                                                 const std::array<std::int64_t, 2>& padded) {
    const auto width = static_cast<i32>(piece.width), height = static_cast<i32>(piece.height);
    const auto padded_width = static_cast<i32>(padded[0]);
    const Buffer<const float> values = queue_.lend(std::span(piece.values), "piece of a tile");
    const Buffer<float> fine = smooth_images(queue_, width, height, 1, values, fine_);
    const Buffer<float> coarse = smooth_images(queue_, width, height, 1, values, coarse_);
    Prepared made{piece.width, piece.height, {{padded[0], padded[1], 1}, 1}, {}, {}};
    auto plane = queue_.allocate<float>(made.transform.values(), "band of a piece");
    queue_.launch(kernels::overlap_band, Range{padded[0], padded[1]}, fine, coarse, plane, width,
                  height, padded_width);
    made.sums = queue_.allocate<std::int64_t>(2 * (piece.width + 1) * (piece.height + 1), "sums");
    queue_.launch(kernels::overlap_row_sums, Range{piece.height + 1}, plane, made.sums, width,
                  height, padded_width);
    queue_.launch(kernels::overlap_column_sums, Range{piece.width + 1, 2}, made.sums, width,
                  height);
    made.spectrum = queue_.allocate<float>(2 * made.transform.half_values(), "spectrum");
    fft_forward(queue_, made.transform, plane, made.spectrum);
    return made;
}

OverlapPeak OverlapMatcher::match(const Prepared& piece, const Prepared& other,
                                  const ShiftBox& shifts, std::int64_t least) {
    const std::int64_t most =
        std::min(piece.width, other.width) * std::min(piece.height, other.height);
    const auto narrow = [](std::int64_t number) { return static_cast<i32>(number); };
    const kernels::overlap_form form{narrow(piece.width),
                                     narrow(piece.height),
                                     narrow(other.width),
                                     narrow(other.height),
                                     narrow(shifts.left),
                                     narrow(shifts.top),
                                     narrow(shifts.across),
                                     narrow(shifts.down),
                                     narrow(piece.transform.size[0]),
                                     narrow(piece.transform.size[1]),
                                     narrow(std::max<std::int64_t>(least, 1)),
                                     narrow(most)};
    auto product = queue_.allocate<float>(piece.spectrum.size(), "spectrum of the correlation");
    queue_.copy(piece.spectrum, product);
    queue_.launch(kernels::match_products, Range{piece.transform.half_values()}, other.spectrum,
                  product);
    auto correlations = queue_.allocate<float>(piece.transform.values(), "correlations");
    fft_inverse(queue_, piece.transform, product, correlations);
    auto scores = queue_.allocate<float>(shifts.across * shifts.down, "scores");
    auto ranks = queue_.allocate<float>(scores.size(), "ranks");
    queue_.launch(kernels::overlap_scores, Range{shifts.across, shifts.down}, correlations,
                  piece.sums, other.sums, scores, ranks, form);
    const ShiftPeaks found =
        highest_of_shifts(queue_, ranks, scores, {shifts.across, shifts.down, apart});
    const std::int64_t x = found.places[0] % shifts.across, y = found.places[0] / shifts.across;
    OverlapPeak peak;
    peak.x = static_cast<double>(shifts.left + x) + double{found.parts[0]};
    peak.y = static_cast<double>(shifts.top + y) + double{found.parts[1]};
    const std::int64_t common = common_length(piece.width, other.width, shifts.left + x) *
                                common_length(piece.height, other.height, shifts.top + y);
    peak.common = common;
    if (common > 0) {
        const double weight = std::sqrt(static_cast<double>(common) / static_cast<double>(most));
        peak.score = double{found.ranks[0]} / weight;
        peak.second = std::max(double{found.seconds[0]}, 0.0) / weight;
    }
    peak.at_border = x == 0 || y == 0 || x + 1 == shifts.across || y + 1 == shifts.down;
    return peak;
}

OverlapPeak OverlapMatcher::match(const GrayPiece& piece, const GrayPiece& other,
                                  const ShiftBox& shifts, std::int64_t least) {
    const std::array<std::int64_t, 2> size =
        padded({piece.width, piece.height}, {other.width, other.height}, shifts);
    return match(prepare(piece, size), prepare(other, size), shifts, least);
}

}  // namespace tesela
