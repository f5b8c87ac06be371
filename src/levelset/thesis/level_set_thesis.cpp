#include "tesela/level_set_thesis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "levelset/thesis/methods.h"
#include "pixels/seeds.h"

namespace tesela {
namespace {

using std::int64_t;

int radius_of(const ThesisFtcOptions& options) {
    return options.filter_reading == ThesisFilterReading::radius ? options.filter
                                                                 : std::max(options.filter / 2, 1);
}

void check(const AnyImageView& image, const ThesisLevelSetOptions& options) {
    validate_options(options);
    const Shape& shape = image.shape();
    if (shape.channels != 1 || shape.t > 1 || shape.z < 2)
        throw UnsupportedFormat("the thesis's level sets take a volume of one channel");
    if (shape.points() > int64_t{1} << 30)
        throw UnsupportedFormat("the thesis's level sets take volumes of at most 2^30 voxels");
    if (radius_of(options.ftc) > 3)
        throw InvalidArgument("--filter is " + std::to_string(options.ftc.filter) +
                              "; as a radius it is at most 3");
    if (options.ftc.lower > options.ftc.upper) throw InvalidArgument("--lower is above --upper");
    if (options.aos.region % 2 != 0)
        throw InvalidArgument("--region is " + std::to_string(options.aos.region) +
                              "; it must be even");
}

// F1 (eq. 4.12).
std::vector<std::int8_t> speeds_of(const AnyImageView& image, const ThesisFtcOptions& options) {
    std::vector<std::int8_t> speeds(static_cast<std::size_t>(image.shape().points()));
    image.visit([&]<class T>(const PixelView<T>& typed) {
        std::transform(
            typed.data(), typed.data() + typed.shape().points(), speeds.begin(), [&](T value) {
                const auto v = static_cast<double>(value);
                return static_cast<std::int8_t>(v >= options.lower && v <= options.upper ? 1 : -1);
            });
    });
    return speeds;
}

std::vector<std::uint8_t> inside_of(const AnyImageView& image, const Seeds& seeds) {
    std::vector<std::uint8_t> inside(static_cast<std::size_t>(image.shape().points()), 0);
    for (const std::uint32_t point : place_seeds(seeds, image.shape(), image.geometry()).points)
        inside[point] = 1;
    return inside;
}

// Signed distances from balls, negative inside.
Image<float> distances_of(const AnyImageView& image, const Seeds& seeds) {
    const auto* balls = std::get_if<std::vector<SeedBall>>(&seeds);
    if (!balls) throw InvalidArgument("--seeds: --method aos begins with balls: 'ball:x,y,z,r'");
    Image<float> u(image.shape(), image.geometry());
    std::fill(u.pixels().begin(), u.pixels().end(), std::numeric_limits<float>::max());
    for (const SeedBall& ball : *balls) {
        const PlacedBall placed = place_ball(ball, image.shape(), image.geometry());
        const double voxel = std::min({placed.step[0], placed.step[1], placed.step[2]});
        const double radius = ball.radius / voxel;
        const Shape& shape = u.shape();
        std::size_t i = 0;
        for (int64_t z = 0; z < shape.z; ++z)
            for (int64_t y = 0; y < shape.y; ++y)
                for (int64_t x = 0; x < shape.x; ++x, ++i) {
                    const double away = std::hypot(static_cast<double>(x) - placed.center[0],
                                                   static_cast<double>(y) - placed.center[1],
                                                   static_cast<double>(z) - placed.center[2]);
                    u.pixels()[i] = std::min(u.pixels()[i], static_cast<float>(away - radius));
                }
    }
    return u;
}

Image<float> run_aos(const AnyImageView& image, const Seeds& seeds, const ThesisAosOptions& options,
                     Queue& queue, const Progress& progress, ThesisLevelSetResult& result) {
    Image<float> u = distances_of(image, seeds);
    StopFunctionResult stop = stop_function(
        image,
        {.sigma = options.sigma, .contrast = options.contrast, .normalize = options.normalize},
        queue, progress);
    // |grad u| / g must not overflow.
    for (float& g : stop.stop.pixels()) g = std::max(g, 1e-4f);
    run_aos_regions(u, stop.stop, options, queue, progress, result);
    result.warnings = std::move(stop.warnings);
    return u;
}

Image<float> run_ftc(const AnyImageView& image, const Seeds& seeds, const ThesisFtcOptions& options,
                     Queue& queue, const Progress& progress, ThesisLevelSetResult& result) {
    const Shape shape = image.shape();
    ThesisFront front{shape, thesis_front_around(shape, inside_of(image, seeds)),
                      speeds_of(image, options)};
    if (options.way == ThesisFtcWay::lists)
        run_ftc_lists(front, options, queue, progress, result);
    else
        run_ftc_regions(front, options, queue, progress, result);
    if (!result.is_stable)
        result.warnings.push_back("the front still moves after " +
                                  std::to_string(options.max_rounds) +
                                  " rounds; raise --max-rounds");
    Image<float> u(shape, image.geometry());
    std::copy(front.state.begin(), front.state.end(), u.pixels().begin());
    return u;
}

}  // namespace

std::vector<std::uint32_t> thesis_filter(const ThesisFtcOptions& options) {
    const int radius = radius_of(options);
    std::vector<double> exact;
    double total = 0;
    for (int k = -radius; k <= radius; ++k) {
        exact.push_back(std::exp(-k * k / (2 * options.smoothing * options.smoothing)));
        total += exact.back();
    }
    std::vector<std::uint32_t> weights;
    std::uint32_t sum = 0;
    for (const double weight : exact) {
        weights.push_back(static_cast<std::uint32_t>(std::lround(256 * weight / total)));
        sum += weights.back();
    }
    // What rounding leaves goes to the middle, so that the filter stays symmetric.
    weights[static_cast<std::size_t>(radius)] += 256u - sum;
    return weights;
}

std::vector<std::int8_t> thesis_front_around(const Shape& shape,
                                             const std::vector<std::uint8_t>& inside) {
    std::vector<std::int8_t> state(inside.size());
    const std::array<int64_t, 3> lengths{shape.x, shape.y, shape.z};
    const std::array<int64_t, 3> steps{1, shape.x, shape.x * shape.y};
    std::size_t i = 0;
    for (int64_t z = 0; z < shape.z; ++z)
        for (int64_t y = 0; y < shape.y; ++y)
            for (int64_t x = 0; x < shape.x; ++x, ++i) {
                const std::array<int64_t, 3> place{x, y, z};
                bool at_front = false;
                for (std::size_t axis = 0; axis < 3; ++axis)
                    for (const int64_t step : {-1, 1}) {
                        const int64_t beside = place[axis] + step;
                        if (beside < 0 || beside >= lengths[axis]) continue;
                        const auto other = static_cast<int64_t>(i) + step * steps[axis];
                        at_front = at_front || inside[static_cast<std::size_t>(other)] != inside[i];
                    }
                const int state_there = at_front ? 1 : 3;
                state[i] = static_cast<std::int8_t>(inside[i] ? -state_there : state_there);
            }
    return state;
}

ThesisLevelSetResult level_set_thesis(const AnyImageView& image, const Seeds& seeds,
                                      const ThesisLevelSetOptions& options, Queue& queue,
                                      const Progress& progress) {
    check(image, options);
    ThesisLevelSetResult result;
    result.surface = options.method == ThesisLevelSetMethod::aos
                         ? run_aos(image, seeds, options.aos, queue, progress, result)
                         : run_ftc(image, seeds, options.ftc, queue, progress, result);
    result.labels = LabelImage(image.shape(), image.geometry());
    std::transform(result.surface.pixels().begin(), result.surface.pixels().end(),
                   result.labels.pixels().begin(), [](float u) { return u < 0 ? 1u : 0u; });
    progress.report(1, "done");
    return result;
}

std::int64_t level_set_thesis_bytes(const Shape& shape, const ThesisLevelSetOptions& options) {
    const bool is_aos = options.method == ThesisLevelSetMethod::aos;
    const int64_t side = is_aos ? options.aos.region : 8;
    const auto padded = [&](int64_t length) { return (length + side - 1) / side * side; };
    const int64_t points = padded(shape.x) * padded(shape.y) * padded(shape.z);
    const int64_t regions = points / (side * side * side);
    constexpr int64_t primitives = int64_t{1} << 22;
    // Five volumes, equations, keys and what a sort and a solver need besides.
    if (is_aos)
        return std::max(64 * points, stop_function_device_bytes(shape)) + 64 * regions + primitives;
    return options.ftc.way == ThesisFtcWay::lists ? 0
                                                  : 3 * shape.points() + 32 * regions + primitives;
}

}  // namespace tesela
