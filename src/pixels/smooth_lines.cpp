#include "pixels/smooth_lines.h"

#include <algorithm>
#include <vector>

#include "pixels/ink.h"
#include "pixels/overlay_marks.h"

namespace tesela {
namespace {

// The pixels of the image along an axis of a panel, each of which the panel may repeat.
class Cells {
  public:
    explicit Cells(const std::vector<std::int64_t>& positions) {
        for (std::size_t i = 0; i < positions.size(); ++i)
            if (i == 0 || positions[i] != positions[i - 1]) first_.push_back(static_cast<int>(i));
        size_ = static_cast<int>(positions.size());
    }
    int count() const { return static_cast<int>(first_.size()); }
    // Those beyond the ends are the outermost ones.
    int shown(int cell) const {
        return first_[static_cast<std::size_t>(std::clamp(cell, 0, count() - 1))];
    }
    // In pixels of the panel; of those beyond the ends the end.
    double middle(int cell) const {
        if (cell < 0 || cell >= count()) return end(cell);
        return (shown(cell) + end(cell) - 0.5) / 2;
    }
    double end(int cell) const {
        if (cell < 0) return -0.5;
        return (cell + 1 < count() ? shown(cell + 1) : size_) - 0.5;
    }

  private:
    std::vector<int> first_;
    int size_ = 0;
};

}  // namespace

void draw_smooth_lines(Image<std::uint8_t>& picture, const Panel& panel, const LabelView& labels,
                       double width, const std::function<Rgb(std::uint32_t)>& color_of,
                       const Progress& progress) {
    const Cells columns(panel.columns), rows(panel.rows);
    const auto in_picture = [&](double x, double y) {
        return InkPoint{x + static_cast<double>(panel.left), y + static_cast<double>(panel.top)};
    };
    Ink ink({panel.left, panel.top, panel.left + panel.width(), panel.top + panel.height()},
            width / 2);
    for (int j = -1; j < rows.count(); ++j) {
        progress.throw_if_cancelled();
        for (int i = -1; i < columns.count(); ++i) {
            const auto label = [&](int right, int down) {
                return label_at(labels, panel, columns.shown(i + right), rows.shown(j + down));
            };
            const std::array corners{label(0, 0), label(1, 0), label(1, 1), label(0, 1)};
            const std::uint32_t highest = *std::max_element(corners.begin(), corners.end());
            if (std::count(corners.begin(), corners.end(), highest) == std::ssize(corners))
                continue;
            const double x = columns.end(i), y = rows.end(j);
            // Between each corner and the next one, around the patch.
            const std::array between{
                in_picture(x, rows.middle(j)), in_picture(columns.middle(i + 1), y),
                in_picture(x, rows.middle(j + 1)), in_picture(columns.middle(i), y)};
            std::vector<InkPoint> crossed;
            for (std::size_t k = 0; k < between.size(); ++k)
                if (corners[k] != corners[(k + 1) % corners.size()]) crossed.push_back(between[k]);
            // Two parts, or more that meet in the middle.
            const InkPoint middle = crossed.size() == 2 ? crossed[1] : in_picture(x, y);
            for (const InkPoint& point : crossed) ink.stroke(point, middle, highest);
        }
    }
    ink.print(picture, color_of);
}

}  // namespace tesela
