#include "pixels/ink.h"

namespace tesela {
namespace {

double distance(const InkPoint& p, const InkPoint& a, const InkPoint& b) {
    const double dx = b.x - a.x, dy = b.y - a.y, length2 = dx * dx + dy * dy;
    const double along =
        length2 > 0 ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length2, 0.0, 1.0) : 0;
    return std::hypot(p.x - a.x - along * dx, p.y - a.y - along * dy);
}

std::int64_t pixel_at(double at, std::int64_t size) {
    return static_cast<std::int64_t>(std::clamp(std::floor(at), 0.0, static_cast<double>(size)));
}

}  // namespace

InkBox reached_box(const Shape& picture, double radius, const InkPoint& low, const InkPoint& high) {
    return {pixel_at(low.x - radius - 1, picture.x), pixel_at(low.y - radius - 1, picture.y),
            pixel_at(high.x + radius + 2, picture.x), pixel_at(high.y + radius + 2, picture.y)};
}

Ink::Ink(const InkBox& box, double radius) : box_(box), radius_(radius) {
    if (box.left >= box.right || box.top >= box.bottom) return;
    const Shape shape{box.right - box.left, box.bottom - box.top};
    covered_ = Image<float>(shape);
    marks_ = Image<std::uint32_t>(shape);
}

void Ink::stroke(const InkPoint& from, const InkPoint& to, std::uint32_t mark) {
    const auto moved = [&](const InkPoint& point) {
        return InkPoint{point.x - static_cast<double>(box_.left),
                        point.y - static_cast<double>(box_.top)};
    };
    const InkPoint a = moved(from), b = moved(to);
    const InkBox reached =
        reached_box(covered_.shape(), radius_, {std::min(a.x, b.x), std::min(a.y, b.y)},
                    {std::max(a.x, b.x), std::max(a.y, b.y)});
    for (std::int64_t y = reached.top; y < reached.bottom; ++y)
        for (std::int64_t x = reached.left; x < reached.right; ++x) {
            const double away = distance({double(x), double(y)}, a, b);
            const auto share = static_cast<float>(std::clamp(radius_ + 0.5 - away, 0.0, 1.0));
            if (share <= covered_(x, y)) continue;
            covered_(x, y) = share;
            marks_(x, y) = mark;
        }
}

}  // namespace tesela
