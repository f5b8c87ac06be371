// A confusion matrix as a figure.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "tesela/picture_text.h"
#include "tesela/tissue_evaluation.h"

namespace tesela {
namespace {

using std::int64_t;

constexpr double text_height = 15, border = 16;
constexpr int64_t smallest_side = 800, smallest_cell = 72;

// White to blue on the diagonal, to red beside it.
Rgb color_of(double share, bool right) {
    const double color[] = {right ? 1 - 0.9 * share : 1 - 0.2 * share,
                            right ? 1 - 0.65 * share : 1 - 0.85 * share,
                            right ? 1 - 0.35 * share : 1 - 0.85 * share};
    Rgb rgb{};
    for (std::size_t c = 0; c < 3; ++c)
        rgb[c] = static_cast<std::uint8_t>(std::lround(255 * color[c]));
    return rgb;
}

void fill(Image<std::uint8_t>& picture, int64_t left, int64_t top, int64_t side, const Rgb& color) {
    for (int64_t y = top; y < top + side; ++y)
        for (int64_t x = left; x < left + side; ++x)
            for (int c = 0; c < 3; ++c) picture(x, y, 0, 0, c) = color[static_cast<std::size_t>(c)];
}

// In a cell: as large as fits.
void draw_centered(Image<std::uint8_t>& picture, double x, double y, const std::string& text,
                   double height, double width, const Rgb& color) {
    const double fitting =
        std::min(height, height * width / std::max(text_width(text, height), 1.0));
    draw_text(picture, x - text_width(text, fitting) / 2, y, text, {fitting, color});
}

class Figure {
  public:
    Figure(const TissueEvaluation& evaluation, const std::vector<std::string>& names)
        : evaluation_(evaluation), names_(names), classes_(evaluation.classes) {
        double longest = 0;
        for (const std::string& name : names)
            longest = std::max(longest, text_width(name, text_height));
        // Names of the truth, and the line that says so.
        margin_ = static_cast<int64_t>(std::ceil(longest + 3 * border + text_height));
        const int64_t around = margin_ + int64_t{2 * int(border)}, count = std::max(classes_, 1);
        cell_ = std::max(smallest_cell, (smallest_side - around + count - 1) / count);
        upwards_ = longest > 0.9 * static_cast<double>(cell_);
        const double below =
            upwards_ ? longest + 3 * border + text_height : 2 * text_height + 3 * border;
        picture_ =
            Image<std::uint8_t>({around + count * cell_,
                                 top(classes_) + static_cast<int64_t>(std::ceil(below)), 1, 1, 3});
        std::fill(picture_.pixels().begin(), picture_.pixels().end(), std::uint8_t{255});
    }

    Image<std::uint8_t> draw() && {
        for (int truth = 0; truth < classes_; ++truth) draw_row(truth);
        draw_names();
        return std::move(picture_);
    }

  private:
    int64_t left(int column) const { return margin_ + column * cell_; }
    int64_t top(int row) const { return int64_t{int(border)} + row * cell_; }

    void draw_row(int truth) {
        const auto* row = evaluation_.confusion.data() + truth * classes_;
        const auto all = static_cast<double>(
            std::max<int64_t>(std::accumulate(row, row + classes_, int64_t{0}), 1));
        for (int found = 0; found < classes_; ++found) {
            const double share = static_cast<double>(row[found]) / all;
            constexpr int line = 1;
            fill(picture_, left(found), top(truth), cell_, {170, 170, 170});
            fill(picture_, left(found) + line, top(truth) + line, cell_ - 2 * line,
                 color_of(share, truth == found));
            const Rgb ink = share > 0.55 ? Rgb{255, 255, 255} : Rgb{0, 0, 0};
            const double x = static_cast<double>(left(found)) + static_cast<double>(cell_) / 2;
            const double y = static_cast<double>(top(truth)) + static_cast<double>(cell_) / 2;
            const double width = 0.8 * static_cast<double>(cell_);
            draw_centered(picture_, x, y, std::to_string(row[found]), 20, width, ink);
            char percent[16];
            std::snprintf(percent, sizeof percent, "%.1f %%", 100 * share);
            draw_centered(picture_, x, y + 1.8 * text_height, percent, 13, width, ink);
        }
    }
    // Those of what was found read upwards where one is wider than a cell.
    void draw_names() {
        const double below = static_cast<double>(top(classes_));
        for (int c = 0; c < classes_; ++c) {
            const std::string& name = names_[static_cast<std::size_t>(c)];
            const double width = text_width(name, text_height);
            const double middle = static_cast<double>(cell_) / 2;
            draw_text(picture_, static_cast<double>(margin_) - border / 2 - width,
                      static_cast<double>(top(c)) + middle + text_height / 2, name, {text_height});
            const double x = static_cast<double>(left(c)) + middle;
            if (upwards_)
                draw_text(picture_, x + text_height / 2, below + border / 2 + width, name,
                          {text_height, {0, 0, 0}, true});
            else
                draw_text(picture_, x - width / 2, below + border / 2 + text_height, name,
                          {text_height});
        }
        const double length = static_cast<double>(classes_ * cell_);
        draw_text(
            picture_, border + text_height,
            static_cast<double>(top(0)) + (length + text_width("true class", text_height)) / 2,
            "true class", {text_height, {90, 90, 90}, true});
        const auto side = static_cast<double>(picture_.shape().y);
        draw_text(picture_,
                  static_cast<double>(margin_) + (length - text_width("found as", text_height)) / 2,
                  side - border, "found as", {text_height, {90, 90, 90}});
    }

    const TissueEvaluation& evaluation_;
    const std::vector<std::string>& names_;
    int classes_;
    int64_t margin_ = 0, cell_ = 0;
    bool upwards_ = false;
    Image<std::uint8_t> picture_;
};

}  // namespace

Image<std::uint8_t> confusion_picture(const TissueEvaluation& evaluation,
                                      const std::vector<std::string>& names) {
    if (std::ssize(names) != evaluation.classes)
        throw InvalidArgument("a confusion matrix needs a name for each of its classes");
    return Figure(evaluation, names).draw();
}

}  // namespace tesela
