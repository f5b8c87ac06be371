#include "tesela/synthetic_nuclei.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "evaluation/blur.h"
#include "evaluation/random.h"

namespace tesela {
namespace {

using evaluation::Random;

constexpr double background = 30, foreground = 150;

struct Nucleus {
    double x = 0, y = 0;
    double major = 0, minor = 0;  // semi-axes
    double cosine = 1, sine = 0;
    double brightness = 1;

    // 0 in the middle, 1 on the border, larger outside.
    double level(double px, double py) const {
        const double dx = px - x, dy = py - y;
        return std::hypot((dx * cosine + dy * sine) / major, (dy * cosine - dx * sine) / minor);
    }
    // From the middle to the border, in a direction.
    double radius(double dx, double dy) const {
        const double length = std::hypot(dx, dy);
        return length > 0 ? 1 / level(x + dx / length, y + dy / length) : minor;
    }
};

// An axis-parallel box around a nucleus, within an image.
struct Box {
    std::int64_t first_x, last_x, first_y, last_y;

    Box(const Nucleus& nucleus, const Shape& shape) {
        const auto index = [](double at, std::int64_t size) {
            return std::clamp<std::int64_t>(static_cast<std::int64_t>(at), 0, size - 1);
        };
        const double reach = nucleus.major + 1;
        first_x = index(nucleus.x - reach, shape.x), last_x = index(nucleus.x + reach, shape.x);
        first_y = index(nucleus.y - reach, shape.y), last_y = index(nucleus.y + reach, shape.y);
    }
};

// Whether no point of either is nearer to the other than a distance, by points on the border.
bool are_apart(const Nucleus& a, const Nucleus& b, double distance) {
    constexpr int points = 64;
    if (std::hypot(b.x - a.x, b.y - a.y) > a.major + b.major + distance) return true;
    if (a.level(b.x, b.y) <= 1) return false;
    Nucleus grown = b;
    grown.major += distance;
    grown.minor += distance;
    for (int k = 0; k < points; ++k) {
        const double angle = 2 * std::numbers::pi * k / points;
        const double dx = std::cos(angle), dy = std::sin(angle), r = a.radius(dx, dy);
        if (grown.level(a.x + r * dx, a.y + r * dy) <= 1) return false;
    }
    return true;
}

Nucleus shaped(double diameter, Random& random) {
    Nucleus made;
    const double radius = diameter / 2 * random.uniform(0.75, 1.25);
    const double stretch = std::sqrt(random.uniform(1, 1.6));
    const double angle = random.uniform(0, std::numbers::pi);
    made.major = radius * stretch;
    made.minor = radius / stretch;
    made.cosine = std::cos(angle);
    made.sine = std::sin(angle);
    made.brightness = random.uniform(0.7, 1.3);
    return made;
}

// Against another one, in any direction.
void place_against(const Nucleus& other, Nucleus& made, Random& random) {
    constexpr double overlap = 0.06;  // of both radii
    const double angle = random.uniform(0, 2 * std::numbers::pi);
    const double dx = std::cos(angle), dy = std::sin(angle);
    const double apart = (1 - overlap) * (other.radius(dx, dy) + made.radius(dx, dy));
    made.x = other.x + apart * dx;
    made.y = other.y + apart * dy;
}

std::vector<Nucleus> placed(const SyntheticNucleiOptions& o, Random& random) {
    constexpr int most_trials = 20000;
    constexpr double apart = 2;
    std::vector<Nucleus> nuclei;
    for (std::int32_t k = 0; k < o.count; ++k) {
        Nucleus made;
        const bool touches = k > 0 && random.uniform() < o.touching;
        const Nucleus* partner = nullptr;
        const auto is_in_image = [&] {
            return made.x >= made.major && made.y >= made.major &&
                   made.x <= static_cast<double>(o.width - 1) - made.major &&
                   made.y <= static_cast<double>(o.height - 1) - made.major;
        };
        const auto has_room = [&](const Nucleus& other) {
            return &other == partner || are_apart(made, other, apart);
        };
        int trial = 0;
        do {
            if (++trial > most_trials)
                throw InvalidArgument("there is no place for nucleus " + std::to_string(k + 1) +
                                      " of " + std::to_string(o.count) +
                                      "; give a larger image, or fewer or smaller nuclei");
            made = shaped(o.diameter, random);
            if (touches) {
                partner = &nuclei[static_cast<std::size_t>(random.uniform() * k)];
                place_against(*partner, made, random);
            } else {
                made.x = random.uniform(0, static_cast<double>(o.width - 1));
                made.y = random.uniform(0, static_cast<double>(o.height - 1));
            }
        } while (!is_in_image() || !std::all_of(nuclei.begin(), nuclei.end(), has_room));
        nuclei.push_back(made);
    }
    return nuclei;
}

// Pixels whose centers lie inside; those of two belong to the one in which they lie deeper.
LabelImage labels_of(const std::vector<Nucleus>& nuclei, const Shape& shape) {
    LabelImage labels(shape);
    for (std::size_t k = 0; k < nuclei.size(); ++k) {
        const Box box(nuclei[k], shape);
        for (std::int64_t y = box.first_y; y <= box.last_y; ++y)
            for (std::int64_t x = box.first_x; x <= box.last_x; ++x) {
                const auto px = static_cast<double>(x), py = static_cast<double>(y);
                const double level = nuclei[k].level(px, py);
                std::uint32_t& label = labels(x, y);
                if (level <= 1 && (label == 0 || level < nuclei[label - 1].level(px, py)))
                    label = static_cast<std::uint32_t>(k + 1);
            }
    }
    return labels;
}

// Light from one place, somewhere in the image, that falls off with the square of the distance.
class Light {
  public:
    Light(const SyntheticNucleiOptions& o, Random& random)
        : x_(random.uniform(0, static_cast<double>(o.width))),
          y_(random.uniform(0, static_cast<double>(o.height))),
          missing_(o.light) {
        const double dx = std::max(x_, static_cast<double>(o.width) - x_);
        const double dy = std::max(y_, static_cast<double>(o.height) - y_);
        farthest_ = dx * dx + dy * dy;
    }
    double at(std::int64_t x, std::int64_t y) const {
        const double dx = static_cast<double>(x) - x_, dy = static_cast<double>(y) - y_;
        return 1 - missing_ * (dx * dx + dy * dy) / farthest_;
    }

  private:
    double x_, y_, missing_, farthest_;
};

}  // namespace

SyntheticNuclei synthetic_nuclei(const SyntheticNucleiOptions& o) {
    validate_options(o);
    Random random(o.seed);
    const std::vector<Nucleus> nuclei = placed(o, random);
    const Light light(o, random);
    SyntheticNuclei made;
    const Shape shape{o.width, o.height};
    made.truth = labels_of(nuclei, shape);
    Image<float> values(shape);
    for (std::int64_t y = 0; y < shape.y; ++y)
        for (std::int64_t x = 0; x < shape.x; ++x) {
            const std::uint32_t label = made.truth(x, y);
            const double stained = label > 0 ? nuclei[label - 1].brightness : 0;
            values(x, y) = static_cast<float>(light.at(x, y) *
                                              (background + stained * (foreground - background)));
        }
    if (o.blur > 0) values = evaluation::blurred(values, o.blur);
    made.image = Image<std::uint8_t>(shape);
    for (std::size_t i = 0; i < values.pixels().size(); ++i) {
        const double value =
            values.pixels()[i] + o.noise * (foreground - background) * random.normal();
        made.image.pixels()[i] =
            static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0, 255.0)));
    }
    return made;
}

}  // namespace tesela
