// A map over a small picture of its slide, with a legend.
#include <algorithm>
#include <cmath>

#include "tesela/picture_text.h"
#include "tesela/tissue_slides.h"

namespace tesela {
namespace {

using std::int64_t;
using Color = std::array<std::uint8_t, 3>;

void fill(Image<std::uint8_t>& picture, int64_t x, int64_t y, int64_t width, int64_t height,
          const Color& color) {
    for (int64_t row = y; row < std::min(y + height, picture.shape().y); ++row)
        for (int64_t column = x; column < std::min(x + width, picture.shape().x); ++column)
            for (int c = 0; c < 3; ++c)
                picture(column, row, 0, 0, c) = color[static_cast<std::size_t>(c)];
}

}  // namespace

Image<std::uint8_t> tissue_overlay(const TileSource& slide, const TissueModel& model,
                                   const TissueMap& map, int64_t longest) {
    const AnyImage any = thumbnail(slide, longest);
    const auto& small = std::get<Image<std::uint8_t>>(any);
    const Shape& shape = small.shape();
    constexpr double letters = 11;
    constexpr int line = 22, border = 8;
    double longest_name = 0;
    for (const std::string& name : model.classes)
        longest_name = std::max(longest_name, text_width(name, letters));
    const int64_t legend = 3 * border + line + static_cast<int64_t>(std::ceil(longest_name));
    const int64_t height =
        std::max(shape.y, static_cast<int64_t>(model.classes.size()) * line + 2 * border);
    Image<std::uint8_t> picture({shape.x + legend, height, 1, 1, 3}, small.geometry);
    fill(picture, 0, 0, shape.x + legend, height, {255, 255, 255});
    const Shape& full = slide.facts().levels.front().shape;
    const double scale = static_cast<double>(full.x) / static_cast<double>(shape.x);
    for (int64_t y = 0; y < shape.y; ++y)
        for (int64_t x = 0; x < shape.x; ++x) {
            const auto cell_of = [&](int64_t at, std::size_t axis, int64_t count) {
                return std::min(static_cast<int64_t>((static_cast<double>(at) + 0.5) * scale /
                                                     map.grid.stride[axis]),
                                count - 1);
            };
            const int64_t cell =
                cell_of(y, 1, map.grid.rows) * map.grid.columns + cell_of(x, 0, map.grid.columns);
            const int label = map.labels[static_cast<std::size_t>(cell)];
            for (int c = 0; c < 3; ++c) {
                const int own = small(x, y, 0, 0, c);
                const int color = label > 0 ? model.colors[static_cast<std::size_t>(label - 1)]
                                                          [static_cast<std::size_t>(c)]
                                            : own;
                picture(x, y, 0, 0, c) = static_cast<std::uint8_t>((3 * own + 2 * color) / 5);
            }
        }
    for (std::size_t c = 0; c < model.classes.size(); ++c) {
        const int64_t y = border + static_cast<int64_t>(c) * line;
        fill(picture, shape.x + border, y, line - 6, line - 6, model.colors[c]);
        draw_text(picture, static_cast<double>(shape.x + border + line),
                  static_cast<double>(y) + letters + 2, model.classes[c], {letters});
    }
    return picture;
}

}  // namespace tesela
