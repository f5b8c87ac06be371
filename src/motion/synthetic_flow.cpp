#include "tesela/synthetic_flow.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace tesela {
namespace {

struct Point {
    double x, y;
};

double waves(Point p) {
    return 128 +
           20 * (std::sin(0.31 * p.x + 0.17 * p.y) + std::cos(0.23 * p.y - 0.11 * p.x + 0.7) +
                 std::sin(0.13 * p.x - 0.29 * p.y + 1.3) + std::cos(0.41 * p.x + 0.05 * p.y + 2.1));
}

// Frequencies in equal steps, directions by the golden angle: no two waves have one direction.
struct Wave {
    double x, y, phase;  // radians per pixel, radians
};
std::array<Wave, 24> broadband_waves() {
    const double full_turn = 2 * std::acos(-1.0);
    constexpr double golden_angle = 2.399963;
    std::array<Wave, 24> waves{};
    for (std::size_t n = 0; n < waves.size(); ++n) {
        const auto number = static_cast<double>(n);
        const double frequency = full_turn * (0.01 + 0.0045 * number);
        waves[n] = {frequency * std::cos(golden_angle * number),
                    frequency * std::sin(golden_angle * number), 1.7 * number};
    }
    return waves;
}

double broadband(Point p) {
    static const std::array<Wave, 24> waves = broadband_waves();
    double sum = 0;
    for (const Wave& wave : waves) sum += std::cos(wave.x * p.x + wave.y * p.y + wave.phase);
    return 128 + 14 * sum;
}

// p -> (a -b; b a) p + (x, y): turns, scales and shifts, and is closed under inversion.
struct Similarity {
    double a = 1, b = 0, x = 0, y = 0;

    Point operator()(Point p) const { return {a * p.x - b * p.y + x, b * p.x + a * p.y + y}; }
    // This after `first`.
    Similarity after(const Similarity& first) const {
        const Point shift = (*this)({first.x, first.y});
        return {a * first.a - b * first.b, b * first.a + a * first.b, shift.x, shift.y};
    }
    Similarity inverse() const {
        const double squared = a * a + b * b;
        const Similarity turn{a / squared, -b / squared, 0, 0};
        const Point shift = turn({-x, -y});
        return {turn.a, turn.b, shift.x, shift.y};
    }
};

Similarity step_of(const SyntheticMotion& motion) {
    const double scale = 1 + motion.zoom;
    if (!(scale > 0))
        throw InvalidArgument("a zoom of " + std::to_string(motion.zoom) +
                              " a frame leaves nothing to see: it must be above -1");
    return {scale * std::cos(motion.rotation), scale * std::sin(motion.rotation), motion.x,
            motion.y};
}

// A layer in one frame.
class LayerInFrame {
  public:
    LayerInFrame(const SyntheticLayer& layer, int frame)
        : layer_(layer),
          middle_{layer.x + frame * layer.motion.x, layer.y + frame * layer.motion.y},
          step_(step_of(layer.motion)) {
        Similarity turn = step_;
        turn.x = turn.y = 0;
        for (int i = 0; i < frame; ++i) back_ = turn.inverse().after(back_);
    }

    // The share of a pixel that it covers: the edge is one pixel wide.
    double cover(Point p) const {
        const Point m = material(p);
        const double radius = std::hypot(2 * m.x / layer_.width, 2 * m.y / layer_.height);
        const double pixels = (layer_.width + layer_.height) / 4;
        return std::clamp(0.5 + (1 - radius) * pixels, 0.0, 1.0);
    }
    // Where its texture is taken from. Each layer has another part of it.
    Point texture_point(Point p) const {
        const Point m = material(p);
        return {m.x + 3 * layer_.x, m.y + 3 * layer_.y};
    }
    // Where a point of it goes in the next frame.
    Point next(Point p) const {
        const Point moved = step_({p.x - middle_.x, p.y - middle_.y});
        return {moved.x + middle_.x, moved.y + middle_.y};
    }
    double brightness() const { return layer_.brightness; }

  private:
    // The point of frame 0 that is at p now, relative to the layer's middle.
    Point material(Point p) const { return back_({p.x - middle_.x, p.y - middle_.y}); }

