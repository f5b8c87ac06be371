#include "tesela/transfer_function.h"

#include <algorithm>
#include <cmath>

#include "tesela/error.h"

namespace tesela {
namespace {

// The points around a value, and the share of the second one. Of two points of one value the second
// counts from there on.
template <class Point>
struct Between {
    const Point &low, &high;
    double share;
};
template <class Point>
Between<Point> around(const std::vector<Point>& points, double value) {
    const auto above =
        std::upper_bound(points.begin(), points.end(), value,
                         [](double v, const Point& point) { return v < point.value; });
    if (above == points.begin()) return {points.front(), points.front(), 0};
    if (above == points.end()) return {points.back(), points.back(), 0};
    const Point& low = *(above - 1);
    return {low, *above, (value - low.value) / (above->value - low.value)};
}

template <class Point>
void check_order(const std::vector<Point>& points, const char* what) {
    for (std::size_t i = 0; i < points.size(); ++i) {
        constexpr double largest = 1e30;  // single precision holds differences
        if (!(std::abs(points[i].value) <= largest))
            throw InvalidArgument("transfer function: point " + std::to_string(i + 1) + " of " +
                                  what + " has a value that is not within 1e30");
        if (i > 0 && points[i].value < points[i - 1].value)
            throw InvalidArgument("transfer function: point " + std::to_string(i + 1) + " of " +
                                  what + " has a lower value than the point before it: sort them");
    }
}
void check_share(double share, std::size_t i, const char* what) {
    if (!(share >= 0 && share <= 1))
        throw InvalidArgument("transfer function: point " + std::to_string(i + 1) + " of " + what +
                              " is not from 0 to 1");
}
void check_opacity(const std::vector<OpacityPoint>& points, const char* what) {
    check_order(points, what);
    for (std::size_t i = 0; i < points.size(); ++i) check_share(points[i].opacity, i, what);
}

}  // namespace

void validate(const TransferFunction& transfer) {
    if (transfer.color.empty() || transfer.opacity.empty())
        throw InvalidArgument("transfer function: it needs points of color and of opacity");
    check_order(transfer.color, "the color");
    for (std::size_t i = 0; i < transfer.color.size(); ++i)
        for (const double channel : transfer.color[i].color) check_share(channel, i, "the color");
    check_opacity(transfer.opacity, "the opacity");
    check_opacity(transfer.gradient_opacity, "the gradient opacity");
    if (!(transfer.reference_length >= 1e-12 && transfer.reference_length <= 1e12))
        throw InvalidArgument(
            "transfer function: the reference length must be from 1e-12 to 1e12 mm");
}

std::array<double, 3> color_at(const std::vector<ColorPoint>& points, double value) {
    const auto [low, high, share] = around(points, value);
    std::array<double, 3> color{};
    for (std::size_t c = 0; c < 3; ++c)
        color[c] = low.color[c] + share * (high.color[c] - low.color[c]);
    return color;
}

double opacity_at(const std::vector<OpacityPoint>& points, double value) {
    const auto [low, high, share] = around(points, value);
    return low.opacity + share * (high.opacity - low.opacity);
}

TransferFunction in_file_units(TransferFunction transfer, double low, double high) {
    if (!transfer.relative) return transfer;
    const double width = high > low ? high - low : 1;
    for (ColorPoint& point : transfer.color) point.value = low + point.value * width;
    for (OpacityPoint& point : transfer.opacity) point.value = low + point.value * width;
    for (OpacityPoint& point : transfer.gradient_opacity) point.value *= width;
    transfer.relative = false;
    return transfer;
}

}  // namespace tesela
