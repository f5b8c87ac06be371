#include "tesela/lbp.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "kernels/texture/lbp.kernel.h"
#include "segmentation/thresholds/gray_levels.h"
#include "texture/lbp_planes.h"

namespace tesela {
namespace {

// Offsets rounded to 1/lbp_unit, as scikit-image does; sine and cosine of its rows and columns.
kernels::lbp_circle circle_of(const LbpOptions& options, const TilePlanes& planes) {
    kernels::lbp_circle circle{};
    circle.nx = planes.nx;
    circle.ny = planes.ny;
    circle.margin = lbp_margin(options);
    circle.step = planes.channels;
    constexpr std::int64_t unit = kernels::lbp_unit;
    for (int k = 0; k < options.points; ++k) {
        const double angle = 2 * std::numbers::pi * k / options.points;
        const auto x = std::llrint(options.radius * std::cos(angle) * static_cast<double>(unit));
        const auto y = std::llrint(-options.radius * std::sin(angle) * static_cast<double>(unit));
        const auto [left, right] = std::pair((x + 32 * unit) / unit - 32, (x + 32 * unit) % unit);
        const auto [upper, below] = std::pair((y + 32 * unit) / unit - 32, (y + 32 * unit) % unit);
        const auto at = [&](std::int64_t row, std::int64_t column) {
            return static_cast<std::int32_t>(row * planes.nx + column);
        };
        // A sample between two pixels alone reads neither row nor column beyond them.
        const std::int64_t next_column = left + (right > 0), next_row = upper + (below > 0);
        circle.upper_left[k] = at(upper, left);
        circle.upper_right[k] = at(upper, next_column);
        circle.lower_left[k] = at(next_row, left);
        circle.lower_right[k] = at(next_row, next_column);
        circle.right[k] = static_cast<std::int32_t>(right);
        circle.below[k] = static_cast<std::int32_t>(below);
    }
    return circle;
}

void check(const LbpOptions& options) {
    validate_options(options);
    if (options.points % 8 != 0)
        throw InvalidArgument("--points is " + std::to_string(options.points) +
                              "; it must be 8, 16 or 24");
}

}  // namespace

int lbp_margin(const LbpOptions& options) {
    return options.shape == LbpShape::square ? 1 : static_cast<int>(std::ceil(options.radius));
}

int lbp_codes(const LbpOptions& options) {
    return options.shape == LbpShape::square ? 256 : options.points + 2;
}

int uniform_class(int square_code) {
    const auto code = static_cast<std::uint8_t>(square_code);
    return std::popcount(static_cast<std::uint8_t>(code ^ std::rotl(code, 1))) <= 2
               ? std::popcount(code)
               : 9;
}

TilePlanes lbp_planes(Queue& queue, const TilePlanes& planes, const LbpOptions& options) {
    const std::int32_t margin = lbp_margin(options);
    TilePlanes codes{
        {}, planes.nx - 2 * margin, planes.ny - 2 * margin, 1, planes.count / planes.channels};
    if (codes.nx < 1 || codes.ny < 1) codes.nx = codes.ny = 0;
    auto bytes = queue.allocate<std::uint8_t>(codes.count * codes.points(), "local patterns");
    const Range range{codes.nx, codes.ny, codes.count};
    if (options.shape == LbpShape::square) {
        queue.launch(kernels::lbp_square, range, planes.bytes, bytes, planes.channels, planes.nx,
                     planes.ny);
    } else {
        const auto& kernel = options.points == 8    ? kernels::lbp_circle_8
                             : options.points == 16 ? kernels::lbp_circle_16
                                                    : kernels::lbp_circle_24;
        queue.launch(kernel, range, planes.bytes, bytes, circle_of(options, planes));
    }
    codes.bytes = std::move(bytes);
    return codes;
}

LbpResult lbp(const AnyImageView& image, const std::optional<AnyImageView>& mask,
              const LbpOptions& options, Queue& queue, const Progress& progress) {
    check(options);
    LbpResult result;
    StageClock clock;
    clock.start("upload");
    progress.report(0, "upload");
    const TileMasks inside = mask_of(queue, mask, image.shape());
    const TilePlanes planes = planes_of(queue, image, result.warnings);
    clock.start("patterns");
    progress.report(0.3, "patterns");
    const TilePlanes codes = lbp_planes(queue, planes, options);
    if (codes.points() == 0)
        throw InvalidArgument("the image is smaller than the circle of its patterns: " +
                              std::to_string(2 * lbp_margin(options) + 1) +
                              " pixels are needed each way");
    const std::vector<std::uint32_t> counts =
        queue.download(plane_histograms(queue, codes, inside, lbp_margin(options)));
    result.histogram.assign(counts.begin(), counts.begin() + lbp_codes(options));
    result.codes = Image<std::uint8_t>::unwritten({codes.nx, codes.ny});
    queue.read(codes.bytes, std::span<std::uint8_t>(result.codes.pixels()));
    result.stages = clock.take();
    progress.report(1, "done");
    return result;
}

std::int64_t lbp_device_bytes(const AnyImageView& image) {
    const std::int64_t points = image.shape().points();
    const std::int64_t input = image.shape().channels >= 3
                                   ? image.shape().elements() + 3 * points
                                   : gray_levels_bytes(image, LevelsOf::channels) + points;
    constexpr std::int64_t counts = 1 << 20;
    return input + 2 * points + counts;
}

}  // namespace tesela