    const SyntheticLayer& layer_;
    Point middle_;
    Similarity step_, back_;
};

std::vector<LayerInFrame> layers_in_frame(const SyntheticScene& scene, int frame) {
    if (frame < 0)
        throw InvalidArgument("frame " + std::to_string(frame) +
                              " of a synthetic scene: the first is 0");
    std::vector<LayerInFrame> layers;
    for (const SyntheticLayer& layer : scene.layers) {
        if (!(layer.width > 0 && layer.height > 0))
            throw InvalidArgument("a layer of a synthetic scene must have a width and a height");
        layers.emplace_back(layer, frame);
    }
    return layers;
}

// Calls visit(point, element) for each pixel, row by row, with its place relative to the middle.
template <class Visit>
void visit_pixels(Image<float>& image, Visit visit) {
    const Shape& shape = image.shape();
    float* element = image.data();
    for (std::int64_t y = 0; y < shape.y; ++y)
        for (std::int64_t x = 0; x < shape.x; ++x, element += shape.channels)
            visit(Point{static_cast<double>(x) - static_cast<double>(shape.x - 1) / 2,
                        static_cast<double>(y) - static_cast<double>(shape.y - 1) / 2},
                  element);
}

constexpr double diverging_zoom = 1.6 / 75;  // 1.6 pixels a frame at the sides of 150 x 150

constexpr std::array ellipses{
    SyntheticLayer{-75, -25, 120, 90, -20, {.rotation = 0.05, .x = -2, .y = 1}},
    SyntheticLayer{80, 25, 90, 130, 20, {.x = 3, .y = 1}},
    SyntheticLayer{5, 50, 90, 80, 0, {.zoom = 0.04, .x = 0.5, .y = -2.5}},
};

constexpr std::array scenes{
    SyntheticScene{"diverging", SyntheticTexture::waves, 150, 150, {.zoom = diverging_zoom}},
    SyntheticScene{"translating", SyntheticTexture::waves, 150, 150, {.x = 1, .y = 0.5}},
    SyntheticScene{"rotating", SyntheticTexture::waves, 150, 150, {.rotation = diverging_zoom}},
    SyntheticScene{"zooming", SyntheticTexture::broadband, 320, 240, {.zoom = diverging_zoom}},
    SyntheticScene{"shifting", SyntheticTexture::broadband, 320, 240, {.x = 2, .y = 1}},
    SyntheticScene{"leaping", SyntheticTexture::broadband, 320, 240, {.x = 8, .y = 4}},
    SyntheticScene{"layers",
                   SyntheticTexture::broadband,
                   320,
                   240,
                   {.rotation = 0.004, .x = 0.6, .y = -0.4},
                   0.5,
                   ellipses},
};

}  // namespace

std::span<const SyntheticScene> synthetic_scenes() { return scenes; }

Image<float> synthetic_frame(const SyntheticScene& scene, int index) {
    const std::vector<LayerInFrame> layers = layers_in_frame(scene, index);
    const Similarity back = step_of(scene.motion).inverse();
    Similarity to_texture;
    for (int i = 0; i < index; ++i) to_texture = back.after(to_texture);
    const auto texture = [&](Point p) {
        const double value = scene.texture == SyntheticTexture::waves ? waves(p) : broadband(p);
        return 128 + scene.contrast * (value - 128);
    };
    Image<float> frame({scene.width, scene.height});
    visit_pixels(frame, [&](Point p, float* pixel) {
        double value = texture(to_texture(p));
        for (const LayerInFrame& layer : layers)
            if (const double cover = layer.cover(p); cover > 0)
                value += cover * (texture(layer.texture_point(p)) + layer.brightness() - value);
        *pixel = static_cast<float>(value);
    });
    return frame;
}

FlowField synthetic_truth(const SyntheticScene& scene, int index) {
    const std::vector<LayerInFrame> layers = layers_in_frame(scene, index);
    const Similarity step = step_of(scene.motion);
    FlowField flow({scene.width, scene.height, 1, 1, 2});
    visit_pixels(flow, [&](Point p, float* vector) {
        Point moved = step(p);
        for (const LayerInFrame& layer : layers)
            if (layer.cover(p) >= 0.5) moved = layer.next(p);
        vector[0] = static_cast<float>(moved.x - p.x);
        vector[1] = static_cast<float>(moved.y - p.y);
    });
    return flow;
}

}  // namespace tesela
