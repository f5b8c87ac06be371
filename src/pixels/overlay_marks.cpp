#include "pixels/overlay_marks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "tesela/picture_text.h"

namespace tesela {
namespace {

constexpr Rgb white{255, 255, 255}, black{0, 0, 0};

double letter_height(const Panel& panel) {
    return std::clamp(std::min(panel.width(), panel.height()) / 40.0, 8.0, 40.0);
}

// Centered on a point, legible on any background.
void draw_centered(Image<std::uint8_t>& picture, double x, double y, std::string_view text,
                   double height) {
    const double left = x - text_width(text, height) / 2, bottom = y + height / 2;
    const double rim = std::max(1.0, height / 10);
    for (const double dx : {-rim, 0.0, rim})
        for (const double dy : {-rim, 0.0, rim})
            draw_text(picture, left + dx, bottom + dy, text, {.height = height, .color = black});
    draw_text(picture, left, bottom, text, {.height = height, .color = white});
}

struct Spot {
    double x = 0, y = 0;  // mean of the label's pixels
    std::int64_t count = 0;
    double nearest = INFINITY;  // squared distance of the pixel below to it
    int column = 0, row = 0;
};

// Calls `visit(spot, column, row)` for each pixel with a label.
template <class Visit>
void each_labeled(std::map<std::uint32_t, Spot>& spots, const Panel& panel, const LabelView& labels,
                  const Progress& progress, const Visit& visit) {
    for (int row = 0; row < panel.height(); ++row) {
        progress.throw_if_cancelled();
        for (int column = 0; column < panel.width(); ++column)
            if (const std::uint32_t label = label_at(labels, panel, column, row); label > 0)
                visit(spots[label], column, row);
    }
}

}  // namespace

void draw_numbers(Image<std::uint8_t>& picture, const Panel& panel, const LabelView& labels,
                  const Progress& progress) {
    std::map<std::uint32_t, Spot> spots;
    each_labeled(spots, panel, labels, progress, [](Spot& spot, int column, int row) {
        spot.x += column;
        spot.y += row;
        ++spot.count;
    });
    for (auto& [label, spot] : spots) {
        spot.x /= static_cast<double>(spot.count);
        spot.y /= static_cast<double>(spot.count);
    }
    each_labeled(spots, panel, labels, progress, [](Spot& spot, int column, int row) {
        const double distance =
            (column - spot.x) * (column - spot.x) + (row - spot.y) * (row - spot.y);
        if (distance >= spot.nearest) return;
        spot.nearest = distance;
        spot.column = column;
        spot.row = row;
    });
    for (const auto& [label, spot] : spots) {
        progress.throw_if_cancelled();
        draw_centered(picture, static_cast<double>(panel.left) + spot.column + 0.5,
                      static_cast<double>(panel.top) + spot.row + 0.5, std::to_string(label),
                      letter_height(panel));
    }
}

void draw_sides(Image<std::uint8_t>& picture, const Panel& panel) {
    const double height = letter_height(panel);
    const double left = static_cast<double>(panel.left) + height,
                 right = static_cast<double>(panel.left) + panel.width() - height,
                 top = static_cast<double>(panel.top) + height,
                 bottom = static_cast<double>(panel.top) + panel.height() - height;
    const auto draw = [&](double x, double y, std::string_view letter) {
        draw_centered(picture, x, y, letter, height);
    };
    if (!panel.column_sides.empty()) {
        draw(left, (top + bottom) / 2, panel.column_sides.substr(0, 1));
        draw(right, (top + bottom) / 2, panel.column_sides.substr(1));
    }
    if (!panel.row_sides.empty()) {
        draw((left + right) / 2, top, panel.row_sides.substr(0, 1));
        draw((left + right) / 2, bottom, panel.row_sides.substr(1));
    }
}

}  // namespace tesela
