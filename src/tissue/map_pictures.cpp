// A map over a small picture of its slide, with a legend.
#include <algorithm>
#include <string_view>

#include "tesela/tissue_slides.h"

namespace tesela {
namespace {

using std::int64_t;
using Color = std::array<std::uint8_t, 3>;

// Rows of three pixels, from the top, as octal digits: A to Z, then 0 to 9.
constexpr std::array<unsigned, 36> letters{
    025755, 065656, 034443, 065556, 074647, 074644, 034553, 055755, 072227, 011152, 055655, 044447,
    057755, 065555, 025552, 065644, 025563, 065655, 034216, 072222, 055557, 055552, 055775, 055255,
    055222, 071247, 075557, 026227, 061247, 061216, 055711, 074616, 034757, 071122, 075757, 075716};
constexpr int letter_width = 3, letter_height = 5;

unsigned rows_of(char c) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    if (c >= 'A' && c <= 'Z') return letters[static_cast<std::size_t>(c - 'A')];
    if (c >= '0' && c <= '9') return letters[static_cast<std::size_t>(26 + c - '0')];
    return c == '-' ? 000700 : c == ':' ? 002020 : c == '_' ? 000007 : 0;
}

void fill(Image<std::uint8_t>& picture, int64_t x, int64_t y, int64_t width, int64_t height,
          const Color& color) {
    for (int64_t row = y; row < std::min(y + height, picture.shape().y); ++row)
        for (int64_t column = x; column < std::min(x + width, picture.shape().x); ++column)
            for (int c = 0; c < 3; ++c)
                picture(column, row, 0, 0, c) = color[static_cast<std::size_t>(c)];
}

void write(Image<std::uint8_t>& picture, int64_t x, int64_t y, int size, std::string_view text) {
    for (const char c : text) {
        const unsigned rows = rows_of(c);
        for (int row = 0; row < letter_height; ++row)
            for (int column = 0; column < letter_width; ++column)
                if (rows >> (3 * (letter_height - 1 - row) + letter_width - 1 - column) & 1u)
                    fill(picture, x + column * size, y + row * size, size, size, {0, 0, 0});
        x += (letter_width + 1) * size;
    }
}

}  // namespace

Image<std::uint8_t> tissue_overlay(const TileSource& slide, const TissueModel& model,
                                   const TissueMap& map, int64_t longest) {
    const AnyImage any = thumbnail(slide, longest);
    const auto& small = std::get<Image<std::uint8_t>>(any);
    const Shape& shape = small.shape();
    std::size_t letters_needed = 0;
    for (const std::string& name : model.classes)
        letters_needed = std::max(letters_needed, name.size());
    constexpr int size = 2, line = 20, border = 8;
    const int64_t legend =
        3 * border + line + static_cast<int64_t>(letters_needed) * (letter_width + 1) * size;
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
        write(picture, shape.x + border + line, y + 2, size, model.classes[c]);
    }
    return picture;
}

}  // namespace tesela
