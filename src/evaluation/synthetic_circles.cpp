#include "tesela/synthetic_circles.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "evaluation/blur.h"
#include "evaluation/random.h"

namespace tesela {
namespace {

using evaluation::Random;

double distance(const Circle& a, const Circle& b) { return std::hypot(a.x - b.x, a.y - b.y); }

// Whole circles in the image, placed one after the other where there is room.
std::vector<Circle> placed(const SyntheticCirclesOptions& o, Random& random) {
    constexpr int most_trials = 100000;
    std::vector<Circle> circles;
    const bool whole = o.drawing == CircleDrawing::outlines;
    for (std::int32_t k = 0; k < o.count; ++k) {
        Circle made;
        made.votes = 0;
        const auto has_room = [&](const Circle& other) {
            const double apart = o.overlap ? o.separation : made.radius + other.radius + 2;
            return distance(made, other) >= apart;
        };
        int trial = 0;
        do {
            if (++trial > most_trials)
                throw InvalidArgument("there is no place for circle " + std::to_string(k + 1) +
                                      " of " + std::to_string(o.count) +
                                      "; give a larger image, fewer or smaller circles, or let "
                                      "them overlap");
            made.radius = random.uniform(o.min_radius, o.max_radius);
            made.x = random.uniform(made.radius, static_cast<double>(o.width - 1) - made.radius);
            made.y = random.uniform(made.radius, static_cast<double>(o.height - 1) - made.radius);
            if (whole) {
                made.radius = std::round(made.radius);
                made.x = std::round(made.x);
                made.y = std::round(made.y);
            }
        } while (!std::all_of(circles.begin(), circles.end(), has_room));
        circles.push_back(made);
    }
    return circles;
}

constexpr double background = 60, foreground = 180;

void draw_outline(Image<float>& image, const Circle& circle, double gap, Random& random) {
    const double begin = random.uniform(0, 2 * std::numbers::pi);
    for (const RingPoint& point : circle_ring(circle.radius, circle.radius)) {
        const double turn = std::atan2(point.y, point.x) - begin + 4 * std::numbers::pi;
        if (std::fmod(turn, 2 * std::numbers::pi) < gap * 2 * std::numbers::pi) continue;
        const auto x = std::llround(circle.x) + point.x, y = std::llround(circle.y) + point.y;
        if (x >= 0 && y >= 0 && x < image.shape().x && y < image.shape().y) image(x, y) = 255;
    }
}

// A pixel at the border is covered by the part that its distance from it tells.
void draw_disk(Image<float>& image, const Circle& circle) {
    const auto first = [](double at) {
        return std::max<std::int64_t>(0, static_cast<std::int64_t>(at));
    };
    const double reach = circle.radius + 1;
    for (std::int64_t y = first(circle.y - reach); y < image.shape().y; ++y) {
        if (static_cast<double>(y) > circle.y + reach) break;
        for (std::int64_t x = first(circle.x - reach); x < image.shape().x; ++x) {
            if (static_cast<double>(x) > circle.x + reach) break;
            const double from_center =
                std::hypot(static_cast<double>(x) - circle.x, static_cast<double>(y) - circle.y);
            const double covered = std::clamp(circle.radius + 0.5 - from_center, 0.0, 1.0);
            const double value = background + covered * (foreground - background);
            image(x, y) = std::max(image(x, y), static_cast<float>(value));
        }
    }
}

}  // namespace

SyntheticCircles synthetic_circles(const SyntheticCirclesOptions& o) {
    validate_options(o);
    if (o.min_radius > o.max_radius) throw InvalidArgument("--min-radius is above --max-radius");
    if (o.count > 0 && 2 * o.max_radius > static_cast<double>(std::min(o.width, o.height) - 1))
        throw InvalidArgument("circles of --max-radius " + detail::shown(o.max_radius) +
                              " do not fit into the image; give a larger --width and --height");
    Random random(o.seed);
    const bool disks = o.drawing == CircleDrawing::disks;
    SyntheticCircles made;
    made.truth = placed(o, random);
    Image<float> values({o.width, o.height});
    if (disks)
        std::fill(values.pixels().begin(), values.pixels().end(), static_cast<float>(background));
    for (const Circle& circle : made.truth) {
        if (disks)
            draw_disk(values, circle);
        else
            draw_outline(values, circle, o.gap, random);
    }
    if (o.blur > 0) values = evaluation::blurred(values, o.blur);
    const double contrast = disks ? foreground - background : 255;
    made.image = Image<std::uint8_t>(values.shape());
    for (std::size_t i = 0; i < values.pixels().size(); ++i) {
        double value = values.pixels()[i];
        if (o.noise > 0) value += o.noise * contrast * random.normal();
        if (o.salt > 0 && random.uniform() < o.salt) value = 255;
        made.image.pixels()[i] =
            static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0, 255.0)));
    }
    return made;
}

std::optional<SyntheticCirclesOptions> circles_scene(std::string_view name) {
    struct Scene {
        std::string_view name;
        std::int32_t count;
        double radius;
        bool overlap;
    };
    constexpr std::array scenes{
        Scene{"c20r20", 20, 20, false},    Scene{"c100r20", 100, 20, false},
        Scene{"c500r20", 500, 20, true},   Scene{"c20r50", 20, 50, false},
        Scene{"c100r50", 100, 50, true},   Scene{"c500r50", 500, 50, true},
        Scene{"c20r100", 20, 100, true},   Scene{"c100r100", 100, 100, true},
        Scene{"c500r100", 500, 100, true},
    };
    for (const Scene& scene : scenes)
        if (scene.name == name)
            return SyntheticCirclesOptions{.count = scene.count,
                                           .min_radius = scene.radius,
                                           .max_radius = scene.radius,
                                           .overlap = scene.overlap};
    return {};
}

}  // namespace tesela
