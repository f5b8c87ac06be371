#include <algorithm>
#include <cmath>
#include <string>

#include "motion/frames.h"
#include "tesela/flow_picture.h"

namespace tesela {
namespace {

struct Point {
    double x, y;
};

double distance_to_segment(Point p, Point from, Point to) {
    const double dx = to.x - from.x, dy = to.y - from.y;
    const double squared = dx * dx + dy * dy;
    const double along = (p.x - from.x) * dx + (p.y - from.y) * dy;
    const double part = squared > 0 ? std::clamp(along / squared, 0.0, 1.0) : 0;
    return std::hypot(p.x - from.x - part * dx, p.y - from.y - part * dy);
}

// A shaft with a barb on each side of its tip.
class Arrow {
  public:
    Arrow(Point from, Point to) : from_(from), to_(to) {
        // A third of the shaft, turned by 30 degrees to either side.
        constexpr double share = 1.0 / 3, cosine = 0.8660254037844387, sine = 0.5;
        const double dx = share * (from.x - to.x), dy = share * (from.y - to.y);
        left_ = {to.x + cosine * dx - sine * dy, to.y + sine * dx + cosine * dy};
        right_ = {to.x + cosine * dx + sine * dy, to.y - sine * dx + cosine * dy};
    }

    double distance(Point p) const {
        return std::min({distance_to_segment(p, from_, to_), distance_to_segment(p, to_, left_),
                         distance_to_segment(p, to_, right_)});
    }
    Point lowest() const {
        return {std::min({from_.x, to_.x, left_.x, right_.x}),
                std::min({from_.y, to_.y, left_.y, right_.y})};
    }
    Point highest() const {
        return {std::max({from_.x, to_.x, left_.x, right_.x}),
                std::max({from_.y, to_.y, left_.y, right_.y})};
    }

  private:
    Point from_, to_, left_, right_;
};

constexpr double line_radius = 0.7, outline_radius = 1.8;  // pixels

void blend(std::uint8_t* pixel, const Rgb& color, double share) {
    for (std::size_t c = 0; c < 3; ++c)
        pixel[c] =
            static_cast<std::uint8_t>(std::lround((1 - share) * pixel[c] + share * color[c]));
}

// The share of a pixel that a line covers, at this distance from the line's middle.
double coverage(double distance, double radius) {
    return std::clamp(radius + 0.5 - distance, 0.0, 1.0);
}

void draw(Image<std::uint8_t>& picture, const Arrow& arrow, const Rgb& color) {
    constexpr Rgb outline{0, 0, 0};
    constexpr double outline_opacity = 0.6;
    const Shape& shape = picture.shape();
    const auto column = [&](double x) {
        return static_cast<std::int64_t>(std::clamp(x, 0.0, static_cast<double>(shape.x - 1)));
    };
    const auto row = [&](double y) {
        return static_cast<std::int64_t>(std::clamp(y, 0.0, static_cast<double>(shape.y - 1)));
    };
    constexpr double reach = outline_radius + 1;
    const Point lowest = arrow.lowest(), highest = arrow.highest();
    for (std::int64_t y = row(lowest.y - reach); y <= row(highest.y + reach); ++y)
        for (std::int64_t x = column(lowest.x - reach); x <= column(highest.x + reach); ++x) {
            const double distance =
                arrow.distance({static_cast<double>(x), static_cast<double>(y)});
            std::uint8_t* pixel = picture.data() + 3 * (y * shape.x + x);
            blend(pixel, outline, outline_opacity * coverage(distance, outline_radius));
            blend(pixel, color, coverage(distance, line_radius));
        }
}

std::int64_t spacing_for(const Shape& shape, std::int64_t asked) {
    if (asked < 0)
        throw InvalidArgument("a spacing of " + std::to_string(asked) +
                              " pixels between arrows: it must be above 0, or 0 for automatic");
    constexpr std::int64_t arrows_along = 24, least = 12;
    return asked > 0 ? asked : std::max(least, std::max(shape.x, shape.y) / arrows_along);
}

Arrow arrow_from(Point from, const float* vector, double max_motion, double spacing) {
    constexpr double longest = 3;  // spacings; longer ones would only hide what is under them
    const double u = vector[0], v = vector[1];
    const double motion = std::hypot(u, v);
    if (motion == 0) return {from, from};
    const double scale = spacing * std::min(motion / max_motion, longest) / motion;
    return {from, {from.x + scale * u, from.y + scale * v}};
}

// The frame as boundary_overlay shows one that has a single region.
Image<std::uint8_t> as_picture(const AnyImageView& frame) {
    Shape shape = frame.shape();
    shape.channels = 1;
    return boundary_overlay(frame, LabelImage(shape));
}

}  // namespace

FlowPicture flow_arrows(const AnyImageView& frame, const FlowView& flow,
                        const ArrowOptions& options) {
    motion::check_frame(frame, flow);
    const Shape& shape = flow.shape();
    const std::int64_t spacing = spacing_for(shape, options.spacing);
    FlowPicture result{as_picture(frame), motion::max_motion(flow, options.max_motion)};
    for (std::int64_t y = spacing / 2; y < shape.y; y += spacing)
        for (std::int64_t x = spacing / 2; x < shape.x; x += spacing) {
            const float* vector = flow.data() + 2 * (y * shape.x + x);
            if (!is_known(vector[0], vector[1])) continue;
            const Point from{static_cast<double>(x), static_cast<double>(y)};
            draw(result.picture,
                 arrow_from(from, vector, result.max_motion, static_cast<double>(spacing)),
                 options.color);
        }
    return result;
}

}  // namespace tesela
