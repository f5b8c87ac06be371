#include "tesela/synthetic_volume.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <variant>

#include "core/vectors.h"
#include "evaluation/vessel_tree.h"
#include "tesela/error.h"
#include "tesela/synthetic_noise.h"

namespace tesela {
namespace {

constexpr double background = 80, object = 160;

using detail::length;
using evaluation::Point;

struct Tissue {
    std::uint32_t label = 0;
    double value = background;
};

Tissue inside(bool holds, std::uint32_t label = 1) {
    return holds ? Tissue{label, object} : Tissue{};
}

// Points are in units of half the shortest side, from the middle on.
Tissue kissing(const Point& p) {
    constexpr double radius = 0.4;
    const double left = length({p[0] + radius, p[1], p[2]});
    const double right = length({p[0] - radius, p[1], p[2]});
    // The spheres overlap by a little, so that there is no gap to see.
    if (std::min(left, right) > 1.02 * radius) return {};
    return {left <= right ? 1u : 2u, object};
}

Tissue bridged(const Point& p) {
    constexpr double radius = 0.36, away = 0.5, bridge = 0.06;
    if (length({p[0] + away, p[1], p[2]}) <= radius) return {1, object};
    if (length({p[0] - away, p[1], p[2]}) <= radius) return {2, object};
    return {0, std::abs(p[0]) < away && std::hypot(p[1], p[2]) <= bridge ? object : background};
}

// Shells from the scalp inwards; the cortex is folded by waves on the sphere.
Tissue head(const Point& p) {
    constexpr double air = 10, scalp = 200, skull = 40, fluid = 60, gray = 115, white = 160;
    const double r = length({p[0] / 0.78, p[1] / 0.95, p[2] / 0.85});
    if (r > 0.98) return {0, air};
    if (r > 0.91) return {0, scalp};
    if (r > 0.85) return {0, skull};
    const double fold = std::sin(11 * p[0] + 2 * std::sin(5 * p[1])) *
                        std::sin(9 * p[1] + 2 * std::sin(6 * p[2])) *
                        std::sin(10 * p[2] + 2 * std::sin(4 * p[0]));
    const double cortex = 0.80 + 0.06 * fold;
    const bool fissure = std::abs(p[0]) < 0.025 && p[2] > 0.2;
    const bool ventricle = length({(std::abs(p[0]) - 0.13) / 0.07, p[1] / 0.3, p[2] / 0.12}) < 1;
    if (r > cortex || fissure || ventricle) return {1, fluid};
    if (r > cortex - 0.13 + 0.08 * fold) return {2, gray};
    return {3, white};
}

// From 8 to 248 within the cube.
double ramp(const Point& p) { return 128 + 40 * (p[0] + p[1] + p[2]); }

// Equation 1 of Marschner and Lobb with their frequency 6 and strength 1/4, from 0 to 255.
double marschner_lobb(const Point& p) {
    constexpr double pi = std::numbers::pi, frequency = 6, strength = 0.25;
    const double wave = std::cos(2 * pi * frequency * std::cos(pi / 2 * std::hypot(p[0], p[1])));
    const double value = 1 - std::sin(pi * p[2] / 2) + strength * (1 + wave);
    return 255 * value / (2 * (1 + strength));
}

bool has_objects(VolumeScene scene) {
    return scene != VolumeScene::ramp && scene != VolumeScene::marschner_lobb;
}

Tissue tissue_at(VolumeScene scene, const Point& p) {
    static const evaluation::VesselTree vessels;
    switch (scene) {
        case VolumeScene::vessels:
            return inside(vessels.holds(p));
        case VolumeScene::ramp:
            return {0, ramp(p)};
        case VolumeScene::marschner_lobb:
            return {0, marschner_lobb(p)};
        case VolumeScene::sphere:
            return inside(length(p) <= 0.6);
        case VolumeScene::cube:
            return inside(std::max({std::abs(p[0]), std::abs(p[1]), std::abs(p[2])}) <= 0.5);
        case VolumeScene::torus:
            return inside(std::hypot(std::hypot(p[0], p[1]) - 0.55, p[2]) <= 0.25);
        case VolumeScene::kissing_spheres:
            return kissing(p);
        case VolumeScene::bridged_spheres:
            return bridged(p);
        default:
            return head(p);
    }
}

// Weights 1, 2, 1 along an axis of which neighbors are `stride` apart.
void blur(std::vector<float>& values, std::int64_t length, std::int64_t stride) {
    const auto count = static_cast<std::int64_t>(values.size());
    for (std::int64_t first = 0; first < count; first += length * stride)
        for (std::int64_t i = 0; i < stride; ++i) {
            float* line = values.data() + first + i;
            float before = line[0];
            for (std::int64_t k = 0; k < length; ++k) {
                const float here = line[k * stride];
                const float behind = k + 1 < length ? line[(k + 1) * stride] : here;
                line[k * stride] = 0.25f * (before + behind) + 0.5f * here;
                before = here;
            }
        }
}

void check(const SyntheticVolumeOptions& options) {
    validate(options.shape);
    if (options.shape.channels != 1 || options.shape.t != 1)
        throw InvalidArgument("synthetic volumes have one channel and one frame");
    if (!(options.noise >= 0 && options.noise <= 1))
        throw InvalidArgument("the noise must be a share from 0 to 1");
    if (!(options.bias >= 0 && options.bias <= 1))
        throw InvalidArgument("the bias must be a share from 0 to 1");
    for (const double step : options.spacing)
        if (!(step > 0 && std::isfinite(step)))
            throw InvalidArgument("the spacing must be above 0");
}

}  // namespace

SyntheticVolume synthetic_volume(const SyntheticVolumeOptions& options) {
    check(options);
    const Shape& shape = options.shape;
    Geometry geometry;
    geometry.unit = Unit::millimeter;
    geometry.spacing = options.spacing;
    const std::array<std::int64_t, 3> lengths{shape.x, shape.y, shape.z};
    double half = 1e30;
    for (std::size_t axis = 0; axis < 3; ++axis)
        half = std::min(half, options.spacing[axis] * static_cast<double>(lengths[axis]) / 2);
    const auto along = [&](std::int64_t at, std::size_t axis) {
        const double middle = static_cast<double>(lengths[axis] - 1) / 2;
        return (static_cast<double>(at) - middle) * options.spacing[axis] / half;
    };
    SyntheticVolume made{Image<std::uint8_t>(shape, geometry), LabelImage(shape, geometry)};
    std::vector<float> values;
    values.reserve(static_cast<std::size_t>(shape.points()));
    for (std::int64_t z = 0; z < shape.z; ++z)
        for (std::int64_t y = 0; y < shape.y; ++y)
            for (std::int64_t x = 0; x < shape.x; ++x) {
                const Point p{along(x, 0), along(y, 1), along(z, 2)};
                const Tissue tissue = tissue_at(options.scene, p);
                made.truth(x, y, z) = tissue.label;
                const double brightness = 1 + options.bias / 2 * (p[0] + p[1] - p[2]) / 3;
                values.push_back(static_cast<float>(tissue.value * brightness));
            }
    std::int64_t stride = 1;
    for (const std::int64_t length : lengths) {
        if (has_objects(options.scene)) blur(values, length, stride);
        stride *= length;
    }
    std::transform(values.begin(), values.end(), made.image.pixels().begin(), [](float value) {
        return static_cast<std::uint8_t>(std::clamp(std::nearbyint(value), 0.0f, 255.0f));
    });
    if (options.noise > 0)
        made.image = std::get<Image<std::uint8_t>>(
            add_noise(made.image, NoiseKind::gaussian, options.noise * object, options.seed));
    return made;
}

}  // namespace tesela
